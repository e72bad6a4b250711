"""The few numerical kernels that several methods share: neighbours, graphs, row norms, CG."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils.extmath import safe_sparse_dot
from threadpoolctl import threadpool_info

from .types import Array, Matrix

_BLOCK_BYTES = 16_000_000  # of a block of distances or small systems: it stays in the cache
_DIRECT_COLUMNS = 64  # up to here c x c systems are built; beyond, CG takes fewer operations


def blas_threads() -> int:
    """How many threads BLAS may use here: one in a worker of a run, by default one a core."""
    return max(
        (pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1
    )


def squared_norms(X: Matrix) -> Array:
    """Squared Euclidean norm of every row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def row_norms(A: Array, eps: float = np.finfo(float).eps) -> Array:
    """Euclidean norm of every row, with `eps` inside the root so that 1 / norm stays finite."""
    return np.sqrt(squared_norms(A) + eps)


def squared_distances(A: Matrix, B: Matrix) -> Array:
    """Squared Euclidean distances between the rows of A and of B, as one GEMM."""
    distances = _products(A, B)
    distances *= -2.0
    distances += squared_norms(A)[:, None]
    distances += squared_norms(B)[None, :]
    return np.maximum(distances, 0.0, out=distances)


def _products(A: Matrix, B: Matrix) -> Array:
    """A Bᵀ as a dense array of floats."""
    if not (sp.issparse(A) and sp.issparse(B)):
        return np.asarray(A @ B.T, dtype=float)
    A, B = A.tocsr().astype(float, copy=False), B.tocsr().astype(float, copy=False)
    # few columns of text data hold most of its entries: there a GEMM beats the sparse product
    common = np.bincount(B.indices, minlength=B.shape[1]) > 0.1 * B.shape[0]
    dense = A[:, common].toarray() @ B[:, common].toarray().T
    dense += safe_sparse_dot(A[:, ~common], B[:, ~common].T.tocsr(), dense_output=True)
    return dense


def nearest_neighbors(X: Matrix, k: int, queries: Matrix | None = None) -> tuple[Array, Array]:
    """Find the k nearest rows of X, exactly, ties going to the lowest index.

    Squared distances are rounded to 9 decimals, so that rows equally far compare equal
    although a GEMM adds them up in another order.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    k : int
        Number of neighbours, less than n when `queries` is None, at most n otherwise.
    queries : array or sparse matrix of shape (m, d), optional
        Where to look from. By default every row of X, itself excluded.

    Returns
    -------
    indices, squared : ndarrays of shape (m, k)
        Neighbours from near to far, and their squared distances.
    """
    own = queries is None
    Q = X if queries is None else queries
    n = X.shape[0]
    if not 0 < k <= n - own:
        raise ValueError(f"k = {k} neighbours of {n} instances: k must lie in 1..{n - own}")
    indices = np.empty((Q.shape[0], k), dtype=np.intp)
    squared = np.empty((Q.shape[0], k))
    step = max(1, _BLOCK_BYTES // (8 * n))
    for start in range(0, Q.shape[0], step):
        rows = slice(start, start + step)
        block = squared_distances(Q[rows], X)
        if own:
            inside = np.arange(len(block))
            block[inside, start + inside] = np.inf
        indices[rows], squared[rows] = _smallest(block, k)
    return indices, squared


def _smallest(block: Array, k: int) -> tuple[Array, Array]:
    """Columns and values of the k smallest entries of each row, in (rounded value, column) order.

    The k-th smallest of the minima of any k or more groups of columns is no smaller than the
    k-th smallest entry, so it takes one cheap pass to leave out nearly all entries.
    """
    m, n = block.shape
    size = max(1, min(16, n // (4 * k)))
    groups = n // size
    minima = block[:, : size * groups].reshape(m, size, groups).min(axis=1)
    bound = np.partition(minima, k - 1, axis=1)[:, k - 1]
    bound += 2e-9 + 1e-15 * bound  # rounding may make equal what lies a little above
    row, column = np.divmod(np.flatnonzero(block <= bound[:, None]), n)
    value = np.round(block[row, column], 9)
    order = np.lexsort((value, row))  # stable: equal values stay in the order of their columns
    picked = order[np.searchsorted(row, np.arange(m))[:, None] + np.arange(k)]
    return column[picked], value[picked]


def mean_distance(X: Matrix) -> float:
    """Mean Euclidean distance over all ordered pairs of rows, the zero diagonal included."""
    n = X.shape[0]
    step = max(1, _BLOCK_BYTES // (8 * n))
    total = sum(
        float(np.sqrt(squared_distances(X[i : i + step], X)).sum()) for i in range(0, n, step)
    )
    return total / n**2


def heat_graph(X: Matrix, k: int = 5, width: float | None = None) -> sp.csr_matrix:
    """Build the kNN graph with weights exp(-‖x - y‖² / 2t²), symmetrised by the larger weight.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    k : int, default=5
    width : float, optional
        t; by default the mean pairwise distance, since t = 1 underflows on unscaled data.
    """
    indices, squared = nearest_neighbors(X, k)
    t = mean_distance(X) if width is None else width
    weights = np.exp(-squared / (2 * t * t)) if t > 0 else np.ones_like(squared)
    n = X.shape[0]
    rows = np.repeat(np.arange(n), k)
    S = sp.csr_matrix((weights.ravel(), (rows, indices.ravel())), shape=(n, n))
    return S.maximum(S.T).tocsr()


def laplacian(S: Matrix) -> sp.csr_matrix:
    """Unnormalised Laplacian L = D - S of a symmetric graph."""
    S = sp.csr_matrix(S)
    return (sp.diags(np.asarray(S.sum(axis=1)).ravel()) - S).tocsr()


def weighted_gram(X: Matrix, weight: Array) -> Array:
    """Xᵀ diag(weight) X as a dense matrix; a sparse X makes it cheap."""
    if sp.issparse(X):
        return np.asarray((X.T @ X.multiply(weight[:, None]).tocsr()).toarray())
    return np.asarray((X.T * weight) @ X)


def factor_spd(A: Array) -> Callable[[Array], Array]:
    """Factor a symmetric positive definite matrix, and return what solves A Z = rhs for Z.

    The diagonal is levelled to 1 first: reweighting puts 1e8 beside 1 on it, and only then does
    a ridge of rounding size keep a barely definite matrix definite without being felt.
    """
    level = 1 / np.sqrt(np.diagonal(A))
    levelled = A * level * level[:, None]
    levelled.flat[:: len(A) + 1] += len(A) * np.finfo(float).eps
    factor = cho_factor(levelled, lower=True, overwrite_a=True, check_finite=False)

    def solve(rhs: Array) -> Array:
        Z = cho_solve(factor, level[:, None] * rhs, check_finite=False)
        return np.asarray(level[:, None] * Z)

    return solve


def conjugate_gradient(
    apply: Callable[[Array], Array],
    rhs: Array,
    start: Array,
    *,
    max_iter: int,
    tol: float = 1e-10,
    precondition: Callable[[Array], Array] = lambda R: R,
) -> Array:
    """Solve A(Z) = rhs for a symmetric positive definite operator on arrays of any shape.

    Every step lowers the quadratic ½⟨Z, A(Z)⟩ - ⟨Z, rhs⟩, so stopping early is safe.
    """
    Z = start.copy()
    R = rhs - apply(Z)
    P = S = precondition(R)
    rho = float(np.vdot(R, S))
    goal = tol**2 * max(float(np.vdot(rhs, precondition(rhs))), np.finfo(float).tiny)
    for _ in range(max_iter):
        if rho <= goal:
            break
        AP = apply(P)
        step = rho / float(np.vdot(P, AP))
        Z += step * P
        R = R - step * AP
        S = precondition(R)
        rho, previous = float(np.vdot(R, S)), rho
        P = S + (rho / previous) * P
    return Z


def weighted_ridge(weight: Array, F: Array, rhs: Array, lam: float, start: Array) -> Array:
    """Solve (Σ_j weight_ij f_j f_jᵀ + lam I) z_i = rhs_i for every row i, all of them at once.

    Parameters
    ----------
    weight : array of shape (n, l), not negative
    F : array of shape (l, c)
    rhs, start : arrays of shape (n, c)
        `start` is where conjugate gradients set out from when c is large.
    lam : float
    """
    if F.shape[1] <= _DIRECT_COLUMNS:
        return _ridge_direct(weight, F, rhs, lam)
    return _ridge_cg(weight, F, rhs, lam, start)


def _ridge_direct(weight: Array, F: Array, rhs: Array, lam: float) -> Array:
    n, c = rhs.shape
    left, right = np.triu_indices(c)
    products = F[:, left] * F[:, right]  # half of F ⊗ F: all systems are then one GEMM
    Z = np.empty_like(rhs)
    step = max(1, _BLOCK_BYTES // (8 * c * c))
    for i in range(0, n, step):
        half = weight[i : i + step] @ products
        systems = np.empty((len(half), c, c))
        systems[:, left, right] = half
        systems[:, right, left] = half
        systems[:, range(c), range(c)] += lam
        Z[i : i + step] = np.linalg.solve(systems, rhs[i : i + step, :, None])[:, :, 0]
    return Z


def _ridge_cg(weight: Array, F: Array, rhs: Array, lam: float, start: Array) -> Array:
    # preconditioned by the rank-one fit of the weights, whose systems share their eigenvectors
    row, column = weight.mean(axis=1, keepdims=True), weight.mean(axis=0)
    share = column / max(column.mean(), np.finfo(float).tiny)
    values, Q = np.linalg.eigh((F.T * share) @ F)
    scale = row * np.maximum(values, 0) + lam
    return conjugate_gradient(
        lambda Z: (weight * (Z @ F.T)) @ F + lam * Z,
        rhs,
        start,
        max_iter=200,
        precondition=lambda R: ((R @ Q) / scale) @ Q.T,
    )
