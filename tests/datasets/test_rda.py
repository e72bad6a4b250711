"""The R reader: scene as published for R equals scene as published for Mulan."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.datasets import load
from mlfs.datasets.rda import _gather, read_rda
from mlfs.errors import UserError


def test_scene_equals_the_arff(mirror):
    ours = load("scene")
    parsed = read_rda(mirror / "scene.rda")
    # R read the decimals to the last bit but one
    np.testing.assert_allclose(parsed.X, ours.X, rtol=1e-14)
    assert np.array_equal(parsed.Y, ours.Y)
    assert parsed.feature_names == ours.feature_names
    assert parsed.label_names == ours.label_names


def test_columns_become_a_sparse_matrix():
    X = sp.random(40, 30, density=0.05, random_state=0).toarray()
    gathered = _gather(list(X.T))
    assert sp.issparse(gathered)
    assert np.array_equal(gathered.toarray(), X)


def test_wrong_file(tmp_path):
    (tmp_path / "a.rda").write_bytes(b"RDX3\nnothing of the kind")
    with pytest.raises(UserError, match=r"a\.rda is not an mldr dataset"):
        read_rda(tmp_path / "a.rda")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "leaks", "rows", "label"),
    [("rcv1subset1", 92, 92, "Class33"), ("rcv1subset2", 1538, 844, "Class22")],
)
def test_cleaning_restores_unit_rows(mirror, name, leaks, rows, label):
    data, clean = load(name), load(name, clean=True)
    norms = np.sqrt(np.asarray(clean.X.multiply(clean.X).sum(axis=1)).ravel())
    np.testing.assert_allclose(norms, 1, atol=1e-3)
    removed = (data.X - clean.X).tocoo()
    assert (removed.data == 1).all()
    assert (removed.nnz, len(set(removed.row.tolist()))) == (leaks, rows)
    # the leak: every touched row carries one and the same label
    shared = data.Y[np.unique(removed.row)].all(axis=0)
    assert [data.label_names[i] for i in np.flatnonzero(shared)] == [label]
    assert data.checksum != clean.checksum
