"""The MATLAB readers on the layouts the mirror has, and on wrong files."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from mlfs.datasets.mat import load_mat, read_parts, read_whole
from mlfs.errors import UserError

RNG = np.random.default_rng(0)
X = np.round(RNG.random((5, 3)), 3)
Y = RNG.integers(0, 2, (5, 2))


def test_parts_with_signed_labels(tmp_path):
    """Stored as int8 and uint8, as MATLAB does with small whole numbers."""
    sign = (2 * Y.T - 1).astype(np.int8)
    scipy.io.savemat(
        tmp_path / "a.mat",
        {
            "train_data": sp.csc_matrix(X[:3]),
            "test_data": X[3:],
            "train_target": sign[:, :3],
            "test_target": sign[:, 3:],
        },
    )
    parsed = read_parts(tmp_path / "a.mat")
    assert np.array_equal(parsed.X, X)
    assert np.array_equal(parsed.Y, Y)
    assert parsed.n_train == 3
    assert parsed.label_names == ["Class1", "Class2"]


@pytest.mark.parametrize("wrap", [np.asarray, sp.csc_matrix])
def test_whole(tmp_path, wrap):
    target = Y.T.astype(np.uint8)
    scipy.io.savemat(tmp_path / "a.mat", {"data": wrap(X), "target": wrap(target.astype(float))})
    parsed = read_whole(tmp_path / "a.mat", ["one", "two"])
    assert sp.issparse(parsed.X) == (wrap is sp.csc_matrix)
    assert np.array_equal(parsed.X.toarray() if sp.issparse(parsed.X) else parsed.X, X)
    assert np.array_equal(parsed.Y, Y)
    assert parsed.n_train is None


def test_wrong_files(tmp_path):
    (tmp_path / "a.mat").write_bytes(b"nothing of the kind" * 20)
    with pytest.raises(UserError, match=r"a\.mat is not a MATLAB file"):
        load_mat(tmp_path / "a.mat")
    scipy.io.savemat(tmp_path / "b.mat", {"data": X})
    with pytest.raises(UserError, match=r"b\.mat lacks target"):
        read_whole(tmp_path / "b.mat")
