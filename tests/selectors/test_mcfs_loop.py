"""MCFS as a whole against a dense eigenproblem and the lasso path on X with a ridge as rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import lars_path

from mlfs.selectors import MCFS
from mlfs.selectors.mcfs import _points

CLUSTERS, K = 3, 4  # by position, as is the number of features on a path
PARAMS = {"random_state": 0}
SLICE = 60, 25  # rows and columns of emotions


@pytest.fixture(scope="module")
def literal(heat_weights):
    """METHODS C2: graph, eigenvectors, one path a vector, scores."""

    def run(X, count):
        S = heat_weights(X, K)
        root = np.diag(1 / np.sqrt(S.sum(axis=1)))
        values, vectors = np.linalg.eigh(root @ S @ root)
        assert values[-1] == pytest.approx(1) and values[-2] < 0.999  # one component
        assert np.diff(values[-CLUSTERS - 2 :]).min() > 1e-4  # the vectors are unique
        embedding = (root @ vectors)[:, ::-1][:, 1 : CLUSTERS + 1]
        # XᵀX + 0.001 I is the Gram matrix of X with d more rows √0.001 I, where y is 0
        design = np.vstack([X, np.sqrt(1e-3) * np.eye(X.shape[1])])
        coef = np.empty((X.shape[1], CLUSTERS))
        for i, y in enumerate(embedding.T):
            target = np.r_[y, np.zeros(X.shape[1])]
            path = lars_path(design, target, method="lasso")[2]
            reached = [point for point in path.T if np.count_nonzero(point) == count]
            coef[:, i] = reached[-1]
        scores = [max(abs(row / np.linalg.norm(coef, axis=0))) for row in coef]
        return values[::-1][1 : CLUSTERS + 1], embedding, coef, scores

    return run


@pytest.mark.parametrize("count", [1, 2, 10, 22, 23, 25])
def test_eigenvectors_coefficients_and_scores_are_literal(with_zeros, literal, close, count):
    """Features leave the path and come back, so 22 and 23 are reached more than once."""
    X, Y = with_zeros
    values, embedding, coef, scores = literal(X, count)
    for features in (X, sp.csr_matrix(X)):
        model = MCFS(CLUSTERS, K, count, **PARAMS).fit(features, Y)
        signs = np.sign(np.sum(model.embedding_ * embedding, axis=0))
        close(model.eigenvalues_, values, 1e-9, "eigenvalues")
        close(model.embedding_ * signs, embedding, 1e-8, "embedding")
        close(model.coef_ * signs, coef, 1e-7, "coef")
        close(model.scores_, scores, 1e-7, "scores")


@pytest.mark.parametrize(("asked", "count"), [(7, 7), (0.4, 10), (None, 12), (22, 22)])
def test_the_paths_end_at_the_number_selected(with_zeros, literal, close, asked, count):
    X, _ = with_zeros
    scores = literal(X, count)[-1]
    model = MCFS(CLUSTERS, K, n_features_to_select=asked, **PARAMS).fit(X)
    close(model.scores_, scores, 1e-7, "scores")
    given = MCFS(CLUSTERS, K, 3, n_features_to_select=asked, **PARAMS).fit(X)
    close(given.scores_, literal(X, 3)[-1], 1e-7, "scores")  # what is given stands


def test_every_size_is_read_at_its_own_point(with_zeros, literal):
    """Also 22 and 23, which a longer path reaches again: they are as if asked for alone."""
    X, Y = with_zeros
    sizes = [23, 4, 10, 22, 25]
    subsets = MCFS(CLUSTERS, K, **PARAMS).subsets(X, Y, sizes)
    for size, columns in zip(sizes, subsets, strict=True):
        expected = np.argsort(-np.array(literal(X, size)[-1]).round(7), kind="stable")[:size]
        assert columns.tolist() == expected.tolist()
        alone = MCFS(CLUSTERS, K, size, **PARAMS).fit(X)
        assert columns.tolist() == alone.ranking_[:size].tolist()
    assert subsets[1].tolist() != subsets[-1][:4].tolist()  # no single ranking has them all
    given = MCFS(CLUSTERS, K, 10, **PARAMS)
    tops = given.subsets(X, None, sizes)
    assert [top.tolist() for top in tops] == [given.ranking_[:size].tolist() for size in sizes]


@pytest.mark.parametrize(("count", "place"), [(1, 2), (2, 4), (3, 4)])
def test_a_longer_path_does_not_move_the_point(count, place):
    """Twice as many steps as features belong to a count: what a longer path does is not seen.

    Of the points that are left, it is the last with that many features, or else with the most.
    """
    path = np.array([[0, 1, 2, 3, 4, 5, 6, 7], [0, 0, 0, 0, 2, 0, 0, 1]], dtype=float)
    both = _points([path, path[::-1]], count)
    assert both.T.tolist() == [path[:, place].tolist(), path[::-1, place].tolist()]
