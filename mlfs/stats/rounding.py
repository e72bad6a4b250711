"""Rank numbers, and treat those that differ only by rounding errors as equal."""

from __future__ import annotations

import numpy as np

from ..types import Array

_SAME = 1e-12  # relative difference up to which numbers count as equal


def settled(values: Array, scale: float) -> Array:
    """Make values equal that differ only by rounding errors.

    `scale` is the size of the numbers from which the values were computed.
    """
    order = np.argsort(values, kind="stable")
    steps = np.diff(values[order], prepend=-np.inf) > _SAME * scale
    groups = np.cumsum(steps) - 1
    made = np.empty(len(values))
    made[order] = values[order][steps][groups]
    return made


def mean_ranks(values: Array) -> Array:
    """Return the rank of each value, 1 for the smallest; equal ones share the mean of theirs.

    It is ``scipy.stats.rankdata``, which takes far longer for few values.
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Array = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks
