"""The user's own catalogue: names that load, lists and configs know."""

import numpy as np
import pytest
import yaml

from mlfs import datasets
from mlfs.datasets import UserData, add, catalog, load, status
from mlfs.errors import UserError


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The catalogue's file, which is not there yet, and data to name in the current folder."""
    monkeypatch.setenv("MLFS_CATALOG", str(tmp_path / "far/own.yaml"))
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},{i * i % 7},{i % 2},{i % 3 == 0:d}\n" for i in range(9))
    (tmp_path / "all.csv").write_text("a,b,y,z\n" + rows)
    return tmp_path / "far/own.yaml"


def test_a_name_is_kept_and_loads_from_anywhere(place, tmp_path, monkeypatch):
    data, file = add("flowers", UserData(path="all.csv", labels=-2, test="all.csv"))
    assert file == place and data.name == "flowers"
    monkeypatch.chdir(place.parent)
    entry = catalog()["flowers"]
    assert (entry.n, entry.d, entry.l, entry.split) == (18, 2, 2, (9, 9))
    assert entry.cardinality == round(data.Y.sum(axis=1).mean(), 3)
    loaded = load("flowers")
    assert np.array_equal(loaded.X, data.X) and loaded.checksum == data.checksum
    assert datasets.checksum("flowers") == data.checksum
    assert status("flowers") == "your own"
    (tmp_path / "all.csv").unlink()
    assert status("flowers").endswith("all.csv is missing")


def test_what_stands_there_is_kept_word_for_word(place):
    add("one", UserData(path="all.csv", labels=["y"]))
    place.write_text("# mine\n" + place.read_text().rstrip("\n"))
    add("two", UserData(path="all.csv", labels=["z"], impute="mean"))
    assert place.read_text().startswith("# mine\n")
    assert load("one").label_names == ["y"] and load("two").label_names == ["z"]
    assert yaml.safe_load(place.read_text())["two"]["impute"] == "mean"


def test_paths_in_it_may_be_relative_to_it(place):
    place.parent.mkdir()
    text = "near: {path: ../all.csv, labels: [y, z], shape: [9, 2, 2], cardinality: 0.7}"
    place.write_text(text)
    assert load("near").X.shape == (9, 2)


def test_names_that_cannot_be_taken_are_refused(place):
    own = UserData(path="all.csv", labels=["y"])
    add("one", own)
    for name, words in (
        ("yeast", "mlfs already has a dataset 'yeast'"),
        ("one", "already has 'one'"),
        ("a/b", "use letters, digits"),
    ):
        with pytest.raises(UserError, match=words):
            add(name, own)
    with pytest.raises(UserError, match="there is no file"):
        add("two", UserData(path="none.csv", labels=["y"]))
    assert list(yaml.safe_load(place.read_text())) == ["one"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: {b", r"own\.yaml, line 1: .* not YAML"),
        ("[1, 2]", "must map names to entries"),
        ("a: {path: x.csv}", "the entry 'a' is wrong .*shape"),
        ("a: 3", "the entry 'a' is wrong"),
        ("yeast: {path: x.csv, labels: 1, shape: [1, 2, 3], cardinality: 1}", "another name"),
    ],
)
def test_a_broken_catalogue_is_said(place, text, words):
    place.parent.mkdir()
    place.write_text(text)
    with pytest.raises(UserError, match=words):
        load("yeast")


def test_the_default_is_beside_the_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("MLFS_CATALOG", raising=False)
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "cache"))
    assert datasets.places.user_catalogue_file() == tmp_path / "mlfs-catalog.yaml"
