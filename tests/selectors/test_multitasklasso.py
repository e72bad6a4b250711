"""Multi-task lasso against its optimality conditions and a literal coordinate descent."""

import numpy as np
import pytest

from mlfs.selectors import Lasso, MultiTaskLasso


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
