"""SFUS against a dense eigensolver, its optimality conditions, and FSNM, its wide limit."""

import numpy as np
import pytest
from scipy.linalg import eigh, subspace_angles

from mlfs.selectors import FSNM, SFUS


@pytest.fixture(scope="module")
def yeast(yeast_slice):
    return yeast_slice(300)


@pytest.mark.parametrize("beta", [1e-2, 1.0, 1e3])
def test_objective_never_rises_and_is_the_papers(yeast, beta):
    X, Y = yeast
    model = SFUS(beta=beta, n_factors=4).fit(X, Y)
    W, Q = model.W_, model.Q_
    assert np.all(np.diff(model.objective_) <= 1e-9 * model.objective_[0])
    np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-10)
    expected = (
        np.linalg.norm(X @ W - Y, axis=1).sum()
        + np.linalg.norm(W, axis=1).sum()
        + beta * np.linalg.norm(W - Q @ Q.T @ W) ** 2
    )
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-6)


def test_joint_step_matches_the_dense_eigenproblem(yeast):
    X, Y = yeast
    X = X[:, :30]
    model = SFUS(alpha=0.7, beta=5.0)
    Da, Db = np.random.default_rng(0).uniform(0.5, 2, (2, 300))
    Db = Db[:30]
    W, Q = model._joint_step(X, Y, Da, Db, 4)
    M = (X.T * Da) @ X + np.diag(0.7 * Db + 5.0)
    N = (X.T * Da) @ Y
    Z = np.linalg.solve(M, N)
    _, vectors = eigh(Z @ Z.T, np.eye(30) - 5.0 * np.linalg.inv(M))
    assert subspace_angles(Q, vectors[:, -4:]).max() < 1e-6
    np.testing.assert_allclose(W, np.linalg.solve(M - 5.0 * Q @ Q.T, N), atol=1e-10)


def test_the_end_is_stationary_in_w_and_best_in_q(yeast):
    X, Y = yeast
    model = SFUS(beta=10.0, n_factors=3, tol=1e-13, max_iter=2000).fit(X, Y)
    W, Q = model.W_, model.Q_
    E = X @ W - Y
    sizes = np.linalg.norm(W, axis=1, keepdims=True)
    gradient = X.T @ (E / np.linalg.norm(E, axis=1, keepdims=True)) + W / sizes
    gradient += 2 * 10.0 * (W - Q @ (Q.T @ W))
    assert np.abs(gradient[sizes[:, 0] > 1e-5]).max() < 1e-3
    leading = np.linalg.svd(W)[0][:, :3]
    assert subspace_angles(Q, leading).max() < 1e-3


@pytest.mark.parametrize("beta", [0.01, 100.0])
def test_a_subspace_as_wide_as_the_labels_gives_fsnm(yeast, beta):
    X, Y = yeast
    model = SFUS(beta=beta, n_factors=1.0, tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(model.W_, FSNM().fit(X, Y).W_, atol=1e-6)


def test_the_subspace_matters_when_narrow(yeast):
    X, Y = yeast
    assert not np.allclose(SFUS(beta=100.0).fit(X, Y).W_, FSNM().fit(X, Y).W_, atol=1e-2)


def test_too_wide_a_subspace_is_refused(yeast):
    X, Y = yeast
    with pytest.raises(ValueError, match=r"n_factors = 15 of 14: choose 1\.\.14"):
        SFUS(n_factors=15).fit(X, Y)
