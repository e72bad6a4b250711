"""Matrix kernels that several methods share: norms, distances, Gram matrices, linear solves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve, solve
from sklearn.utils.extmath import safe_sparse_dot
from threadpoolctl import threadpool_info

from ..types import Array, Matrix

_BLOCK_BYTES = 16_000_000  # size of a block of distances or small systems that fits the cache
_DIRECT_COLUMNS = 64  # up to this c, c x c systems are built; for more, CG needs fewer operations


def blas_threads() -> int:
    """Return how many threads BLAS may use here: one in a worker of a run, else one per core."""
    return max(
        (pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1
    )


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Divide the rows of a table of floats into slices that fit the cache."""
    step = max(1, _BLOCK_BYTES // (8 * columns))
    for start in range(0, rows, step):
        yield slice(start, start + step)


def dense(A: Matrix) -> Array:
    """Return A, which may be sparse, as a dense array."""
    return np.asarray(A.toarray() if sp.issparse(A) else A)


def add_to_diagonal(A: Array, values: Array | float) -> Array:
    """Add values to the diagonal of A, or of each matrix in a stack A, in place; return A."""
    diagonal = np.einsum("...ii->...i", A)  # a view that can be written to
    diagonal += values
    return A


def squared_norms(X: Matrix) -> Array:
    """Compute the squared Euclidean norm of every row."""
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def row_norms(A: Array, eps: float = np.finfo(float).eps) -> Array:
    """Compute the norm of every row, with `eps` inside the root so that 1 / norm stays finite."""
    return np.sqrt(squared_norms(A) + eps)


def unit_rows(X: Array) -> Array:
    """Scale every row of X to length one; an all-zero row stays as it is."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms > 0, norms, 1.0)


def cosines(A: Array) -> Array:
    """Compute cosine similarities between the columns of A; they are 0 for a column of zeros."""
    unit = unit_rows(A.T)
    return unit @ unit.T


def squared_distances(A: Matrix, B: Matrix) -> Array:
    """Compute squared Euclidean distances between the rows of A and of B, by one matrix product."""
    distances = products(A, B)
    distances *= -2.0
    distances += squared_norms(A)[:, None]
    distances += squared_norms(B)[None, :]
    return np.maximum(distances, 0.0, out=distances)


def by_column(X: Matrix) -> sp.csc_matrix:
    """Return a copy of X, sparse, that holds each entry once, one column after another."""
    copy = sp.csc_matrix(X, dtype=float, copy=True)
    copy.sum_duplicates()
    return copy


def summed_squares(A: sp.csc_matrix, B: sp.csc_matrix) -> Array:
    """Compute squared distances of rows of A and B, adding the columns one by one, in their order.

    The results are those of a plain loop, to the last bit: a term of two zeros would add 0, so it
    is left out. In text data most terms are of this kind. The arguments come from `by_column`.
    """
    total = np.zeros((A.shape[0], B.shape[0]))
    for j in range(A.shape[1]):
        rows, a = _entries(A, j)
        columns, b = _entries(B, j)
        whole = np.zeros(B.shape[0])
        whole[columns] = b
        added = total[rows] + (a[:, None] - whole) ** 2
        if 4 * len(columns) < B.shape[0]:
            total[:, columns] += b * b
        else:
            total += whole * whole
        total[rows] = added
    return total


def _entries(A: sp.csc_matrix, j: int) -> tuple[Array, Array]:
    """Return the row numbers and values of the entries of column j."""
    entries = slice(A.indptr[j], A.indptr[j + 1])
    return A.indices[entries], A.data[entries]


def products(A: Matrix, B: Matrix) -> Array:
    """Compute A Bᵀ as a dense array of floats."""
    if not (sp.issparse(A) and sp.issparse(B)):
        return np.asarray(A @ B.T, dtype=float)
    A, B = A.tocsr().astype(float, copy=False), B.tocsr().astype(float, copy=False)
    # in text data a few columns have most of the entries: for these a dense product is faster
    common = np.bincount(B.indices, minlength=B.shape[1]) > 0.1 * B.shape[0]
    dense = A[:, common].toarray() @ B[:, common].toarray().T
    dense += safe_sparse_dot(A[:, ~common], B[:, ~common].T.tocsr(), dense_output=True)
    return dense


def mean_distance(X: Matrix) -> float:
    """Compute the mean Euclidean distance over all ordered pairs of rows, zeros included."""
    n = X.shape[0]
    total = sum(float(np.sqrt(squared_distances(X[rows], X)).sum()) for rows in blocks(n, n))
    return total / n**2


def rbf_kernel(A: Matrix, B: Matrix, gamma: float) -> Array:
    """Compute the kernel exp(-gamma ‖a - b‖²) between the rows of A and of B."""
    K = squared_distances(A, B)
    K *= -gamma
    return np.exp(K, out=K)


def with_ones(X: Matrix, wanted: bool = True) -> Matrix:
    """Append a column of ones to X if `wanted`; the weights of this column are the intercept."""
    if not wanted:
        return X
    ones = np.ones((X.shape[0], 1))
    return sp.hstack([X, ones]).tocsr() if sp.issparse(X) else np.hstack([X, ones])


def gram(X: Matrix) -> Array:
    """Compute XᵀX as a dense array."""
    return dense(X.T @ X)


def weighted_gram(X: Matrix, weight: Array) -> Array:
    """Compute Xᵀ diag(weight) X as a dense matrix; this is fast for a sparse X."""
    if sp.issparse(X):
        return dense(X.T @ X.multiply(weight[:, None]).tocsr())
    return np.asarray((X.T * weight) @ X)


def ridge_solution(X: Matrix, Y: Array, ridge: float) -> Array:
    """Compute (XᵀX + ridge·I)⁻¹XᵀY."""
    return np.asarray(solve(add_to_diagonal(gram(X), ridge), X.T @ Y, assume_a="pos"))


def factor_spd(A: Array) -> Callable[[Array], Array]:
    """Factor a symmetric positive definite matrix A; return a function that solves A Z = rhs.

    The matrix is first scaled to a diagonal of ones, because reweighting can put 1e8 beside 1 on
    it. After the scaling, a ridge as small as a rounding error is enough: it keeps a nearly
    singular matrix definite and does not change the result.
    """
    level = 1 / np.sqrt(np.diagonal(A))
    levelled = A * level * level[:, None]
    add_to_diagonal(levelled, len(A) * np.finfo(float).eps)
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


def row_grams(weight: Array, F: Array) -> Array:
    """Compute Σ_j weight_ij f_j f_jᵀ for every row i, by one matrix product; shape (n, c, c)."""
    c = F.shape[1]
    left, right = np.triu_indices(c)
    place = np.empty((c, c), dtype=np.intp)  # where (a, b) and (b, a) are in the computed half
    place[left, right] = place[right, left] = np.arange(len(left))
    return (weight @ (F[:, left] * F[:, right])).take(place, axis=1)


def solve_rows(G: Array, B: Array) -> Array:
    """Solve G_i z_i = b_i for every row i."""
    return np.linalg.solve(G, B[:, :, None])[:, :, 0]


def apply_rows(G: Array, B: Array) -> Array:
    """Compute G_i b_i for every row i."""
    return (G @ B[:, :, None])[:, :, 0]


def weighted_ridge(weight: Array, F: Array, rhs: Array, lam: float, start: Array) -> Array:
    """Solve (Σ_j weight_ij f_j f_jᵀ + lam I) z_i = rhs_i for all rows i at once.

    Parameters
    ----------
    weight : array of shape (n, l)
        Weights that are not negative.
    F : array of shape (l, c)
        The vectors f_j.
    rhs : array of shape (n, c)
        The right-hand sides.
    lam : float
        The ridge.
    start : array of shape (n, c)
        Where conjugate gradients start when c is large.

    Returns
    -------
    ndarray of shape (n, c)
        The solutions z_i.
    """
    if F.shape[1] <= _DIRECT_COLUMNS:
        return _ridge_direct(weight, F, rhs, lam)
    return _ridge_cg(weight, F, rhs, lam, start)


def _ridge_direct(weight: Array, F: Array, rhs: Array, lam: float) -> Array:
    Z = np.empty_like(rhs)
    for rows in blocks(len(rhs), F.shape[1] ** 2):
        Z[rows] = solve_rows(add_to_diagonal(row_grams(weight[rows], F), lam), rhs[rows])
    return Z


def _ridge_cg(weight: Array, F: Array, rhs: Array, lam: float, start: Array) -> Array:
    # preconditioner: with weights of rank one, all systems share their eigenvectors
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
