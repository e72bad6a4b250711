"""Check whether a process runs, and end a process with all that it started, on any system."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

import psutil

_CLOCK = 5.0  # seconds that a start time may seem to change when the system's clock is set


def alive(process: int, began: float | None = None) -> bool:
    """Tell whether a process runs; a zombie does not.

    Parameters
    ----------
    process : int
        Number of the process.
    began : float, optional
        When it began. A later process with the same number does not count.

    Returns
    -------
    bool
        Whether it runs.
    """
    try:
        found = psutil.Process(process)
        if found.status() == psutil.STATUS_ZOMBIE:
            return False
        return began is None or abs(found.create_time() - began) < _CLOCK
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:  # it runs, but belongs to another user
        return True


def lead_group() -> None:
    """Make this process the leader of a process group, if the system has such groups."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)


def end_group(leader: int, since: float) -> None:
    """End a process and all that it started, even if the process itself has already ended.

    Parameters
    ----------
    leader : int
        A process that called `lead_group`.
    since : float
        When it began; needed because systems use the numbers of processes again.
    """
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        return
    # systems without groups still know the number of a process's parent after the parent's end
    for process in _family(leader):
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if process.create_time() > since - _CLOCK:
                process.kill()


def _family(leader: int) -> list[psutil.Process]:
    """Return a process and all that it started; itself last, since it may call this function."""
    children: dict[int, list[psutil.Process]] = {}
    found, waiting = [], [leader]
    for process in psutil.process_iter(["ppid"]):
        children.setdefault(process.info["ppid"], []).append(process)
        if process.pid == leader:
            found.append(process)
    while waiting:
        for process in children.get(waiting.pop(), []):
            found.append(process)
            waiting.append(process.pid)
    return found[::-1]
