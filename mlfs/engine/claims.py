"""Claims: several runs on one folder, maybe on several machines, divide its cells.

Before a run works on a cell it claims it by a file that only one can create. Every run has a file
of its own that it touches every few seconds. A run is dead when that file is gone or has not been
touched for long, and at once when its process was one of this machine and is gone. What a dead
run had claimed goes to the first heir who creates the file for that.
"""

from __future__ import annotations

import functools
import json
import os
import socket
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Self

import psutil

from .processes import alive

_BEAT = 3.0  # seconds between two touches
_LAPSE = 30.0  # seconds without a touch after which a run on another machine counts as dead
_RUN = "run-"


class Claims:
    """The cells of a folder that this run, and no other, works on.

    Times are compared between files of the folder alone: the clocks of several machines may
    differ, that of the disk is one.

    Parameters
    ----------
    folder : Path
        Where the claims lie; it is there while somebody runs.
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
        with suppress(OSError):  # a disk that is gone or full must not hide why the run ends
            for key in list(self._held):
                self.release(key)
            self._tidy()

    def take(self, key: str) -> bool:
        """Claim a cell; whether it is now this run's.

        Look afterwards whether the cell has been stored: the run that had it may just have ended.
        """
        path, passed = self.folder / key, [self.folder / key]
        first = None
        while not _create(path, self.owner):
            owner = _read(path)
            if owner is None or self._lives(owner, path):
                return False  # just released, or another's
            first = owner if first is None else first
            path = self._heir(key, owner)
            passed.append(path)
        if first is not None and _read(passed[0]) != first:
            _remove(path)  # what was to be inherited had been given back
            return False
        self._held[key] = passed
        return True

    def release(self, key: str) -> None:
        """Release a cell: it is stored, or another run may take it."""
        passed = self._held.pop(key)
        if not self._heir(key, self.owner).exists():  # else this run had been taken for dead
            for path in passed:
                _remove(path)

    def _heir(self, key: str, owner: str) -> Path:
        return self.folder / f"{key}.{owner or 'nobody'}"

    def _lives(self, owner: str, claim: Path) -> bool:
        run = self.folder / f"{_RUN}{owner}"
        try:
            # a claim that is still empty was made just now, or by one who died that moment
            touched = (run if owner else claim).stat().st_mtime
            if self._mine.stat().st_mtime - touched > _LAPSE:
                return False
            about = json.loads(run.read_text(encoding="utf-8")) if owner else {}
        except FileNotFoundError:
            return False
        except ValueError:
            return True
        if about.get("machine") != _machine():
            return True
        return alive(about["process"], about["began"])

    def _announce(self) -> None:
        about = {
            "host": socket.gethostname(),
            "machine": _machine(),
            "process": os.getpid(),
            "began": psutil.Process().create_time(),
        }
        while True:
            self.folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):  # the last of the others has just tidied up
                self._mine.write_text(json.dumps(about), encoding="utf-8")
                return

    def _beat(self) -> None:
        while not self._stop.wait(_BEAT):
            try:
                os.utime(self._mine)
            except FileNotFoundError:  # this machine slept, and was taken for dead
                with suppress(OSError):
                    self._announce()
            except OSError:  # such as a disk that is away for a while
                continue

    def _tidy(self) -> None:
        """Remove this run's file, and what the dead left if nobody else is there."""
        entries = list(self.folder.iterdir())
        names = {path.name for path in entries} - {self._mine.name}
        runs = [name.removeprefix(_RUN) for name in names if name.startswith(_RUN)]
        if any(self._lives(owner, self._mine) for owner in runs):
            entries = [self._mine]
        for path in entries:
            _remove(path)
        self.folder.rmdir()


def _create(path: Path, owner: str) -> bool:
    """Make a claim's file, unless there is one."""
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(owner)
    except FileExistsError:
        return False
    return True


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, PermissionError):  # Windows: it is just being removed
        return None


def _remove(path: Path) -> None:
    for _ in range(20):
        try:
            path.unlink(missing_ok=True)
            return
        except PermissionError:  # Windows: another run is just reading it
            time.sleep(0.05)


@functools.cache
def _machine() -> str:
    """Return what tells the machine, and the processes it can see, from all others."""
    boot, space = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
    try:
        return f"{boot.read_text(encoding='utf-8').strip()} {space.readlink()}"
    except OSError:
        return f"{socket.gethostname()} {uuid.getnode():x}"
