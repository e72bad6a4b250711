"""Run cells in worker processes that can be timed out, or on a dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from typing import Any

from pebble import ProcessExpired, ProcessPool
from threadpoolctl import threadpool_limits

from ..errors import UserError
from ..protocols import protocol
from .plan import Cell
from .store import Store

Outcome = dict[str, Any]
Submit = Callable[[dict[str, Any]], "Future[Outcome]"]
Report = Callable[[Cell, Outcome], None]


def run_cells(cells: list[Cell], store: Store, submit: Submit, report: Report) -> None:
    """Run what is unfinished and store every outcome as it comes.

    Cells that tune for others go first; a cell whose tuner failed is recorded as failed.
    """
    tuners = {cell.tuner.key: cell.tuner for cell in cells if cell.tuner}
    for stage in ([t for t in tuners.values() if not store.done(t)], cells):
        waiting: dict[Future[Outcome], Cell] = {}
        for cell in stage:
            tuned = _tuned(cell, store)
            if cell.tuner and tuned is None:
                _keep(cell, _failure("its tuning failed", ""), store, report)
            else:
                waiting[submit(cell.spec | (tuned or {}))] = cell
        while waiting:
            finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in finished:
                _keep(waiting.pop(future), _outcome(future), store, report)


def _keep(cell: Cell, outcome: Outcome, store: Store, report: Report) -> None:
    store.write(cell, outcome)
    report(cell, outcome)


def _tuned(cell: Cell, store: Store) -> dict[str, Any] | None:
    record = store.read(cell.tuner) if cell.tuner else None
    if record is None or record["status"] != "done":
        return None
    return {"tuned": record["tuned"]["chosen"]}


def _outcome(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except TimeoutError as error:
        return _failure(f"exceeded the time limit of {error.args[1]:g} s", "")
    except ProcessExpired as error:
        return _failure(f"its process died (exit code {error.exitcode}); out of memory?", "")
    except Exception as error:  # a cluster's own trouble must not stop the run
        return _failure(f"{type(error).__name__}: {error}", traceback.format_exc())


def _failure(reason: str, trace: str) -> Outcome:
    return {"status": "failed", "error": reason, "traceback": trace}


def run_spec(spec: dict[str, Any]) -> Outcome:
    """Run one cell here; an error becomes a record of the failure."""
    try:
        return {"status": "done", **protocol(spec["protocol"]).run(spec)}
    except Exception as error:
        return _failure(f"{type(error).__name__}: {error}", traceback.format_exc())


@contextmanager
def local(jobs: int, timeout: float | None) -> Iterator[Submit]:
    """Worker processes on this machine; a cell over its time is killed.

    A worker's BLAS has one thread: sums over several are added in another order, and results
    must not depend on the number of workers.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mlfs.protocols.selection"])
    ours = {name: value for name, value in os.environ.items() if name.startswith("MLFS_")}
    given = (ours, os.getpid())
    pool = ProcessPool(jobs, initializer=_start_worker, initargs=given, context=context)
    try:
        yield lambda spec: pool.schedule(run_spec, args=(spec,), timeout=timeout)
        pool.close()
    except BaseException:
        pool.stop()
        raise
    finally:
        pool.join()


def _start_worker(environment: dict[str, str], runner: int) -> None:
    os.environ.update(environment)  # the fork server may be older than a change of it
    threadpool_limits(1)
    threading.Thread(target=_outlive_nobody, args=(runner,), daemon=True).start()


def _outlive_nobody(runner: int) -> None:
    """End this worker when the process that runs the experiment is gone, even if killed."""
    while True:
        time.sleep(1)
        try:
            os.kill(runner, 0)
        except ProcessLookupError:
            os._exit(1)


@contextmanager
def dask(address: str) -> Iterator[Submit]:
    """The workers of a dask.distributed cluster, found by the address of its scheduler."""
    try:
        from distributed import Client
    except ImportError as error:
        raise UserError("--dask needs an extra: pip install 'mlfs-bench[dask]'") from error
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise UserError(
            f"no dask scheduler answers at {address}: start one, or mend --dask"
        ) from error
    with client:
        executor = client.get_executor(pure=False)
        yield lambda spec: executor.submit(run_spec, spec)
