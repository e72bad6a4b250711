"""MAXIDE against plain loops, the conditions of its minimum, and the model that it was made for."""

import numpy as np
import pytest

from mlfs.learners import MAXIDE

LAM = 2.0
EXACT = {"max_iter": 100000, "tol": 0.0}


@pytest.fixture(scope="module")
def holed(incomplete):
    X, Y = incomplete(80)
    return X[:, :10], Y


def value(A, Z, Y, lam):
    """The objective with a loop over the observed entries; Y is ±1 or nan."""
    total = lam * np.linalg.norm(Z, "nuc")
    for i, j in np.argwhere(~np.isnan(Y)):
        total += (A[i] @ Z[:, j] - Y[i, j]) ** 2 / 2
    return total


def slope(A, Z, Y):
    G = np.zeros_like(Z)
    for i, j in np.argwhere(~np.isnan(Y)):
        G[:, j] += A[i] * (A[i] @ Z[:, j] - Y[i, j])
    return G


def shrunk(Z, by):
    """Singular value thresholding, from the eigenvectors of ZᵀZ."""
    values, Q = np.linalg.eigh(Z.T @ Z)
    kept = values > by**2
    factor = 1 - by / np.sqrt(values[kept])
    return (Z @ Q[:, kept] * factor) @ Q[:, kept].T


def literal(A, Y, lam, turns):
    """Accelerated proximal gradient with step 1; a step that rises is made anew from the last Z."""
    Z = old = np.zeros((A.shape[1], Y.shape[1]))
    values, b_old, b, restarts = [value(A, Z, Y, lam)], 1.0, 1.0, 0
    for turn in range(turns):
        point = Z + (b_old - 1) / b * (Z - old)
        new = shrunk(point - slope(A, point, Y), lam)
        if turn > 0 and value(A, new, Y, lam) > values[-1]:
            new, b = shrunk(Z - slope(A, Z, Y), lam), 1.0
            restarts += 1
        old, Z = Z, new
        b_old, b = b, (1 + np.sqrt(4 * b**2 + 1)) / 2
        values.append(value(A, Z, Y, lam))
    return Z, values, restarts


@pytest.mark.parametrize("turns", [1, 2, 15])
@pytest.mark.parametrize("case", ["nan", "full", "no intercept"])
def test_every_iteration_is_literal(holed, yeast_slice, close, case, turns):
    given, Y = holed
    Y = yeast_slice(80)[1] if case == "full" else Y
    intercept = case != "no intercept"
    X = np.column_stack([given, np.ones(80)]) if intercept else given
    A = np.linalg.qr(X)[0]  # another orthonormal basis of the same space: Z rotates with it
    Z, values, restarts = literal(A, 2 * Y - 1, LAM, turns)
    model = MAXIDE(LAM, turns, 0.0, intercept).fit(given, Y)
    close(model.decision_function(given), A @ Z, 1e-8, "scores")
    if case != "full":  # one step is exact if all is observed
        close(model.objective_, values, 1e-9, "objective")
        assert turns < 15 or restarts > 0


@pytest.mark.parametrize("lam", [0.1, 2.0, 8.0])
def test_the_end_satisfies_the_conditions_of_a_minimum(holed, lam):
    """−G is λ times a subgradient: ‖G‖₂ ≤ λ, and −G is λUVᵀ on the singular vectors of Z."""
    X, Y = holed
    model = MAXIDE(lam, **EXACT).fit(X, Y)
    A = np.linalg.qr(np.column_stack([X, np.ones(80)]))[0]
    Z = A.T @ model.decision_function(X)
    G = slope(A, Z, 2 * Y - 1)
    assert np.linalg.norm(G, 2) <= lam * (1 + 1e-5)
    U, sizes, Vt = np.linalg.svd(Z, full_matrices=False)
    kept = sizes > 1e-6 * sizes[0]
    assert kept.any() and (lam < 2 or kept.sum() < len(sizes))
    np.testing.assert_allclose(-G @ Vt[kept].T, lam * U[:, kept], atol=lam * 1e-5)
    np.testing.assert_allclose(-G.T @ U[:, kept], lam * Vt[kept].T, atol=lam * 1e-5)


def test_with_all_labels_the_minimum_is_the_shrunk_projection(yeast_slice):
    X, Y = yeast_slice(80)
    A = np.linalg.qr(np.column_stack([X[:, :10], np.ones(80)]))[0]
    scores = MAXIDE(LAM).fit(X[:, :10], Y).decision_function(X[:, :10])
    np.testing.assert_allclose(scores, A @ shrunk(A.T @ (2 * Y - 1), LAM), atol=1e-10)


def test_objective_never_rises(incomplete):
    model = MAXIDE(0.5, 300, 0.0).fit(*incomplete(200))
    assert (np.diff(model.objective_) <= 0).all() and model.objective_[-1] < model.objective_[0]


def test_a_large_weight_gives_no_label(holed):
    X, Y = holed
    A = np.linalg.qr(np.column_stack([X, np.ones(80)]))[0]
    bound = np.linalg.norm(A.T @ np.nan_to_num(2 * Y - 1), 2)
    assert not MAXIDE(1.001 * bound).fit(X, Y).predict(X).any()
    assert np.linalg.matrix_rank(MAXIDE(0.9 * bound, **EXACT).fit(X, Y).Z_) >= 1


def test_signs_of_low_rank_are_completed():
    """Labels that are signs of a rank 2 matrix in the space of X, with 60 % of them hidden."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 10))
    Y = (X @ rng.standard_normal((10, 2)) @ rng.standard_normal((2, 20)) > 0).astype(float)
    seen = np.where(rng.random(Y.shape) < 0.6, np.nan, Y)[:200]
    predicted = MAXIDE(3.0).fit(X[:200], seen).predict(X)
    assert np.mean(predicted[:200] == Y[:200]) > 0.9 and np.mean(predicted[200:] == Y[200:]) > 0.9


def test_features_that_repeat_others_change_nothing(holed):
    """They add no direction to the space of A, only rounding errors that must be left out."""
    X, Y = holed
    double = np.column_stack([X, X @ np.ones((10, 3)), X[:, :2]])
    scores = [MAXIDE(LAM).fit(F, Y).decision_function(F) for F in (X, double)]
    np.testing.assert_allclose(*scores, atol=1e-8)
    assert MAXIDE(LAM).fit(double, Y).Z_.shape[0] == 11
    zero = MAXIDE(fit_intercept=False).fit(np.zeros_like(X), Y)
    assert zero.Z_.shape[0] == 0 and not zero.predict(X).any()
