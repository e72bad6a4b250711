"""The regression of L20ALM on a set of chosen features."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lstsq

from ..numerics.linalg import row_norms
from ..types import Array


def principal_axes(Y: Array) -> Array:
    """Centre Y and rotate it to as many columns as its rank; row norms of residuals do not change.

    With c classes and any number of attributes, at most c − 1 columns remain.
    """
    centred = Y - Y.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    kept = values > max(values[-1], 0) * 1e-12
    return centred @ axes[:, kept] if kept.any() else centred[:, :1]


def refit(X: Array, Y: Array, max_iter: int = 200, tol: float = 1e-8) -> tuple[float, Array]:
    """Minimise ‖XW + 1bᵀ − Y‖₂,₁ over W and b by reweighting; return the value and W."""
    A = np.column_stack([X, np.ones(len(X))])
    weight, value = np.ones(len(X)), np.inf
    for _ in range(max_iter):
        solution = lstsq(
            A * weight[:, None], Y * weight[:, None], check_finite=False, lapack_driver="gelsy"
        )[0]
        size = row_norms(A @ solution - Y)
        value, previous = float(size.sum()), value
        if previous - value <= tol * value:
            break
        weight = 1 / np.sqrt(2 * size)
    return value, solution[:-1]
