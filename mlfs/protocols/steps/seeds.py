"""The random numbers of a cell."""

from __future__ import annotations

import zlib

import numpy as np

from ..cell import Cell


def generator(cell: Cell, purpose: str, repeat: int | None = None) -> np.random.Generator:
    """Return the cell's own random generator for one purpose.

    It depends on the seed, the dataset and the repeat, but not on the method or the number of
    workers. So all methods see the same split and mask.
    """
    key = [cell.seed, zlib.crc32(cell.data.name.encode())]
    key += [cell.repeat if repeat is None else repeat, zlib.crc32(purpose.encode())]
    return np.random.default_rng(np.random.SeedSequence(key))


def seed(cell: Cell, purpose: str) -> int:
    """Return the cell's own integer for one purpose, to be used as a random_state."""
    return int(generator(cell, purpose).integers(2**31))
