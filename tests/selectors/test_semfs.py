"""SemFS against (5), (8) and (10) written out with X̄ in full, and on planted data."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.selectors import SemFS
from mlfs.selectors.semfs import Moments, gradient


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    classes = rng.integers(6, size=80)
    attributes = rng.normal(size=(6, 4))
    X = rng.normal(size=(80, 15)) + rng.normal(size=(6, 15))[classes]
    return X, attributes[classes], classes


def class_means(X, classes):
    return np.array([X[classes == c].mean(axis=0) for c in classes])


def literal_objective(s, W, X, X_mean, Y, alpha, gamma):
    first = np.linalg.norm(Y - X @ np.diag(s) @ W) ** 2
    second = np.linalg.norm(Y - X_mean @ np.diag(s) @ W) ** 2
    return first + alpha * second + gamma * np.linalg.norm(W) ** 2


def moments_of(X, Y, classes, blocks):
    moments = Moments(X.shape[1], Y.shape[1])
    for rows in np.array_split(np.arange(len(Y)), blocks):
        moments.add(X[rows], Y[rows], classes[rows])
    return moments


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_w_is_the_closed_form_and_objective_is_literal(problem, alpha):
    X, Y, classes = problem
    model = SemFS(alpha=alpha, gamma=0.3).fit(X, Y)
    S, X_mean = np.diag(model.scores_), class_means(X, classes)
    A = (X @ S).T @ (X @ S) + alpha * (X_mean @ S).T @ (X_mean @ S) + 0.3 * np.eye(15)
    expected = np.linalg.inv(A) @ ((X @ S).T + alpha * (X_mean @ S).T) @ Y
    np.testing.assert_allclose(model.W_, expected, atol=1e-10)
    value = literal_objective(model.scores_, model.W_, X, X_mean, Y, alpha, 0.3)
    assert model.objective_[-1] == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("gamma", [1e-3, 0.1, 10.0])
def test_objective_never_rises(problem, yeast_slice, alpha, gamma):
    for X, Y in (problem[:2], yeast_slice(300)):
        J = np.array(SemFS(alpha=alpha, gamma=gamma, max_iter=50).fit(X, Y).objective_)
        assert len(J) == 51
        assert np.all(np.diff(J) <= 1e-13 * J[0])
        assert J[-1] < J[0]


def test_gradient_agrees_with_finite_differences(problem):
    X, Y, classes = problem
    rng = np.random.default_rng(1)
    s, W = rng.uniform(size=15), rng.normal(size=(15, 4))
    G, M = moments_of(X, Y, classes, 1).combine(0.7)
    X_mean, h = class_means(X, classes), 1e-5
    numeric = [
        literal_objective(s + e, W, X, X_mean, Y, 0.7, 0.1)
        - literal_objective(s - e, W, X, X_mean, Y, 0.7, 0.1)
        for e in h * np.eye(15)
    ]
    np.testing.assert_allclose(gradient(G, M, s, W), np.array(numeric) / (2 * h), rtol=1e-5)


def test_moments_streamed_equal_moments_at_once(problem):
    X, Y, classes = problem
    X_mean = class_means(X, classes)
    for blocks in (1, 7, 80):
        G, M = moments_of(X, Y, classes, blocks).combine(0.7)
        np.testing.assert_allclose(G, X.T @ X + 0.7 * X_mean.T @ X_mean, atol=1e-10)
        np.testing.assert_allclose(M, (X + 0.7 * X_mean).T @ Y, atol=1e-10)


def test_batches_sparse_and_given_classes_rank_alike(problem):
    X, Y, classes = problem
    model = SemFS().fit(X, Y)
    parts = np.array_split(np.arange(80), 5)
    for other in (
        SemFS().fit_batches((X[rows], Y[rows]) for rows in parts),
        SemFS().fit_batches((X[rows], Y[rows], classes[rows]) for rows in parts),
        SemFS().fit(X, Y, classes=classes),
        SemFS().fit(sp.csr_matrix(X), Y),
    ):
        np.testing.assert_allclose(other.scores_, model.scores_, rtol=1e-9)
        assert np.array_equal(other.ranking_, model.ranking_)


def test_classes_split_what_equal_attributes_would_join(problem):
    X, _, classes = problem
    Y = (classes % 2).astype(float)  # three classes share each attribute row
    X_mean = class_means(X, classes)
    model = SemFS().fit(X, Y, classes=classes)
    value = literal_objective(model.scores_, model.W_, X, X_mean, Y[:, None], 1.0, 0.1)
    assert model.objective_[-1] == pytest.approx(value, rel=1e-10)
    assert not np.allclose(model.scores_, SemFS().fit(X, Y).scores_)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_planted_features_come_first(seed, alpha):
    """Ten of 200 features generate the attributes of 300 classes."""
    rng = np.random.default_rng(seed)
    relevant = rng.choice(200, 10, replace=False)
    centres = rng.normal(size=(300, 200))
    attributes = centres[:, relevant] @ rng.normal(size=(10, 20))
    classes = np.repeat(np.arange(300), 5)
    X = centres[classes] + 0.3 * rng.normal(size=(1500, 200))
    model = SemFS(alpha=alpha).fit(X, attributes[classes])
    assert set(model.ranking_[:10]) == set(relevant)


def test_the_centres_do_not_change_the_order_for_two_equal_classes():
    """XᵀY and X̄ᵀX̄ then have one direction δ, and (A + cδδᵀ)⁻¹δ is a multiple of A⁻¹δ."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 12)) @ rng.standard_normal((12, 12))
    X[:30] += rng.standard_normal(12)
    Y = np.repeat(rng.standard_normal((2, 3)), 30, axis=0)
    centred = X - X.mean(axis=0)
    fitted, plain = (SemFS(alpha=a, max_iter=1).fit(centred, Y) for a in (1.0, 0.0))
    assert fitted.ranking_.tolist() == plain.ranking_.tolist()
    ratio = (fitted.scores_ - 1) / (plain.scores_ - 1)  # of the first steps from s = 1
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)
    assert abs(ratio[0] - 1) > 1e-3
    unequal = [SemFS(alpha=a, max_iter=1).fit(X[:50], Y[:50]).ranking_.tolist() for a in (1.0, 0.0)]
    assert unequal[0] != unequal[1]


def test_no_batches_and_gamma_zero_are_refused(problem):
    X, Y, _ = problem
    with pytest.raises(ValueError, match="no batch"):
        SemFS().fit_batches([])
    with pytest.raises(ValueError, match="gamma"):
        SemFS(gamma=0).fit(X, Y)
    with pytest.raises(ValueError, match="pass one for each"):
        SemFS().fit(X, Y, classes=[1, 2])
