"""Multi-task lasso against its optimality conditions and a literal coordinate descent."""

import numpy as np
import pytest
from sklearn.linear_model import MultiTaskLasso as Theirs

from mlfs.selectors import Lasso, MultiTaskLasso, multitasklasso


def literal(X, Y, alpha, sweeps=3000):
    """Row after row: the minimiser of the objective in one row of W, with the others fixed."""
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    n, d = X.shape
    W = np.zeros((d, Y.shape[1]))
    for _ in range(sweeps):
        before = W.copy()
        for i in range(d):
            size = X[:, i] @ X[:, i] / n
            if size == 0:
                continue
            r = X[:, i] @ (Y - X @ W + np.outer(X[:, i], W[i])) / n
            norm = np.sqrt(sum(value**2 for value in r))
            W[i] = max(0.0, 1 - alpha / norm) * r / size if norm else 0.0
        if np.abs(W - before).max() < 1e-14:
            break
    return W


def test_order_and_scores_are_literal_on_twenty_sets(small_sets):
    for X, Y, _ in small_sets():
        expected = np.linalg.norm(literal(X, Y, 0.05), axis=1)
        model = MultiTaskLasso(alpha=0.05, tol=1e-14).fit(X, Y)
        np.testing.assert_allclose(model.scores_, expected, rtol=0, atol=1e-7)
        kept = expected > 1e-6
        assert np.array_equal(model.scores_ > 1e-6, kept)
        order = [i for i in np.argsort(-expected, kind="stable") if kept[i]]
        assert model.ranking_[: kept.sum()].tolist() == order


def test_the_solution_fulfils_the_optimality_conditions(yeast_slice):
    X, Y = yeast_slice(300)
    model = MultiTaskLasso(alpha=0.05, tol=1e-10).fit(X, Y)
    residual = (Y - Y.mean(axis=0)) - (X - X.mean(axis=0)) @ model.coef_
    gradient = (X - X.mean(axis=0)).T @ residual / len(X)
    active = model.scores_ > 0
    assert active.any() and not active.all()
    assert np.linalg.norm(gradient, axis=1).max() <= 0.05 * (1 + 1e-4)
    unit = model.coef_[active] / model.scores_[active][:, None]
    np.testing.assert_allclose(gradient[active], 0.05 * unit, atol=1e-5)


def test_with_one_label_it_is_lasso(yeast_slice):
    X, Y = yeast_slice(300)
    ours, other = (cls(alpha=0.03, tol=1e-10).fit(X, Y[:, :1]) for cls in (MultiTaskLasso, Lasso))
    assert ours.scores_ == pytest.approx(other.scores_, abs=1e-6)


@pytest.fixture
def problems():
    """20 random problems with more rows or more features, features that resemble each other."""
    found = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n, d = (40, 12) if seed % 2 else (15, 25)
        X = rng.normal(size=(n, d)) + 2 * rng.normal(size=(n, 1))
        X[:, 2] = 1.0
        W = rng.normal(size=(d, 3)) * (rng.random((d, 1)) < 0.4)
        found.append((X, X @ W + rng.normal(size=(n, 3)), 10.0 ** -rng.integers(0, 3)))
    return found


def relative_gap(X, Y, W, alpha):
    """The duality gap: primal less dual value at the residual, shrunk until it is feasible."""
    X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
    R, c = Y - X @ W, alpha * len(X)
    primal = np.sum(R**2) / 2 + c * np.linalg.norm(W, axis=1).sum()
    R = R * min(1, c / np.linalg.norm(X.T @ R, axis=1).max())
    return (primal - np.sum(Y**2) / 2 + np.sum((Y - R) ** 2) / 2) / np.sum(Y**2)


def test_weights_and_zeros_are_those_of_coordinate_descent_on_twenty_problems(problems):
    zeros = 0
    for X, Y, alpha in problems:
        ours = MultiTaskLasso(alpha=alpha, tol=1e-12).fit(X, Y)
        theirs = Theirs(alpha=alpha, tol=1e-12, max_iter=10**6).fit(X, Y).coef_.T
        np.testing.assert_allclose(ours.coef_, theirs, rtol=0, atol=1e-6)
        assert np.array_equal(ours.coef_.any(axis=1), theirs.any(axis=1))
        assert ours.n_iter_ < 25  # Newton steps alone
        zeros += np.sum(~theirs.any(axis=1))
    assert zeros > 50


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8])
def test_it_stops_once_the_duality_gap_is_small_enough(problems, tol):
    gaps = []
    for X, Y, alpha in problems:
        model = MultiTaskLasso(alpha=alpha, tol=tol).fit(X, Y)
        gaps.append(relative_gap(X, Y, model.coef_, alpha))
    assert min(gaps) > -1e-12 and max(gaps) <= tol
    assert max(gaps) > tol * 1e-4


def test_coordinate_descent_goes_on_where_newton_steps_end(problems, monkeypatch):
    X, Y, alpha = problems[3]
    expected = MultiTaskLasso(alpha=alpha, tol=1e-12).fit(X, Y)
    monkeypatch.setattr(multitasklasso, "_NEWTON_STEPS", 8)
    both = MultiTaskLasso(alpha=alpha, tol=1e-12).fit(X, Y)
    monkeypatch.setattr(multitasklasso, "_NEWTON_FEATURES", X.shape[1] - 1)
    descent = MultiTaskLasso(alpha=alpha, tol=1e-12).fit(X, Y)
    for model in (both, descent):
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=0, atol=1e-6)
    assert 8 < both.n_iter_ < descent.n_iter_


def test_without_a_penalty_it_is_least_squares(problems):
    X, Y, _ = problems[1]
    X = np.delete(X, 2, axis=1)
    expected = np.linalg.lstsq(X - X.mean(axis=0), Y, rcond=None)[0]
    model = MultiTaskLasso(alpha=0, tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.coef_, expected, rtol=0, atol=1e-4)


def test_equal_features_have_equal_rows(problems):
    X, Y, alpha = problems[1]
    alone = MultiTaskLasso(alpha=alpha, tol=1e-12).fit(X, Y)
    best = alone.ranking_[0]
    twice = MultiTaskLasso(alpha=alpha, tol=1e-12).fit(np.hstack([X, X[:, [best]]]), Y)
    for row in (best, -1):
        np.testing.assert_allclose(twice.coef_[row], alone.coef_[best] / 2, rtol=0, atol=1e-6)
