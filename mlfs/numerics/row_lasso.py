"""Least squares with a penalty on row norms, by Newton steps on these norms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from ..types import Array
from .linalg import add_to_diagonal, factor_spd

_FIRST = 5  # reweighting steps before the first Newton step: they are cheap and always descend
_SHORTEST = 1 / 8  # a Newton step that must be shorter than this is replaced by reweighting
_MAX_PIVOTS = 20  # changes of the set of sizes that a Newton step sets to 0
_RIDGE = 1e-8  # relative, on the Hessian: equal features share their row in equal parts
_ROUNDING = 1e-14  # relative error of a value


@dataclass(frozen=True)
class _Point:
    """Hold all that depends on the sizes η: M = cI + X diag(η) Xᵀ = LLᵀ, S = M⁻¹Y and B = XᵀS."""

    sizes: Array
    L: Array
    S: Array
    B: Array
    norms: Array  # of the rows of B
    value: float  # tr(YᵀM⁻¹Y) + Ση


def row_lasso(X: Array, Y: Array, c: float, tol: float, max_iter: int) -> tuple[Array, int, bool]:
    """Minimise ½‖Y − XW‖² + c‖W‖₂,₁.

    Since 2‖w‖ is the smallest value of ‖w‖²/η + η, W can be eliminated: the rest is to minimise
    tr(YᵀM⁻¹Y) + Ση over sizes η ≥ 0, where M = cI + X diag(η) Xᵀ. This function is convex and
    smooth, has one variable per feature, and W = diag(η)XᵀM⁻¹Y. With B = XᵀM⁻¹Y its gradient is
    1 − ‖bᵢ‖² and its Hessian 2(BBᵀ) ∘ (XᵀM⁻¹X), so projected Newton steps need few iterations, no
    matter how much features resemble each other. A size of 0 is a row of zeros.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Features, centred if there is an intercept.
    Y : ndarray of shape (n, l)
        Targets, centred likewise.
    c : float
        Weight of the row norms, larger than 0.
    tol : float
        Largest duality gap, relative to ‖Y‖².
    max_iter : int
        Largest number of steps.

    Returns
    -------
    W : ndarray of shape (d, l)
        The weights.
    steps : int
        Number of steps made.
    converged : bool
        Whether the duality gap is small enough.
    """
    total, left = float(np.sum(Y**2)), 0.0
    if len(X) > X.shape[1]:  # the part of Y outside the span of X does not depend on W
        Q, X = np.linalg.qr(X)
        Y = Q.T @ Y
        left = max(total - float(np.sum(Y**2)), 0.0)
    level = np.linalg.norm(Y) / max(float(np.linalg.norm(X)), np.finfo(float).tiny)
    point = _at(np.full(X.shape[1], level), X, Y, c)
    for step in range(max_iter):
        if _gap(point, Y, c, left) <= tol * total:
            return point.sizes[:, None] * point.B, step, True
        new = _newton(point, X, Y, c) if step >= _FIRST else None
        if new is None:
            new = _at(point.sizes * point.norms, X, Y, c)
        point = new
    return point.sizes[:, None] * point.B, max_iter, False


def _at(sizes: Array, X: Array, Y: Array, c: float) -> _Point:
    used = X[:, sizes > 0]
    M = add_to_diagonal((used * sizes[sizes > 0]) @ used.T, c)
    L = cholesky(M, lower=True, overwrite_a=True, check_finite=False)
    S = cho_solve((L, True), Y, check_finite=False)
    B = X.T @ S
    norms = np.linalg.norm(B, axis=1)
    return _Point(sizes, L, S, B, norms, float(np.vdot(Y, S) + sizes.sum()))


def _gap(point: _Point, Y: Array, c: float, left: float) -> float:
    """Compute the duality gap: the residual is cS, and its multiple with ‖xᵢᵀR‖ ≤ c is feasible."""
    squared = c**2 * float(np.sum(point.S**2)) + left
    share = 1 / max(float(point.norms.max()), 1.0)
    primal = squared / 2 + c * float(point.sizes @ point.norms)
    return primal + share**2 * squared / 2 - share * (c * float(np.vdot(point.S, Y)) + left)


def _newton(point: _Point, X: Array, Y: Array, c: float) -> _Point | None:
    """Make a Newton step over η ≥ 0, or return None if it helps only when it is very short."""
    sizes, slope = point.sizes, 1 - point.norms**2
    kept = np.flatnonzero((slope <= 0) | (sizes > 0) & (point.norms > 0))
    V = solve_triangular(point.L, X[:, kept], lower=True, check_finite=False)
    H = 2 * (point.B[kept] @ point.B[kept].T) * (V.T @ V)
    add_to_diagonal(H, _RIDGE * np.diagonal(H))
    direction = -sizes
    direction[kept] = _bounded(H, slope[kept], -sizes[kept])
    length = 1.0
    while length >= _SHORTEST:
        new = _at(np.maximum(sizes + length * direction, 0.0), X, Y, c)
        if new.value <= point.value * (1 + _ROUNDING) + 1e-4 * length * float(slope @ direction):
            return new
        length /= 2
    return None


def _bounded(H: Array, slope: Array, lowest: Array) -> Array:
    """Minimise ½zᵀHz + slopeᵀz over z ≥ lowest, by the bounds that hold with equality."""
    z, free = lowest.copy(), np.ones(len(H), dtype=bool)
    for _ in range(_MAX_PIVOTS):
        z[~free] = lowest[~free]
        if free.any():
            rhs = slope[free] + H[np.ix_(free, ~free)] @ z[~free]
            z[free] = -factor_spd(H[np.ix_(free, free)])(rhs[:, None])[:, 0]
        wrong = np.where(free, z < lowest, H @ z + slope < 0)
        if not wrong.any():
            break
        free ^= wrong
    return np.maximum(z, lowest)
