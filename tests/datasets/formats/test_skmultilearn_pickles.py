"""The restricted unpickler: arrays pass, everything else is refused."""

import bz2
import io
import os
import pickle
import tarfile
from collections import Counter

import numpy as np
import pytest

from mlfs.datasets import load
from mlfs.datasets.formats.skmultilearn_pickles import read_dump, read_pickle
from mlfs.datasets.published.archive import open_member
from mlfs.errors import UserError

# what Python 2 with numpy 1 wrote for {'X': array([[1., 2.]])}, protocol 2
PYTHON2 = (
    b"\x80\x02}q\x00U\x01Xq\x01cnumpy.core.multiarray\n_reconstruct\nq\x02cnumpy\nndarray\n"
    b"q\x03K\x00\x85U\x01b\x87Rq\x04(K\x01K\x01K\x02\x86cnumpy\ndtype\nq\x05U\x02f8K\x00K\x01"
    b"\x87Rq\x06(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89U\x10"
    + np.array([1.0, 2.0]).tobytes()
    + b"tbs."
)


def old_pickle(content):
    """Pickle as numpy 1 under Python 2 would name things."""
    data = pickle.dumps(content, protocol=2)
    return data.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")


def test_python2_arrays_are_read():
    assert np.array_equal(read_pickle(io.BytesIO(PYTHON2))["X"], [[1.0, 2.0]])


class Evil:
    def __reduce__(self):
        return os.system, ("touch /tmp/never-run-by-mlfs",)


@pytest.mark.parametrize(
    "payload",
    [
        pickle.dumps(Evil(), protocol=2),
        b"c__builtin__\neval\n(S'1+1'\ntR.",
        b"cnumpy\nload\n(S'x'\ntR.",
        b"ccopy_reg\n_reconstructor\n(cos\nsystem\nNNtR.",
    ],
)
def test_anything_but_arrays_is_refused(payload):
    with pytest.raises(UserError, match=r"contains \w+\.\w+, which is not an array"):
        read_pickle(io.BytesIO(payload))


def sdist(path, parts, spoil=lambda packed: packed):
    with tarfile.open(path, "w:gz") as tar:
        for part, content in parts.items():
            data = spoil(bz2.compress(old_pickle(content)))
            info = tarfile.TarInfo(f"pkg-1/skmultilearn/data/tiny-{part}.dump.bz2")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def tables(rows=(4, 2), columns=(3, 3)):
    rng = np.random.default_rng(0)
    return {
        part: {"X": rng.random((n, d)), "y": rng.integers(0, 2, (n, 2))}
        for part, n, d in zip(("train", "test"), rows, columns)
    }


def test_a_set_inside_a_source_distribution_is_read_exactly(tmp_path):
    parts = tables()
    path = sdist(tmp_path / "sdist.tar.gz", parts)
    parsed = read_dump(path, "tiny", ["first", "second"])
    assert np.array_equal(parsed.X, np.vstack([parts["train"]["X"], parts["test"]["X"]]))
    assert np.array_equal(parsed.Y, np.vstack([parts["train"]["y"], parts["test"]["y"]]))
    assert parsed.Y.dtype == np.uint8
    assert (parsed.n_train, parsed.label_names) == (4, ["first", "second"])
    with pytest.raises(UserError, match="does not contain"):
        read_dump(path, "absent", [])


@pytest.mark.parametrize(
    ("parts", "spoil", "told"),
    [
        (tables(), lambda packed: packed[:-20], "cut off or damaged"),
        (tables(), lambda packed: b"x" + packed[1:], "cut off or damaged"),
        (tables(), lambda packed: bz2.compress(b"\x80\x02}q\x00."), "is damaged"),
        (tables(), lambda packed: bz2.compress(bz2.decompress(packed)[:-9]), "damaged"),
        (tables(columns=(3, 4)), bytes, "differ in shape"),
        ({"train": {"X": "text", "y": "text"}}, bytes, "is damaged"),
    ],
)
def test_a_damaged_set_ends_in_a_sentence(tmp_path, parts, spoil, told):
    path = sdist(tmp_path / "sdist.tar.gz", parts, spoil)
    with pytest.raises(UserError, match=rf"sdist\.tar\.gz.* {told}"):
        read_dump(path, "tiny", [])


@pytest.mark.slow
def test_the_words_of_genbase_are_its_matlab_file(archive, mirror):
    """Another copy, with words; a published fault: its split has one row twice, and lacks one."""
    found, names, data = [], [], load("genbase")
    for part in ("train", "test"):
        member = f"skmultilearn/data/genbase-{part}.dump.bz2"
        sdist = archive / "scikit-multilearn-0.0.1.tar.gz"
        with open_member(sdist, member) as packed, bz2.open(packed) as file:
            content = read_pickle(file)
        names += content["X"][:, 0].tolist()
        found.append(np.hstack([content["X"][:, 1:] == "YES", content["y"] == 1]))
    ours = np.hstack([data.X.toarray(), data.Y]).astype(bool)
    theirs = np.vstack(found)
    assert ours.shape == theirs.shape == (662, 1185 + 27)
    counts = [Counter(row.tobytes() for row in table) for table in (ours, theirs)]
    assert (counts[0] - counts[1]).total() == (counts[1] - counts[0]).total() == 1
    assert len(set(names)) == 661
