"""Run cells on a dask cluster, each in its own process beside the dask worker.

Such a process can be killed without harm to the dask worker.
"""

from __future__ import annotations

import asyncio
import logging
import math
import multiprocessing
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import UserError, WorkersLost
from ...protocols import Cell, Record
from ...system.memory import MemoryBudget, free
from .executor import Executor
from .pool import Workers, environment
from .run_cell import failure, record_from, run_cell

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

_ANSWER = 10.0  # seconds that a scheduler may take to answer
_PATIENCE = 60.0  # seconds that it may take later, when it may have much to do
_STARTED = 60.0  # seconds that a cluster on this machine may take to start
_COUNTED = 2.0  # seconds until the threads of the cluster are counted again


@dataclass(frozen=True)
class _Run:
    """Hold what a dask worker must know about a run."""

    timeout: float | None
    memory: float | None
    given: Mapping[str, str]
    name: str = field(default_factory=lambda: uuid.uuid4().hex)


@contextmanager
def cluster(
    scheduler: str | None, workers: int, timeout: float | None, memory: float | None = None
) -> Iterator[Executor]:
    """Connect to the cluster whose scheduler has this address, or start a new one.

    If a worker is lost, the cluster itself runs the cell on another one.

    Parameters
    ----------
    scheduler : str or None
        Address of the scheduler; None starts a cluster on this machine.
    workers : int
        Number of workers of a new cluster.
    timeout : float or None
        Seconds that a cell may take.
    memory : float, optional
        Bytes for the cells that one dask worker runs at the same time. By default the free
        memory, up to the worker's own limit.

    Yields
    ------
    Executor
        The cluster.
    """
    try:
        import distributed
    except ImportError as error:
        raise UserError("--executor dask needs an extra: pip install 'mlfs-bench[dask]'") from error
    with _silent(), ExitStack() as stack:
        if scheduler is None:
            # each cell runs in a separate process: here one thread for each is enough
            try:
                own = _within(
                    _STARTED,
                    distributed.LocalCluster,
                    n_workers=1,
                    threads_per_worker=workers,
                    processes=False,
                    dashboard_address="127.0.0.1:0",  # any free port
                    memory_limit=0,  # the cells' processes need the memory, and we watch these
                )
            except (OSError, RuntimeError) as error:
                why = str(error) or f"no answer in {_STARTED:.0f} s"
                raise UserError(
                    f"dask cannot start a cluster on this machine ({why}): run without --executor "
                    "dask"
                ) from error
            stack.callback(_close, own)
            scheduler = own.scheduler_address
        try:
            client = _within(3 * _ANSWER, distributed.Client, scheduler, timeout=_ANSWER)
        except (OSError, ValueError) as error:
            raise UserError(
                f"no dask scheduler answers at {scheduler}: start one, or correct --scheduler"
            ) from error
        run = _Run(timeout, memory, environment())
        stack.callback(_leave, client, run)
        yield Executor(lambda cell, need: _submit(client, cell, need, run), _window(client))


@contextmanager
def _silent() -> Iterator[None]:
    """Hide dask's log messages: a lost connection is reported by our own sentence."""
    from distributed.utils import silence_logging_cmgr

    with ExitStack() as stack:
        for name in ("distributed", "distributed.client"):
            stack.enter_context(silence_logging_cmgr(logging.CRITICAL + 1, name))
        yield


def _window(client: Client) -> Callable[[], int]:
    """Return a function that counts the threads of the workers, which may come and go.

    No more cells than threads are handed over. If a cell kills its worker, dask also blames the
    cells that wait at this worker.
    """
    counted, threads = -_COUNTED, 0

    def window() -> int:
        nonlocal counted, threads
        if time.monotonic() - counted >= _COUNTED:
            try:
                threads = sum(_within(_PATIENCE, client.nthreads).values())
            except Exception as error:  # any error means that the scheduler does not answer
                raise _lost(client) from error
            counted = time.monotonic()
        return threads

    return window


def _lost(client: Client) -> WorkersLost:
    address = client.scheduler.address if client.scheduler else "its address"
    return WorkersLost(
        f"the dask scheduler at {address} is lost; finished cells are kept, run again to continue, "
        "on this or another cluster"
    )


def _submit(client: Client, cell: Cell, need: float, run: _Run) -> Future[Record]:
    """Hand a cell to the cluster, and return a future of concurrent.futures."""
    from distributed.scheduler import KilledWorker

    promised: Future[Record] = Future()
    promised.set_running_or_notify_cancel()
    try:
        remote = _within(_PATIENCE, client.submit, _run_beside, cell, need, run, pure=False)
    except Exception as error:  # the connection broke just now
        raise _lost(client) from error

    def settle() -> None:
        try:
            promised.set_result(remote.result())
        except KilledWorker as error:
            died = f"{error.allowed_failures + 1} dask workers died while they ran it"
            promised.set_result(failure(f"{died}; out of memory?"))
        except BaseException as error:
            promised.set_exception(_translated(error, client))

    # in a new thread, because result() may wait: dask reruns a cell whose result was lost
    remote.add_done_callback(lambda _: threading.Thread(target=settle, daemon=True).start())
    return promised


def _translated(error: BaseException, client: Client) -> BaseException:
    """Return the error to raise for an error of the cluster."""
    if isinstance(error, ImportError):
        return UserError(
            f"the dask workers cannot run cells ({error}): install the same version of mlfs there"
        )
    if isinstance(error, Exception) and client.status == "running" and not _cancelled(error):
        return error
    return _lost(client)


def _cancelled(error: BaseException) -> bool:
    return isinstance(error, asyncio.CancelledError | CancelledError | OSError)


def _leave(client: Client, run: _Run) -> None:
    """End this run's processes on the cluster and disconnect; ignore errors of a lost cluster."""
    with suppress(Exception):
        if client.status == "running":
            _within(_ANSWER, client.run, _end_pool, run.name, on_error="ignore")
    with suppress(Exception):
        _within(_ANSWER, client.close, timeout=2)


def _close(own: LocalCluster) -> None:
    """End a cluster that was started here; ignore errors."""
    with suppress(Exception):
        _within(_ANSWER, own.close, timeout=_ANSWER)


def _within(seconds: float, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function of dask, which may wait for ever, and raise TimeoutError if it does."""
    done: Future[Any] = Future()

    def call() -> None:
        try:
            done.set_result(function(*args, **options))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    return done.result(seconds)


# The functions below run inside a dask worker.


@dataclass
class _Pool:
    workers: Workers
    budget: MemoryBudget
    needs: list[float] = field(default_factory=list)  # expected bytes of the cells that run
    busy: int = 0  # number of cells that run or wait for memory


_pools: dict[str, _Pool] = {}  # by the name of the run
_changing = threading.Condition()


def _run_beside(cell: Cell, need: float, run: _Run) -> Record:
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


def _start(run: _Run) -> _Pool:
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


def _end_pool(name: str) -> None:
    with _changing:
        pool = _pools.pop(name, None)
    if pool is not None:
        pool.workers.end(at_once=True)
