"""Label correlations ZZᵀ, where rows of Z have length one, for RMFL and GLOCAL."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from ..numerics.linalg import unit_rows
from ..types import Array


def unit_factor(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Draw a factor Z with rows of length one, so that diag(ZZᵀ) = 1."""
    return unit_rows(rng.standard_normal(shape))


def descend_unit_rows(M: Array, Z: Array) -> Array:
    """Take one gradient step on ½ tr(ZᵀMZ), M ⪰ 0, then scale rows back to length one.

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
