"""FSNM as a whole against the authors' iteration on U = [W; E] with dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.selectors import FSNM

EPS = np.finfo(float).eps
PARAMS = {"tol": 0}


def literal(X, Y, gamma, turns):
    """U = D⁻¹Aᵀ(AD⁻¹Aᵀ)⁻¹Y with A = [X, γI] and D⁻¹ = diag(2‖u_i‖), from D = I."""
    (n, d), inverse = X.shape, np.eye(sum(X.shape))
    A, values = np.hstack([X, gamma * np.eye(n)]), []
    for _ in range(turns):
        U = inverse @ A.T @ np.linalg.solve(A @ inverse @ A.T, Y)
        W = U[:d]
        residual = Y - X @ W
        np.testing.assert_allclose(gamma * U[d:], residual, atol=1e-9)  # E is the residual / γ
        sizes = [np.sqrt(w @ w + EPS) for w in W]
        errors = [np.sqrt(e @ e + EPS) for e in residual]
        inverse = 2 * np.diag([*sizes, *(error / gamma for error in errors)])
        values.append(sum(errors) + gamma * sum(sizes))
    return W, sizes, values


@pytest.mark.parametrize("turns", [1, 2, 10])
@pytest.mark.parametrize("gamma", [1.0, 0.2, 5.0])
def test_every_iteration_is_literal(either_shape, close, gamma, turns):
    """The authors start at D = I on U = [W; E], whatever γ."""
    X, Y = either_shape
    W, sizes, values = literal(X, Y, gamma, turns)
    for features in (X, sp.csr_matrix(X)):
        model = FSNM(gamma=gamma, max_iter=turns, **PARAMS).fit(features, Y)
        close(model.W_, W, 1e-8, "W")
        close(model.scores_, sizes, 1e-8, "scores")
        close(model.objective_, values, 1e-9, "objective")


def test_it_stops_at_the_first_small_change(either_shape):
    X, Y = either_shape
    values = np.array(FSNM(max_iter=10_000).fit(X, Y).objective_)
    changes = np.abs(np.diff(values)) / values[:-1]
    assert len(values) < 10_000
    assert changes[-1] <= 1e-8 < changes[:-1].min()
