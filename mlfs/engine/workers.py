"""Worker processes for code of anyone's: they see no current folder, are silent, and end whole."""

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

from . import starting
from .processes import alive, end_group, lead_group
from .starting import NEEDED, SAFE, redirect
from .watch import Watch, limited

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def environment() -> dict[str, str]:
    """Return what workers must know of the environment of the process that runs an experiment."""
    names = [name for name in os.environ if name.startswith("MLFS_") or name == SAFE]
    return {name: os.environ[name] for name in names}


class Workers:
    """Some processes on this machine.

    What takes longer than `timeout`, or more memory than it may, is killed, and so is whatever a
    worker started and left. A worker's BLAS has one thread: sums over several are added in
    another order, and results must not depend on the number of workers.

    Parameters
    ----------
    count : int
        How many.
    timeout : float or None
        Seconds that a call may take.
    given : mapping
        The part of the environment that `environment` gave, maybe on another machine.

    Attributes
    ----------
    killed : dict
        By process: the limit of memory, in bytes, for which it was killed.
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
        """Run ``function(*args)`` in one of the processes, with no more bytes than `limit`."""
        future: Future[Any] = self._pool.schedule(
            limited, args=(str(self._known), limit, function, *args), timeout=self._timeout
        )
        future.add_done_callback(self._sweep)
        return future

    def end(self, *, at_once: bool) -> None:
        """End the processes: at once, or when they have done what was submitted."""
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
        """End what a worker that was killed or died has left behind."""
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
    lead_group()  # so that all it starts can be ended with it
    (Path(known) / str(os.getpid())).touch()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the runner's to handle
    os.environ.pop(SAFE, None)
    os.environ.update(given)  # the fork server may be older than a change of it
    redirect(1, 2)  # what a method prints, in Python or in C, would run through the bar
    os.environ.update(dict.fromkeys(_THREADS, "1"))  # of libraries that are loaded later
    import_module(NEEDED)  # a limit holds for the libraries that are loaded
    threadpool_limits(1)
    threading.Thread(target=_outlive_nobody, args=(runner,), daemon=True).start()


def _outlive_nobody(runner: int) -> None:
    """End this worker and its group when the process that started it is gone."""
    began = time.time()
    while alive(runner):
        time.sleep(1)
    end_group(os.getpid(), began)
