"""MIFS against scipy's Sylvester solver and the gradients of its objective."""

import numpy as np
import pytest
from scipy.linalg import solve_sylvester

from mlfs.numerics.graphs import heat_graph, laplacian
from mlfs.selectors import MIFS
from mlfs.selectors.mifs import latent


@pytest.fixture(scope="module")
def yeast(yeast_slice):
    return yeast_slice(300)


@pytest.mark.parametrize(
    "weights", [{}, {"alpha": 10.0, "beta": 10.0, "gamma": 10.0}, {"alpha": 0.01, "gamma": 0.01}]
)
def test_objective_never_rises(yeast, weights):
    model = MIFS(**weights, tol=0, max_iter=60).fit(*yeast)
    assert np.all(np.diff(model.objective_) <= 1e-9 * model.objective_[0])


def test_latent_labels_solve_the_sylvester_equation(yeast):
    X, _ = yeast
    rng = np.random.default_rng(0)
    B, rhs = rng.standard_normal((4, 14)), rng.standard_normal((300, 4))
    L = laplacian(heat_graph(X, 5))
    V = latent(L, 2.0 * (B @ B.T), rhs, 3.0, np.zeros((300, 4)))
    expected = solve_sylvester(np.eye(300) + 3.0 * L.toarray(), 2.0 * (B @ B.T), rhs)
    np.testing.assert_allclose(V, expected, atol=1e-8)


def test_gradients_vanish_at_the_end(yeast):
    X, Y = yeast
    model = MIFS(alpha=0.8, beta=0.4, gamma=0.6, tol=1e-14, max_iter=3000).fit(X, Y)
    W, V, B = model.W_, model.V_, model.B_
    L = laplacian(heat_graph(X, 5))
    sizes = np.linalg.norm(W, axis=1, keepdims=True)
    slopes = {
        "V": (V - X @ W) + 0.8 * (V @ B - Y) @ B.T + 0.4 * (L @ V),
        "B": V.T @ (V @ B - Y) + B,
        "W": (X.T @ (X @ W - V) + 0.5 * 0.6 * W / sizes)[sizes[:, 0] > 1e-5],
    }
    for name, slope in slopes.items():
        assert np.abs(slope).max() < 1e-3, name


def test_objective_is_the_papers_with_a_ridge(yeast):
    X, Y = yeast
    model = MIFS(eps=0.5).fit(X, Y)
    W, V, B = model.W_, model.V_, model.B_
    L = laplacian(heat_graph(X, 5)).toarray()
    expected = (
        np.linalg.norm(X @ W - V) ** 2
        + np.linalg.norm(Y - V @ B) ** 2
        + 0.5 * np.linalg.norm(B) ** 2
        + 0.1 * np.trace(V.T @ L @ V)
        + np.linalg.norm(W, axis=1).sum()
    )
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-6)


def test_without_the_ridge_the_latent_labels_collapse(yeast):
    """Why `eps` is there: scaling V by t < 1 and B by 1/t always lowers the paper's objective."""
    kept = MIFS(tol=0, max_iter=300).fit(*yeast)
    bare = MIFS(eps=1e-9, tol=0, max_iter=300).fit(*yeast)
    assert np.linalg.norm(bare.V_) < 0.4 * np.linalg.norm(kept.V_)


def test_negative_weight_is_refused(yeast):
    with pytest.raises(ValueError, match=r"'alpha' parameter of MIFS .* Got 0"):
        MIFS(alpha=0).fit(*yeast)
