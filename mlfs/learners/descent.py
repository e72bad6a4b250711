"""Steepest descent on a quadratic, with the line search of Manopt, which GLOCAL's release uses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..types import Array

N_STEPS = 60  # the release's limit
N_HALVINGS = 25  # ours; on emotions 15 do the same, to .001, and 11 end too early
GRADIENT = 1e-5  # stop at a gradient shorter than this,
CHANGE = 1e-5  # or after three changes in a row of the value that are less than this


def steepest_descent(apply: Callable[[Array], Array], rhs: Array, start: Array) -> Array:
    """Lower ½⟨Z, A(Z)⟩ − ⟨Z, rhs⟩ by at most 60 steps along the gradient.

    The first step tried has length one. A step is halved until the value falls by at least half of
    what the slope promises. The next step tried is the last one if it was halved once, else twice
    the last one.

    Along a line the value is a parabola whose curvature one product with A tells, and the product
    also moves the gradient to the new point. So no step needs a second product, however often it is
    halved.

    Parameters
    ----------
    apply : callable
        A symmetric positive semidefinite operator A.
    rhs : ndarray
        The linear term.
    start : ndarray
        Where to start.

    Returns
    -------
    ndarray
        The last point.
    """
    Z, gradient, small = start, apply(start) - rhs, 0
    squared = float(np.vdot(gradient, gradient))
    step = 1.0 / np.sqrt(squared) if squared > 0 else 0.0
    for _ in range(N_STEPS):
        if squared < GRADIENT**2:
            break
        moved = apply(gradient)
        curvature = float(np.vdot(gradient, moved))
        halvings = 0
        # half of the promised fall: step · squared − ½ step² curvature ≥ ½ step · squared
        while step * curvature > squared and halvings < N_HALVINGS:
            step, halvings = step / 2, halvings + 1
        fall = step * (squared - 0.5 * step * curvature)
        if fall < 0:
            break
        Z = Z - step * gradient
        gradient = gradient - step * moved
        squared = float(np.vdot(gradient, gradient))
        small = small + 1 if fall < CHANGE else 0
        if small == 3:
            break
        step = step if halvings == 1 else 2 * step
    return Z
