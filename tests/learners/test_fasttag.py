"""FastTag against its alternations, one joint solve, and its expectation written out."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.learners import FastTag
from mlfs.learners import fasttag as module
from mlfs.metrics import average_precision, hamming_loss
from mlfs.numerics.linalg import unit_rows


def pieces(model, X, Y):
    """Ones column, nan as 0, and P, Q of the paper for rows as instances."""
    X, Y, p = np.hstack([X, np.ones((len(X), 1))]), np.nan_to_num(Y), model.drop
    C = Y.T @ Y
    return X, Y, (1 - p) * C, (1 - p) ** 2 * C + p * (1 - p) * np.diag(np.diag(C))


def objective(model, X, Y, P, Q, B, W):
    denoising = np.sum(Y**2) - 2 * np.trace(B @ P) + np.trace(B @ Q @ B.T)
    fit = np.sum((Y @ B.T - X @ W) ** 2)
    return (fit + model.gamma * denoising) / len(X) + model.lam * np.sum(W**2)


def test_the_solution_is_the_limit_of_the_alternation(incomplete):
    X, Y = incomplete(300)
    model = FastTag(drop=0.3, gamma=2.0, lam=0.05).fit(X, Y)
    X, Y, P, Q = pieces(model, X, Y)
    B = P @ np.linalg.inv(Q)
    ridge = X.T @ X + len(X) * model.lam * np.eye(X.shape[1])
    values = []
    for _ in range(100):
        W = np.linalg.solve(ridge, X.T @ Y @ B.T)
        values.append(objective(model, X, Y, P, Q, B, W))
        B = (model.gamma * P + W.T @ X.T @ Y) @ np.linalg.inv(model.gamma * Q + Y.T @ Y)
        values.append(objective(model, X, Y, P, Q, B, W))
    assert np.all(np.diff(values) <= 1e-12)
    assert values[0] - values[-1] > 1e-3
    np.testing.assert_allclose(model.B_, B, atol=1e-6)
    np.testing.assert_allclose(model.W_, W, atol=1e-6)


def test_equals_one_joint_solve(incomplete):
    """All of B and W together are the solution of one linear system."""
    X, Y = incomplete(200)
    model = FastTag(gamma=0.1, lam=0.01).fit(X, Y)
    X, Y, P, Q = pieces(model, X, Y)
    ridge = X.T @ X + len(X) * model.lam * np.eye(X.shape[1])
    system = np.block([[model.gamma * Q + Y.T @ Y, -Y.T @ X], [-X.T @ Y, ridge]])
    solution = np.linalg.solve(
        system, np.vstack([model.gamma * P, np.zeros(X.T.shape)[:, : len(P)]])
    )
    np.testing.assert_allclose(model.B_, solution[: len(P)].T, atol=1e-8)
    np.testing.assert_allclose(model.W_, solution[len(P) :], atol=1e-8)


def test_minimises_the_expectation_over_all_dropped_tags(incomplete, numerical_gradient):
    X, Y = incomplete(25)
    X, Y = X[:, :3], np.nan_to_num(Y[:, :3])
    model = FastTag(drop=0.4, gamma=0.7, lam=0.1).fit(X, Y)
    ones = np.hstack([X, np.ones((25, 1))])

    def written_out(stacked):
        B, W = stacked[:3], stacked[3:]
        total = np.sum((Y @ B.T - ones @ W) ** 2)
        for kept in itertools.product([0, 1], repeat=3):
            chance = np.prod(np.where(kept, 1 - model.drop, model.drop))
            total += model.gamma * chance * np.sum((Y - (Y * kept) @ B.T) ** 2)
        return total / len(X) + model.lam * np.sum(W**2)

    slope = numerical_gradient(written_out, np.vstack([model.B_, model.W_]))
    np.testing.assert_allclose(slope, 0.0, atol=1e-7)


def test_a_tag_never_given_scores_zero(incomplete):
    X, Y = incomplete(100)
    Y[:, 2] = np.nan
    model = FastTag().fit(sp.csr_matrix(X), Y)
    assert np.abs(model.decision_function(X)[:, 2]).max() < 1e-12
    assert model.predict(X)[:, 2].sum() == 0


@pytest.mark.parametrize("wrong", [{"drop": 0.0}, {"drop": 1.0}, {"lam": 0.0}])
def test_parameters_out_of_range_are_refused(incomplete, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        FastTag(**wrong).fit(*incomplete(30))


RELEASE = {"form": "release", "drop": 0.3, "gamma": 2.0, "lam": 0.05}


@pytest.fixture
def tagged(incomplete):
    """Twelve features and six tags; some rows have no tag, and one tag never occurs."""
    X, Y = incomplete(150)
    X, Y = unit_rows(X[:, :12]), Y[:, :6]
    Y[:5], Y[:, 4] = 0.0, 0.0
    return X, Y


def weights_row_by_row(Y):
    counts = [sum(row[j] == 1 for row in Y) for j in range(Y.shape[1])]
    return np.array(
        [max([1 / counts[j] for j in range(len(row)) if row[j] == 1], default=0.0) for row in Y]
    )


def release_value(B, W, X, Y, w, drop, gamma, lam):
    """The problem of the release, with the mean over all ways to drop tags."""
    T, l = np.column_stack([Y, np.ones(len(Y))]), Y.shape[1]  # noqa: E741
    total = lam * np.sum(W[:-1] ** 2) + gamma * 1e-6 * np.sum(B[:, :l] ** 2)
    total += np.sum(w[:, None] * (T @ B.T - X @ W) ** 2)
    for kept in itertools.product([0, 1], repeat=l):
        chance = np.prod(np.where(kept, 1 - drop, drop))
        left = np.column_stack([Y * kept, np.ones(len(Y))])
        total += gamma * chance * np.sum(w[:, None] * (Y - left @ B.T) ** 2)
    return total


@pytest.mark.parametrize("drop", [0.3, 0.0])
def test_release_is_the_limit_of_its_alternation(tagged, drop):
    """Update B, then W, of the weighted problem until neither moves."""
    given, Y = tagged
    params = RELEASE | {"drop": drop}
    model = FastTag(**params).fit(given, Y)
    Y, w, gamma = np.nan_to_num(Y), weights_row_by_row(Y), params["gamma"]
    n, l = Y.shape  # noqa: E741
    X, T = np.column_stack([given, np.ones(n)]), np.column_stack([Y, np.ones(n)])
    ridge = np.diag([params["lam"]] * given.shape[1] + [0.0])
    P, Q, TT = np.zeros((l, l + 1)), np.zeros((l + 1, l + 1)), np.zeros((l + 1, l + 1))
    q = np.append(np.full(l, 1 - drop), 1.0)
    for i in range(n):
        mean = q * T[i]
        P += w[i] * np.outer(Y[i], mean)
        Q += w[i] * (np.outer(mean, mean) + np.diag(q * (1 - q) * T[i]))
        TT += w[i] * np.outer(T[i], T[i])
    Q += 1e-6 * np.diag(np.append(np.ones(l), 0.0))
    W, values = np.zeros((X.shape[1], l)), []
    for _ in range(3000):
        B = (gamma * P + W.T @ (X.T * w) @ T) @ np.linalg.inv(gamma * Q + TT)
        W = np.linalg.solve((X.T * w) @ X + ridge, (X.T * w) @ T @ B.T)
        if len(values) < 10:
            values.append(release_value(B, W, X, Y, w, drop, gamma, params["lam"]))
    assert np.all(np.diff(values) <= 1e-12) and values[0] > values[-1] + 1e-6
    assert model.B_.shape == (l, l + 1)
    np.testing.assert_allclose(model.B_, B, atol=1e-7)
    np.testing.assert_allclose(model.W_, W, atol=1e-7)
    np.testing.assert_allclose(model.decision_function(given), X @ W, atol=1e-7)


def test_release_minimises_its_expectation(tagged, numerical_gradient):
    given, Y = tagged[0][:, :3], np.nan_to_num(tagged[1][:, :3])
    model = FastTag(**RELEASE).fit(given, Y)
    X, w = np.column_stack([given, np.ones(len(Y))]), weights_row_by_row(Y)
    rest = (X, Y, w, 0.3, 2.0, 0.05)
    slope = numerical_gradient(lambda B: release_value(B, model.W_, *rest), model.B_)
    np.testing.assert_allclose(slope, 0.0, atol=1e-7)
    slope = numerical_gradient(lambda W: release_value(model.B_, W, *rest), model.W_)
    np.testing.assert_allclose(slope, 0.0, atol=1e-7)


def test_release_weighs_rows_by_their_rarest_tag(tagged, monkeypatch):
    X, Y = tagged
    np.testing.assert_allclose(module.rare_tag_weights(np.nan_to_num(Y)), weights_row_by_row(Y))
    weighted = FastTag(**RELEASE).fit(X, Y).decision_function(X)
    for other in (1.0 / len(Y), 1.0):
        monkeypatch.setattr(module, "rare_tag_weights", lambda Y, w=other: np.full(len(Y), w))
        even = FastTag(**RELEASE).fit(X, Y).decision_function(X)
        assert np.abs(weighted - even).max() > 0.01


@pytest.mark.parametrize("columns", [slice(0, 6), slice(4, 5)])
def test_release_takes_tags_that_never_occur_and_sparse_features(tagged, columns):
    """The second case has no tag at all."""
    X, Y = tagged
    dense = FastTag(**RELEASE).fit(X, Y[:, columns]).decision_function(X)
    sparse = FastTag(**RELEASE).fit(sp.csr_matrix(X), Y[:, columns]).decision_function(X)
    np.testing.assert_allclose(dense, sparse, atol=1e-9)
    assert np.abs(dense[:, -2 if dense.shape[1] > 1 else 0]).max() < 1e-9


def test_release_without_intercept_has_no_column_of_ones(tagged):
    X, Y = tagged
    with_column = np.column_stack([X, 1e4 * np.ones(len(X))])  # its weight costs nothing
    without = FastTag(**RELEASE, fit_intercept=False)
    scores = without.fit(with_column, Y).decision_function(with_column)
    np.testing.assert_allclose(scores, FastTag(**RELEASE).fit(X, Y).decision_function(X), atol=1e-5)
    assert np.abs(without.fit(X, Y).decision_function(X) - scores).max() > 0.01


def test_release_reaches_printed_values_of_scene(real):
    """RMFL's paper prints AP .856 ± .015 and Hamming loss .116 ± .013; unweighted it is .84."""
    data = real("scene")
    X, Y = unit_rows(np.asarray(data.X)), data.Y.astype(float)
    order = np.random.default_rng(0).permutation(len(Y))
    train, test = order[:1926], order[1926:]
    model = FastTag(form="release", drop=0.0, lam=1e-2, threshold="accuracy").fit(
        X[train], Y[train]
    )
    scores = model.decision_function(X[test])
    assert abs(average_precision(Y[test], scores) - 0.856) < 0.015
    assert abs(hamming_loss(Y[test], model.predict(X[test])) - 0.116) < 0.013


@pytest.mark.parametrize("wrong", [{"drop": 1.0}, {"gamma": 0.0}, {"form": "none"}])
def test_release_refuses_parameters_out_of_range(incomplete, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        FastTag(**RELEASE | wrong).fit(*incomplete(30))
