"""The Bayesian model against dense Gaussian algebra and the published iterations."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel

from mlfs.active import BayesianCompressedSensing
from mlfs.active.model import posterior
from mlfs.active.model.compression import complete
from mlfs.active.model.evidence import OFFSETS, WIDTHS, maximise_evidence
from mlfs.active.model.kernels import Kernel
from mlfs.active.model.posterior import SparsityPrior, infer_labels


def small(n=12, n_labels=6, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (
        X @ rng.standard_normal((d, n_labels)) + rng.standard_normal((n, n_labels)) > 0.5
    ).astype(float)


def dense_posterior(model, X, Y, alpha):
    """Mean and variance of the nan entries of Y from the full Nl x Nl precision."""
    C = model.covariance(X)
    precision = np.kron(np.linalg.inv(C), model.Phi_.T @ model.Phi_) + np.diag(alpha.ravel())
    unknown = np.isnan(Y.ravel())
    covariance = np.linalg.inv(precision[np.ix_(unknown, unknown)])
    coupling = precision[np.ix_(unknown, ~unknown)]
    return -covariance @ coupling @ Y.ravel()[~unknown], np.diag(covariance)


def test_precisions_of_labels_stay_within_limits():
    prior = SparsityPrior(a0=0.0, b0=0.0)
    expected = [1e10, 1e10, 4.0, 1e-10, 1e-10]
    squares = np.array([1e-300, 1e-20, 0.25, 1e12, 1e300])
    np.testing.assert_allclose(prior.precision(np.zeros(5), squares), expected, rtol=1e-12)


@pytest.mark.parametrize("turns", [1, 2, 4])
def test_unobserved_labels_are_completed_by_literal_iterations(close, turns):
    """Means by one dense system over all points; each variance, by a point's own precision."""
    X, Y = small(n=8, n_labels=5)
    rng = np.random.default_rng(1)
    Y[rng.random(Y.shape) < 0.4] = np.nan
    Phi = rng.standard_normal((3, 5))
    C = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 8) + 0.3 * np.eye(8)
    inverse, gram, unknown = np.linalg.inv(C), Phi.T @ Phi, np.isnan(Y)
    v = 1 / np.diag(inverse)
    alpha, filled = np.ones(Y.shape), Y.copy()
    for _ in range(turns):
        precision = np.kron(inverse, gram) + np.diag(alpha.ravel())
        u = unknown.ravel()
        means = np.linalg.solve(precision[np.ix_(u, u)], -precision[np.ix_(u, ~u)] @ Y.ravel()[~u])
        filled[unknown] = means
        variances = [
            np.diag(np.linalg.inv(np.diag(a[free]) + gram[np.ix_(free, free)] / v_i))
            for a, free, v_i in zip(alpha, unknown, v)
        ]
        second = np.concatenate(variances) + means**2
        alpha[unknown] = (1e-6 + 0.5) / (1e-6 + 0.5 * second)
    factor = (np.linalg.cholesky(C), True)
    close(complete(Y, Phi, factor, v, SparsityPrior(max_iter=turns, tol=0.0)), filled, 1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "affine"])
@pytest.mark.parametrize("n_factors", [0.5, 1.0, 9])
def test_posterior_equals_dense_algebra(kernel, n_factors):
    X, Y = small()
    model = BayesianCompressedSensing(kernel=kernel, n_factors=n_factors, random_state=0)
    model.fit(X[:11], Y[:11])
    found = model.posterior(X[11:])
    Y[11] = np.nan
    mean, variance = dense_posterior(model, X, Y, np.vstack([np.ones((11, 6)), found.precision]))
    np.testing.assert_allclose(found.mean[0], mean, atol=1e-8)
    np.testing.assert_allclose(found.variance[0], variance, atol=1e-8)


def test_several_test_points_are_marginalised_under_a_flat_prior():
    X, Y = small()
    model = BayesianCompressedSensing(n_factors=1.0, random_state=0).fit(X[:8], Y[:8])
    found = model.posterior(X[8:])
    Y[8:] = np.nan
    for i in range(4):
        alpha = np.zeros((12, 6))
        alpha[8 + i] = found.precision[i]
        mean, variance = dense_posterior(model, X, Y, alpha)
        np.testing.assert_allclose(found.mean[i], mean[6 * i : 6 * i + 6], atol=1e-8)
        np.testing.assert_allclose(found.variance[i], variance[6 * i : 6 * i + 6], atol=1e-8)


def test_labels_known_at_a_test_point_are_conditioned_on():
    X, Y = small()
    model = BayesianCompressedSensing(random_state=0).fit(X[:11], Y[:11])
    Y[11, [0, 2, 5]] = np.nan
    found = model.posterior(X[11:], Y[11:])
    mean, variance = dense_posterior(model, X, Y, np.vstack([np.ones((11, 6)), found.precision]))
    np.testing.assert_allclose(found.mean[0, [0, 2, 5]], mean, atol=1e-8)
    np.testing.assert_allclose(found.variance[0, [0, 2, 5]], variance, atol=1e-8)
    assert np.array_equal(found.mean[0, [1, 3, 4]], Y[11, [1, 3, 4]])
    assert not found.variance[0, [1, 3, 4]].any()


def test_missing_training_labels_get_their_joint_posterior_mean():
    """With E[α] = 1 held (one iteration), the filled labels equal the dense solution."""
    X, Y = small()
    Y[np.random.default_rng(1).random(Y.shape) < 0.3] = np.nan
    model = BayesianCompressedSensing(max_iter=1, random_state=0).fit(X, Y)
    mean, _ = dense_posterior(model, X, Y, np.ones(Y.shape))
    np.testing.assert_allclose(model.Y_[np.isnan(Y)], mean, atol=1e-8)
    assert np.array_equal(model.Y_[~np.isnan(Y)], Y[~np.isnan(Y)])


def test_unlabelled_points_tell_nothing():
    X, Y = small(20)
    Y[12:] = np.nan
    one, other = (
        BayesianCompressedSensing(random_state=0),
        BayesianCompressedSensing(random_state=0),
    )
    scores = one.fit(X, Y).decision_function(X)
    np.testing.assert_allclose(scores, other.fit(X[:12], Y[:12]).decision_function(X), atol=1e-10)


@pytest.mark.parametrize("n_factors", [0.5, 12])
def test_bml_cs_training_iterations_end_in_the_closed_form(n_factors):
    X, Y = small(30)
    sigma2, chi2 = 0.3, 0.2
    model = BayesianCompressedSensing(
        inference="bml_cs",
        kernel="linear",
        n_factors=n_factors,
        sigma2=sigma2,
        chi2=chi2,
        random_state=0,
    ).fit(X, Y)
    Phi = model.Phi_
    M_W = np.zeros((4, len(Phi)))
    for _ in range(3000):
        M_Z = (X @ M_W / sigma2 + Y @ Phi.T / chi2) / (1 / sigma2 + 1 / chi2)
        M_W = np.linalg.solve(X.T @ X / sigma2 + np.eye(4), X.T @ M_Z) / sigma2
    ridge = np.linalg.solve(X.T @ X + (sigma2 + chi2) * np.eye(4), X.T @ Y @ Phi.T)
    np.testing.assert_allclose(M_W, ridge, atol=1e-10)
    np.testing.assert_allclose(model.compressed(X)[0], X @ ridge, atol=1e-10)


def test_bml_cs_test_iterations_end_where_ours_do():
    """The published updates, z and y and α in turn, run to convergence."""
    X, Y = small(40)
    sigma2, chi2, a0, b0 = 0.3, 0.2, 1e-6, 1e-6
    model = BayesianCompressedSensing(
        inference="bml_cs",
        n_factors=3,
        sigma2=sigma2,
        chi2=chi2,
        max_iter=20000,
        tol=1e-13,
        random_state=0,
    ).fit(X[:39], Y[:39])
    Phi, start = model.Phi_, model.compressed(X[39:])[0][0]
    m_y, alpha = np.zeros(6), np.ones(6)
    before = np.ones(6)
    while np.abs(m_y - before).max() > 1e-9:
        before = m_y
        m_z = (start / sigma2 + Phi @ m_y / chi2) / (1 / sigma2 + 1 / chi2)
        S = np.linalg.inv(np.diag(alpha) + Phi.T @ Phi / chi2)
        m_y = S @ Phi.T @ m_z / chi2
        alpha = np.clip((a0 + 0.5) / (b0 + 0.5 * (np.diag(S) + m_y**2)), 1e-10, 1e10)
    found = model.posterior(X[39:])
    np.testing.assert_allclose(found.mean[0], m_y, atol=1e-3)


@pytest.mark.parametrize("max_iter", [1, 5])
def test_bml_cs_underestimates_variances(yeast_slice, max_iter):
    """Figure 4b: the factorised inference sees χ² where the joint one sees v > χ².

    With the same E[α], as in the first update, that makes every single variance smaller.
    """
    X, Y = yeast_slice(150)
    joint, factorised = (
        BayesianCompressedSensing(inference=name, max_iter=max_iter, random_state=0)
        .fit(X[:100], Y[:100])
        .posterior(X[100:])
        for name in ("ml_oss", "bml_cs")
    )
    if max_iter == 1:
        assert np.all(joint.variance > factorised.variance)
    assert np.median(joint.variance) > np.median(factorised.variance)
    assert np.corrcoef(joint.mean.ravel(), factorised.mean.ravel())[0, 1] > 0.9  # figure 4a


def test_compressed_prediction_is_gaussian_process_regression():
    X, Y = small(30)
    model = BayesianCompressedSensing(gamma=0.2, sigma2=0.1, chi2=0.05, random_state=0).fit(
        X[:25], Y[:25]
    )
    kernel = RBF(np.sqrt(1 / 0.4)) + WhiteKernel(0.15)
    reference = GaussianProcessRegressor(kernel, optimizer=None)
    reference.fit(X[:25], Y[:25] @ model.Phi_.T)
    mean, deviation = reference.predict(X[25:], return_std=True)
    mu, v = model.compressed(X[25:])
    np.testing.assert_allclose(mu, mean, atol=1e-7)
    np.testing.assert_allclose(v, deviation[:, 0] ** 2, atol=1e-7)


@pytest.mark.parametrize("kernel", ["linear", "affine"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_linear_and_affine_models_are_gaussian_process_regression(kernel, kind):
    """scikit-learn's dot product has the squared intercept σ₀² where ours has c."""
    X, Y = small(30)
    X[X < -1] = 0
    Y[:, 0] = 1.0
    model = BayesianCompressedSensing(kernel=kernel, random_state=0).fit(kind(X[:25]), Y[:25])
    c, noise = model.kernel_.offset, model.sigma2_ + model.chi2_
    assert (c > 0) == (kernel == "affine")
    gram = X @ X.T + c
    np.testing.assert_allclose(model.kernel_.matrix(kind(X), kind(X[:5])), gram[:, :5])
    np.testing.assert_allclose(model.kernel_.diagonal(kind(X)), np.diag(gram))
    expected = model.amplitude_ * gram + noise * np.eye(30)
    np.testing.assert_allclose(model.covariance(kind(X)), expected)
    dot = ConstantKernel(model.amplitude_) * DotProduct(np.sqrt(c) or 1e-9) + WhiteKernel(noise)
    reference = GaussianProcessRegressor(dot, optimizer=None, alpha=0)
    reference.fit(X[:25], Y[:25] @ model.Phi_.T)
    mean, deviation = reference.predict(X[25:], return_std=True)
    mu, v = model.compressed(kind(X[25:]))
    np.testing.assert_allclose(mu, mean, atol=1e-7)
    np.testing.assert_allclose(v, deviation[:, 0] ** 2, atol=1e-7)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "affine"])
@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_the_scale_of_the_features_changes_no_score(kernel, factor):
    X, Y = small(40)
    model = BayesianCompressedSensing(kernel=kernel, random_state=0)
    scores = clone(model).fit(X[:30], Y[:30]).decision_function(X[30:])
    again = clone(model).fit(factor * X[:30], Y[:30]).decision_function(factor * X[30:])
    np.testing.assert_allclose(again, scores, atol=1e-6)
    assert scores.std() > 0.01


def test_an_intercept_keeps_what_all_points_share():
    """A label that everyone has is predicted at the origin by the affine kernel alone."""
    X, Y = small(40)
    Y[:, 0] = 1.0
    found = {
        kernel: BayesianCompressedSensing(kernel=kernel, n_factors=1.0, random_state=0)
        .fit(X, Y)
        .decision_function(np.zeros((1, 4)))[0, 0]
        for kernel in ("linear", "affine")
    }
    assert found["linear"] == 0 and found["affine"] > 0.8


def test_evidence_chooses_the_best_offset_of_its_grid():
    X, Y = small(40)
    Z = Y @ np.random.default_rng(0).standard_normal((6, 3))
    found = maximise_evidence(X, Z, "affine", None, None)
    square = (X**2).sum(axis=1).mean()

    def density(offset, amplitude, noise):
        C = amplitude * (X @ X.T + offset) + noise * np.eye(40)
        return multivariate_normal(np.zeros(40), C).logpdf(Z.T).sum()

    top = density(found.kernel.offset, found.amplitude, found.noise)
    assert found.log_evidence == pytest.approx(top, abs=1e-6)
    assert np.isclose(found.kernel.offset, OFFSETS * square).any()
    for offset in OFFSETS * square:
        for amplitude in found.amplitude * np.array([0.3, 0.98, 1.02, 3.0]):
            for noise in found.noise * np.array([0.98, 1.0, 1.02]):
                assert density(offset, amplitude, noise) < top


def test_offsets_and_widths_reach_from_a_hundredth_to_a_hundredfold():
    for grid in (OFFSETS, WIDTHS):
        assert grid[0] == pytest.approx(0.01) and grid[-1] == pytest.approx(100)
        assert np.allclose(grid[1:] / grid[:-1], grid[1] / grid[0]) and 1.0 in grid.round(12)


def test_evidence_recovers_the_offset_data_were_drawn_with():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    C = 0.5 * (X @ X.T + 12.0) + 0.1 * np.eye(200)
    Z = np.linalg.cholesky(C) @ rng.standard_normal((200, 100))
    found = maximise_evidence(X, Z, "affine", None, None)
    assert 12 / 2 < found.kernel.offset < 12 * 2  # one step of the grid is a factor of 3.2
    assert found.amplitude == pytest.approx(0.5, rel=0.2)
    assert found.noise == pytest.approx(0.1, rel=0.1)


def test_features_that_are_all_zero_are_no_error():
    X, Y = small()
    for name in ("rbf", "linear", "affine"):
        model = BayesianCompressedSensing(kernel=name, random_state=0).fit(0 * X, Y)
        assert np.isfinite(model.decision_function(X)).all()
    assert Kernel("linear").size(np.zeros((3, 2))) == 1.0


def test_left_out_predictions_equal_fits_without_the_point():
    X, Y = small(15)
    model = BayesianCompressedSensing(gamma=0.2, sigma2=0.1, chi2=0.05, random_state=0).fit(X, Y)
    mu, v = model.compressed_left_out()
    for i in range(15):
        rest = np.delete(np.arange(15), i)
        expected = clone(model).fit(X[rest], Y[rest]).compressed(X[[i]])
        np.testing.assert_allclose(mu[i], expected[0][0], atol=1e-10)
        np.testing.assert_allclose(v[i], expected[1][0], atol=1e-10)


def test_evidence_is_the_density_of_the_compressed_labels_and_is_at_its_top():
    X, Y = small(40)
    Z = Y @ np.random.default_rng(0).standard_normal((6, 3))
    found = maximise_evidence(X, Z, "rbf", 0.1, None)

    def density(amplitude, noise):
        squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        C = amplitude * np.exp(-0.1 * squared) + noise * np.eye(40)
        return multivariate_normal(np.zeros(40), C).logpdf(Z.T).sum()

    top = density(found.amplitude, found.noise)
    assert found.log_evidence == pytest.approx(top, abs=1e-6)
    for factor in (0.98, 1.02):
        assert density(found.amplitude * factor, found.noise) < top
        assert density(found.amplitude, found.noise * factor) < top


def test_where_no_label_is_present_the_prior_keeps_a_scale_of_one():
    X, _ = small(10)
    for noise, expected in ((None, 1.0), (0.25, 0.25)):
        found = maximise_evidence(X, np.zeros((10, 3)), "rbf", None, noise)
        assert (found.amplitude, found.noise) == (1.0, expected)
        assert np.isnan(found.log_evidence)


@pytest.mark.filterwarnings("error")
def test_the_width_for_a_single_point_is_one():
    found = maximise_evidence(np.ones((1, 2)), np.ones((1, 3)), "rbf", None, None)
    assert found.kernel == Kernel("rbf", 1.0)


def test_the_widths_tried_follow_the_median_distance_of_all_pairs():
    X, Y = small(6)
    found = maximise_evidence(X, Y, "rbf", None, None)
    steps = found.kernel.gamma * np.median(pdist(X, "sqeuclidean"))
    assert np.abs(WIDTHS / steps - 1).min() < 1e-12


def test_evidence_recovers_the_width_data_were_drawn_with():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    C = 2.0 * np.exp(-0.5 * squared) + 0.1 * np.eye(300)
    Z = np.linalg.cholesky(C) @ rng.standard_normal((300, 20))
    found = maximise_evidence(X, Z, "rbf", None, None)
    assert 0.3 < found.kernel.gamma < 0.8  # one step of the grid is a factor of 1.8
    assert found.noise == pytest.approx(0.1, rel=0.1)


def test_sparsity_recovers_labels_that_were_compressed():
    """Two relevant labels of 40 come back from 20 mixtures, for nearly every point."""
    rng = np.random.default_rng(0)
    Phi = rng.standard_normal((20, 40)) / np.sqrt(20)
    Y = np.zeros((50, 40))
    for row in Y:
        row[rng.choice(40, 2, replace=False)] = 1
    found = infer_labels(Phi, Y @ Phi.T, np.full(50, 1e-3), SparsityPrior(max_iter=50, tol=0))
    assert ((found.mean > 0.5) == (Y > 0.5)).all(axis=1).mean() > 0.9


def test_the_sparsity_stops_at_a_change_of_a_thousandth():
    rng = np.random.default_rng(0)
    Phi, mu = rng.standard_normal((5, 9)), rng.standard_normal((4, 5))

    def mean(**settings):
        return infer_labels(Phi, mu, np.full(4, 0.1), SparsityPrior(max_iter=300, **settings)).mean

    assert np.array_equal(mean(), mean(tol=1e-3))
    assert not np.array_equal(mean(), mean(tol=0))


@pytest.mark.parametrize("v", [1e-8, 1e-15])
def test_variances_are_never_negative(v):
    """A nearly noise-free point: what is left of 1 is rounding, which has either sign."""
    rng = np.random.default_rng(0)
    found, exact = [], []
    for _ in range(50):
        Phi = rng.standard_normal((6, 6)) + 3 * np.eye(6)
        y = rng.integers(0, 2, 6).astype(float)
        case = infer_labels(Phi, np.tile(Phi @ y, (2, 1)), np.full(2, v), SparsityPrior())
        np.testing.assert_array_equal(case.variance[0], case.variance[1])  # of the same point
        found.append(case.variance)
        exact.append(np.diag(np.linalg.inv(np.diag(case.precision[0]) + Phi.T @ Phi / v)))
    assert np.min(found) >= 0
    np.testing.assert_allclose(np.array(found)[:, 0], exact, rtol=1e-3, atol=1e-12)


@pytest.mark.parametrize("v_variance", [None, 0.03])
def test_labels_that_are_not_compressed_are_inferred_alike(v_variance):
    """With Φ = I all points are done at once; with its rows permuted each has a k x k matrix."""
    rng = np.random.default_rng(0)
    mu, v = rng.normal(size=(20, 7)), rng.uniform(0.05, 0.5, size=20)
    known = np.where(rng.random((20, 7)) < 0.3, rng.integers(2, size=(20, 7)), np.nan)
    known[3] = 1.0
    order = rng.permutation(7)
    for given in (None, known):
        settings = {"prior": SparsityPrior(max_iter=30), "known": given, "v_variance": v_variance}
        at_once = infer_labels(np.eye(7), mu, v, **settings)
        one_by_one = infer_labels(np.eye(7)[order], mu[:, order], v, **settings)
        for name, values in vars(at_once).items():
            np.testing.assert_allclose(values, vars(one_by_one)[name], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("v_variance", [None, 0.03])
@pytest.mark.parametrize("turns", [1, 2, 5])
def test_the_first_update_of_all_points_is_that_of_each(turns, v_variance):
    rng = np.random.default_rng(0)
    Phi, mu, v = rng.normal(size=(5, 9)), rng.normal(size=(12, 5)), rng.uniform(0.05, 0.5, 12)
    case = (Phi, mu, v, SparsityPrior(max_iter=turns, tol=0))
    together = infer_labels(*case, v_variance=v_variance)
    each = infer_labels(*case, v_variance=v_variance, precision=np.ones((12, 9)))
    for name, values in vars(together).items():
        np.testing.assert_allclose(values, vars(each)[name], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("turns", [2, 5])
def test_means_alone_are_the_same_means(turns):
    rng = np.random.default_rng(0)
    Phi, mu, v = rng.normal(size=(5, 9)), rng.normal(size=(12, 5)), rng.uniform(0.05, 0.5, 12)
    case = (Phi, mu, v, SparsityPrior(max_iter=turns, tol=0))
    both, means = infer_labels(*case), infer_labels(*case, variances=False)
    np.testing.assert_allclose(means.mean, both.mean, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(means.precision, both.precision)
    assert np.isnan(means.variance).all()  # they were not computed


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    Phi, mu = rng.normal(size=(10, 25)), rng.normal(size=(40, 10))
    case = (Phi, mu, np.full(40, 0.1), SparsityPrior())
    alone = infer_labels(*case)
    monkeypatch.setattr(posterior, "_WORTH_THREADS", 0)
    monkeypatch.setattr(posterior, "blas_threads", lambda: 3)
    together = infer_labels(*case)
    np.testing.assert_array_equal(together.mean, alone.mean)
    np.testing.assert_array_equal(together.variance, alone.variance)


def test_sparse_features_and_conditioning_change_nothing():
    X, Y = small(30)
    X[X < 0] = 0
    model = BayesianCompressedSensing(random_state=0).fit(X[:20], Y[:20])
    scores = model.decision_function(X[20:])
    again = BayesianCompressedSensing(random_state=0).fit(sp.csr_matrix(X[:20]), Y[:20])
    np.testing.assert_allclose(again.decision_function(sp.csr_matrix(X[20:])), scores, atol=1e-9)
    model.condition(X[:10], Y[:10]).condition(X[:20], Y[:20])
    np.testing.assert_allclose(model.decision_function(X[20:]), scores, atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"kernel": "poly"}, "'kernel' parameter .* Got 'poly'"),
        ({"inference": "exact"}, "'inference' parameter .* Got 'exact'"),
        ({"sigma2": 0.1}, "both sigma2 and chi2"),
        ({"n_factors": 0}, "'n_factors' parameter .* Got 0"),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        BayesianCompressedSensing(**parameters).fit(*small())


def test_labels_all_zero_predict_nothing_and_all_unknown_are_refused():
    X, Y = small()
    assert not BayesianCompressedSensing(random_state=0).fit(X, np.zeros_like(Y)).predict(X).any()
    with pytest.raises(ValueError, match="every label is nan"):
        BayesianCompressedSensing(random_state=0).fit(X, np.full_like(Y, np.nan))
