"""L20ALM as a whole against its augmented Lagrangian, instance by instance, on Y as it is given."""

import numpy as np
import pytest

from mlfs.selectors import L20ALM
from mlfs.selectors.l20alm import _regulariser, principal_axes

N_FEATURES, RESTARTS = 5, 2
PARAMS = {"n_restarts": RESTARTS, "tol": 0, "random_state": 0}  # N_FEATURES goes by position


@pytest.fixture(scope="module")
def shifted(either_shape):
    X, Y = either_shape
    return X + 1.0, Y


def starts(X, Y):
    """Where V and E set out from, turned back from the principal axes to the columns of Y."""
    centred, turned = Y - Y.mean(axis=0), principal_axes(Y)
    axes = np.linalg.lstsq(centred, turned)[0]
    np.testing.assert_allclose(axes.T @ axes, np.eye(Y.shape[1]), atol=1e-10)
    rng = np.random.RandomState(0)
    drawn = [
        tuple(rng.uniform(size=(m, Y.shape[1])) for m in (X.shape[1], len(X)))
        for _ in range(RESTARTS)
    ]
    return drawn, axes


def literal(X, Y, V, E, turns, mu, rho):
    """W, V, E and the residual after `turns` iterations (METHODS, C5)."""
    X = X - X.mean(axis=0)
    (n, d), q = X.shape, Y.shape[1]
    Lam, Sig = np.zeros((d, q)), np.zeros((n, q))
    for _ in range(turns):
        T = Y + E - Sig / mu
        b = T.mean(axis=0)
        W = np.linalg.inv(X.T @ X + np.eye(d)) @ (V - Lam / mu + X.T @ T)
        shifted = W + Lam / mu
        V = np.zeros((d, q))
        for j in sorted(range(d), key=lambda j: -np.linalg.norm(shifted[j]))[:N_FEATURES]:
            V[j] = shifted[j]
        residual, E = X @ W + b - Y, np.zeros((n, q))
        for i in range(n):
            r = residual[i] + Sig[i] / mu
            E[i] = max(1 - 1 / (mu * np.linalg.norm(r)), 0) * r
        Lam = Lam + mu * (W - V)
        Sig = Sig + mu * (residual - E)
        mu = min(1e10, rho * mu)
    return W, V, E, residual


def robust_fit(X, Y):
    """min ‖XW + 1bᵀ − Y‖₂,₁ by reweighted least squares; its value and W."""
    A, weight = np.column_stack([X, np.ones(len(X))]), np.ones(len(X))
    for _ in range(3000):
        W = np.linalg.solve((A.T * weight) @ A, (A.T * weight) @ Y)
        weight = 1 / np.sqrt(np.sum((A @ W - Y) ** 2, axis=1) + np.finfo(float).eps)
    return np.sum(1 / weight), W[:-1]


def top(A):
    return sorted(np.argsort(-np.linalg.norm(A, axis=1), kind="stable")[:N_FEATURES])


@pytest.mark.parametrize("turns", [1, 2, 10])
@pytest.mark.parametrize(("mu", "rho"), [(2.0, 1.1), (0.8, 1.5), (1e3, 1e4)])
def test_every_iteration_is_literal(shifted, close, mu, rho, turns):
    """μ is large enough that E is not all zero; the last pair reaches the cap on μ."""
    X, Y = shifted
    drawn, axes = starts(X, Y)
    centred = X - X.mean(axis=0)
    model = L20ALM(N_FEATURES, mu=mu, rho=rho, max_iter=turns, **PARAMS)
    runs = [(N_FEATURES, V, E) for V, E in drawn]
    ends = model._multipliers(centred, principal_axes(Y), runs, _regulariser(centred))
    for (W, V), (V0, E0) in zip(ends, drawn):
        expected_W, expected_V, E, _ = literal(X, Y, V0 @ axes.T, E0 @ axes.T, turns, mu, rho)
        close(W @ axes.T, expected_W, 1e-9, "W")
        close(V @ axes.T, expected_V, 1e-9, "V")
        assert np.count_nonzero(E.any(axis=1)) > 0


def test_a_run_stops_where_w_meets_v_and_the_residual_meets_e(shifted, close):
    """Each start at a turn of its own, the first whose gap is small against W and the residual."""
    X, Y = shifted
    mu, rho, tol = 2.0, 1.5, 0.05
    drawn, axes = starts(X, Y)
    drawn[1] = tuple(100 * start for start in drawn[1])  # takes longer
    centred = X - X.mean(axis=0)
    runs = [(N_FEATURES, V, E) for V, E in drawn]
    model = L20ALM(N_FEATURES, mu=mu, rho=rho, **PARAMS | {"tol": tol})
    ends = model._multipliers(centred, principal_axes(Y), runs, _regulariser(centred))
    norm, stops = np.linalg.norm, []
    for (W, V), (V0, E0) in zip(ends, drawn):
        for turn in range(1, 100):
            wanted = literal(X, Y, V0 @ axes.T, E0 @ axes.T, turn, mu, rho)
            gap = norm(wanted[0] - wanted[1]) + norm(wanted[3] - wanted[2])
            if gap <= tol * (norm(wanted[0]) + norm(wanted[3])):
                break
        stops.append(turn)
        close(W @ axes.T, wanted[0], 1e-9, "W")
        close(V @ axes.T, wanted[1], 1e-9, "V")
    assert 2 < stops[0] != stops[1] > 2


def test_the_fit_is_literal_to_its_end(shifted, close):
    """The better of the two sets a run ends with, fitted anew, and the best run of all."""
    X, Y = shifted
    drawn, axes = starts(X, Y)
    found = []
    for V0, E0 in drawn:
        W, V, *_ = literal(X, Y, V0 @ axes.T, E0 @ axes.T, 10, 2.0, 1.1)
        fits = [(*robust_fit(X[:, chosen], Y), chosen) for chosen in (top(V), top(W))]
        found.append((*min(fits, key=lambda fit: fit[0]), W))
    model = L20ALM(N_FEATURES, mu=2.0, rho=1.1, max_iter=10, **PARAMS).fit(X, Y)
    close(model.objectives_, [value for value, *_ in found], 1e-6, "objectives")
    _, rows, chosen, W = min(found, key=lambda run: run[0])
    coef = np.zeros(W.shape)
    coef[chosen] = rows
    close(model.coef_ @ axes.T, coef, 1e-2, "coef")
    outside = [j for j in np.argsort(-np.linalg.norm(W, axis=1)) if j not in chosen]
    inside = np.argsort(-np.linalg.norm(model.coef_, axis=1), kind="stable")[:N_FEATURES]
    assert set(inside) == set(chosen)
    assert model.ranking_.tolist() == [*inside, *outside]
