"""LLSF against scikit-learn's Lasso, its optimality conditions and finite differences."""

import numpy as np
from sklearn.linear_model import Lasso

from mlfs.learners import LLSF
from mlfs.learners.llsf import LLSFSmooth, label_distance


def test_objective_never_rises(incomplete):
    X, Y = incomplete(300)
    for alpha in (0.0, 0.5, 64.0):
        model = LLSF(alpha=alpha).fit(X, np.nan_to_num(Y))
        assert np.all(np.diff(model.objective_) <= 0)


def test_without_correlations_it_is_one_lasso_a_label(yeast_slice):
    X, Y = yeast_slice(300)
    model = LLSF(alpha=0.0, beta=0.5, max_iter=20_000, tol=0.0).fit(X, Y)
    prepared = model._prepare(X)
    assert (model.W_ == 0).any()
    for j in range(Y.shape[1]):
        lasso = Lasso(alpha=0.5 / 300, fit_intercept=False, tol=1e-10, max_iter=100_000)
        np.testing.assert_allclose(model.W_[:, j], lasso.fit(prepared, Y[:, j]).coef_, atol=1e-4)


def test_value_is_the_objective_and_gradient_equals_finite_differences(
    yeast_slice, numerical_gradient
):
    X, Y = yeast_slice(60)
    X, Y = X[:, :5], Y[:, :4]
    smooth = LLSFSmooth(X, Y, 0.7)
    W = np.random.default_rng(0).standard_normal((5, 4))
    value, gradient = smooth(W)
    R = np.array([[1 - a @ b / np.sqrt(a @ a * (b @ b)) for a in Y.T] for b in Y.T])
    np.testing.assert_allclose(value, 0.5 * np.sum((X @ W - Y) ** 2) + 0.35 * np.trace(R @ W.T @ W))
    np.testing.assert_allclose(gradient, numerical_gradient(lambda W: smooth(W)[0], W), atol=1e-4)


def test_the_end_is_stationary_with_correlations(yeast_slice):
    """Every feature of this slice weighs more than α can take away, so a minimum exists."""
    X, Y = yeast_slice(300)
    X = X[:, :10]
    model = LLSF(alpha=0.1, beta=0.5, max_iter=50_000, tol=0.0).fit(X, Y)
    assert model.stopped_ == "tolerance"
    gradient = LLSFSmooth(model._prepare(X), Y, 0.1)(model.W_)[1]
    alive = model.W_ != 0
    assert np.abs(gradient + 0.5 * np.sign(model.W_))[alive].max() < 1e-4
    assert np.abs(gradient[~alive]).max() <= 0.5 + 1e-4


def test_it_says_when_there_is_no_minimum(yeast_slice):
    model = LLSF(alpha=1024.0, max_iter=5000).fit(*yeast_slice(200))
    assert model.stopped_ == "unbounded"
    assert np.isfinite(model.W_).all()


def test_label_distance_is_one_minus_cosine():
    Y = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_allclose(label_distance(Y), [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]], atol=1e-15)


def test_iterations_are_counted(yeast_slice):
    assert LLSF(max_iter=3, tol=0).fit(*yeast_slice(60)).n_iter_ == 3
