"""Logistic regression per label against other solvers, on the rows where the label is known."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from mlfs.learners import BRLogistic

EXACT = {"tol": 1e-10, "max_iter": 10000}


def literal(X, y, C):
    """Weights and intercept of one label by Newton's method of scipy, from its formula."""
    X, signs = np.column_stack([X, np.ones(len(X))]), 2 * y - 1
    free = np.append(np.ones(X.shape[1] - 1), 0.0)

    def value(w):
        return 0.5 * np.sum(free * w**2) + C * np.sum(np.log1p(np.exp(-signs * (X @ w))))

    def slope(w):
        return free * w - C * X.T @ (signs / (1 + np.exp(signs * (X @ w))))

    def bend(w):
        p = 1 / (1 + np.exp(-(X @ w)))
        return np.diag(free) + C * (X.T * (p * (1 - p))) @ X

    start = np.zeros(X.shape[1])
    return minimize(value, start, jac=slope, hess=bend, method="trust-exact", tol=1e-9).x


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_weights_minimise_the_formula_on_the_known_rows(incomplete, C):
    X, Y = incomplete(120)
    X = X[:, :15]
    model = BRLogistic(C, **EXACT).fit(X, Y)
    for j, y in enumerate(Y.T):
        seen = ~np.isnan(y)
        if len(set(y[seen])) == 2:
            found = literal(X[seen], y[seen], C)
            np.testing.assert_allclose(model.W_[:, j], found[:-1], atol=1e-6)
            np.testing.assert_allclose(model.intercept_[j], found[-1], atol=1e-6)


def test_probabilities_are_scikit_learns_on_the_known_rows(incomplete):
    """By another solver of scikit-learn, on new rows."""
    X, Y = incomplete(200)
    train, new = X[:150], X[150:]
    model = BRLogistic(**EXACT).fit(train, Y[:150])
    P = model.predict_proba(new)
    checked = 0
    for j, y in enumerate(Y[:150].T):
        seen = ~np.isnan(y)
        if len(set(y[seen])) == 2:
            other = LogisticRegression(solver="newton-cholesky", tol=1e-10).fit(
                train[seen], y[seen]
            )
            np.testing.assert_allclose(P[:, j], other.predict_proba(new)[:, 1], atol=3e-6)
            checked += 1
    assert checked >= 12
    np.testing.assert_array_equal(model.decision_function(new), P)
    np.testing.assert_array_equal(model.predict(new), P >= 0.5)


def test_labels_of_one_known_value_are_constant(incomplete):
    X, Y = incomplete(60)
    Y = Y.copy()
    Y[:, 0] = np.where(np.arange(60) < 20, 1.0, np.nan)
    Y[:, 1] = np.where(np.arange(60) < 20, 0.0, np.nan)
    Y[:, 2] = np.nan
    model = BRLogistic().fit(X, Y)
    P = model.predict_proba(X)
    assert (P[:, 0] == 1).all() and not P[:, 1:3].any()
    assert not model.W_[:, :3].any() and model.W_[:, 3].any()
    nothing = BRLogistic().fit(X, np.full_like(Y, np.nan))
    assert not nothing.decision_function(X).any() and nothing.n_iter_ == 0


def test_what_is_hidden_has_no_part(incomplete):
    """Rows whose label is unobserved may hold any features for that label."""
    X, Y = incomplete(80)
    other = X.copy()
    other[np.isnan(Y[:, 0])] = 100.0
    first, second = (BRLogistic(**EXACT).fit(F, Y[:, :1]).W_ for F in (X, other))
    np.testing.assert_allclose(first, second, atol=1e-12)
    kept = ~np.isnan(Y[:, 0])
    alone = BRLogistic(**EXACT).fit(X[kept], Y[kept, :1]).W_  # its sums have fewer zeros
    np.testing.assert_allclose(alone, first, atol=1e-12)


def test_sparse_features_stay_sparse_and_give_the_same_scores(incomplete, monkeypatch):
    X, Y = incomplete(100)
    X = np.where(np.abs(X) > 0.8, X, 0.0)
    full = BRLogistic(**EXACT).fit(X, Y).decision_function(X)
    monkeypatch.setattr(sp.csr_matrix, "toarray", None)  # to make it dense would be an error
    sparse = BRLogistic(**EXACT).fit(sp.csr_matrix(X), Y).decision_function(sp.csr_matrix(X))
    np.testing.assert_allclose(sparse, full, atol=1e-6)


def test_a_label_does_not_depend_on_the_others(incomplete):
    """All labels step together, and each has its own direction, length and end."""
    X, Y = incomplete(90)
    together = BRLogistic().fit(X, Y)
    for j in (0, 3, 7):
        alone = BRLogistic().fit(X, Y[:, [j]])
        np.testing.assert_allclose(alone.W_[:, 0], together.W_[:, j], atol=1e-10)
    short = BRLogistic(max_iter=2).fit(X, Y)
    assert short.n_iter_ == 2 < together.n_iter_


def test_classes_have_probabilities_that_sum_to_one(incomplete):
    X, _ = incomplete(60)
    P = BRLogistic().fit(X, np.repeat(["a", "b", "c"], 20)).predict_proba(X)
    assert P.shape == (60, 3)
    np.testing.assert_allclose(P.sum(axis=1), 1)
