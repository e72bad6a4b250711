"""Memory of cells: what they may use and what they use, on any system."""

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
_SPARE = 0.1  # of what is free: the runner, and what others start
_UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(I?)B?")
_GROUPS = Path("/sys/fs/cgroup")  # what a container may use stands there
_STATUS, _FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def parse(text: str) -> float:
    """Bytes of an amount such as ``20GB``, ``1.5G`` or ``800 MiB``."""
    found = _AMOUNT.fullmatch(text.strip().upper())
    if found is None or not float(found[1]) or (found[3] and not found[2]):
        raise UserError(f"cannot read --memory {text}: write an amount such as 20GB or 800MB")
    unit = _UNITS[found[2]]
    return float(found[1]) * (1024.0 ** round(math.log10(unit) / 3) if found[3] else unit)


def free() -> float:
    """Bytes that this process and its children can still have."""
    found = float(psutil.virtual_memory().available)
    with suppress(OSError, ValueError):  # "max" is no number
        most = int((_GROUPS / "memory.max").read_text(encoding="utf-8"))
        found = min(found, most - int((_GROUPS / "memory.current").read_text(encoding="utf-8")))
    return max(found, 0.0) * (1 - _SPARE)


def used(process: psutil.Process) -> float:
    """Return the bytes that a process has to itself; mapped files are shared and do not count."""
    about: Any = process.memory_info()
    if hasattr(about, "private"):  # on Windows
        return float(about.private)
    return float(about.rss - getattr(about, "shared", 0))


@dataclass(frozen=True)
class Room:
    """Memory for the cells that run at once, in as many equal parts as there are workers.

    A cell gets one part, or as many as it is expected to need. So many small ones run at once,
    and large ones with fewer others beside them.

    Parameters
    ----------
    total : float
        Bytes.
    parts : int
        Number of workers.
    """

    total: float
    parts: int

    def parts_of(self, need: float) -> int:
        """How many parts a cell gets that is expected to need so many bytes."""
        return min(self.parts, max(1, math.ceil(need * self.parts / self.total)))

    def limit(self, need: float) -> float:
        """Bytes that such a cell may use."""
        return self.parts_of(need) * self.total / self.parts

    def fits(self, need: float, others: Iterable[float]) -> bool:
        """Whether a cell can be handed over beside others.

        While all of them get one part, one may wait at the workers, so that none of these waits.
        """
        given = [self.parts_of(other) for other in others]
        own = self.parts_of(need)
        waits = 1 if own == 1 and all(part == 1 for part in given) else 0
        return not given or sum(given) + own <= self.parts + waits


def excess(limit: float) -> str:
    """Why a cell failed that needed more than its limit."""
    amount = f"{limit / GB:.1f} GB" if limit >= GB else f"{limit / 1e6:.0f} MB"
    return f"needed more than {amount} of memory: run with fewer --workers or a larger --memory"


def forget_peak() -> None:
    """Let `peak` count from now on, where the system can."""
    with suppress(OSError):
        _FORGET.write_text("5", encoding="ascii")


def peak() -> float:
    """Return the most bytes that this process has had, since `forget_peak` where that is known."""
    with suppress(OSError, IndexError, ValueError):
        text = _STATUS.read_text(encoding="ascii", errors="replace")
        return float(text.split("VmHWM:")[1].split()[0]) * 1024.0
    about: Any = psutil.Process().memory_info()
    if hasattr(about, "peak_wset"):  # on Windows
        return float(about.peak_wset)
    import resource  # not every system has it

    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)
