"""Worker processes for foreign code.

They ignore the current folder, print nothing, and end together with all that they started.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

from pebble import ProcessExpired, ProcessPool
from threadpoolctl import threadpool_limits

from ...system.processes import alive, end_group, lead_group
from . import starting
from .starting import NEEDED, SAFE, redirect
from .watch import Watch, limited

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def environment() -> dict[str, str]:
    """Return the environment variables of this process that its workers need."""
    names = [name for name in os.environ if name.startswith("MLFS_") or name == SAFE]
    return {name: os.environ[name] for name in names}


class Workers:
    """Run functions in several processes on this machine.

    A call that takes longer than `timeout`, or more memory than its limit, is killed together
    with all processes that it started. BLAS has one thread in each worker: several threads add
    numbers in another order, and results must not depend on the number of workers.

    Parameters
    ----------
    count : int
        Number of processes.
    timeout : float or None
        Seconds that a call may take.
    given : mapping
        What `environment` returned, perhaps on another machine.

    Attributes
    ----------
    killed : dict
        For each killed process, by number: the limit of memory, in bytes, that it exceeded.
    """

    def __init__(self, count: int, timeout: float | None, given: Mapping[str, str]):
        self._timeout = timeout
        with ExitStack() as stack:
            context = stack.enter_context(starting.context())
            self._known = Path(stack.enter_context(TemporaryDirectory(prefix="mlfs-")))
            self.killed = stack.enter_context(Watch(self._known)).killed
            about = (dict(given), os.getpid(), str(self._known))
            self._pool = ProcessPool(
                count, initializer=_start_worker, initargs=about, context=context
            )
            self._opened = stack.pop_all()

    def submit(self, limit: float, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Run ``function(*args)`` in one of the processes, with at most `limit` bytes."""
        future: Future[Any] = self._pool.schedule(
            limited, args=(str(self._known), limit, function, *args), timeout=self._timeout
        )
        future.add_done_callback(self._sweep)
        return future

    def end(self, *, at_once: bool) -> None:
        """End the processes: at once, or after all submitted calls."""
        if at_once:
            self._pool.stop()
        else:
            self._pool.close()
        try:
            self._pool.join()
        finally:
            self._end_groups()
            self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.end(at_once=kind is not None)

    def _sweep(self, ended: Future[Any]) -> None:
        """End the processes that a dead worker had started."""
        if not ended.cancelled() and isinstance(ended.exception(), TimeoutError | ProcessExpired):
            self._end_groups(lambda leader: not alive(leader))

    def _end_groups(self, wanted: Callable[[int], bool] = lambda leader: True) -> None:
        for entry in self._known.glob("[0-9]*"):
            leader = int(entry.name)
            if wanted(leader):
                since = entry.stat().st_mtime
                entry.unlink(missing_ok=True)
                end_group(leader, since)


def _start_worker(given: dict[str, str], runner: int, known: str) -> None:
    lead_group()  # so that all processes it starts can be ended with it
    (Path(known) / str(os.getpid())).touch()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the runner's to handle
    os.environ.pop(SAFE, None)
    os.environ.update(given)  # the fork server may have started before the last change of it
    redirect(1, 2)  # output of a method, from Python or C, would spoil the progress bar
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # for libraries that are loaded later
    import_module(NEEDED)  # threadpool_limits only affects libraries that are already loaded
    threadpool_limits(1)
    threading.Thread(target=_end_with_runner, args=(runner,), daemon=True).start()


def _end_with_runner(runner: int) -> None:
    """End this worker and its group when the process that started it is gone."""
    began = time.time()
    while alive(runner):
        time.sleep(1)
    end_group(os.getpid(), began)
