"""MCFS as a whole against a dense eigenproblem and the lasso path on X with a ridge as rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import lars_path

from mlfs.selectors import MCFS

CLUSTERS, K = 3, 4  # by position, as is the number of features on a path
PARAMS = {"random_state": 0}


@pytest.fixture(scope="module")
def emotions(load_slice):
    X, Y = load_slice("emotions", 60, 25)
    return np.where(X > -0.5, X, 0.0), Y


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
def test_the_whole_is_literal(emotions, literal, close, count):
    """Features leave the path and come back, so 22 and 23 are reached more than once."""
    X, Y = emotions
    values, embedding, coef, scores = literal(X, count)
    for features in (X, sp.csr_matrix(X)):
        model = MCFS(CLUSTERS, K, count, **PARAMS).fit(features, Y)
        signs = np.sign(np.sum(model.embedding_ * embedding, axis=0))
        close(model.eigenvalues_, values, 1e-9, "eigenvalues")
        close(model.embedding_ * signs, embedding, 1e-8, "embedding")
        close(model.coef_ * signs, coef, 1e-7, "coef")
        close(model.scores_, scores, 1e-7, "scores")
