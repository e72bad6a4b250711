"""WkNN's objective against its definition, its gradient against finite differences."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit

from mlfs.selectors import WkNN
from mlfs.selectors.wknn import objective


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 6))
    return X, rng.normal(size=(25, 3)), np.append(rng.uniform(0, 0.4, 5), 0.0)


def literal(w, X, Y, lam0, lam1, lam2):
    error = 0.0
    for i in range(len(X)):
        s = np.exp(-(w * (X - X[i]) ** 2).sum(axis=1))
        s[i] = 0
        error += np.sum((s @ Y / s.sum() - Y[i]) ** 2) / len(X)
    return error + lam0 * 2 * (expit(100 * w) - 0.5).sum() + lam1 * w.sum() + lam2 * (w**2).sum()


def test_objective_is_the_definition(problem):
    X, Y, w = problem
    value, _ = objective(w, X, Y, 0.01, 0.02, 0.03)
    assert value == pytest.approx(literal(w, X, Y, 0.01, 0.02, 0.03), rel=1e-10)


def test_gradient_agrees_with_finite_differences(problem):
    X, Y, w = problem
    w, h = w + 0.01, 1e-6
    _, g = objective(w, X, Y, 0.01, 0.02, 0.03)
    numeric = [
        (literal(w + e, X, Y, 0.01, 0.02, 0.03) - literal(w - e, X, Y, 0.01, 0.02, 0.03)) / (2 * h)
        for e in h * np.eye(6)
    ]
    np.testing.assert_allclose(g, numeric, rtol=1e-5, atol=1e-8)


def test_a_far_outlier_keeps_its_prediction_finite(problem):
    X, Y, w = problem
    X = X.copy()
    X[0] += 1e3  # every similarity to it underflows
    value, g = objective(w, X, Y, 0, 0, 0)
    assert np.isfinite(value) and np.isfinite(g).all()


def test_finds_the_feature_that_decides_in_a_nonlinear_way():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 15))
    Y = (X[:, 3] * X[:, 7] > 0).astype(float)  # no linear method sees it
    model = WkNN(max_samples=200, max_iter=300, random_state=0).fit(sp.csr_matrix(X), Y)
    assert set(model.ranking_[:2]) == {3, 7}
    assert model.n_samples_ == 200
    assert model.objective_[-1] < 0.5 * model.objective_[0]
