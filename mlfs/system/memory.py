"""Measure and limit the memory of cells, on any system."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from ..errors import UserError

GB = 1e9
_SPARE = 0.1  # share of the free memory to leave for the runner and other programs
_UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?")
_GROUPS = Path("/sys/fs/cgroup")  # has the limits of a container
_PARTS = ("Pss_Anon:", "Pss_Shmem:")  # of a process's memory, in kB, that no disk has
_STATUS, _FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def parse(text: str) -> float:
    """Return the bytes of an amount such as ``20GB``, ``1.5G`` or ``800 MiB``."""
    match = _AMOUNT.fullmatch(text.strip().upper())
    if match is None or not float(match[1]) or (match[3] and not match[2]):
        raise UserError(f"cannot read --memory {text}: write an amount such as 20GB or 800MB")
    unit = _UNITS[match[2]]
    return float(match[1]) * (1024.0 ** round(math.log10(unit) / 3) if match[3] else unit)


def free() -> float:
    """Return the bytes that this process and its children can still get."""
    available = float(psutil.virtual_memory().available)
    with suppress(OSError, ValueError):  # the limit may be the word "max"
        most = int((_GROUPS / "memory.max").read_text(encoding="utf-8"))
        available = min(
            available, most - int((_GROUPS / "memory.current").read_text(encoding="utf-8"))
        )
    return max(available, 0.0) * (1 - _SPARE)


def used(process: psutil.Process) -> float:
    """Return the bytes that a process uses: its own, and its part of what it shares with others.

    Files on disks that are mapped do not count: the system can forget and read them again.
    """
    with suppress(OSError, ValueError, IndexError):
        text = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii")
        return sum(float(text.split(name)[1].split()[0]) * 1024.0 for name in _PARTS)
    about: Any = process.memory_info()
    if hasattr(about, "private"):  # on Windows
        return float(about.private)
    return float(about.rss - getattr(about, "shared", 0))


@dataclass(frozen=True)
class MemoryBudget:
    """Divide memory into equal parts, one for each worker.

    A cell gets one part, or more parts if it probably needs more. Therefore either many small
    cells or a few large ones run at the same time.

    Parameters
    ----------
    total : float
        Bytes for all cells that run at the same time.
    parts : int
        Number of workers.
    """

    total: float
    parts: int

    def parts_of(self, need: float) -> int:
        """Return how many parts a cell gets that probably needs `need` bytes."""
        return min(self.parts, max(1, math.ceil(need * self.parts / self.total)))

    def limit(self, need: float) -> float:
        """Return the limit, in bytes, of a cell that probably needs `need` bytes."""
        return self.parts_of(need) * self.total / self.parts

    def fits(self, need: float, others: Iterable[float]) -> bool:
        """Tell whether a cell can be submitted while others run.

        If every cell gets one part, one cell more than there are workers is allowed, so that no
        worker has to wait for its next cell.
        """
        given = [self.parts_of(other) for other in others]
        own = self.parts_of(need)
        waits = 1 if own == 1 and all(part == 1 for part in given) else 0
        return not given or sum(given) + own <= self.parts + waits


def excess(limit: float) -> str:
    """Return the error of a cell that needed more memory than its limit."""
    amount = f"{limit / GB:.1f} GB" if limit >= GB else f"{limit / 1e6:.0f} MB"
    return f"needed more than {amount} of memory: run with fewer --workers or a larger --memory"


def forget_peak() -> None:
    """Make `peak` measure from now on, if the system can do this."""
    with suppress(OSError):
        _FORGET.write_text("5", encoding="ascii")


def peak() -> float:
    """Return the largest memory of this process in bytes, if possible since `forget_peak`."""
    with suppress(OSError, IndexError, ValueError):
        text = _STATUS.read_text(encoding="ascii", errors="replace")
        return float(text.split("VmHWM:")[1].split()[0]) * 1024.0
    about: Any = psutil.Process().memory_info()
    if hasattr(about, "peak_wset"):  # on Windows
        return float(about.peak_wset)
    return _largest("RUSAGE_SELF")


def peak_of_children() -> float:
    """Return the largest memory, in bytes, of the processes that this one started and awaited."""
    return 0.0 if sys.platform == "win32" else _largest("RUSAGE_CHILDREN")


def _largest(whose: str) -> float:
    import resource  # not every system has it

    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(getattr(resource, whose)).ru_maxrss * unit)
