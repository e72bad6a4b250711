"""pascal07 in the layout of INRIA LEAR: small files that are packed value by value."""

import dataclasses
import struct

import numpy as np
import pytest

from mlfs.datasets import catalog, checksum, import_dir, load, status, verify
from mlfs.datasets.formats.lear import read_fvec, read_hvecs
from mlfs.datasets.published.published_catalogue import shipped
from mlfs.errors import UserError

TRAIN, TEST, WIDTH, LABELS = 5, 3, 4, 2
NAMES = [f"pascal07_{part}" for part in ("train_Gist.fvec", "train_annot.hvecs")]
NAMES += [f"pascal07_{part}" for part in ("test_Gist.fvec", "test_annot.hvecs")]


def fvec(rows):
    return b"".join(struct.pack(f"<i{len(row)}f", len(row), *row) for row in rows)


def hvecs(rows):
    return b"".join(struct.pack(f"<h{len(row)}h", len(row), *row) for row in rows)


def tables(seed=0):
    """Features that float32 has exactly, and labels, for both parts."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-64, 64, (TRAIN + TEST, WIDTH)) / 16
    return X, rng.integers(0, 2, (TRAIN + TEST, LABELS))


def contents(X, Y, n_train=TRAIN):
    parts = (slice(None, n_train), slice(n_train, None))
    return [pack(table[part]) for part in parts for pack, table in ((fvec, X), (hvecs, Y))]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, no mirror, and an entry for small files."""
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "cache"))
    monkeypatch.delenv("MLFS_MIRROR", raising=False)
    shape = {"n": TRAIN + TEST, "d": WIDTH, "l": LABELS, "split": (TRAIN, TEST)}
    monkeypatch.setitem(shipped(), "pascal07", dataclasses.replace(catalog()["pascal07"], **shape))
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


def put(folder, packed):
    for name, content in zip(NAMES, packed, strict=True):
        (folder / name).write_bytes(content)


def test_the_four_files_are_put_together(cache):
    X, Y = tables()
    assert status("pascal07") == "not fetched: put its 4 files into the cache"
    with pytest.raises(UserError, match=r"was not fetched, .* INRIA LEAR.*train_Gist.fvec and pas"):
        load("pascal07")
    put(cache, contents(X, Y))
    data = load("pascal07")
    assert np.array_equal(data.X, X) and data.X.dtype == np.float64
    assert np.array_equal(data.Y, Y) and data.Y.dtype == np.uint8
    assert (data.train.tolist(), data.test.tolist()) == (list(range(5)), [5, 6, 7])
    assert data.label_names == ["Class1", "Class2"]
    assert status("pascal07") == "cached" and data.checksum == checksum("pascal07")
    for name in NAMES:
        (cache / name).rename(cache / f"{name}.away")
    with pytest.raises(UserError, match="was not fetched"):  # which files were parsed is unknown
        load("pascal07")


def test_an_unpacked_folder_is_imported(cache, tmp_path):
    X, Y = tables()
    (tmp_path / "pascal07.20100609").mkdir()
    put(tmp_path / "pascal07.20100609", contents(X, Y))
    (tmp_path / "pascal07.20100609" / "pascal07_train_list.txt").touch()
    assert sorted(import_dir(tmp_path)) == sorted(NAMES)
    assert np.array_equal(load("pascal07").X, X)


def test_the_digests_of_the_first_use_hold_afterwards(cache):
    X, Y = tables()
    put(cache, contents(X, Y))
    load("pascal07")
    assert sorted(path.name for path in cache.glob("*.sha256")) == sorted(
        f"{n}.sha256" for n in NAMES
    )
    assert [check.ok for check in verify()] == [True] * 4
    put(cache, contents(X + 1, Y))
    assert [check.ok for check in verify()].count(False) == 2
    with pytest.raises(
        UserError, match=r"Gist\.fvec is corrupt: .* first use .* put the right file"
    ):
        load("pascal07")
    assert (cache / NAMES[0]).exists()  # it cannot be fetched, so it is not removed
    put(cache, contents(X, Y))
    assert np.array_equal(load("pascal07").X, X)


def test_no_digest_is_kept_of_files_that_do_not_fit(cache):
    X, Y = tables()
    put(cache, contents(X, Y, n_train=4))
    with pytest.raises(UserError, match=r"a training part of 4 rows, not 5 as the catalogue says"):
        load("pascal07")
    put(cache, contents(X[:, :3], Y))
    with pytest.raises(
        UserError, match=r"the shape \(8, 3\) with 2 labels, not \(8, 4\) with 2 as"
    ):
        load("pascal07")
    assert not list(cache.glob("*.sha256"))


@pytest.mark.parametrize(
    ("place", "content", "told"),
    [
        (0, b"", r"train_Gist.fvec cannot be read as rows of vectors \(it is empty"),
        (0, b"\x04\x00", "it is empty, or its first row is"),
        (0, struct.pack("<i", -1), "it is empty, or its first row is"),
        (0, fvec(tables()[0])[:-1], "its size is not a multiple of a row of 4 values"),
        (0, fvec([[1, 2, 3, 4], [1, 2, 3]]) + b"1234", "row 2 does not have the length 4"),
        (1, hvecs(tables()[1])[:-2], "its size is not a multiple of a row of 2 values"),
        (0, fvec(tables()[0][:4]), r"train_Gist.fvec has 4 rows, but .*train_annot.hvecs has 5"),
        (3, hvecs(tables()[1][:2]), r"test_Gist.fvec has 3 rows, but .*test_annot.hvecs has 2"),
        (2, fvec(tables()[0][:3, :2]), r"train_Gist.fvec has rows of 4 values, but .* of 2"),
        (3, hvecs([[1, 0, 1]] * 3), r"train_annot.hvecs has rows of 2 values, but .* of 3"),
        (2, fvec([[1, 2, 3, np.nan]] * 3), "test_Gist.fvec has a value that is missing"),
        (1, hvecs([[1, -1]] * 5), "train_annot.hvecs has labels other than 0 and 1"),
        (0, b"version https://git-lfs.github.com/spec/v1\noid", "is a Git LFS pointer"),
    ],
)
def test_a_damaged_file_is_named_in_one_sentence(cache, place, content, told):
    packed = contents(*tables())
    packed[place] = content
    put(cache, packed)
    with pytest.raises(UserError, match=told):
        load("pascal07")


def test_rows_are_read_as_they_were_packed(tmp_path):
    (tmp_path / "a.fvec").write_bytes(bytes.fromhex("02000000 0000803f 000000c0" * 2))
    assert np.array_equal(read_fvec(tmp_path / "a.fvec"), [[1, -2]] * 2)
    (tmp_path / "a.hvecs").write_bytes(bytes.fromhex("0300 0100 0000 ffff"))
    assert np.array_equal(read_hvecs(tmp_path / "a.hvecs"), [[1, 0, -1]])
