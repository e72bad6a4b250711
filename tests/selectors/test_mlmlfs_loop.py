"""MLMLFS as a whole against its updates with n x n matrices, and against the released order."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.selectors import MLMLFS

ALPHA, LAM, K = 0.2, 0.5, 4
PARAMS = {"alpha": ALPHA, "lam": LAM, "n_neighbors": K, "tol": 0}
LOSS_EPS, EPS = 1e-4, np.finfo(float).eps


@pytest.fixture(scope="module")
def holed(emotions):
    X, Y = emotions[0], emotions[1].copy()
    Y[np.random.default_rng(0).random(Y.shape) < 0.3] = np.nan
    return np.where(X > -0.5, X + 1.0, 0.0), Y


@pytest.fixture(scope="module")
def graph(holed, heat_weights):
    S = heat_weights(holed[0], K)
    return np.diag(S.sum(axis=1)) - S


def coefficients(X, Y, L, G0, G2, rhs):
    """W of METHODS A6: XᵀNᵀ(G₀H + αL(H − I))Y, where the release has H − 11ᵀ for H − I."""
    n, one = len(X), np.ones((len(X), 1))
    m = np.trace(G0) + ALPHA * (one.T @ L @ one)[0, 0]
    H, N = np.eye(n) - one @ one.T @ G0 / m, np.eye(n) - one @ one.T @ (G0 + ALPHA * L) / m
    left = X.T @ N.T @ (G0 + ALPHA * L) @ N @ X + LAM * G2
    taken = one @ one.T if rhs == "release" else np.eye(n)
    return np.linalg.solve(left, X.T @ N.T @ (G0 @ H + ALPHA * L @ (H - taken)) @ Y)


def intercept(X, Y, L, G0, W):
    one = np.ones(len(X))
    m = one @ G0 @ one + ALPHA * one @ L @ one
    return (Y.T @ G0 @ one - W.T @ X.T @ (G0 + ALPHA * L) @ one) / m


def loss_weights(E):
    return np.diag([1 / (2 * np.sqrt(e @ e + LOSS_EPS)) for e in E])


def row_weights(W, p):
    return np.diag([p / 2 * (w @ w + EPS) ** (p / 2 - 1) for w in W])


def recover(Y, hidden, F):
    """Unknown entries of Y from F, clipped; known ones as they were."""
    Y = Y.copy()
    for index in zip(*np.nonzero(hidden)):
        Y[index] = min(max(F[index], -1.0), 1.0)
    return Y


def value(Y, L, W, F, p):
    loss = sum(np.sqrt(e @ e + LOSS_EPS) for e in F - Y)
    return loss + ALPHA * np.trace(F.T @ L @ F) + LAM * sum((w @ w + EPS) ** (p / 2) for w in W)


def literal(X, Y, L, turns, p=1.0, released=False, rhs="paper"):
    """The whole loop from G₀ = I, G₂ = I; `released` refreshes G₀ with the old b before b."""
    hidden = np.isnan(Y)
    Y = np.where(hidden, 0.0, 2 * np.nan_to_num(Y) - 1)
    G0, G2, values = np.eye(len(X)), np.eye(X.shape[1]), []
    b = np.zeros(Y.shape[1])
    for _ in range(turns):
        W = coefficients(X, Y, L, G0, G2, rhs)
        if released:
            G0 = loss_weights(X @ W + b - Y)
        b = intercept(X, Y, L, G0, W)
        F = X @ W + b
        Y = recover(Y, hidden, F)
        G2 = row_weights(W, p)
        if not released:
            G0 = loss_weights(F - Y)
        values.append(value(Y, L, W, F, p))
    return W, b, Y, values


@pytest.mark.parametrize("turns", [1, 2, 10])
@pytest.mark.parametrize("p", [1.0, 0.6])
@pytest.mark.parametrize("rhs", ["paper", "release"])
def test_every_iteration_is_literal(holed, graph, close, rhs, p, turns):
    X, Y = holed
    W, b, recovered, values = literal(X, Y, graph, turns, p, rhs=rhs)
    for features in (X, sp.csr_matrix(X)):
        model = MLMLFS(**PARAMS, p=p, rhs=rhs, max_iter=turns).fit(features, Y)
        close(model.W_, W, 1e-8, "W")
        close(model.b_, b, 1e-8, "b")
        close(model.Y_, recovered, 1e-8, "Y")
        close(model.objective_, values, 1e-9, "objective")
        close(model.scores_, np.linalg.norm(W, axis=1), 1e-8, "scores")


def test_the_released_order_ends_at_the_same_point(holed, graph, close):
    """With p = 1 the problem is convex."""
    X, Y = holed
    model = MLMLFS(**PARAMS, max_iter=3000).fit(X, Y)
    values = literal(X, Y, graph, 600, released=True)[-1]
    assert model.objective_[-1] == pytest.approx(values[-1], rel=1e-4)


@pytest.mark.xfail(
    strict=True,
    reason="METHODS A6: G₀ is refreshed with the old b between W and b; MLMLFS solves W and b "
    "together and refreshes G₀ after the labels",
)
@pytest.mark.parametrize("turns", [1, 2])
def test_iterates_equal_those_of_the_released_order(holed, graph, close, turns):
    X, Y = holed
    W, b, _, _ = literal(X, Y, graph, turns, released=True)
    model = MLMLFS(**PARAMS, max_iter=turns).fit(X, Y)
    close(model.W_, W, 1e-8, "W")
    close(model.b_, b, 1e-8, "b")
