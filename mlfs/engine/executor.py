"""Somewhere to run cells: what the local workers and a dask cluster have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass

from ..protocols import Cell, Record
from .outcome import run_cell
from .workers import Workers, environment


@dataclass(frozen=True)
class Executor:
    """Somewhere to run cells.

    Parameters
    ----------
    submit : callable
        Takes a cell and gives the future of its record.
    window : callable
        Gives how many cells to hand over at once: enough that no worker waits, and few, since
        other runs leave them alone. 0 while there is no worker.
    """

    submit: Callable[[Cell], Future[Record]]
    window: Callable[[], int]


@contextmanager
def local(workers: int, timeout: float | None) -> Iterator[Executor]:
    """Worker processes on this machine; a cell over its time is killed."""
    with Workers(workers, timeout, environment()) as pool:
        yield Executor(lambda cell: pool.submit(run_cell, cell), lambda: workers + 1)
