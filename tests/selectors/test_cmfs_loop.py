"""CMFS as a whole against its multiplicative updates made entry by entry from the same start."""

import numpy as np
import pytest

from mlfs.selectors import CMFS

A, B_, G, RANK, K = 2.0, 0.3, 0.7, 3, 5
PARAMS = {
    "alpha": A,
    "beta": B_,
    "gamma": G,
    "n_factors": RANK,
    "n_neighbors": K,
    "tol": 0,
    "random_state": 0,
}


@pytest.fixture(scope="module")
def graphs(emotions, heat_weights):
    """X in [0, 1], and the three similarity matrices, pair by pair."""
    X, Y = emotions
    X = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))

    def cosines(M):
        return np.array(
            [[u @ v / (np.linalg.norm(u) * np.linalg.norm(v)) for u in M.T] for v in M.T]
        )

    return X, Y, heat_weights(X, K), cosines(X), cosines(Y)


def halves(X, Y, Sx, Sf, Sy, V, Q, B):
    """Half the derivatives of the objective by V, Q and B, as (positive, negative) parts."""
    Dx, Df, Dy = (np.diag(S.sum(axis=1)) for S in (Sx, Sf, Sy))
    D = np.diag([0.5 / np.sqrt(q @ q + np.finfo(float).eps) for q in Q])
    return {
        "V": (V @ Q.T @ Q + A * V @ B @ B.T + B_ * Dx @ V, X @ Q + A * Y @ B.T + B_ * Sx @ V),
        "Q": (Q @ V.T @ V + B_ * Df @ Q + G * D @ Q, X.T @ V + B_ * Sf @ Q),
        "B": (A * V.T @ V @ B + B_ * B @ Dy, A * V.T @ Y + B_ * B @ Sy),
    }


def value(X, Y, Sx, Sf, Sy, V, Q, B):
    laplacians = [np.diag(S.sum(axis=1)) - S for S in (Sx, Sf, Sy)]
    smooth = [np.trace(F.T @ L @ F) for F, L in zip((V, Q, B.T), laplacians)]
    fit = np.sum((X - V @ Q.T) ** 2) + A * np.sum((Y - V @ B) ** 2)
    return fit + B_ * sum(smooth) + G * np.linalg.norm(Q, axis=1).sum()


def literal(data, turns):
    X, Y = data[:2]
    rng = np.random.RandomState(0)
    top = 2 * np.sqrt(X.mean() / RANK)  # VQᵀ then has the mean of X
    shapes = {"V": (len(X), RANK), "Q": (X.shape[1], RANK), "B": (RANK, Y.shape[1])}
    state = {name: top * rng.random_sample(shape) for name, shape in shapes.items()}
    values = []
    for _ in range(turns):
        for name in ("V", "Q", "B"):
            positive, negative = halves(*data, **state)[name]
            F = state[name].copy()
            for index in np.ndindex(F.shape):
                F[index] *= negative[index] / positive[index]
            state[name] = F
        values.append(value(*data, **state))
    return state, values


@pytest.mark.parametrize("turns", [1, 2, 10, 100])
def test_every_iteration_is_literal(emotions, graphs, close, turns):
    state, values = literal(graphs, turns)
    model = CMFS(**PARAMS, max_iter=turns).fit(*emotions)
    for name in ("V", "Q", "B"):
        close(getattr(model, name + "_"), state[name], 1e-10, name)
    close(model.objective_, values, 1e-10, "objective")
    close(model.scores_, np.linalg.norm(state["Q"], axis=1), 1e-10, "scores")


def test_the_end_is_stationary(emotions, graphs):
    """F ≥ 0, F ∘ dJ/dF = 0 and dJ/dF ≥ 0 where F = 0, for the three factors."""
    model = CMFS(**PARAMS, max_iter=30_000).fit(*emotions)
    state = {"V": model.V_, "Q": model.Q_, "B": model.B_}
    for name, (positive, negative) in halves(*graphs, **state).items():
        F, slope = state[name], positive - negative
        assert np.abs(F * slope).max() < 1e-5 * np.abs(F * positive).max(), name
        assert slope[F < 1e-8].min(initial=0) > -1e-3, name
