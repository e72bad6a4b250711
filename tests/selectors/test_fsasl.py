"""FSASL's steps against the conditions that define them, and on clusters in known features."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.selectors import FSASL, fsasl
from mlfs.selectors.fsasl import adaptive_graph, project_to_simplex, reconstruct, regress


@pytest.fixture(scope="module")
def fitted(yeast_slice):
    X, Y = yeast_slice(120)
    return X, Y, FSASL(n_clusters=4, max_iter=5, random_state=0).fit(X, Y)


def test_embedding_solves_its_eigenproblem(fitted):
    _, _, model = fitted
    L, E = model.laplacian_, model.embedding_
    np.testing.assert_allclose(L, L.T, atol=1e-12)
    np.testing.assert_allclose(L @ E, E * model.eigenvalues_, atol=1e-9)
    np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(L)[:4], atol=1e-9)


@pytest.mark.parametrize("path_fails", [False, True])
def test_reconstruction_satisfies_the_lasso_conditions(fitted, monkeypatch, path_fails):
    """Also where scikit-learn's path of least angles ends with an error, as it can."""
    if path_fails:

        def lars_path(*args, **options):
            raise ValueError("shapes (5,2) and (1,) not aligned")

        monkeypatch.setattr(fsasl, "lars_path", lars_path)
    X, _, model = fitted
    Z = X @ model.W_
    S = reconstruct(Z, 0.01)
    K = Z @ Z.T
    assert not np.diag(S).any()
    for i, s in enumerate(S.T):
        others = np.arange(len(Z)) != i
        penalty = 0.01 * np.abs(K[others, i]).max()
        slope = K[:, i] - K @ s
        assert np.abs(slope[others]).max() <= penalty * 1.01
        active = s != 0
        assert active.any()
        np.testing.assert_allclose(slope[active] / penalty, np.sign(s[active]), atol=0.01)


def test_simplex_projection_is_the_nearest_point():
    """Optimal iff ⟨v − p, e_j − p⟩ ≤ 0 for every vertex e_j."""
    V = np.random.default_rng(0).normal(size=(50, 6))
    P = project_to_simplex(V)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (P >= 0).all()
    excess = (V - P) - np.einsum("ij,ij->i", V - P, P)[:, None]
    assert excess.max() < 1e-12


def test_adaptive_graph_weights_only_the_nearest():
    Z = np.arange(6.0)[:, None] ** 2
    A = adaptive_graph(Z, 2, mu=5.0)
    assert set(np.flatnonzero(A[0])) <= {1, 2}
    np.testing.assert_allclose(A[0, [1, 2]], project_to_simplex(np.array([[-0.1, -1.6]]))[0])


@pytest.mark.parametrize("n", [20, 60])
def test_regression_is_stationary(n):
    """Both sides of n = d: Xᵀ(XW − F) + λ W / 2‖w‖ = 0 on the rows that are not zero."""
    rng = np.random.default_rng(0)
    X, F = rng.normal(size=(n, 30)), rng.normal(size=(n, 3))
    W = regress(X, F, 2.0, steps=2000)
    norms = np.linalg.norm(W, axis=1, keepdims=True)
    alive = norms.ravel() > 1e-3
    assert alive.sum() >= 3
    slope = X.T @ (X @ W - F) + 2.0 * W / (2 * norms)
    assert np.abs(slope[alive]).max() < 1e-4


def test_labels_are_not_used_and_sparse_gives_the_same(fitted):
    X, Y, model = fitted
    again = FSASL(n_clusters=4, max_iter=5, random_state=0).fit(sp.csr_matrix(X), 1 - Y)
    np.testing.assert_allclose(again.scores_, model.scores_, atol=1e-10)


def test_finds_the_features_that_hold_the_clusters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 20))
    X[:, :3] += 8 * np.eye(3)[np.repeat(np.arange(3), 50)]
    model = FSASL(n_clusters=3, max_iter=5, max_samples=90, random_state=0).fit(X, np.zeros(150))
    assert model.n_samples_ == 90
    assert set(model.ranking_[:3]) == {0, 1, 2}
