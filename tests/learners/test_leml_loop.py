"""LEML as a whole against its alternation with every block solved as one dense system."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.learners import LEML

LAM, RANK = 0.4, 3  # by position, as are max_iter and the number of CG steps
PARAMS = {"random_state": 0}


@pytest.fixture(scope="module")
def holed(incomplete):
    X, Y = incomplete(80)
    return X[:, :10], Y


def first_w(monkeypatch, X, Y, more):
    """The W that the alternation starts from, as the first W step is given it."""
    seen, inner = [], LEML._solve_W

    def watched(self, X, Y, R, H, start, *rest):
        seen.append(start.copy())
        return inner(self, X, Y, R, H, start, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(LEML, "_solve_W", watched)
        LEML(LAM, RANK, 1, 300, **PARAMS, **more).fit(X, Y)
    return seen[0]


def solve_H(X, Y, W):
    H = np.empty((Y.shape[1], RANK))
    for j, y in enumerate(Y.T):
        seen = ~np.isnan(y)
        A = X[seen] @ W
        H[j] = np.linalg.solve(A.T @ A + LAM * np.eye(RANK), A.T @ y[seen])
    return H


def solve_W(X, Y, H):
    """One equation a pair (feature, factor), one row x_i ⊗ h_j an observed label."""
    pairs = np.argwhere(~np.isnan(Y))
    rows = np.array([np.kron(X[i], H[j]) for i, j in pairs])
    labels = np.array([Y[i, j] for i, j in pairs])
    left = rows.T @ rows + LAM * np.eye(rows.shape[1])
    return np.linalg.solve(left, rows.T @ labels).reshape(X.shape[1], RANK)


def literal(X, Y, W, turns):
    values = []
    for _ in range(turns):
        H = solve_H(X, Y, W)
        W = solve_W(X, Y, H)
        loss = np.nansum((Y - X @ W @ H.T) ** 2)
        values.append(0.5 * loss + LAM / 2 * (np.sum(W**2) + np.sum(H**2)))
    return W, H, values


@pytest.mark.parametrize("turns", [1, 2, 10])
@pytest.mark.parametrize("case", ["nan", "full", "sparse", "no intercept"])
def test_every_iteration_is_literal(holed, yeast_slice, monkeypatch, close, case, turns):
    given, Y = holed
    more = {"fit_intercept": case != "no intercept"}
    Y = yeast_slice(80)[1] if case == "full" else Y
    X = np.column_stack([given, np.ones(80)]) if more["fit_intercept"] else given
    features = sp.csr_matrix(given) if case == "sparse" else given
    start = first_w(monkeypatch, features, Y, more)
    assert abs(start.std() - 1) < 0.3 and abs(start.mean()) < 0.6
    W, H, values = literal(X, 2 * Y - 1, start, turns)
    steps = 1 if case == "full" else 300  # one is exact when every label is observed
    model = LEML(LAM, RANK, turns, steps, **PARAMS, **more).fit(features, Y)
    close(model.W_, W, 1e-8, "W")
    close(model.H_, H, 1e-8, "H")
    close(model.objective_, values, 1e-9, "objective")
    close(model.decision_function(features), X @ W @ H.T, 1e-8, "scores")


@pytest.mark.parametrize(("missing", "value"), [("negative", -1.0), ("zero", 0.0)])
def test_unobserved_labels_as_numbers_are_literal(holed, monkeypatch, close, missing, value):
    """They are targets like all others; with the full sum, one step of CG is exact."""
    given, Y = holed
    more = {"missing": missing, "fit_intercept": False}
    targets = np.nan_to_num(2 * Y - 1, nan=value)
    start = first_w(monkeypatch, given, Y, more)
    W, H, values = literal(given, targets, start, 5)
    model = LEML(LAM, RANK, 5, 1, **PARAMS, **more).fit(given, Y)
    close(model.W_, W, 1e-8, "W")
    close(model.H_, H, 1e-8, "H")
    close(model.objective_, values, 1e-9, "objective")
    scores = [
        LEML(LAM, RANK, 5, 300, **PARAMS, fit_intercept=False, missing=name)
        .fit(given, Y)
        .decision_function(given)
        for name in ("observed", "negative", "zero")
        if name != missing
    ]
    assert all(np.abs(model.decision_function(given) - other).max() > 0.05 for other in scores)


def test_the_end_is_stationary(holed):
    given, Y = holed
    model = LEML(LAM, RANK, 1000, 300, **PARAMS).fit(given, Y)
    X, W, H = np.column_stack([given, np.ones(80)]), model.W_, model.H_
    error = np.nan_to_num(X @ W @ H.T - (2 * Y - 1))
    assert np.abs(X.T @ error @ H + LAM * W).max() < 1e-4
    assert np.abs(error.T @ X @ W + LAM * H).max() < 1e-4
