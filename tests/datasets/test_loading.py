"""Loading: parsed copies, cleaning, hand-put files, caches that cannot be written."""

import dataclasses
import hashlib
import mmap
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.datasets import (
    DataSource,
    File,
    UserData,
    catalog,
    checksum,
    load,
    parsed_copies,
    read_own,
    status,
)
from mlfs.datasets.dataset import Parsed
from mlfs.datasets.loading import _repair
from mlfs.datasets.parsed_copies import copy_digest, load_copy, save_copy
from mlfs.datasets.published.published_catalogue import shipped
from mlfs.errors import UserError

from ..helpers import LONG, start_python

ARFF = """@relation p
@attribute a numeric
@attribute b numeric
@attribute cat {0,1}
@attribute dog {0,1}
@data
0.5,1,0,1
2,3,1,1
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of the test's own."""
    monkeypatch.setenv("MLFS_DATA", str(tmp_path))
    return tmp_path


def same(a, b):
    dense = [d.X.toarray() if sp.issparse(d.X) else d.X for d in (a, b)]
    return (
        np.array_equal(*dense)
        and np.array_equal(a.Y, b.Y)
        and (a.feature_names, a.label_names, a.notes) == (b.feature_names, b.label_names, b.notes)
        and np.array_equal(a.train, b.train)
    )


@pytest.mark.parametrize("name", ["emotions", "medical"])
def test_second_load_needs_no_file(benchmarks, cache, monkeypatch, name):
    first = load(name)
    monkeypatch.delenv("MLFS_MIRROR")
    assert same(first, load(name))


@pytest.mark.parametrize("damage", ["truncated", "garbage", "stale", "flipped"])
def test_a_damaged_parsed_copy_is_rebuilt(benchmarks, cache, damage):
    first = load("emotions")
    (stored,) = (cache / "parsed").iterdir()
    content = stored.read_bytes()
    if damage == "stale":
        parsed = load_copy(stored, copy_digest(stored))
        save_copy(stored, "other", dataclasses.replace(parsed, X=parsed.X + 1))
    elif damage == "flipped":
        middle = len(content) // 2
        stored.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    else:
        stored.write_bytes(content[: len(content) // 2] if damage == "truncated" else b"x" * 99)
    assert same(first, load("emotions"))
    assert stored.read_bytes() == content


def test_a_cache_that_cannot_be_written_stops_no_load(benchmarks, tmp_path, monkeypatch):
    """A file where the cache directory should be stops even root."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "file"))
    assert load("emotions").X.shape == (593, 72)


def test_two_processes_may_load_a_set_at_the_same_time(benchmarks, cache):
    code = "from mlfs.datasets import load; print(load('emotions').X.sum())"
    runs = [start_python("-c", code, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = {run.communicate(timeout=LONG)[0] for run in runs}
    assert outputs == {f"{load('emotions').X.sum()}\n"}
    assert [path.name for path in cache.rglob("*") if path.is_file()] == ["emotions.parsed"]


def test_a_corrupt_file_is_removed_from_the_cache(mirror, cache, monkeypatch):
    monkeypatch.delenv("MLFS_MIRROR")
    for part in ("emotions-train.arff", "emotions-test.arff", "emotions.xml"):
        (cache / part).write_bytes((mirror / part).read_bytes())
    bad = cache / "emotions-test.arff"
    bad.write_bytes(bad.read_bytes()[:-1000])
    with pytest.raises(UserError, match=r"emotions-test\.arff is corrupt: .*sha256:.*expected"):
        load("emotions")
    assert not bad.exists()
    assert (cache / "emotions-train.arff").exists()


def test_a_corrupt_file_in_a_mirror_stays(cache, mirror, tmp_path_factory):
    other = tmp_path_factory.mktemp("mirror")
    for part in ("emotions-train.arff", "emotions-test.arff", "emotions.xml"):
        (other / part).write_bytes((mirror / part).read_bytes() + b"\n")
    with pytest.raises(UserError, match=r"is corrupt: .*; replace it or remove it"):
        load("emotions", mirror=other)
    assert len(list(other.iterdir())) == 3


def test_sets_put_into_the_cache_by_hand_are_read(cache, monkeypatch):
    monkeypatch.delenv("MLFS_MIRROR", raising=False)
    message = r"get it from Microsoft .* put msrc\.arff and msrc\.xml into"
    for ask in (load, checksum):
        with pytest.raises(UserError, match=message):
            ask("msrc")
    assert status("msrc") == "not fetched: put msrc.arff and msrc.xml into the cache"
    small = dataclasses.replace(catalog()["msrc"], n=2, d=2, l=2)
    (cache / "msrc.arff").write_text(ARFF)
    (cache / "msrc.xml").write_text('<labels><label name="dog"/><label name="cat"/></labels>')
    with pytest.raises(
        UserError, match=r"have the shape \(2, 2\) with 2 labels, not \(591, 1024\)"
    ):
        load("msrc")
    assert not (cache / "msrc.arff.sha256").exists()
    monkeypatch.setitem(shipped(), "msrc", small)
    data = load("msrc")
    assert np.array_equal(data.X, [[0.5, 1], [2, 3]])
    assert np.array_equal(data.Y, [[0, 1], [1, 1]])
    assert data.label_names == ["cat", "dog"]
    assert (data.train, status("msrc")) == (None, "cached")
    assert data.checksum == checksum("msrc")
    (cache / "msrc.arff").write_text(ARFF[:-4])
    with pytest.raises(
        UserError, match=r"is corrupt: .* as on its first use .* put the right file"
    ):
        load("msrc")
    (cache / "msrc.arff.sha256").unlink()  # as the message says
    with pytest.raises(UserError, match=r"msrc\.arff, line 8: there are 3 values instead of 4"):
        load("msrc")


@pytest.fixture
def bookmarks(cache, monkeypatch):
    """A function that puts a small bookmarks.arff into the cache."""

    def put(rows, cardinality=1.5):
        text = ARFF.partition("@data")[0] + f"@data\n{rows}"
        (cache / "bookmarks.arff").write_text(text)
        digest = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
        source = DataSource("arff_last", (File("bookmarks.arff", len(text), digest),))
        entry = dataclasses.replace(
            catalog()["bookmarks"], n=2, d=2, l=2, cardinality=cardinality, sources=(source,)
        )
        monkeypatch.setitem(shipped(), "bookmarks", entry)

    return put


def test_bookmarks_is_a_sparse_matrix_with_the_labels_last(bookmarks):
    bookmarks("{0 2,3 1}\n{2 1,3 1}\n")
    data = load("bookmarks")
    assert sp.issparse(data.X)
    assert np.array_equal(data.X.toarray(), [[2, 0], [0, 0]])
    assert np.array_equal(data.Y, [[0, 1], [1, 1]])
    assert (data.feature_names, data.label_names) == (["a", "b"], ["cat", "dog"])
    assert data.train is None


def test_columns_that_are_not_the_labels_are_noticed(bookmarks):
    bookmarks("{0 2,3 1}\n{2 1,3 1}\n", cardinality=2.028)
    with pytest.raises(UserError, match=r"'bookmarks' have 1\.500 labels per row, not 2\.028 as"):
        load("bookmarks")


def test_bookmarks_that_was_not_fetched_says_what_to_do(cache, monkeypatch):
    monkeypatch.delenv("MLFS_MIRROR", raising=False)
    todo = "run `mlfs data fetch bookmarks`, or put bookmarks.arff into the cache"
    assert status("bookmarks") == f"not fetched: {todo}"


@pytest.mark.parametrize(
    ("name", "n_leaks", "label"),
    [("rcv1subset1_top944", 1, "Class33"), ("rcv1subset2_top944", 10, "Class22")],
)
def test_cleaning_drops_the_columns_that_leak(mirror, name, n_leaks, label):
    data, clean = load(name), load(name, clean=True)
    gone = [f for f in data.feature_names if f not in clean.feature_names]
    assert len(gone) == n_leaks == data.X.shape[1] - clean.X.shape[1]
    columns = [data.feature_names.index(f) for f in gone]
    # the leak is real: nearly every row that has such a feature carries the one label
    touched = data.Y[np.unique(data.X[:, columns].tocoo().row)]
    assert touched[:, data.label_names.index(label)].mean() > 0.98
    assert data.Y[:, data.label_names.index(label)].mean() < 0.25
    kept = np.setdiff1d(np.arange(944), columns)
    assert (data.X[:, kept] != clean.X).nnz == 0
    assert any("cleaned" in note for note in clean.notes)


def test_spurious_values_are_those_of_rows_that_are_too_long():
    """Rows have length 1: a value of 1.0 in such a row is right, and in a longer row it is not."""
    rows = [[1.0, 0.0, 0.0], [0.6, 0.8, 1.0], [1.0, 0.04, 0.0], [1.0, 1.0, 0.5], [0.3, 0.2, 1.0]]
    X = sp.csr_matrix(np.array(rows))
    names = ["a", "b", "c"]
    parsed = Parsed(X, np.ones((5, 1)), names, ["l"], None)
    entry = dataclasses.replace(shipped()["rcv1subset1_top944"], clean={"spurious": 1.0})
    clean = _repair(parsed, entry).X
    expected = [[1, 0, 0], [0.6, 0.8, 0], [1, 0.04, 0], [0, 0, 0.5], [0.3, 0.2, 0]]
    # lengths 1, 1.41, 1.0008 (rounding), 1.5 and 1.06
    assert clean.toarray().tolist() == expected and clean.nnz == 8
    assert X.toarray().tolist() == rows


def test_a_copy_by_other_code_is_not_used(cache, monkeypatch):
    """A reader that was changed must show, even if the cache is warm."""
    parsed = Parsed(np.ones((2, 2)), np.ones((2, 1)), ["a", "b"], ["l"], None)
    path = cache / "x.parsed"
    save_copy(path, "digest", parsed)
    assert load_copy(path, "digest") is not None and copy_digest(path) == "digest"
    parsed_copies.code_digest.cache_clear()
    read = Path.read_bytes
    monkeypatch.setattr(
        Path, "read_bytes", lambda self: read(self) + (b"#" if self.name == "arff.py" else b"")
    )
    try:
        assert load_copy(path, "digest") is None and copy_digest(path) is None
    finally:
        parsed_copies.code_digest.cache_clear()


def test_clean_changes_nothing_where_no_fault_is_known(benchmarks):
    assert same(load("emotions"), load("emotions", clean=True))


def test_a_dataset_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        load("planted").X = None


def test_sets_of_classes_are_not_loaded_as_labels():
    with pytest.raises(UserError, match="use load_zero_shot"):
        load("sun")
    with pytest.raises(UserError, match="has images"):
        load("cifar10")


def test_the_cache_is_the_users_or_the_folder_that_is_set(monkeypatch):
    from mlfs.datasets import cache_dir

    monkeypatch.delenv("MLFS_DATA")
    assert cache_dir().name in ("datasets", "mlfs")
    monkeypatch.setenv("MLFS_DATA", os.path.join("~", "here"))  # noqa: PTH118
    assert "~" not in str(cache_dir())


def made(kind):
    X = np.arange(12.0).reshape(4, 3)
    X = {"rows": X, "columns": np.asfortranarray(X), "sparse": sp.csr_matrix(X)}[kind]
    Y = np.array([[0, 1], [1, 0], [1, 1], [0, 0]], dtype=np.uint8)
    return Parsed(X, Y, ["ä", "b", "c"], ["y", "z"], 3, ("a note",))


@pytest.mark.parametrize("kind", ["rows", "columns", "sparse"])
@pytest.mark.parametrize("mapped", [False, True], ids=["read", "mapped"])
def test_a_copy_is_what_was_parsed_bit_for_bit(cache, kind, mapped):
    first, path = made(kind), cache / "parsed" / "it.parsed"
    save_copy(path, "digest", first)
    again = load_copy(path, "digest", mapped)
    parts = [(first.Y, again.Y)]
    if kind == "sparse":
        parts += [(getattr(first.X, a), getattr(again.X, a)) for a in ("data", "indices", "indptr")]
    else:
        parts.append((first.X, again.X))
    for old, new in parts:
        assert old.tobytes(order="A") == new.tobytes(order="A") and old.dtype == new.dtype
        assert old.flags.c_contiguous == new.flags.c_contiguous and new.flags.aligned
        assert new.flags.writeable != mapped and new.ctypes.data % 16 == 0
        assert mapped == isinstance(backing(new), mmap.mmap)
    assert dataclasses.replace(again, X=0, Y=0) == dataclasses.replace(first, X=0, Y=0)
    assert load_copy(path, "another") is None


def backing(array):
    """What an array's memory belongs to in the end."""
    while isinstance(array, np.ndarray | memoryview):
        array = array.base if isinstance(array, np.ndarray) else array.obj
    return array


def test_workers_map_catalogue_sets_and_own_files_and_others_get_arrays_of_their_own(
    benchmarks, cache, tmp_path
):
    assert load("emotions").X.flags.writeable
    mapped = load("emotions", mapped=True)
    assert isinstance(backing(mapped.X), mmap.mmap) and same(mapped, load("emotions"))
    (tmp_path / "X.csv").write_text("a,b,y\n1,2,0\n3,4,1\n5,6,1\n")
    own = UserData(path=str(tmp_path / "X.csv"), labels=["y"])
    assert read_own(own).X.flags.writeable
    for _ in range(2):
        shared = read_own(own, mapped=True)
        assert isinstance(backing(shared.X), mmap.mmap) and same(shared, read_own(own))
    (copy,) = (cache / "parsed").glob("own-*")
    os.utime(copy, (0, 0))
    (tmp_path / "X.csv").write_text("a,b,y\n1,2,0\n3,4,1\n5,7,1\n")
    assert read_own(own, mapped=True).X[2, 1] == 7.0
    assert not copy.exists(), "nobody has used it for a month"
