"""Divide the cells of a folder between several runs, which may be on several machines.

Before a run works on a cell, it takes the cell's lease: it creates a file, which only one run can
do.
Every run also has its own file, and touches it every few seconds. A run counts as dead when this
file is gone or has not been touched for a long time. A run on this machine is also dead when its
process has ended. Another run inherits a lease of a dead run by creating a file for that. A file
that cannot be read, or whose time is impossible, holds nobody up for longer than a dead run does.
"""

from __future__ import annotations

import functools
import json
import os
import re
import socket
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Self

import psutil

from ..system.processes import alive

_BEAT = 3.0  # seconds between two touches
_LAPSE = 30.0  # seconds without a touch after which a run on another machine counts as dead
_RUN = "run-"
_OWNER = re.compile("[0-9a-f]{32}")


class Leases:
    """Hold the cells of a folder that only this run works on.

    All times are those of files in the folder, which come from one clock, that of the disk. The
    clocks of several machines may differ.

    Parameters
    ----------
    folder : Path
        The folder of the leases; it exists while at least one run works.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.owner = uuid.uuid4().hex
        self._mine = folder / f"{_RUN}{self.owner}"
        self._held: dict[str, list[Path]] = {}
        self._stop = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._announce()
        self._heart.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._heart.join()
        with suppress(OSError):  # an error of the disk must not hide the error that ended the run
            for key in list(self._held):
                self.release(key)
            self._tidy()

    def take(self, key: str) -> bool:
        """Take the lease of a cell, and tell whether this succeeded.

        The caller must then check whether the cell is already stored: the run that had its
        lease may have finished it just before.
        """
        path, passed = self.folder / key, [self.folder / key]
        first = None
        while not _create(path, self.owner):
            owner = _read(path)
            if owner is None or self._lives(owner, path):
                return False  # it was just released, or another run works on it
            first = owner if first is None else first
            path = self._heir(key, owner)
            if path in passed:  # two died before they could write, or the files were changed
                path = path.with_name(f"{path.name}.{len(passed)}")
            passed.append(path)
        if first is not None and _read(passed[0]) != first:
            _remove(path)  # the lease to inherit was released in the meantime
            return False
        self._held[key] = passed
        return True

    def release(self, key: str) -> None:
        """Release a cell that is stored, or that another run may take."""
        passed = self._held.pop(key)
        if not self._heir(key, self.owner).exists():  # else another run thought this one was dead
            for path in passed:
                _remove(path)

    def _heir(self, key: str, owner: str) -> Path:
        return self.folder / f"{key}.{owner or 'nobody'}"

    def _lives(self, owner: str, lease: Path) -> bool:
        run = self.folder / f"{_RUN}{owner}"
        now = self._now()
        try:
            # an empty lease was made just now, or by a run that died before it could write
            touched = (run if owner else lease).stat().st_mtime
            if abs(now - touched) > _LAPSE:  # or in the future, which no run's file can be
                return False
            about = json.loads(run.read_bytes()) if owner else {}
            if about.get("machine") != _machine():
                return True
            return alive(about["process"], about["began"])
        except FileNotFoundError:
            return False
        except Exception:  # whatever its content does: nobody knows whose it is
            return True  # so only its age can tell

    def _now(self) -> float:
        """Return the time by the disk's clock, to which the time of this run's file is close."""
        while True:
            try:
                return self._mine.stat().st_mtime
            except FileNotFoundError:  # somebody has removed it
                self._announce()

    def _announce(self) -> None:
        about = {
            "host": socket.gethostname(),
            "machine": _machine(),
            "process": os.getpid(),
            "began": psutil.Process().create_time(),
        }
        while True:
            self.folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):  # another run has just removed the empty folder
                self._mine.write_text(json.dumps(about), encoding="utf-8")
                return

    def _beat(self) -> None:
        while not self._stop.wait(_BEAT):
            try:
                os.utime(self._mine)
            except FileNotFoundError:  # the machine was suspended, so others thought it was dead
                with suppress(OSError):
                    self._announce()
            except OSError:  # for example, the disk cannot be reached for a while
                continue

    def _tidy(self) -> None:
        """Remove this run's file, and the files of dead runs if no other run is alive."""
        entries = list(self.folder.iterdir())
        names = {path.name for path in entries} - {self._mine.name}
        runs = [name.removeprefix(_RUN) for name in names if name.startswith(_RUN)]
        if any(self._lives(owner, self._mine) for owner in runs):
            entries = [self._mine]
        for path in entries:
            _remove(path)
        self.folder.rmdir()


def _create(path: Path, owner: str) -> bool:
    """Create the file of a lease; return False if there is one already."""
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(owner)
    except FileExistsError:
        return False
    return True


def _read(path: Path) -> str | None:
    """Return the owner of a lease, "" if that cannot be read, or None if there is no lease."""
    try:
        text = path.read_bytes().decode("ascii", "replace")
    except FileNotFoundError:
        return None
    except OSError:  # such as a folder of this name; on Windows also a file that is being removed
        return ""
    return text if _OWNER.fullmatch(text) else ""


def _remove(path: Path) -> None:
    for _ in range(20):
        try:
            path.unlink(missing_ok=True)
            return
        except IsADirectoryError:  # no run has made it
            return
        except PermissionError:  # on Windows: another run is reading it
            time.sleep(0.05)


@functools.cache
def _machine() -> str:
    """Return a text that identifies this machine and its process numbers."""
    boot, space = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
    try:
        return f"{boot.read_text(encoding='utf-8').strip()} {space.readlink()}"
    except OSError:
        return f"{socket.gethostname()} {uuid.getnode():x}"
