"""Checks of labels and scores that all metrics share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..label_values import label_array
from ..types import Array

# where a label is known; None if all are, so that a complete truth is scored as it always was
Known = Array | None


def mean(values: Array, over: Array | int = 1, keep: Array | None = None) -> float:
    """Return the mean of values / over for the rows to keep; nan if there is no such row."""
    ratio = values / over
    if keep is not None:
        ratio = ratio[keep]
    return float(ratio.mean()) if ratio.size else float("nan")


def check_scores(Y: ArrayLike, S: ArrayLike) -> tuple[Array, Array, Known]:
    """Return which labels are relevant, the scores, and which labels are known.

    A ValueError says what is wrong with bad ones.
    """
    relevant, known = _truth(Y)
    S = np.asarray(S)
    _check_shapes(relevant, S)
    if np.isnan(S).any():
        raise ValueError("some scores are nan and have no rank: correct the method that made them")
    return relevant, S, known


def check_labels(Y: ArrayLike, P: ArrayLike) -> tuple[Array, Array, Known]:
    """Return which labels are relevant, which are predicted, and which are known.

    A label that is not known is neither relevant nor predicted. A ValueError says what is wrong
    with bad labels.
    """
    relevant, known = _truth(Y)
    predicted, unsure = _truth(P)
    if unsure is not None:
        raise ValueError("some predicted labels are nan: predict 1 or 0 for each label")
    _check_shapes(relevant, predicted)
    return relevant, predicted if known is None else predicted & known, known


def _truth(Y: ArrayLike) -> tuple[Array, Known]:
    """Return which labels are relevant and which are known, as boolean arrays."""
    Y = label_array(Y)
    relevant: Array = np.asarray(Y == 1)
    known = relevant | (Y == 0)
    if known.all():
        return relevant, None
    if Y.dtype.kind != "f" or not np.isnan(Y[~known]).all():
        raise ValueError("labels must be 1 (relevant), 0 (irrelevant) or nan (unknown): replace -1")
    return relevant, known


def _check_shapes(Y: Array, other: Array) -> None:
    if Y.ndim != 2 or Y.shape != other.shape or Y.size == 0:
        raise ValueError(f"shapes {Y.shape} and {other.shape} do not match: pass two n x l arrays")
