"""The restricted unpickler: arrays pass, everything else is refused."""

import bz2
import io
import os
import pickle
import tarfile

import numpy as np
import pytest

from mlfs.datasets.dump import read_dump, read_pickle
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
    with pytest.raises(UserError, match=r"asks for \w+\.\w+, which is not an array"):
        read_pickle(io.BytesIO(payload))


def test_a_set_inside_a_source_distribution(tmp_path):
    rng = np.random.default_rng(0)
    parts = {
        p: {"X": rng.random((n, 3)), "y": rng.integers(0, 2, (n, 2))}
        for p, n in (("train", 4), ("test", 2))
    }
    path = tmp_path / "sdist.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for part, content in parts.items():
            data = bz2.compress(old_pickle(content))
            info = tarfile.TarInfo(f"pkg-1/skmultilearn/data/tiny-{part}.dump.bz2")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    parsed = read_dump(path, "tiny", ["first", "second"])
    assert np.array_equal(parsed.X, np.vstack([parts["train"]["X"], parts["test"]["X"]]))
    assert np.array_equal(parsed.Y, np.vstack([parts["train"]["y"], parts["test"]["y"]]))
    assert parsed.Y.dtype == np.uint8
    assert (parsed.n_train, parsed.label_names) == (4, ["first", "second"])
    with pytest.raises(UserError, match="does not hold"):
        read_dump(path, "absent", [])
