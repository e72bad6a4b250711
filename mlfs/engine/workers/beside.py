"""What runs inside a dask worker: each cell in its own process beside it.

Such a process can be killed without harm to the dask worker.
"""

from __future__ import annotations

import math
import multiprocessing
import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...errors import WorkersLost
from ...protocols import Cell, Record
from ...system.memory import MemoryBudget, free
from .pool import Workers
from .run_cell import record_from, run_cell


@dataclass(frozen=True)
class ClusterRun:
    """Hold what a dask worker must know about a run."""

    timeout: float | None
    memory: float | None
    given: Mapping[str, str]
    name: str = field(default_factory=lambda: uuid.uuid4().hex)


@dataclass
class _Pool:
    workers: Workers
    budget: MemoryBudget
    needs: list[float] = field(default_factory=list)  # expected bytes of the cells that run
    busy: int = 0  # number of cells that run or wait for memory


_pools: dict[str, _Pool] = {}  # by the name of the run
_changing = threading.Condition()


def run_beside(cell: Cell, need: float, run: ClusterRun) -> Record:
    """Run a cell in a separate process, so that the dask worker survives if the cell is killed."""
    with _changing:
        pool = _pools.get(run.name)
        if pool is None:
            _end_idle()
            pool = _pools[run.name] = _start(run)
        pool.busy += 1
        _changing.wait_for(lambda: pool.budget.fits(need, pool.needs))
        pool.needs.append(need)
    try:
        limit = pool.budget.limit(need)
        return record_from(pool.workers.submit(limit, run_cell, cell, once=cell.foreign))
    except WorkersLost:  # the next cell must get new processes
        _pools.pop(run.name, None)
        raise
    finally:
        with _changing:
            pool.busy -= 1
            pool.needs.remove(need)
            _changing.notify_all()


def _start(run: ClusterRun) -> _Pool:
    from distributed import get_worker

    # dask marks its workers as daemons, and Python allows these no child processes
    multiprocessing.current_process().daemon = False
    worker = get_worker()
    memory = run.memory
    if memory is None:
        memory = min(free(), worker.memory_manager.memory_limit or math.inf)
    count = worker.state.nthreads
    return _Pool(Workers(count, run.timeout, run.given), MemoryBudget(memory, count))


def _end_idle() -> None:
    """End the processes of idle runs, which may have ended without notice."""
    for name in [name for name, pool in _pools.items() if not pool.busy]:
        _pools.pop(name).workers.end(at_once=True)


def end_pool(name: str) -> None:
    """End the processes of a run, given its name."""
    with _changing:
        pool = _pools.pop(name, None)
    if pool is not None:
        pool.workers.end(at_once=True)
