"""The catalogue against the files of the mirror and against itself."""

import csv

import numpy as np
import pytest

from mlfs.datasets import catalog, checksum, load
from mlfs.datasets.arff import read_arff
from mlfs.datasets.catalog import label_names
from mlfs.datasets.mulan import read_labels
from mlfs.errors import UserError

HAND_PUT = {"pascal07", "bookmarks", "msrc"}
SMALL = ["emotions", "yeast", "scene", "image", "medical", "enron", "corel5k", "corel16k002"]
SMALL += ["rcv1subset1_top944", "rcv1subset2_top944", "arts", "business", "social"]


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


@pytest.mark.parametrize("name", SMALL)
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
