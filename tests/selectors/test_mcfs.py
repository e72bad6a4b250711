"""MCFS against its eigenproblem, the conditions of its lasso, and data with known clusters."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.selectors import MCFS


@pytest.fixture(scope="module")
def fitted(yeast_slice):
    X, Y = yeast_slice(250)
    return X, Y, MCFS(n_clusters=4, n_features=12, random_state=0).fit(X, Y)


def test_embedding_solves_its_eigenproblem(fitted):
    _, _, model = fitted
    S, y = model.graph_.toarray(), model.embedding_
    degrees = S.sum(axis=1)
    np.testing.assert_allclose(S @ y, degrees[:, None] * y * model.eigenvalues_, atol=1e-9)
    np.testing.assert_allclose(y.T @ (degrees[:, None] * y), np.eye(4), atol=1e-9)
    np.testing.assert_allclose(degrees @ y, 0, atol=1e-9)  # orthogonal to the trivial one
    root = np.sqrt(degrees)
    spectrum = np.linalg.eigvalsh(S / np.outer(root, root))
    np.testing.assert_allclose(model.eigenvalues_, spectrum[::-1][1:5], atol=1e-9)


def test_path_points_satisfy_the_lasso_conditions(fitted):
    X, _, model = fitted
    assert np.array_equal(np.count_nonzero(model.coef_, axis=0), [12] * 4)
    gradient = X.T @ model.embedding_ - X.T @ X @ model.coef_ - 1e-3 * model.coef_
    for slope, coef in zip(gradient.T, model.coef_.T):
        penalty = np.abs(slope).max()
        active = coef != 0
        np.testing.assert_allclose(slope[active], penalty * np.sign(coef[active]), rtol=1e-7)


def test_score_is_the_largest_coefficient_of_unit_length(fitted):
    _, _, model = fitted
    unit = model.coef_ / np.linalg.norm(model.coef_, axis=0)
    np.testing.assert_allclose(model.scores_, np.abs(unit).max(axis=1))


def test_labels_are_not_used_and_sparse_gives_the_same(fitted):
    X, Y, model = fitted
    again = MCFS(n_clusters=4, n_features=12, random_state=0).fit(sp.csr_matrix(X), 1 - Y)
    np.testing.assert_allclose(again.scores_, model.scores_, atol=1e-8)


def test_finds_the_features_that_separate_disconnected_clusters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 30))
    X[:, :2] += 40 * np.array([[0, 0], [1, 0], [0, 1]])[np.repeat(np.arange(3), 50)]
    model = MCFS(n_clusters=2, n_features=2, random_state=0).fit(X, np.zeros(150))
    np.testing.assert_allclose(model.eigenvalues_, 1, atol=1e-9)
    assert set(model.ranking_[:2]) == {0, 1}


@pytest.mark.filterwarnings("ignore:.* too many for 3 samples")
def test_three_instances_are_enough():
    X = np.array([[0.0, 1.0], [0.1, 5.0], [4.0, 2.0]])
    model = MCFS(n_clusters=5, n_features=1, random_state=0).fit(X)
    assert model.embedding_.shape == (3, 1)
    with pytest.raises(ValueError, match="needs at least 3"):
        MCFS().fit(X[:2])
