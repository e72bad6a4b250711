"""Accelerated proximal descent, for learners whose penalty is not smooth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..types import Array

_GROWTH = 2.0  # factor on the curvature after a step that was too long
_DIVERGED = 1e6  # an objective so far below zero, relative to its start, has no minimum


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

    A plain proximal step after backtracking cannot raise the objective, even if it is not convex.
    So the returned values never rise.

    Parameters
    ----------
    smooth : callable
        Value and gradient of the smooth part.
    proximal : callable
        ``proximal(point, step)``, the proximal map of ``step · penalty``.
    penalty : callable
        Value of the part that is not smooth.
    start : ndarray
        Where the iteration starts.
    curvature : float or ndarray
        First guess of the Lipschitz constant of the gradient; an array that broadcasts over
        the variables has one guess for each block.
    max_iter : int
        Largest number of iterations.
    tol : float
        Stop when the objective changes by less than this share of itself.

    Returns
    -------
    W : ndarray
        The minimiser.
    objective : list of float
        The value at the start and after every iteration.
    stopped : str
        "tolerance", "max_iter", or "unbounded" when the objective falls to -∞.
    """
    W = point = start
    objective = [smooth(W)[0] + penalty(W)]
    momentum = 1.0
    for _ in range(max_iter):
        new, value, curvature = _step(smooth, proximal, penalty, point, curvature)
        if value > objective[-1] and point is not W:
            momentum = 1.0
            new, value, curvature = _step(smooth, proximal, penalty, W, curvature)
        if value > objective[-1]:  # only rounding errors are left
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
    """Take a proximal step from `point`, so short that the quadratic model bounds the value."""
    value, gradient = smooth(point)
    while True:
        new = proximal(point - gradient / curvature, 1.0 / curvature)
        move = new - point
        bound = value + float(np.vdot(gradient, move)) + 0.5 * float(np.sum(curvature * move**2))
        reached = smooth(new)[0]
        if reached <= bound + 1e-12 * abs(value):
            return new, reached + penalty(new), curvature
        curvature = curvature * _GROWTH


def soft_threshold(A: Array, by: Array | float) -> Array:
    """Shrink every entry towards zero by `by`: the proximal map of the l1 norm."""
    return np.sign(A) * np.maximum(np.abs(A) - by, 0.0)
