"""The common interface of what runs cells: local workers, or a dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass

from ...protocols import Cell, Record
from ...system.memory import MemoryBudget, free
from .pool import Workers, environment
from .run_cell import run_cell


@dataclass(frozen=True)
class Executor:
    """Hold the functions that run cells.

    Parameters
    ----------
    submit : callable
        Takes a cell and the bytes that it probably needs; returns the future of its record.
    window : callable
        Returns how many cells may be submitted at the same time; 0 while there is no worker. No
        worker should wait, but other runs cannot take submitted cells, so it is small.
    fits : callable
        Takes the bytes that a cell probably needs, and those of the running cells; tells whether
        there is enough memory for all of them.
    """

    submit: Callable[[Cell, float], Future[Record]]
    window: Callable[[], int]
    fits: Callable[[float, Iterable[float]], bool] = lambda need, others: True


@contextmanager
def local(workers: int, timeout: float | None, memory: float | None = None) -> Iterator[Executor]:
    """Start worker processes on this machine; kill a cell that needs too much time or memory.

    Parameters
    ----------
    workers : int
        Number of processes.
    timeout : float or None
        Seconds that a cell may take.
    memory : float, optional
        Bytes for all cells that run at the same time; by default the free memory.

    Yields
    ------
    Executor
        The worker processes.
    """
    budget = MemoryBudget(free() if memory is None else memory, workers)
    with Workers(workers, timeout, environment()) as pool:
        yield Executor(
            lambda cell, need: pool.submit(budget.limit(need), run_cell, cell, once=cell.foreign),
            lambda: workers + 1,
            budget.fits,
        )
