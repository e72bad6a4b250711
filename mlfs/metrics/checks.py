"""Checks of labels and scores that all metrics share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array


def mean(values: Array, over: Array | int = 1, keep: Array | None = None) -> float:
    """Return the mean of values / over for the rows to keep; nan if there is no such row."""
    ratio = values / over
    if keep is not None:
        ratio = ratio[keep]
    return float(ratio.mean()) if ratio.size else float("nan")


def check_scores(Y: ArrayLike, S: ArrayLike) -> tuple[Array, Array]:
    """Return true labels as booleans and scores as an array; raise a ValueError for bad ones."""
    Y, S = _binary(Y), np.asarray(S)
    _check_shapes(Y, S)
    if np.isnan(S).any():
        raise ValueError("some scores are nan and have no rank: correct the method that made them")
    return Y, S


def check_labels(Y: ArrayLike, P: ArrayLike) -> tuple[Array, Array]:
    """Return true and predicted labels as booleans; raise a ValueError for bad ones."""
    Y, P = _binary(Y), _binary(P)
    _check_shapes(Y, P)
    return Y, P


def _binary(Y: Any) -> Array:
    """Turn Y into an n x l boolean array."""
    Y = np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y)
    relevant: Array = Y == 1
    if not (relevant | (Y == 0)).all():
        raise ValueError("labels must be 1 or 0 to be compared: replace -1 and nan")
    return relevant


def _check_shapes(Y: Array, other: Array) -> None:
    if Y.ndim != 2 or Y.shape != other.shape or Y.size == 0:
        raise ValueError(f"shapes {Y.shape} and {other.shape} do not match: pass two n x l arrays")
