"""Where a cell's random numbers come from."""

from __future__ import annotations

import zlib

import numpy as np

from .cell import Cell


def generator(cell: Cell, purpose: str, repeat: int | None = None) -> np.random.Generator:
    """Return the cell's own stream for one purpose.

    Derived from (seed, dataset, repeat) and not from the method, so that all methods see the
    same split and mask, whatever the number of workers.
    """
    key = [cell.seed, zlib.crc32(cell.data.name.encode())]
    key += [cell.repeat if repeat is None else repeat, zlib.crc32(purpose.encode())]
    return np.random.default_rng(np.random.SeedSequence(key))


def seed(cell: Cell, purpose: str) -> int:
    """Return the cell's own whole number for one purpose, as a random_state takes it."""
    return int(generator(cell, purpose).integers(2**31))
