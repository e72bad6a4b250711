"""The catalogue against the files of the mirror and against itself."""

import csv
import subprocess
import sys

import numpy as np
import pytest

from mlfs import datasets
from mlfs.datasets import catalog, checksum, load
from mlfs.datasets.formats.arff import read_arff
from mlfs.datasets.formats.mulan import read_labels
from mlfs.datasets.published.published_catalogue import label_names
from mlfs.errors import UserError

HAND_PUT = {"pascal07", "msrc"}
SMALL = ["emotions", "yeast", "scene", "image", "medical", "enron", "corel5k", "corel16k002"]
SMALL += ["rcv1subset1_top944", "rcv1subset2_top944", "arts", "business", "social", "genbase"]
# of mldr.datasets
MLDR = ["birds", "cal500", "flags", "langlog", "ng20", "slashdot", "ohsumed", "reutersk500"]
MLDR += ["stackex_chess", "stackex_chemistry", "stackex_cs", "stackex_cooking"]


def test_files_are_those_of_the_mirror(mirror):
    with (mirror / "files.csv").open() as file:
        published = {row["file"]: row for row in csv.DictReader(file)}
    files = [f for e in catalog().values() for s in e.sources for f in s.files]
    shared = [file for file in files if file.name in published]
    assert len(shared) > 50
    for file in shared:
        row = published[file.name]
        assert (file.bytes, file.sha256) == (int(row["bytes"]), row["sha256"]), file.name
        assert file.urls == ((row["url"],) if row["url"] else ()), file.name


@pytest.mark.parametrize("name", SMALL + MLDR)
def test_loaded_data_are_what_the_catalogue_says(real, name):
    data, entry = real(name), catalog()[name]
    assert (*data.X.shape, data.Y.shape[1]) == (entry.n, entry.d, entry.l)
    assert data.Y.sum(axis=1).mean() == pytest.approx(entry.cardinality, abs=6e-4)
    assert hasattr(data.X, "indptr") == entry.sparse
    assert data.X.dtype == np.float64
    assert data.Y.dtype == np.uint8
    assert set(np.unique(data.Y)) == {0, 1}
    if entry.split is None:
        assert data.train is None
        assert data.test is None
    else:
        assert (len(data.train), len(data.test)) == entry.split
        assert np.array_equal(np.concatenate([data.train, data.test]), np.arange(entry.n))
    assert len(set(data.feature_names)) == entry.d
    assert len(set(data.label_names)) == entry.l
    assert data.checksum == checksum(name)


@pytest.mark.parametrize("name", ["yeast", "enron", "delicious", "corel5k"])
def test_label_names_are_those_of_the_xml_in_arff_order(mirror, name):
    (arff,) = [file.name for file in catalog()[name].files if "test" in file.name]
    names = read_arff(mirror / arff)[1]
    wanted = set(read_labels(mirror / f"{name}.xml"))
    assert label_names(name) == [n for n in names if n in wanted]


@pytest.mark.slow
def test_tmc_is_what_the_catalogue_says(archive):
    """It is in the archive of the package index only; its text is long to read."""
    data, entry = load("tmc2007-500", mirror=archive), catalog()["tmc2007-500"]
    assert (*data.X.shape, data.Y.shape[1]) == (entry.n, entry.d, entry.l)
    assert data.Y.sum(axis=1).mean() == pytest.approx(entry.cardinality, abs=6e-4)
    assert (len(data.train), len(data.test)) == entry.split


def test_sets_of_one_origin_are_a_family():
    found = {}
    for entry in catalog().values():
        found.setdefault(entry.family, []).append(entry.name)
    assert {family: len(names) for family, names in found.items() if len(names) > 1} == {
        "yahoo": 11,
        "stackex": 4,
        "corel16k": 3,
        "rcv1": 4,
    }
    assert {"arts", "society"} < set(found["yahoo"])
    assert all(names == [family] for family, names in found.items() if len(names) == 1)


def test_large_files_are_those_of_git_lfs():
    (bookmarks,), (apy, *_) = catalog()["bookmarks"].files, catalog()["apy"].files
    for file, repository in ((bookmarks, "mrapp-ke/Boomer-Datasets"), (apy, "cetinsamet/")):
        assert file.urls[0].startswith(f"https://media.githubusercontent.com/media/{repository}")
    assert (bookmarks.bytes, bookmarks.sha256[:12]) == (73_273_832, "5ce6788f4ed7")
    assert catalog()["bookmarks"].available


def test_checksums_differ_where_contents_do():
    names = [n for n in catalog() if n not in HAND_PUT]
    assert len({checksum(name) for name in names}) == len(names)
    for name in names:
        same = checksum(name) == checksum(name, clean=True)
        assert same == (not name.startswith("rcv1")), name


def test_every_set_that_cannot_be_had_says_where_it_is():
    absent = {entry.name for entry in catalog().values() if not entry.available}
    assert absent == HAND_PUT
    assert all(catalog()[name].where for name in absent)


def test_unknown_name_names_the_nearest():
    with pytest.raises(UserError, match="unknown dataset 'yeats'; did you mean 'yeast'"):
        load("yeats")


def test_the_catalogue_is_read_without_the_libraries_that_read_data():
    code = (
        "import sys; from mlfs.datasets import UserData, catalog, user_catalogue; "
        "assert catalog()['yeast'].n == 2417; "
        "sys.exit(any(name in sys.modules for name in ('pandas', 'scipy', 'sklearn', 'requests')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_what_is_imported_late_is_there_under_its_name():
    assert all(getattr(datasets, name).__name__ == name for name in datasets.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = datasets.nothing
