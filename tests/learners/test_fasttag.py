"""FastTag against the paper's alternation, one joint solve, and its expectation written out."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.learners import FastTag


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
