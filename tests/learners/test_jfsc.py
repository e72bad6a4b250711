"""JFSC against a dual bound, its scatter counted by hand, and finite differences."""

import numpy as np

from mlfs.learners import JFSC
from mlfs.learners.jfsc import JFSCSmooth, scatter


def test_objective_never_rises(incomplete):
    X, Y = incomplete(300)
    for weights in ({}, {"alpha": 4.0, "beta": 0.25, "gamma": 0.25}):
        model = JFSC(**weights).fit(X, np.nan_to_num(Y))
        assert np.all(np.diff(model.objective_) <= 0)
        assert model.objective_[-1] < model.objective_[0]


def test_scatter_equals_what_is_counted_by_hand(yeast_slice):
    X, Y = yeast_slice(50)
    Y[:, 1] = 0.0
    Y[:, 2] = 1.0
    S = scatter(X, Y)
    for k in range(Y.shape[1]):
        P, N = X[Y[:, k] == 1], X[Y[:, k] == 0]
        if not (len(P) and len(N)):
            assert not S[:, k].any()
            continue
        expected = ((P - P.mean(0)) ** 2).sum(0) - len(P) * (P.mean(0) - N.mean(0)) ** 2
        expected += len(P) / len(N) * ((N - N.mean(0)) ** 2).sum(0)
        np.testing.assert_allclose(S[:, k], expected, atol=1e-9)


def test_gradient_equals_finite_differences(yeast_slice, numerical_gradient):
    X, Y = yeast_slice(60)
    X, Y = X[:, :5], Y[:, :4]
    smooth = JFSCSmooth(X, Y, 0.7, 0.2)
    W = np.random.default_rng(0).standard_normal((5, 4))
    numeric = numerical_gradient(lambda W: smooth(W)[0], W)
    np.testing.assert_allclose(smooth(W)[1], numeric, atol=1e-4)


def test_reaches_the_minimum_of_its_convex_part(yeast_slice):
    """With α = β = γ = 0: any Λ with XᵀΛ = 0 and rows no longer than one bounds the value below."""
    X, Y = yeast_slice(150)
    X, Y = X[:, :6], Y[:, :4]
    model = JFSC(alpha=0.0, beta=0.0, gamma=0.0, max_iter=5000, tol=0.0).fit(X, Y)
    ones = np.hstack([X, np.ones((150, 1))])
    E = ones @ model.W_ - Y
    dual = E / np.linalg.norm(E, axis=1, keepdims=True)
    dual -= ones @ np.linalg.lstsq(ones, dual)[0]
    dual /= max(1.0, np.linalg.norm(dual, axis=1).max())
    value = np.linalg.norm(E, axis=1).sum()
    np.testing.assert_allclose(model.objective_[-1], value, rtol=1e-9)
    assert value + np.vdot(dual, Y) < 1e-3 * value


def test_optimality_conditions_hold_with_sparsity(yeast_slice):
    X, Y = yeast_slice(300)
    X = X[:, :15]
    weights = {"alpha": 0.05, "beta": 0.01, "gamma": 2.0}
    model = JFSC(**weights, max_iter=20_000, tol=0.0).fit(X, Y)
    ones = np.hstack([X, np.ones((300, 1))])
    gradient = JFSCSmooth(ones, Y, 0.05, 0.01)(model.W_)[1]
    zero = model.W_ == 0
    assert 0 < zero.sum() < zero.size
    assert np.abs(gradient[zero]).max() <= 2.0 + 1e-3
    assert np.abs(gradient + 2.0 * np.sign(model.W_))[~zero].max() < 1e-3


def test_iterations_are_counted(incomplete):
    X, Y = incomplete(60)
    assert JFSC(max_iter=3, tol=0).fit(X, np.nan_to_num(Y)).n_iter_ == 3
