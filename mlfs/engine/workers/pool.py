"""Worker processes for foreign code.

They ignore the current folder, print nothing, and end together with all that they started. After
code that is not part of mlfs, a process is not used again: that code may have changed anything in
it.
"""

from __future__ import annotations

import os
import pickle
import queue
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from ...errors import WorkersLost
from ...system.processes import alive
from .starting import Worker
from .watch import Watch, WorkerDied
from .worker import READY, SAFE

_LOOK = 1.0  # seconds between two looks whether a worker that sends nothing still lives
_LONGEST = 2**30  # bytes of a message; a longer one is not a result
_ATTEMPTS, _PAUSE = 3, 0.5  # of starting a worker, and seconds between them


def environment() -> dict[str, str]:
    """Return the environment variables of this process that its workers need."""
    names = [name for name in os.environ if name.startswith("MLFS_") or name == SAFE]
    return {name: os.environ[name] for name in names}


@dataclass
class _Task:
    content: bytes
    memory: float
    once: bool  # whether the process is not to be used again
    future: Future[Any]


class Workers:
    """Run functions in several processes on this machine.

    A call that takes longer than `timeout`, or more memory than its limit, is ended together
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
    """

    def __init__(self, count: int, timeout: float | None, given: Mapping[str, str]):
        self._timeout = timeout
        self._given = dict(given)
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._at_work: set[Worker] = set()
        self._watch = Watch()
        self._watch.__enter__()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def submit(
        self, limit: float, function: Callable[..., Any], *args: Any, once: bool = False
    ) -> Future[Any]:
        """Run ``function(*args)`` in one of the processes, with at most `limit` bytes.

        If `once`, the process is not used again.
        """
        task = _Task(pickle.dumps((function, args)), limit, once, Future())
        self._tasks.put(task)
        return task.future

    def end(self, *, at_once: bool) -> None:
        """End the processes: at once, or after all submitted calls."""
        if at_once:
            self._stopped.set()
            for worker in list(self._at_work):
                worker.kill()
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()
        self._watch.__exit__()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.end(at_once=kind is not None)

    def _serve(self) -> None:
        """Run tasks one by one, in a process that is replaced when it must not be used again."""
        worker: Worker | None = None
        while (task := self._tasks.get()) is not None:
            if self._stopped.is_set() or not task.future.set_running_or_notify_cancel():
                task.future.cancel()
                continue
            result: tuple[Any] | BaseException
            try:
                worker = worker or self._start()
                result = self._run(worker, task)
                if task.once:
                    self._dismiss(worker)
                    worker = None
            except BaseException as error:  # whatever it is: somebody waits for the future
                result = error
                with suppress(Exception):
                    self._dismiss(worker)
                worker = None
            if isinstance(result, BaseException):
                task.future.set_exception(result)
            else:
                task.future.set_result(result[0])
        self._dismiss(worker)

    def _start(self) -> Worker:
        """Start a worker; a system that has too few processes or files may have more soon."""
        for attempt in range(_ATTEMPTS):
            try:
                worker = Worker(self._given)
                break
            except (OSError, EOFError) as error:  # EOF: the fork server could not fork
                why = getattr(error, "strerror", None) or "the server that starts them has ended"
                if attempt == _ATTEMPTS - 1 or self._stopped.wait(_PAUSE):
                    raise WorkersLost(
                        f"no worker process can be started ({why}): allow more processes and open "
                        "files (ulimit -u, ulimit -n) or free some memory, and run again to "
                        "continue"
                    ) from error
        self._at_work.add(worker)
        if self._stopped.is_set() or _received(worker) != READY:
            self._dismiss(worker)
            raise WorkersLost(
                "the worker processes have ended; finished cells are kept, run again to continue"
            )
        return worker

    def _dismiss(self, worker: Worker | None) -> None:
        if worker is not None:
            self._at_work.discard(worker)
            worker.end()

    def _run(self, worker: Worker, task: _Task) -> tuple[Any] | Exception:
        """Return the result of a task in a tuple, or the error that it raised."""
        content, why = None, None
        with suppress(OSError):  # the worker has ended
            worker.channel.send_bytes(task.content)
            if _received(worker) == READY:
                self._watch.begin(worker, task.memory, self._timeout)
                content = _received(worker)
                why = self._watch.end(worker)
        if self._stopped.is_set():
            raise WorkersLost("the run was stopped")
        if content is None:
            raise why or WorkerDied(worker.exit_code)
        try:
            result, error = pickle.loads(content)
        except Exception as error:  # an object that only exists in the worker
            return RuntimeError(f"its result cannot be read: {error}")
        task.once = task.once or why is not None  # it was ended just after it had answered
        return error or (result,)


def _received(worker: Worker) -> bytes | None:
    """Return the next message of a worker; None if it has ended.

    A process that the worker has started may hold the channel open after the worker's end.
    """
    try:
        while not worker.channel.poll(_LOOK):
            if not alive(worker.pid) and not worker.channel.poll(0):
                return None
        return worker.channel.recv_bytes(_LONGEST)
    except (EOFError, OSError):
        return None
