"""Worker processes for code of anyone's: they see no current folder, are silent, and end whole."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from multiprocessing import forkserver
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pebble import ProcessExpired, ProcessPool
from threadpoolctl import threadpool_limits

_SAFE = "PYTHONSAFEPATH"  # set, Python does not look for modules in the current folder
Submit = Callable[..., Future[Any]]


@contextmanager
def workers(jobs: int, timeout: float | None) -> Iterator[Submit]:
    """Give ``submit(function, *args)``, which runs in one of some processes on this machine.

    What takes longer than `timeout` is killed, and so is whatever a worker started and left.
    A worker's BLAS has one thread: sums over several are added in another order, and results
    must not depend on the number of workers.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mlfs.protocols.selection"])
    handed = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("MLFS_") or name == _SAFE
    }
    _start_server()
    with TemporaryDirectory(prefix="mlfs-") as known:
        given = (handed, os.getpid(), known)
        pool = ProcessPool(jobs, initializer=_start_worker, initargs=given, context=context)

        def submit(function: Callable[..., Any], *args: Any) -> Future[Any]:
            future: Future[Any] = pool.schedule(function, args=args, timeout=timeout)
            future.add_done_callback(lambda ended: _sweep(ended, Path(known)))
            return future

        try:
            yield submit
            pool.close()
        except BaseException:
            pool.stop()
            raise
        finally:
            pool.join()
            _end_groups(Path(known))


def _start_server() -> None:
    """Start the process that workers are forked from, silent and blind to the current folder.

    It is started by ``python -c``, which would take a file yaml.py or a folder mlfs in the
    current folder for the real ones. It would print the traceback of a worker that was still
    starting when the run ended.
    """
    before, stderr = os.environ.get(_SAFE), os.dup(2)
    os.environ[_SAFE] = "1"
    _redirect(2)
    try:
        forkserver.ensure_running()
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        if before is None:
            del os.environ[_SAFE]
        else:
            os.environ[_SAFE] = before


def _start_worker(environment: dict[str, str], runner: int, known: str) -> None:
    os.setpgid(0, 0)  # a group of its own, so that all it starts can be ended with it
    (Path(known) / str(os.getpid())).touch()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the runner's to handle
    os.environ.pop(_SAFE, None)
    os.environ.update(environment)  # the fork server may be older than a change of it
    _redirect(1, 2)  # what a method prints, in Python or in C, would run through the bar
    threadpool_limits(1)
    threading.Thread(target=_outlive_nobody, args=(runner,), daemon=True).start()


def _redirect(*streams: int) -> None:
    """Let what is written to a stream go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream)
    os.close(nowhere)


def _outlive_nobody(runner: int) -> None:
    """End this worker and its group when the process that runs the experiment is gone."""
    while True:
        time.sleep(1)
        if not _lives(runner):
            os.killpg(0, signal.SIGKILL)


def _sweep(ended: Future[Any], known: Path) -> None:
    """End what a worker that was killed or died has left behind."""
    if ended.cancelled() or not isinstance(ended.exception(), TimeoutError | ProcessExpired):
        return
    _end_groups(known, lambda leader: not _lives(leader))


def _end_groups(known: Path, wanted: Callable[[int], bool] = lambda leader: True) -> None:
    for entry in known.iterdir():
        leader = int(entry.name)
        if wanted(leader):
            entry.unlink(missing_ok=True)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(leader, signal.SIGKILL)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
