"""SFUS as a whole against its iteration with a dense eigenproblem and dense inverses."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh

from mlfs.selectors import SFUS

EPS = np.finfo(float).eps
ALPHA, BETA, RANK = 0.6, 3.0, 2  # by position
PARAMS = {"tol": 0}


def literal(X, Y, turns):
    """METHODS A3 from D_a = D_b = I, with Q orthonormal."""
    n, d = X.shape
    Da, Db, values = np.eye(n), np.eye(d), []
    for _ in range(turns):
        M = X.T @ Da @ X + ALPHA * Db + BETA * np.eye(d)
        inverse = np.linalg.inv(M)
        C = np.eye(d) - BETA * inverse
        T = inverse @ X.T @ Da @ Y @ Y.T @ Da @ X @ inverse
        vectors = eigh((T + T.T) / 2, (C + C.T) / 2)[1]  # of C⁻¹T, ascending
        Q = np.linalg.qr(vectors[:, -RANK:])[0]
        W = np.linalg.inv(M - BETA * Q @ Q.T) @ X.T @ Da @ Y
        errors = np.array([np.sqrt(e @ e + EPS) for e in X @ W - Y])
        sizes = np.array([np.sqrt(w @ w + EPS) for w in W])
        Da, Db = np.diag(1 / (2 * errors)), np.diag(1 / (2 * sizes))
        outside = np.sum((W - Q @ Q.T @ W) ** 2)
        values.append(errors.sum() + ALPHA * sizes.sum() + BETA * outside)
    return W, Q, sizes, values


@pytest.mark.parametrize("turns", [1, 2, 10])
def test_every_iteration_is_literal(emotions, close, turns):
    X, Y = emotions
    W, Q, sizes, values = literal(X, Y, turns)
    for features in (X, sp.csr_matrix(X)):
        model = SFUS(ALPHA, BETA, RANK, max_iter=turns, **PARAMS).fit(features, Y)
        close(model.W_, W, 1e-8, "W")
        close(model.Q_ @ model.Q_.T, Q @ Q.T, 1e-8, "projection on Q")
        close(model.scores_, sizes, 1e-8, "scores")
        close(model.objective_, values, 1e-9, "objective")
