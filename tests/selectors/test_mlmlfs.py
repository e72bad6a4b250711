"""MLMLFS against a general-purpose optimiser and its update written out with dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from mlfs.numerics.graphs import heat_graph, laplacian
from mlfs.selectors import MLMLFS
from mlfs.selectors.mlmlfs import _LOSS_EPS as LOSS_EPS


@pytest.fixture(scope="module")
def holed(yeast_slice):
    X, Y = yeast_slice(300)
    Y[np.random.default_rng(0).random(Y.shape) < 0.4] = np.nan
    return X, Y


@pytest.mark.parametrize("p", [0.4, 1.0])
@pytest.mark.parametrize("lam", [1e-6, 1.0, 1e2])
def test_objective_never_rises(holed, p, lam):
    model = MLMLFS(lam=lam, p=p, tol=0, max_iter=60).fit(*holed)
    assert np.all(np.diff(model.objective_) <= 1e-9 * model.objective_[0])


def written_out(X, Y, W, b, alpha, lam, p):
    F = X @ W + b
    S = heat_graph(X, 5).toarray()
    smooth = 0.5 * np.sum(S * ((F[:, None] - F[None]) ** 2).sum(axis=2))
    loss = np.sqrt(((F - Y) ** 2).sum(axis=1) + LOSS_EPS).sum()
    return (
        loss + alpha * smooth + lam * np.sum(((W**2).sum(axis=1) + np.finfo(float).eps) ** (p / 2))
    )


def test_objective_equals_its_formula_written_out(holed):
    X, Y = holed
    model = MLMLFS(alpha=0.1, lam=2.0, p=0.6).fit(X, Y)
    known = ~np.isnan(Y)
    np.testing.assert_array_equal(model.Y_[known], 2 * Y[known] - 1)
    assert np.abs(model.Y_).max() <= 1
    expected = written_out(X, model.Y_, model.W_, model.b_, 0.1, 2.0, 0.6)
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-9)


def test_the_w_step_equals_the_papers_with_dense_matrices(holed):
    """The paper's W and b, with H, N and G as n x n matrices."""
    X, Y = holed
    X, Y = X[:, :20], np.nan_to_num(2 * Y - 1)
    alpha, lam, one = 0.3, 0.7, np.ones(300)
    G0, G2 = np.random.default_rng(1).uniform(0.5, 2, (2, 300))
    G2 = G2[:20]
    L = laplacian(heat_graph(X, 5)).toarray()
    G, m = np.diag(G0), G0.sum()
    H = np.eye(300) - np.outer(one, one) @ G / m
    N = np.eye(300) - np.outer(one, one) @ (G + alpha * L) / m
    left = X.T @ N.T @ (G + alpha * L) @ N @ X + lam * np.diag(G2)
    W = np.linalg.solve(left, X.T @ N.T @ G @ H @ Y)
    b = (Y.T @ G0 - W.T @ X.T @ (G + alpha * L) @ one) / m
    ours = MLMLFS(alpha=alpha, lam=lam)._regress(X, Y, alpha * X.T @ L @ X, G0, G2)
    np.testing.assert_allclose(ours[0], W, atol=1e-9)
    np.testing.assert_allclose(ours[1], b, atol=1e-9)


def test_no_optimiser_does_better(yeast_slice):
    """With p = 1 the problem is convex in W, b and the hidden labels together."""
    X, Y = yeast_slice(60)
    X, Y = X[:, :6], Y[:, :4]
    Y[np.random.default_rng(0).random(Y.shape) < 0.4] = np.nan
    Y[0] = np.nan  # an instance of which nothing is known must not hold W where it started
    alpha, lam, n_w = 0.05, 0.5, 24
    model = MLMLFS(alpha=alpha, lam=lam, tol=1e-12, max_iter=5000).fit(X, Y)
    hidden, labels = np.isnan(Y), np.nan_to_num(2 * Y - 1)
    L = laplacian(heat_graph(X, 5))

    def value_and_slope(theta):
        Z, W = labels.copy(), theta[:n_w].reshape(6, 4)
        Z[hidden] = theta[n_w + 4 :]
        E = X @ W + theta[n_w : n_w + 4] - Z
        residual = np.sqrt((E**2).sum(axis=1, keepdims=True) + LOSS_EPS)
        sizes = np.sqrt((W**2).sum(axis=1, keepdims=True) + 1e-12)
        LXW, unit = L @ (X @ W), E / residual
        value = residual.sum() + alpha * np.sum((X @ W) * LXW) + lam * sizes.sum()
        slope_W = X.T @ unit + 2 * alpha * X.T @ LXW + lam * W / sizes
        return value, np.r_[slope_W.ravel(), unit.sum(axis=0), -unit[hidden]]

    bounds = [(None, None)] * (n_w + 4) + [(-1, 1)] * int(hidden.sum())
    options = {"maxiter": 20_000, "maxfun": 10**5, "ftol": 1e-14, "gtol": 1e-8}
    start = np.full(len(bounds), 0.01)
    best = minimize(
        value_and_slope, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    assert model.objective_[-1] == pytest.approx(best.fun, rel=1e-5)


def test_sparse_equals_dense(holed):
    X, Y = holed
    X = np.where(X > 0.5, X, 0.0)
    dense, sparse = MLMLFS().fit(X, Y), MLMLFS().fit(sp.csr_matrix(X), Y)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(sparse.b_, dense.b_, atol=1e-6)


@pytest.mark.parametrize("p", [2, 0, -0.5])
def test_a_power_outside_zero_to_one_is_refused(holed, p):
    with pytest.raises(ValueError, match=rf"'p' parameter of MLMLFS .* Got {p}"):
        MLMLFS(p=p).fit(*holed)
