"""Figures that differ by rounding only are equal."""

from __future__ import annotations

import numpy as np

from ..types import Array

_SAME = 1e-12  # of the values compared: what is nearer than this differs by rounding only


def settled(values: Array, scale: float) -> Array:
    """Make values equal that differ by rounding only, given how large the figures behind are."""
    order = np.argsort(values, kind="stable")
    steps = np.diff(values[order], prepend=-np.inf) > _SAME * scale
    groups = np.cumsum(steps) - 1
    made = np.empty(len(values))
    made[order] = values[order][steps][groups]
    return made
