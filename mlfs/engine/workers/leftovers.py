"""Remove what killed runs have left behind: processes, temporary folders, files, semaphores."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ...system.atomic import PART
from ...system.processes import alive, end_left_behind, left_behind

OWNER = "mlfs-"  # begins the name of a file that says whose a temporary folder is
_OLD = 3600.0  # seconds after which a file that nobody has finished is not being written
_SHARED = Path("/dev/shm")  # where Linux has semaphores and shared memory
# names that joblib gives, with the number of the process
_OF_JOBLIB = re.compile(r"(?:sem\.)?loky-(\d+)-.*|joblib_memmapping_folder_(\d+)_.*")


def sweep(folders: Iterable[Path]) -> None:
    """Remove what runs on this machine that were killed have left behind.

    Parameters
    ----------
    folders : iterable of Path
        Folders of results, in which unfinished files are looked for.
    """
    with suppress(OSError):
        end_left_behind()
    temporary = Path(tempfile.gettempdir())
    for folder in _listed(temporary, "pymp-*"):
        owners = [path.name.removeprefix(OWNER) for path in _listed(folder, f"{OWNER}*")]
        if owners and all(map(left_behind, owners)):
            shutil.rmtree(folder, ignore_errors=True)
    for place in {temporary, _SHARED}:
        for path in (*_listed(place, "*loky-*"), *_listed(place, "joblib_memmapping_folder_*")):
            if _is_orphan(path):
                _remove(path)
    for folder in folders:
        for place in (folder, folder / "cells"):
            for path in _listed(place, f"{PART}*"):
                with suppress(OSError):
                    if time.time() - path.stat().st_mtime > _OLD:
                        _remove(path)


def _listed(folder: Path, pattern: str) -> list[Path]:
    try:
        return list(folder.glob(pattern))
    except OSError:
        return []


def _is_orphan(path: Path) -> bool:
    """Tell whether a file of joblib is this user's, is old, and its process has ended."""
    match = _OF_JOBLIB.fullmatch(path.name)
    if match is None:
        return False
    try:
        about = path.stat()
    except OSError:
        return False
    mine = not hasattr(os, "getuid") or about.st_uid == os.getuid()
    number = int(match[1] or match[2])
    return mine and time.time() - about.st_mtime > _OLD and not alive(number)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
