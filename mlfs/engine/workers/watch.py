"""Watch the time and memory of worker processes, and end one that needs more than its limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, Self

import psutil

from ...system.memory import excess, used
from ...system.processes import family, how_it_ended

_TICK = 0.1  # seconds between two checks of the workers
_FAMILY = 10  # every tenth check includes their child processes, because that takes longer
_AWAKE = 2.0  # seconds: if there are more between two checks, this process was suspended


class OutOfMemory(Exception):
    """Report that a call was ended because it needed more memory than its limit.

    Parameters
    ----------
    limit : float
        The limit in bytes.
    """

    def __init__(self, limit: float):
        super().__init__(excess(limit))
        self.limit = limit


class OutOfTime(Exception):
    """Report that a call was ended because it took longer than its limit, in seconds."""

    def __init__(self, limit: float):
        super().__init__(f"exceeded the time limit of {limit:g} s")


class WorkerDied(Exception):
    """Report that a process ended before its call did.

    Parameters
    ----------
    code : int or None
        Its exit code, if it is known.
    """

    def __init__(self, code: int | None):
        super().__init__(how_it_ended(code))


class Watched(Protocol):
    """What is watched: a process with its number, which can be ended."""

    pid: int

    def kill(self) -> None:
        """End the process and all that it has started."""


@dataclass
class _Call:
    """A call that runs in a worker: its limits, and the time that it was awake."""

    memory: float
    seconds: float | None
    spent: float = 0.0
    ended: Exception | None = None


class Watch:
    """Watch the calls that run in workers.

    Time in which this process is suspended does not count: then the whole job is.

    Parameters
    ----------
    clock : callable
        Returns the present time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._calls: dict[Watched, _Call] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def begin(self, worker: Watched, memory: float, seconds: float | None) -> None:
        """Watch the call that a worker runs now."""
        self._calls[worker] = _Call(memory, seconds)

    def end(self, worker: Watched) -> Exception | None:
        """Stop watching a call, and return why it was ended; None if it was not."""
        return self._calls.pop(worker).ended

    def _run(self) -> None:
        looks, last = 0, self._clock()
        while not self._stop.wait(_TICK):
            looks, now = looks + 1, self._clock()
            for worker, call in list(self._calls.items()):
                with suppress(psutil.Error, OSError):
                    self._look(worker, call, min(now - last, _AWAKE), looks % _FAMILY == 0)
            last = now

    def _look(self, worker: Watched, call: _Call, passed: float, whole_family: bool) -> None:
        leader = psutil.Process(worker.pid)
        call.spent += passed
        if call.seconds is not None and call.spent > call.seconds:
            self._finish(worker, call, OutOfTime(call.seconds))
        elif (
            _need([leader, *(family(worker.pid) if whole_family else ())], call.memory)
            > call.memory
        ):
            self._finish(worker, call, OutOfMemory(call.memory))

    def _finish(self, worker: Watched, call: _Call, why: Exception) -> None:
        if self._calls.get(worker) is call:  # otherwise the call has ended in the meantime
            call.ended = why
            worker.kill()


def _need(processes: list[psutil.Process], limit: float) -> float:
    """Return the bytes that processes use; only roughly if they are surely below the limit."""
    rough = sum(_resident(one) for one in processes)
    return rough if rough <= limit else sum(used(one) for one in processes)


def _resident(process: psutil.Process) -> float:
    with suppress(psutil.Error):
        return float(process.memory_info().rss)
    return 0.0
