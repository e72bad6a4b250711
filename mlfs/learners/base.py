"""What several learners share: codings of X and Y, LLE weights, kernels, proximal descent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh, solve

from ..labels import observed
from ..linalg import nearest_neighbors, squared_distances
from ..types import Array, Matrix

_CHUNK_BYTES = 64_000_000  # of the neighbour differences held at once
_GROWTH = 2.0  # of the step's curvature when a step went too far
_DIVERGED = 1e6  # an objective this many times below zero has no minimum


def signed(Y: Array) -> tuple[Array, Array]:
    """Labels as +1, -1 and 0 where unobserved, and the mask of the observed as 1.0 and 0.0."""
    R = observed(Y).astype(float)
    return np.where(R > 0, 2.0 * np.nan_to_num(Y) - 1.0, 0.0), R


def with_ones(X: Matrix, wanted: bool = True) -> Matrix:
    """X with a last column of ones where wanted, so that its weights act as the intercept."""
    if not wanted:
        return X
    ones = np.ones((X.shape[0], 1))
    return sp.hstack([X, ones]).tocsr() if sp.issparse(X) else np.hstack([X, ones])


def gram(X: Matrix) -> Array:
    """XᵀX as a dense array."""
    G = X.T @ X
    return np.asarray(G.todense()) if sp.issparse(G) else np.asarray(G)


def ridge_solution(X: Matrix, Y: Array, ridge: float) -> Array:
    """(XᵀX + ridge·I)⁻¹XᵀY."""
    G = gram(X)
    G.flat[:: len(G) + 1] += ridge
    return np.asarray(solve(G, X.T @ Y, assume_a="pos"))


def unit_rows(X: Array) -> Array:
    """Scale every row of X to length one; an all-zero row stays as it is."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms > 0, norms, 1.0)


def gaussian_kernel(A: Matrix, B: Matrix, width: float) -> Array:
    """Kernel exp(-‖a - b‖² / 2 width²) between the rows of A and of B."""
    K = squared_distances(A, B)
    K *= -0.5 / width**2
    return np.exp(K, out=K)


def lle_weights(X: Matrix, n_neighbors: int) -> sp.csr_matrix:
    """Weights that rebuild each row best from its nearest ones; every row of them sums to 1.

    A singular local Gram matrix G (more neighbours than features, or duplicates) gets
    1e-3 · trace(G) on its diagonal, as in locally linear embedding.
    """
    n, k = X.shape[0], min(n_neighbors, X.shape[0] - 1)
    indices, _ = nearest_neighbors(X, k)
    weights = np.empty((n, k))
    step = max(1, _CHUNK_BYTES // (8 * k * X.shape[1]))
    for start in range(0, n, step):
        near = indices[start : start + step]
        rows, around = X[start : start + step], X[near.ravel()]
        if sp.issparse(X):
            rows, around = rows.toarray(), around.toarray()
        gap = rows[:, None, :] - around.reshape(len(near), k, -1)
        G = gap @ gap.transpose(0, 2, 1)
        trace = np.trace(G, axis1=1, axis2=2)
        singular = np.linalg.eigvalsh(G)[:, 0] <= 1e-10 * trace
        # where every neighbour is a duplicate, any weights do: the ridge makes them equal
        ridge = np.where(singular, np.where(trace > 0, 1e-3 * trace, 1.0), 0.0)
        G += ridge[:, None, None] * np.eye(k)
        solution = np.linalg.solve(G, np.ones((len(near), k, 1)))[:, :, 0]
        weights[start : start + step] = solution / solution.sum(axis=1, keepdims=True)
    rows = np.repeat(np.arange(n), k)
    return sp.csr_matrix((weights.ravel(), (rows, indices.ravel())), shape=(n, n))


def masked_grams(R: Array, A: Array) -> Array:
    """Σ_j R_ij a_j a_jᵀ for every row i of R, as one GEMM; shape (n, k, k)."""
    k = A.shape[1]
    products = (A[:, :, None] * A[:, None, :]).reshape(len(A), k * k)
    return (R @ products).reshape(len(R), k, k)


def solve_rows(G: Array, B: Array) -> Array:
    """Solve G_i z_i = b_i for every row i."""
    return np.linalg.solve(G, B[:, :, None])[:, :, 0]


def apply_rows(G: Array, B: Array) -> Array:
    """G_i b_i for every row i."""
    return (G @ B[:, :, None])[:, :, 0]


def unit_factor(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Draw a factor Z with rows of length one, so that diag(ZZᵀ) = 1."""
    return unit_rows(rng.standard_normal(shape))


def descend_unit_rows(M: Array, Z: Array) -> Array:
    """One gradient step on ½ tr(ZᵀMZ), M ⪰ 0, then rows back to length one; never uphill.

    The step starts at the inverse curvature and is halved until the trace does not rise.
    """
    last = len(M) - 1
    top = float(eigh(M, eigvals_only=True, subset_by_index=[last, last])[0])
    if top <= 0:
        return Z
    gradient = M @ Z
    before, step = float(np.vdot(Z, gradient)), 1.0 / top
    for _ in range(30):
        moved = unit_rows(Z - step * gradient)
        if float(np.vdot(moved, M @ moved)) <= before:
            return moved
        step /= 2
    return Z


def soft_threshold(A: Array, by: Array | float) -> Array:
    """Shrink every entry towards zero by `by`: the proximal map of the l1 norm."""
    return np.sign(A) * np.maximum(np.abs(A) - by, 0.0)


def label_distance(Y: Array) -> Array:
    """R = 1 - cosine similarity between label columns; a label without positives is far from all.

    The diagonal is zero for every label.
    """
    unit = unit_rows(Y.T)
    R = 1.0 - unit @ unit.T
    np.fill_diagonal(R, 0.0)
    return R


def accelerated_proximal(
    smooth: Callable[[Array], tuple[float, Array]],
    proximal: Callable[[Array, Array | float], Array],
    penalty: Callable[[Array], float],
    start: Array,
    curvature: Array | float,
    *,
    max_iter: int,
    tol: float,
) -> tuple[Array, list[float], str]:
    """Minimise smooth(W) + penalty(W) by FISTA with backtracking, restarted when it would rise.

    A plain proximal step after backtracking cannot raise the objective, convex or not, so the
    values returned never rise.

    Parameters
    ----------
    smooth : callable
        Value and gradient of the smooth part.
    proximal : callable
        ``proximal(point, step)``, the proximal map of ``step · penalty``.
    penalty : callable
        Value of the rest.
    start : ndarray
    curvature : float or ndarray
        First guess of the Lipschitz constant of the gradient; an array that broadcasts over
        the variables gives blocks their own.
    max_iter : int
    tol : float
        Stop when the objective changes by less than this, relatively.

    Returns
    -------
    W : ndarray
    objective : list of float
        The value at the start and after every iteration.
    stopped : str
        "tolerance", "max_iter", or "unbounded" when the objective runs off to -∞.
    """
    W = point = start
    objective = [smooth(W)[0] + penalty(W)]
    momentum = 1.0
    for _ in range(max_iter):
        new, value, curvature = _step(smooth, proximal, penalty, point, curvature)
        if value > objective[-1] and point is not W:
            momentum = 1.0
            new, value, curvature = _step(smooth, proximal, penalty, W, curvature)
        if value > objective[-1]:  # rounding is all that is left
            return W, objective, "tolerance"
        following = (1.0 + np.sqrt(4.0 * momentum**2 + 1.0)) / 2.0
        point = new + (momentum - 1.0) / following * (new - W)
        W, momentum = new, following
        objective.append(value)
        if value < -_DIVERGED * (1.0 + abs(objective[0])):
            return W, objective, "unbounded"
        if objective[-2] - value <= tol * abs(objective[-2]):
            return W, objective, "tolerance"
    return W, objective, "max_iter"


def _step(
    smooth: Callable[[Array], tuple[float, Array]],
    proximal: Callable[[Array, Array | float], Array],
    penalty: Callable[[Array], float],
    point: Array,
    curvature: Array | float,
) -> tuple[Array, float, Array | float]:
    """One proximal step from `point`, short enough that the quadratic model bounds the value."""
    value, gradient = smooth(point)
    while True:
        new = proximal(point - gradient / curvature, 1.0 / curvature)
        move = new - point
        bound = value + float(np.vdot(gradient, move)) + 0.5 * float(np.sum(curvature * move**2))
        reached = smooth(new)[0]
        if reached <= bound + 1e-12 * abs(value):
            return new, reached + penalty(new), curvature
        curvature = curvature * _GROWTH
