"""MIFS as a whole against its three exact solves with dense matrices from the same start."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import solve_sylvester

from mlfs.selectors import MIFS

ALPHA, BETA, GAMMA, RIDGE, RANK, K = 0.7, 0.4, 0.9, 0.5, 3, 4
PARAMS = {
    "alpha": ALPHA,
    "beta": BETA,
    "gamma": GAMMA,
    "n_factors": RANK,
    "eps": RIDGE,
    "n_neighbors": K,
    "tol": 0,
}


@pytest.fixture(scope="module")
def graph(with_zeros, heat_weights):
    S = heat_weights(with_zeros[0], K)
    return np.diag(S.sum(axis=1)) - S


def literal(X, Y, L, turns):
    """METHODS A4, the [D] form: B, then W, then V from its Sylvester equation."""
    left, values, _ = np.linalg.svd(Y, full_matrices=False)
    V = left[:, :RANK] * values[:RANK]
    D, values = np.eye(X.shape[1]), []
    for _ in range(turns):
        B = np.linalg.inv(V.T @ V + RIDGE * np.eye(RANK)) @ V.T @ Y
        W = np.linalg.solve(X.T @ X + GAMMA * D, X.T @ V)
        sizes = np.array([np.sqrt(w @ w + np.finfo(float).eps) for w in W])
        D = np.diag(1 / (2 * sizes))
        rhs = X @ W + ALPHA * Y @ B.T
        V = solve_sylvester(np.eye(len(X)) + BETA * L, ALPHA * B @ B.T, rhs)
        terms = [
            np.sum((X @ W - V) ** 2),
            ALPHA * (np.sum((Y - V @ B) ** 2) + RIDGE * np.sum(B**2)),
            BETA * np.trace(V.T @ L @ V),
            GAMMA * sizes.sum(),
        ]
        values.append(sum(terms))
    return W, V, B, sizes, values


@pytest.mark.parametrize("turns", [1, 2, 10])
def test_every_iteration_is_literal(with_zeros, graph, close, turns):
    X, Y = with_zeros
    W, V, B, sizes, values = literal(X, Y, graph, turns)
    for features in (X, sp.csr_matrix(X)):
        model = MIFS(**PARAMS, max_iter=turns).fit(features, Y)
        signs = np.sign(np.sum(model.V_ * V, axis=0))  # singular vectors have no sign of their own
        close(model.W_ * signs, W, 1e-8, "W")
        close(model.V_ * signs, V, 1e-8, "V")
        close(model.B_ * signs[:, None], B, 1e-8, "B")
        close(model.scores_, sizes, 1e-8, "scores")
        close(model.objective_, values, 1e-9, "objective")
