"""L1 logistic regression against its optimality conditions, and scikit-learn label by label."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

from mlfs.selectors import L1Logistic


def worst_violation(X, label, w, C):
    """How far the gradient is from the subdifferential of ‖w‖₁ + |b|, weight by weight."""
    rows = [i for i in range(len(label)) if not np.isnan(label[i])]
    A = np.column_stack([X, np.ones(len(X))])[rows]
    y = label[rows]
    gradient = np.zeros(len(w))
    for row, value in zip(A, y):
        gradient += C * (expit(row @ w) - value) * row
    gaps = [abs(g + np.sign(v)) if v else max(0.0, abs(g) - 1) for g, v in zip(gradient, w)]
    return max(gaps)


@pytest.mark.parametrize("missing", [False, True])
def test_weights_are_optimal_on_twenty_sets(small_sets, missing):
    for X, Y, _ in small_sets(missing):
        model = L1Logistic(C=0.5, tol=1e-12, max_iter=10_000, random_state=0).fit(X, Y)
        for j, label in enumerate(Y.T):
            w = model.coef_[:, j]
            if len(set(label[~np.isnan(label)])) < 2:
                assert not w.any()
                continue
            # the intercept is not kept: the best one for these weights
            best = min(
                worst_violation(X, label, np.append(w, b), 0.5) for b in intercepts(X, label, w)
            )
            assert best < 1e-6
        np.testing.assert_allclose(model.scores_, np.abs(model.coef_).sum(axis=1), rtol=1e-15)


def intercepts(X, label, w, C=0.5):
    """Zero, and the roots of the derivative with respect to b, by bisection."""
    known = ~np.isnan(label)
    yield 0.0
    for sign in (1, -1):
        low, high = (0.0, 50.0) if sign > 0 else (-50.0, 0.0)
        for _ in range(200):
            b = (low + high) / 2
            slope = C * np.sum(expit(X[known] @ w + b) - label[known]) + sign
            low, high = (low, b) if slope > 0 else (b, high)
        yield (low + high) / 2


def test_dense_and_sparse_features_agree(load_slice):
    X, Y = load_slice("emotions", 200, 20)
    X = X * (X > 0.5)
    dense, sparse = (L1Logistic(tol=1e-8, random_state=0).fit(A, Y) for A in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(dense.scores_, sparse.scores_, atol=1e-5)


def test_a_small_c_selects_nothing_and_a_larger_one_selects_some(load_slice):
    X, Y = load_slice("emotions", 200, 30)
    assert not L1Logistic(C=1e-4, random_state=0).fit(X, Y).scores_.any()
    some = L1Logistic(C=0.03, random_state=0).fit(X, Y).scores_ > 0
    assert some.any() and not some.all()
