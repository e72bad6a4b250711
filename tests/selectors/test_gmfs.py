"""GMFS against a literal transcription of its equations, its own posterior, and planted truth."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import beta as beta_law
from scipy.stats import multivariate_normal
from sklearn.metrics import roc_auc_score

from mlfs.datasets import planted
from mlfs.numerics import linalg
from mlfs.protocols.experiment.masks import HidePositives
from mlfs.selectors import GMFS
from mlfs.selectors.design import Design
from mlfs.selectors.gmfs import (
    expectations,
    log_likelihood,
    neighbor_graph,
    observability,
    regress,
)

LAM, S, ALPHA, BETA, K = 1e-3, 5.0, 0.5, 0.5, 3


def sigmoid(t):
    return 1 / (1 + np.exp(-t))


@pytest.fixture(scope="module")
def small():
    """A 40 x 12 x 5 case with c = 3 and parameters of ordinary size."""
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((40, 12)), (rng.random((40, 5)) < 0.4).astype(float)
    V, B, W = (rng.standard_normal(shape) for shape in ((40, 3), (5, 3), (12, 3)))
    return X, Y, V, B, W, rng.uniform(0.2, 0.9, (40, 5))


@pytest.fixture(scope="module")
def literal(small, gmfs_step):
    """Equations (12), (13), (15)-(18), one instance and one label at a time."""
    *_, W, _ = small
    xi = np.sqrt(2 * 1e-4 * 1.0 / (1.0 - 1e-4) * np.log(np.sqrt(1.0 / 1e-4)))
    rows = W * np.where(np.arange(12) % 2, 1.0, 0.5 * xi / np.linalg.norm(W, axis=1))[:, None]
    a = [1.0 if np.linalg.norm(w) >= xi else 1 / 1e-4 for w in rows]
    found = gmfs_step(*small, a, k=K, lam=LAM, s=S, alpha=ALPHA, beta=BETA)
    return found | {"rows": rows, "a": a}


@pytest.mark.parametrize(("shape", "count"), [((20, 2), 5), ((4, 9), 3)])
def test_the_number_of_neighbours_is_limited_by_instances_and_not_by_features(shape, count):
    X = np.random.default_rng(0).standard_normal(shape)
    with warnings.catch_warnings():
        warnings.simplefilter("error" if count == 5 else "ignore")
        graph = neighbor_graph(X, 5)
    assert graph.shape == (len(X), len(X))
    assert (graph.toarray().sum(axis=1) == count).all()


def test_e_step_is_literal(small, literal):
    _, Y, V, B, _, theta = small
    gamma, zeta = expectations(V @ B.T, Y, theta)
    np.testing.assert_allclose(gamma, literal["gamma"], atol=1e-10)
    np.testing.assert_allclose(zeta, literal["zeta"], atol=1e-10)


def test_m_step_is_literal(small, literal):
    X, Y, V, B, W, _ = small
    gamma, weight, kappa = literal["gamma"], literal["gamma"] * literal["zeta"], Y - 0.5
    newV = linalg.weighted_ridge(weight, B, (gamma * kappa) @ B + LAM * X @ W, LAM, V)
    newB = linalg.weighted_ridge(weight.T, newV, (gamma * kappa).T @ newV, LAM, B)
    precision = GMFS()._precision(literal["rows"])
    newW = regress(Design(X), newV, precision, LAM, W, steps=200)
    theta = observability(gamma, np.full(5, 40), neighbor_graph(X, K), S, ALPHA, BETA)
    assert set(literal["a"]) == {1.0, 1e4}  # both sides of the threshold are met
    np.testing.assert_array_equal(precision[:, 0], literal["a"])
    for ours, name in ((newV, "V"), (newB, "B"), (newW, "W"), (theta, "theta")):
        np.testing.assert_allclose(ours, literal[name], rtol=1e-10, atol=1e-10, err_msg=name)


def test_zeta_at_zero_is_a_quarter():
    psi = np.array([[0.0, 1e-12, 1e-3, 800.0, -800.0]])
    gamma, zeta = expectations(psi, np.zeros((1, 5)), np.full((1, 5), 0.5))
    np.testing.assert_allclose(zeta[0, :3], [0.25, 0.25, 0.25 - 1e-6 / 48], rtol=1e-12)
    np.testing.assert_allclose(gamma[0], [1 / 3, 1 / 3, 1 / 3, 0, 0.5], atol=2e-4)


def test_likelihood_sums_the_indicators_out(small):
    """(6) with both values of each indicator enumerated."""
    _, Y, V, B, _, theta = small
    s = sigmoid(V @ B.T)
    observed, silent = np.where(Y == 1, s, 1 - s), (Y == 0).astype(float)
    expected = np.log(theta * observed + (1 - theta) * silent).sum()
    assert log_likelihood(V @ B.T, Y, theta) == pytest.approx(expected, rel=1e-12)


def test_prior_is_the_density_it_claims(small):
    """Differences of the log prior equal those of scipy's normal and Beta densities."""
    X, _, V, B, W, theta = small
    model = GMFS(sigma0=0.3, sigma1=2.0, lam_v=0.7, lam_b=0.4, alpha=2.0, beta=3.0)

    def scipy_value(V, B, W, theta, tau):
        normal = multivariate_normal.logpdf
        return (
            sum(normal(v, m, np.eye(3) / 0.7) for v, m in zip(V, X @ W))
            + sum(normal(b, np.zeros(3), np.eye(3) / 0.4) for b in B)
            + sum(normal(w, np.zeros(3), np.eye(3) * (2.0 if t else 0.3)) for w, t in zip(W, tau))
            + beta_law.logpdf(theta, 2.0, 3.0).sum()
        )

    tau = np.arange(12) % 2
    one = (V, B, W, theta[:1], np.ones(12))
    two = (V + 0.1, B * 1.1, W * 0.5, theta[1:2], tau)
    ours = [
        model._log_prior(V - X @ W, B, W, theta, np.where(t, 1 / 2.0, 1 / 0.3)[:, None])
        for V, B, W, theta, t in (one, two)
    ]
    assert ours[1] - ours[0] == pytest.approx(scipy_value(*two) - scipy_value(*one), rel=1e-10)


def expected_log_posterior(X, Y, V, B, W, gamma, zeta, precision):
    """Q of (14), the parts that V, B and W move, with ½ on the λ terms."""
    return (
        -0.5 * np.sum(gamma * (Y - 0.5 - zeta * (V @ B.T)) ** 2 / zeta)
        - 0.5 * LAM * np.sum((V - X @ W) ** 2)
        - 0.5 * LAM * np.sum(B**2)
        - 0.5 * np.sum(precision * W**2)
    )


def test_each_update_raises_q(yeast_slice):
    X, Y = yeast_slice(300)
    rng = np.random.default_rng(1)
    for _ in range(5):
        V, B, W = (rng.standard_normal((m, 4)) for m in (len(X), Y.shape[1], X.shape[1]))
        gamma, zeta = expectations(V @ B.T, Y, np.full((1, Y.shape[1]), 0.6))
        precision = rng.choice([1.0, 1e4], (X.shape[1], 1))
        weight, pull = gamma * zeta, gamma * (Y - 0.5)
        rest = (gamma, zeta, precision)
        values = [expected_log_posterior(X, Y, V, B, W, *rest)]
        V = linalg.weighted_ridge(weight, B, pull @ B + LAM * X @ W, LAM, V)
        values.append(expected_log_posterior(X, Y, V, B, W, *rest))
        B = linalg.weighted_ridge(weight.T, V, pull.T @ V, LAM, B)
        values.append(expected_log_posterior(X, Y, V, B, W, *rest))
        W = regress(Design(X), V, precision, LAM, W, steps=500)
        values.append(expected_log_posterior(X, Y, V, B, W, *rest))
        assert np.all(np.diff(values) > 0)


def exact(**more):
    return GMFS(
        threshold="exact", n_neighbors=0, n_cg=500, max_iter=50, tol=0, random_state=0, **more
    )


@pytest.mark.parametrize(
    ("rows", "more"),
    [(2417, {"sigma0": 1e-2}), (400, {"sigma0": 1e-6}), (400, {"prior": "laplace"})],
)
def test_marginal_posterior_never_falls_on_yeast(yeast_slice, rows, more):
    X, Y = yeast_slice(rows)
    model = exact(n_factors=7, **more).fit(X, Y)
    values = np.array(model.objective_)
    assert model.n_iter_ == 50
    assert np.all(np.diff(values) >= -1e-9 * np.abs(values[1:]))


def test_marginal_posterior_never_falls_on_planted_data():
    data = planted(seed=3).data
    Y = HidePositives(0.3)(data.Y, np.random.default_rng(0))
    Y[np.random.default_rng(1).random(Y.shape) < 0.1] = np.nan
    model = exact(sigma0=0.01).fit(data.X, Y)
    assert 0 < model.tau_.sum() < len(model.tau_)  # features do change sides
    values = np.array(model.objective_)
    assert np.all(np.diff(values) >= -1e-9 * np.abs(values[1:]))


def test_conjugate_gradients_agree_with_the_direct_path(yeast_slice):
    _, Y = yeast_slice(400)
    rng = np.random.default_rng(2)
    V, B = rng.standard_normal((400, 9)), rng.standard_normal((Y.shape[1], 9))
    gamma, zeta = expectations(V @ B.T, Y, np.full((1, Y.shape[1]), 0.6))
    arguments = (gamma * zeta, B, (gamma * (Y - 0.5)) @ B, LAM)
    direct = linalg._ridge_direct(*arguments)
    np.testing.assert_allclose(linalg._ridge_cg(*arguments, V), direct, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_finds_the_planted_features(seed):
    drawn = planted(d_redundant=0, seed=seed)
    X, relevant = drawn.data.X, drawn.relevant
    Y = drawn.data.Y.astype(float)

    def share(Y):
        ranking = GMFS(random_state=0).fit(X, Y).ranking_
        return np.isin(ranking[: len(relevant)], relevant).mean()

    assert share(Y) >= 0.9
    chance = len(relevant) / X.shape[1]
    assert share(HidePositives(0.6)(Y, np.random.default_rng(seed))) > 2 * chance


def test_noisy_copies_share_the_top_with_the_originals():
    """λ_v n < 1/σ₁ is a ridge, so a copy is as good as its original and noise is neither."""
    drawn = planted()
    informative = np.union1d(drawn.relevant, drawn.redundant)
    ranking = GMFS(random_state=0).fit(drawn.data.X, drawn.data.Y).ranking_
    assert np.isin(ranking[: len(informative)], informative).mean() >= 0.9


def test_hidden_positives_get_lower_gamma_than_true_zeros():
    data = planted(seed=1).data
    Y = HidePositives(0.3)(data.Y, np.random.default_rng(0))
    model = GMFS(n_factors=1.0, random_state=0).fit(data.X, Y)
    zero = Y == 0
    assert roc_auc_score(data.Y[zero], 1 - model.gamma_[zero]) > 0.75
    assert np.all(model.gamma_[Y == 1] == 1)


def test_nan_labels_take_no_part():
    """Widening the label matrix by a column of nan changes nothing; a column of 0 would."""
    data = planted().data
    options = {"n_factors": 4, "max_iter": 10, "tol": 0, "random_state": 0}
    scores = [GMFS(**options).fit(data.X, data.Y).scores_]
    for value in (np.nan, 0.0):
        model = GMFS(**options).fit(data.X, np.column_stack([data.Y, np.full(500, value)]))
        scores.append(model.scores_)
        assert np.all(model.gamma_[:, -1] == 0) == np.isnan(value)
    np.testing.assert_allclose(scores[1], scores[0], rtol=1e-8)
    assert not np.allclose(scores[2], scores[0], rtol=1e-2)


def test_sparse_equals_dense(load_slice):
    X, Y = load_slice("medical", 200)
    X = np.where(X > 0, X, 0.0)
    options = {"n_factors": 0.25, "max_iter": 5, "random_state": 0}
    dense = GMFS(**options).fit(X, Y)
    sparse = GMFS(**options).fit(sp.csr_matrix(X), Y)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_factors": 6}, "n_factors = 6 of 5: choose"),
        ({"n_factors": 1.5}, "'n_factors' parameter of GMFS .* Got 1.5"),
        ({"n_factors": 0}, "'n_factors' parameter of GMFS .* Got 0"),
        ({"sigma0": 1.0, "sigma1": 1.0}, "0 < sigma0 < sigma1"),
        ({"s": 0.5}, "'s' parameter of GMFS .* Got 0.5"),
        ({"lam_v": 0.0}, "'lam_v' parameter of GMFS .* Got 0.0"),
        ({"prior": "horseshoe"}, "horseshoe"),
        ({"threshold": "none"}, "'threshold' parameter of GMFS .* Got 'none'"),
    ],
)
def test_bad_parameters_are_named(small, parameters, message):
    X, Y, *_ = small
    with pytest.raises(ValueError, match=message):
        GMFS(**parameters).fit(X, Y)


def test_bad_data_is_named(small):
    X, Y, *_ = small
    with pytest.raises(ValueError, match="NaN"):
        GMFS().fit(np.where(X > 2, np.nan, X), Y)
    with pytest.raises(ValueError, match="labels must be 1"):
        GMFS().fit(X, 2 * Y - 1)
