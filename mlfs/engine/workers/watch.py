"""Watch the memory of worker processes, and kill one that uses more than its limit."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import psutil

from ...system.memory import used
from ...system.processes import end_group

_TICK = 0.1  # seconds between two checks of the workers
_FAMILY = 10  # every tenth check includes their child processes, because that takes longer
_LIMITS = "limits"


def limited(known: str, limit: float, function: Callable[..., Any], *args: Any) -> Any:
    """Run a function in a worker; write its limit in bytes into a file that `Watch` reads."""
    path = Path(known) / _LIMITS / str(os.getpid())
    path.write_text(repr(limit), encoding="ascii")
    try:
        return function(*args)
    finally:
        path.write_text("", encoding="ascii")


class Watch:
    """Watch the workers that have written their limits into files.

    Parameters
    ----------
    known : Path
        A folder that the workers write to.

    Attributes
    ----------
    killed : dict
        For each killed process, by number: the limit, in bytes, that it exceeded.
    """

    def __init__(self, known: Path):
        self.killed: dict[int, float] = {}
        self._limits = known / _LIMITS
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._limits.mkdir()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        looks = 0
        while not self._stop.wait(_TICK):
            looks += 1
            for path in list(self._limits.iterdir()):
                with suppress(psutil.Error, OSError):
                    self._look(path, looks % _FAMILY == 0)

    def _look(self, path: Path, family: bool) -> None:
        text = path.read_text(encoding="ascii")
        if not text:
            return  # between two cells
        leader = psutil.Process(int(path.name))
        total = used(leader)
        for child in leader.children(recursive=True) if family else ():
            with suppress(psutil.Error):
                total += used(child)
        # read the limit again: the cell may have ended, and an idle worker must not be killed
        if total > float(text) and path.read_text(encoding="ascii") == text:
            self.killed[leader.pid] = float(text)
            end_group(leader.pid, leader.create_time())
            path.unlink()
