"""GLOCAL against its objective written out and the vanishing of its derivatives."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from mlfs.learners import GLOCAL
from mlfs.learners.correlations import unit_factor
from mlfs.learners.glocal import _group
from mlfs.learners.glocal_problem import Problem
from mlfs.methods.labels import signed
from mlfs.metrics import average_precision, hamming_loss

STRONG = {"lam3": 1.0, "lam4": 1.0, "n_factors": 4, "n_groups": 3}


@pytest.fixture(scope="module")
def problem(incomplete):
    X, Y = incomplete(120)
    X = X[:, :10]
    model = GLOCAL(**STRONG, random_state=0)
    groups = _group(X, 3, 0)
    rng = np.random.default_rng(0)
    start = [rng.random(shape) for shape in ((120, 4), (Y.shape[1], 4), (10, 4))]
    Z = [unit_factor(rng, (Y.shape[1], 4)) for _ in groups]
    return model, X, Y, groups, Problem.of(model, X, Y, groups), start, Z


def test_groups_are_those_of_k_means_from_the_same_start(incomplete):
    X, _ = incomplete(120)
    for seed in (0, 1):
        labels = KMeans(5, n_init=1, random_state=seed).fit_predict(X)
        groups = _group(X, 5, seed)
        assert [rows.tolist() for rows in groups] == [
            np.flatnonzero(labels == m).tolist() for m in range(5)
        ]


def test_objective_never_rises(incomplete):
    X, Y = incomplete(300)
    for model in (GLOCAL(random_state=0), GLOCAL(**STRONG, random_state=0)):
        model.fit(X, Y)
        assert np.all(np.diff(model.objective_) <= 1e-9 * model.objective_[0])
        assert model.objective_[-1] < model.objective_[0]
        for Z in model.Z_:
            np.testing.assert_allclose(np.linalg.norm(Z, axis=1), 1.0)


def test_value_is_the_objective_written_out(problem):
    model, X, Y, groups, built, (V, U, W), Z = problem
    Y, J = signed(Y)
    n, k, seen = len(X), 4, J.sum()
    value = 0.5 * np.sum((J * (Y - V @ U.T)) ** 2)
    value += 0.5 * model.lam * seen / (k * n) * np.sum((V - X @ W) ** 2)
    for factor in (V, U, W):
        value += 0.5 * model.lam2 * seen / factor.size * np.sum(factor**2)
    for rows, Z_m in zip(groups, Z):
        F0, F_m, L = X @ W @ U.T, X[rows] @ W @ U.T, Z_m @ Z_m.T
        share = len(rows) / n
        value += 0.5 * model.lam3 * seen / n**2 * share * np.trace(F0 @ L @ F0.T)
        value += 0.5 * model.lam4 * seen / (n / 3) ** 2 * np.trace(F_m @ L @ F_m.T)
    np.testing.assert_allclose(built.value(V, U, W, Z), value)


def test_every_block_is_solved(problem, numerical_gradient):
    """The derivative by V, U and W vanishes where that block was solved."""
    *_, built, (V, U, W), Z = problem
    V = built.solve_V(U, W)
    some = np.arange(0, 120, 30)

    def at_some(rows):
        moved = V.copy()
        moved[some] = rows
        return built.value(moved, U, W, Z)

    np.testing.assert_allclose(numerical_gradient(at_some, V[some]), 0.0, atol=1e-5)
    U = built.solve_U(V, U, W, Z)
    slope = numerical_gradient(lambda U: built.value(V, U, W, Z), U)
    np.testing.assert_allclose(slope, 0.0, atol=1e-5)
    W = built.solve_W(V, U, W, Z)
    slope = numerical_gradient(lambda W: built.value(V, U, W, Z), W)
    np.testing.assert_allclose(slope, 0.0, atol=1e-5)


def test_both_correlation_terms_change_the_scores(incomplete):
    X, Y = incomplete(150)
    without = GLOCAL(lam3=0.0, lam4=0.0, random_state=0).fit(X, Y).decision_function(X)
    for change in ({"lam3": 1.0, "lam4": 0.0}, {"lam3": 0.0, "lam4": 1.0}):
        assert (
            np.abs(GLOCAL(**change, random_state=0).fit(X, Y).decision_function(X) - without).max()
            > 1e-3
        )


def test_groups_are_never_empty(incomplete):
    X = np.repeat(incomplete(3)[0], 5, axis=0)
    groups = _group(X, 8, 0)
    assert len(groups) == 3
    assert sorted(np.concatenate(groups)) == list(range(15))


RELEASE = {"solver": "descent", "lam3": 0.0, "lam4": 0.0, "fit_intercept": False}


def test_descent_reaches_printed_values_of_image(real):
    """RMFL's paper prints AP .784 ± .015, and as Hamming loss the share of positive labels, .249.

    So nothing is predicted; with scores above 0 the loss is much lower.
    """
    data = real("image")
    X, Y = np.asarray(data.X), data.Y.astype(float)
    order = np.random.default_rng(0).permutation(len(Y))
    train, test = order[:1600], order[1600:]
    model = GLOCAL(**RELEASE, threshold="half_range", random_state=0).fit(X[train], Y[train])
    scores = model.decision_function(X[test])
    assert abs(average_precision(Y[test], scores) - 0.784) < 0.015
    assert abs(hamming_loss(Y[test], model.predict(X[test])) - Y[test].mean()) < 0.005
    usual = GLOCAL(**RELEASE, random_state=0).fit(X[train], Y[train])
    assert np.array_equal(usual.decision_function(X[test]), scores)
    assert hamming_loss(Y[test], usual.predict(X[test])) < Y[test].mean() - 0.03


def test_descent_stops_before_the_exact_solution(incomplete):
    """On features of unlike sizes 30 rounds do not suffice, and that is what the release gives."""
    X, Y = incomplete(200)
    X = X * np.logspace(0, 2, X.shape[1])
    far = GLOCAL(**RELEASE, random_state=0).fit(X, Y).objective_
    near = GLOCAL(**RELEASE | {"solver": "exact"}, random_state=0).fit(X, Y).objective_
    assert np.all(np.diff(far) <= 1e-9 * far[0]) and far[-1] > 1.05 * near[-1]


def test_without_correlations_descent_needs_no_groups(incomplete):
    X, Y = incomplete(100)
    models = [GLOCAL(**RELEASE, n_groups=g, random_state=0).fit(X, Y) for g in (1, 5)]
    assert all(model.Z_ == [] for model in models)
    assert np.array_equal(models[0].W_, models[1].W_)
