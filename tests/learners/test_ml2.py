"""ML2's two stages against a bounded least-squares solver and a general minimiser."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear, minimize
from sklearn.metrics.pairwise import rbf_kernel

from mlfs.learners import ML2
from mlfs.learners.ml2 import numerical_labels
from mlfs.learners.reweighting import Systems
from mlfs.numerics.graphs import lle_weights


def test_neither_objective_rises(incomplete):
    X, Y = incomplete(300)
    model = ML2().fit(X, np.nan_to_num(Y))
    for values in (model.manifold_objective_, model.objective_):
        assert np.all(np.diff(values) <= 0)
        assert values[-1] < values[0]


def test_numerical_labels_equal_a_quadratic_programme(yeast_slice):
    X, Y = yeast_slice(60)
    Y = 2 * Y - 1
    S = lle_weights(X, 10)
    mu, values, _ = numerical_labels(S, Y, 1.0, max_iter=50_000, tol=0.0)
    assert (Y * mu).min() >= 1.0
    total = 0.0
    for j in range(Y.shape[1]):
        low, high = np.where(Y[:, j] > 0, 1.0, -np.inf), np.where(Y[:, j] > 0, np.inf, -1.0)
        exact = lsq_linear(
            np.eye(60) - S.toarray(), np.zeros(60), (low, high), method="bvls", tol=1e-14
        )
        np.testing.assert_allclose(mu[:, j], exact.x, atol=1e-4)
        total += 2 * exact.cost
    np.testing.assert_allclose(values[-1], total, rtol=1e-9)


@pytest.mark.parametrize(("C2", "rtol"), [(0.0, 1e-5), (2.0, 1e-2)])
def test_regression_reaches_the_minimum(yeast_slice, C2, rtol):
    """A quasi-Newton method on the objective written out finds no lower value."""
    X, Y = yeast_slice(50)
    Y = Y[:, :3]
    model = ML2(C1=0.5, C2=C2, eps=0.5, tol=1e-12).fit(X, Y)
    K, signs = rbf_kernel(X, gamma=0.5 / model.width_**2), 2 * Y - 1
    # f = Kβ + b with θ of squared norm βᵀKβ; β = Cγ with CCᵀ = K⁻¹ makes it well scaled
    root = np.linalg.cholesky(K + 1e-12 * np.eye(50))

    def written_out(flat):
        gamma, b = flat[:150].reshape(50, 3), flat[150:]
        f = root @ gamma + b
        error = np.maximum(np.linalg.norm(model.mu_ - f, axis=1) - 0.5, 0.0)
        wrong = np.maximum(-signs * f, 0.0).sum()
        return 0.5 * np.sum(gamma**2) + 0.5 * np.sum(error**2) + C2 * wrong

    best = minimize(written_out, np.zeros(153), method="L-BFGS-B", options={"maxfun": 10**6})
    ours = model.objective_[-1]
    gamma = root.T @ model.dual_
    np.testing.assert_allclose(ours, written_out(np.r_[gamma.ravel(), model.intercept_]))
    assert ours <= best.fun * (1 + rtol)


def test_a_reweighted_step_minimises_its_model(yeast_slice):
    """½βᵀKβ + ½Σ a_i‖μ_i − f_i‖² − ⟨P, f⟩ as one bordered system, half the signs wrong."""
    X, Y = yeast_slice(50)
    model = ML2(C1=0.5, C2=2.0, eps=3.0).fit(X, Y)
    K, signs = rbf_kernel(X, gamma=0.5 / model.width_**2), 2 * Y - 1
    f = np.random.default_rng(0).standard_normal(Y.shape)
    error = np.linalg.norm(model.mu_ - f, axis=1)
    a = np.where(error > 3.0, 2 * 0.5 * (error - 3.0) / error, 0.0)
    assert 0 < (a == 0).sum() < 50
    P = 2.0 * signs * (signs * f < 0)
    one = np.ones((50, 1))
    # β + D(Kβ + 1b) = Dμ + P and 1ᵀβ = 0
    system = np.block([[np.eye(50) + a[:, None] * K, a[:, None] * one], [one.T, np.zeros((1, 1))]])
    exact = np.linalg.solve(
        system, np.vstack([a[:, None] * model.mu_ + P, np.zeros((1, Y.shape[1]))])
    )
    beta, Kbeta, b = model._reweighted(Systems(K, Y.shape[1]), signs, f, 1e-10)
    np.testing.assert_allclose(beta, exact[:-1], atol=1e-8)
    np.testing.assert_allclose(Kbeta, K @ exact[:-1], atol=1e-8)
    np.testing.assert_allclose(b, exact[-1], atol=1e-8)


def test_scores_are_the_fitted_functions(yeast_slice):
    X, Y = yeast_slice(80)
    model = ML2().fit(X, Y)
    f = rbf_kernel(X, gamma=0.5 / model.width_**2) @ model.dual_ + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), f)
    np.testing.assert_allclose(model.dual_.sum(axis=0), 0.0, atol=1e-6)


def test_a_weight_of_zero_is_refused(yeast_slice):
    with pytest.raises(ValueError, match="C1"):
        ML2(C1=0.0).fit(*yeast_slice(30))
