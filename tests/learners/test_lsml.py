"""LSML against its optimality conditions and finite differences."""

import numpy as np

from mlfs.learners import LSML
from mlfs.learners.lsml import LSMLSmooth


def test_objective_never_rises(incomplete):
    X, Y = incomplete(300)
    for model in (LSML(), LSML(lam1=1.0, lam2=0.1, lam3=0.1, lam4=0.1)):
        model.fit(X, Y)
        assert np.all(np.diff(model.objective_) <= 0)
        assert np.all(model.C_ >= 0)


def test_optimality_conditions_hold_without_the_manifold_term(incomplete):
    """With λ4 = 0 the problem is convex: a subgradient vanishes at its minimum."""
    X, Y = incomplete(300)
    lam1, lam2, lam3 = 10.0, 0.2, 0.3
    model = LSML(lam1=lam1, lam2=lam2, lam3=lam3, lam4=0.0, max_iter=50_000, tol=0.0).fit(X, Y)
    assert model.stopped_ == "tolerance"
    X, Y, W, C = model._prepare(X), np.nan_to_num(Y), model.W_, model.C_
    by_W = X.T @ (X @ W - Y @ C)
    by_C = Y.T @ (Y @ C - X @ W) + lam1 * Y.T @ (Y @ C - Y) + lam3
    zero = W == 0
    assert 0 < zero.sum() < zero.size
    assert np.abs(by_W[zero]).max() <= lam2 + 1e-4
    assert np.abs(by_W + lam2 * np.sign(W))[~zero].max() < 1e-4
    assert 0 < (C == 0).sum() < C.size
    assert by_C[C == 0].min() > -1e-4
    assert np.abs(by_C[C > 0]).max() < 1e-4


def test_value_is_the_objective_and_gradient_equals_finite_differences(
    incomplete, numerical_gradient
):
    X, Y = incomplete(60)
    X, Y = X[:, :5], np.nan_to_num(Y[:, :4])
    smooth = LSMLSmooth(X, Y, 2.0, 0.7)
    stacked = np.abs(np.random.default_rng(0).standard_normal((9, 4)))
    W, C = stacked[:5], stacked[5:]
    value, gradient = smooth(stacked)
    L = np.diag(C.sum(axis=1)) - C
    written_out = 0.5 * np.sum((X @ W - Y @ C) ** 2) + np.sum((Y @ C - Y) ** 2)
    np.testing.assert_allclose(value, written_out + 0.7 * np.trace(W @ L @ W.T))
    numeric = numerical_gradient(lambda S: smooth(S)[0], stacked)
    np.testing.assert_allclose(gradient, numeric, atol=1e-4)


def test_the_end_is_stationary_with_the_manifold_term(incomplete):
    X, Y = incomplete(200)
    model = LSML(lam1=10.0, lam2=0.1, lam3=0.1, lam4=0.01, max_iter=50_000, tol=0.0).fit(X, Y)
    smooth = LSMLSmooth(model._prepare(X), np.nan_to_num(Y), 10.0, 0.01)
    d = len(model.W_)
    gradient = smooth(np.vstack([model.W_, model.C_]))[1]
    alive = model.W_ != 0
    assert np.abs(gradient[:d] + 0.1 * np.sign(model.W_))[alive].max() < 1e-3
    assert np.abs(gradient[d:] + 0.1)[model.C_ > 0].max() < 1e-3
