"""Processes by their number, on any system: whether one lives, and an end to all it started."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

import psutil

_CLOCK = 5.0  # seconds by which a system may tell a start otherwise, once its clock was set


def alive(process: int, began: float | None = None) -> bool:
    """Whether a process runs; with `began`, whether it is still the one that began then.

    One that has ended and that its parent has not asked after yet does not run.
    """
    try:
        found = psutil.Process(process)
        if found.status() == psutil.STATUS_ZOMBIE:
            return False
        return began is None or abs(found.create_time() - began) < _CLOCK
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:  # it is there, and another user's
        return True


def lead_group() -> None:
    """Make this process the leader of a group, where the system has groups."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)


def end_group(leader: int, since: float) -> None:
    """End a process and all that it started, also after it has ended itself.

    Parameters
    ----------
    leader : int
        A process that called `lead_group`.
    since : float
        When it began: numbers of processes are used again.
    """
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
        return
    # without groups: a process keeps the number of its parent there, even of a dead one
    for process in _family(leader):
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if process.create_time() > since - _CLOCK:
                process.kill()


def _family(leader: int) -> list[psutil.Process]:
    """Return a process and what it started; itself last, since it may be the one that asks."""
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
