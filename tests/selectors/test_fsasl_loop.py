"""FSASL as a whole against its steps made one instance at a time with dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import brentq
from sklearn.linear_model import Lasso

from mlfs.selectors import FSASL

K, CLUSTERS, RATIO, LAM1, LAM2, LAM3 = 4, 3, 0.05, 0.7, 1.5, 0.3
PARAMS = {
    "lam1": LAM1,
    "lam2": LAM2,
    "lam3": LAM3,
    "ratio": RATIO,
    "n_clusters": CLUSTERS,
    "n_neighbors": K,
    "random_state": 0,
}
EPS = np.finfo(float).eps
SLICE = 40, 20  # rows and columns of emotions


def squared(Z):
    return np.array([[np.sum((a - b) ** 2) for b in Z] for a in Z])


def global_part(Z):
    """(I − S)(I − S)ᵀ: column i of S is the lasso of z_i on the others, as a share of λ_max."""
    n, c = Z.shape
    S = np.zeros((n, n))
    for i in range(n):
        others = [j for j in range(n) if j != i]
        largest = max(abs(Z[j] @ Z[i]) for j in others)
        lasso = Lasso(alpha=RATIO * largest / c, fit_intercept=False, tol=1e-14, max_iter=10**6)
        S[others, i] = lasso.fit(Z[others].T, Z[i]).coef_
    return (np.eye(n) - S) @ (np.eye(n) - S).T


def adaptive(Z, near, mu):
    """Row i: −‖z_i − z_j‖²/2μ over the neighbours j, projected on the simplex by its threshold."""
    A, far = np.zeros((len(Z), len(Z))), squared(Z)
    for i, row in enumerate(near):
        v = -far[i, row] / (2 * mu)
        level = brentq(lambda t: np.maximum(v - t, 0).sum() - 1, v.max() - 1, v.max(), xtol=1e-15)  # noqa: B023
        A[i, row] = np.maximum(v - level, 0)
    return A


def regression(X, F):
    """Ten reweighted steps of (XᵀX + λ₃D)W = XᵀF from D = I."""
    D = np.eye(X.shape[1])
    for _ in range(10):
        W = np.linalg.solve(X.T @ X + LAM3 * D, X.T @ F)
        D = np.diag([1 / (2 * np.sqrt(w @ w + EPS)) for w in W])
    return W


@pytest.fixture(scope="module")
def literal(nearest_rows, heat_weights):
    def run(X, turns):
        far = np.sort(squared(X), axis=1)[:, 1:]  # without the instance itself
        mu = np.mean([0.5 * (K * row[K] - row[:K].sum()) for row in far])
        Z = X
        for turn in range(turns):
            L = np.zeros((len(X), len(X)))
            if turn > 0 or turns < 5:
                L += LAM1 * global_part(Z)
            A = heat_weights(X, K) if turn == 0 else adaptive(Z, nearest_rows(Z, K), mu)
            A = (A + A.T) / 2
            L += LAM2 * (np.diag(A.sum(axis=1)) - A)
            values, vectors = np.linalg.eigh(L)
            assert np.diff(values[: CLUSTERS + 1]).min() > 1e-6  # the eigenvectors are unique
            W = regression(X, vectors[:, :CLUSTERS])
            Z = X @ W
        return L, values[:CLUSTERS], vectors[:, :CLUSTERS], W

    return run


def compare(close, model, expected):
    L, values, vectors, W = expected
    close(model.laplacian_, L, 1e-8, "L")
    close(model.eigenvalues_, values, 1e-8, "eigenvalues")
    signs = np.sign(np.sum(model.embedding_ * vectors, axis=0))
    close(model.embedding_ * signs, vectors, 1e-7, "embedding")
    close(model.W_ * signs, W, 1e-7, "W")
    close(model.scores_, (W**2).sum(axis=1), 1e-7, "scores")


@pytest.mark.parametrize("turns", [1, 2, 4, 5, 10])
@pytest.mark.parametrize("columns", [20, 60], ids=["n > d", "n < d"])
def test_every_iteration_is_literal(load_slice, literal, close, columns, turns):
    """With fewer than 5 iterations the first one has a global part, on X itself."""
    X, Y = load_slice("emotions", 40, columns)
    compare(close, FSASL(**PARAMS, max_iter=turns).fit(X, Y), literal(X, turns))


def test_a_draw_of_sparse_features_is_literal(emotions, literal, close):
    X, Y = emotions
    X = np.where(X > -0.5, X, 0.0)
    rows = np.sort(np.random.RandomState(0).choice(40, 32, replace=False))
    model = FSASL(**PARAMS, max_iter=3, max_samples=32).fit(sp.csr_matrix(X), Y)
    compare(close, model, literal(X[rows], 3))
