"""Somewhere to run cells: what the local workers and a dask cluster have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..protocols import Cell, Record
from .memory import Room, free
from .outcome import run_cell
from .workers import Workers, environment


@dataclass(frozen=True)
class Executor:
    """Somewhere to run cells.

    Parameters
    ----------
    submit : callable
        Takes a cell and the bytes that it is expected to need, and gives the future of its record.
    window : callable
        Gives how many cells to hand over at once: enough that no worker waits, and few, since
        other runs leave them alone. 0 while there is no worker.
    fits : callable
        Takes what a cell, and what those at work, are expected to need, and tells whether there is
        memory for it beside them.
    killed : dict
        By process: the limit of memory, in bytes, for which it was killed.
    """

    submit: Callable[[Cell, float], Future[Record]]
    window: Callable[[], int]
    fits: Callable[[float, Iterable[float]], bool] = lambda need, others: True
    killed: dict[int, float] = field(default_factory=dict)


@contextmanager
def local(workers: int, timeout: float | None, memory: float | None = None) -> Iterator[Executor]:
    """Worker processes on this machine; a cell over its time or its memory is killed.

    Parameters
    ----------
    workers : int
        Number of processes.
    timeout : float or None
        Seconds that a cell may take.
    memory : float, optional
        Bytes for all cells that run at once; by default what is free.
    """
    room = Room(free() if memory is None else memory, workers)
    with Workers(workers, timeout, environment()) as pool:
        yield Executor(
            lambda cell, need: pool.submit(room.limit(need), run_cell, cell),
            lambda: workers + 1,
            room.fits,
            pool.killed,
        )
