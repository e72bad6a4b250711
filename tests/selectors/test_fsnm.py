"""FSNM against what we did not write: its optimality conditions, its two forms, an invariance."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.selectors import FSNM
from mlfs.selectors.fsnm import _by_features, _by_instances


@pytest.fixture(scope="module", params=[400, 60], ids=["n > d", "n < d"])
def fitted(request, yeast_slice):
    X, Y = yeast_slice(request.param)
    return X, Y, FSNM(gamma=1.0, tol=1e-12, max_iter=2000).fit(X, Y)


def test_objective_never_rises(fitted):
    _, _, model = fitted
    assert np.all(np.diff(model.objective_) <= 1e-9)


def test_objective_is_the_papers(fitted):
    X, Y, model = fitted
    loss = np.linalg.norm(X @ model.W_ - Y, axis=1).sum()
    penalty = np.linalg.norm(model.W_, axis=1).sum()
    assert model.objective_[-1] == pytest.approx(loss + penalty, rel=1e-6)


def test_the_gradient_vanishes_at_the_optimum(yeast_slice):
    """At the optimum Xᵀ(E/‖e‖) + γ W/‖w‖ = 0 on every row that is not zero."""
    X, Y = yeast_slice(400)
    model = FSNM(gamma=1.0, tol=1e-12, max_iter=1000).fit(X, Y)
    E, W = X @ model.W_ - Y, model.W_
    alive = np.linalg.norm(W, axis=1) > 1e-6
    gradient = X.T @ (E / np.linalg.norm(E, axis=1, keepdims=True))
    gradient += model.gamma * W / np.linalg.norm(W, axis=1, keepdims=True)
    assert np.abs(gradient[alive]).max() < 1e-3


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_both_forms_reach_the_same_objective(fitted, gamma):
    X, Y, _ = fitted
    G0, G2 = np.random.default_rng(0).uniform(0.5, 2, (2, max(X.shape)))
    G0, G2 = G0[: len(X)], G2[: X.shape[1]]
    W = _by_features(X, Y, G0, G2, gamma)
    np.testing.assert_allclose(_by_instances(X, Y, G0, G2, gamma), W, rtol=1e-7, atol=1e-9)


def test_whole_run_in_either_form(fitted, monkeypatch):
    X, Y, model = fitted
    other = "_by_instances" if len(X) > X.shape[1] else "_by_features"
    forms = {"_by_instances": _by_instances, "_by_features": _by_features}
    for name in forms:
        monkeypatch.setattr(f"mlfs.selectors.fsnm.{name}", forms[other])
    again = FSNM(gamma=1.0, tol=1e-12, max_iter=2000).fit(X, Y)
    assert again.objective_[-1] == pytest.approx(model.objective_[-1], rel=1e-6)


def test_permuting_features_permutes_the_ranking(yeast_slice):
    X, Y = yeast_slice(400)
    model = FSNM(tol=1e-12, max_iter=1000).fit(X, Y)
    order = np.random.default_rng(0).permutation(X.shape[1])
    again = FSNM(tol=1e-12, max_iter=1000).fit(X[:, order], Y)
    assert np.array_equal(order[again.ranking_], model.ranking_)


def test_sparse_equals_dense(fitted):
    X, Y, _ = fitted
    X = np.where(X > 0.5, X, 0.0)
    dense, sparse = FSNM().fit(X, Y), FSNM().fit(sp.csr_matrix(X), Y)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, rtol=1e-4, atol=1e-6)


def test_negative_weight_is_refused(fitted):
    X, Y, _ = fitted
    with pytest.raises(ValueError, match=r"'gamma' parameter of FSNM .* Got -1"):
        FSNM(gamma=-1).fit(X, Y)
