"""Check whether a process runs, and end a process with all that it started, on any system."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil

MARK = "MLFS_RUNNER"  # the variable that names the runner in the environment of what it started
_CLOCK = 5.0  # seconds that a start time may seem to change when the system's clock is set
_ROUNDS = 50  # of looking for processes that others have started in the meantime
_SUBREAPER = 36  # number of the option in Linux's <linux/prctl.h>


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
        other = psutil.Process(process)
        if other.status() == psutil.STATUS_ZOMBIE:
            return False
        return began is None or abs(other.create_time() - began) < _CLOCK
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:  # it runs, but belongs to another user
        return True


def how_it_ended(code: int | None) -> str:
    """Return a sentence about a process that ended before its work did.

    Parameters
    ----------
    code : int or None
        Its exit code, if it is known.
    """
    told = "exit code not known" if code is None else f"exit code {code}"
    why = "its code has ended it" if code == 0 else "out of memory?"
    return f"its process died ({told}); {why}"


def mark() -> str:
    """Return the value of `MARK` for what this process starts: its number and when it began."""
    return f"{os.getpid()}-{psutil.Process().create_time():.0f}-{_numbering()}"


def _numbering() -> str:
    """Return what tells containers apart in which processes have numbers of their own."""
    try:
        return "".join(filter(str.isdigit, str(Path("/proc/self/ns/pid").readlink()))) or "0"
    except (OSError, NotImplementedError):
        return "0"


def lead_group() -> None:
    """Make this process the leader of a process group, if the system has such groups."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)


def adopt_orphans() -> None:
    """Become the parent of all processes below this one whose own parents end; only on Linux.

    Then a process cannot leave the family: neither by a session of its own nor as a daemon.
    """
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def family(leader: int) -> list[psutil.Process]:
    """Return all processes below a process: its children, their children, and so on."""
    with suppress(psutil.Error):
        return psutil.Process(leader).children(recursive=True)
    return []


def end_family(leader: int, *, spare: Callable[[psutil.Process], bool] | None = None) -> None:
    """End all processes below a process, and what is in the groups that they lead.

    Parameters
    ----------
    leader : int
        Number of the process, which itself goes on.
    spare : callable, optional
        Tells of a process whether it may live.
    """
    for _ in range(_ROUNDS):
        running = [one for one in family(leader) if _runs(one) and not (spare and spare(one))]
        if not running:
            return
        for sent in (_stop, _kill):  # first stop them all, so that none can start another
            for one in running:
                sent(one)


def end_tree(leader: int, since: float, *, group: bool = True) -> None:
    """End a process and all that it started, even if the process itself has already ended.

    Parameters
    ----------
    leader : int
        Number of the process.
    since : float
        When it began; needed because systems use the numbers of processes again.
    group : bool
        Whether it called `lead_group`.
    """
    for process in _living(leader, since):
        _stop(process)
        end_family(leader)
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            if group:
                os.killpg(leader, signal.SIGKILL)
    else:  # systems without groups still know the number of a process's parent after its end
        for process in _started_by(leader):
            with suppress(psutil.Error):
                if process.create_time() > since - _CLOCK:
                    process.kill()
    for process in _living(leader, since):
        _kill(process)


def _living(leader: int, since: float) -> list[psutil.Process]:
    """Return a process in a list, which is empty if it has ended; it may do so at any moment."""
    with suppress(psutil.Error):
        return [psutil.Process(leader)] if alive(leader, since) else []
    return []


def _started_by(leader: int) -> list[psutil.Process]:
    """Return what a process has started that may have ended, and what that has started."""
    children: dict[int, list[psutil.Process]] = {}
    for process in psutil.process_iter(["ppid"]):
        children.setdefault(process.info["ppid"], []).append(process)
    started, waiting = list[psutil.Process](), [leader]
    while waiting:
        below = children.get(waiting.pop(), [])
        started += below
        waiting += [process.pid for process in below]
    return started


def marked(wanted: Callable[[str], bool]) -> Iterator[psutil.Process]:
    """Yield the other processes of this user whose `MARK` is wanted."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and _runs(process):
                value = process.environ().get(MARK)
                if value and wanted(value):
                    yield process


def left_behind(value: str) -> bool:
    """Tell whether a value of `MARK` names a runner of this machine that has ended."""
    parts = value.split("-")
    if len(parts) != 3 or not all(part.isdigit() for part in parts) or parts[2] != _numbering():
        return False
    return not alive(int(parts[0]), float(parts[1]))


def end_left_behind() -> int:
    """End what runs that are gone have left behind, and return how many processes this were."""
    orphans = list(marked(left_behind))
    for process in orphans:
        _kill(process)
    return len(orphans)


def _runs(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    return False


def _stop(process: psutil.Process) -> None:
    with suppress(psutil.Error):
        process.suspend()


def _kill(process: psutil.Process) -> None:
    with suppress(psutil.Error):
        process.kill()
