"""Keep what the overview says about packed files, so that large ones are read only once.

The lines are in one small file of the cache. A line is used for a packed file with exactly the same
bytes, and only if mlfs and the user's catalogue have not changed since: the cells that an
experiment has, and the names of its methods, follow from them. Without that file, and if it cannot
be read or written, an overview only takes longer.
"""

from __future__ import annotations

import contextlib
import json
import os
from functools import cached_property
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from ... import papers
from ...datasets.places import cache_dir, user_catalogue_file
from ...protocols import Experiment
from ...protocols.experiment.dataset_choice import NOT_HERE
from ...results.packing import Packed
from ...results.store import Store
from ...system.atomic import atomic_write

LineContent = dict[str, Any]  # what a line says about an experiment
NAME = "overviews.json"
_PACKAGE = Path(__file__).resolve().parents[2]
_FIELDS = {
    "name": str,
    "about": str,
    "paper": str,
    "reading": bool,
    "done": int,
    "cells": int,
    "failed": int,
    "best": str,
    "compared": bool,
}


class KeptOverviews:
    """The lines of earlier overviews, by the digest of their packed files."""

    def __init__(self) -> None:
        self._file = cache_dir() / NAME
        self._digests: dict[Path, str] = {}
        self._new = False

    @cached_property
    def _lines(self) -> dict[str, LineContent]:
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
            if kept["made_by"] == self._made_by and isinstance(kept["lines"], dict):
                return {key: line for key, line in kept["lines"].items() if _is_content(line)}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        return {}

    @cached_property
    def _made_by(self) -> str:
        """A digest of the times and sizes of all files that a line follows from."""
        parts = [os.environ.get("MLFS_PAPERS", ""), _stamp(user_catalogue_file())]
        for folder, _, names in sorted(os.walk(_PACKAGE)):
            if "__pycache__" not in folder:
                parts += [_stamp(Path(folder, name)) for name in sorted(names)]
        return sha256("\n".join(parts).encode()).hexdigest()

    def get(self, store: Store) -> LineContent | None:
        """Return what is known about a packed file; None if it must be read."""
        if not isinstance(store, Packed):
            return None
        try:
            with store.folder.open("rb") as file:
                self._digests[store.folder] = file_digest(file, "sha256").hexdigest()
        except OSError:
            return None  # reading it says what is wrong
        return self._lines.get(self._digests[store.folder])

    def add(self, store: Store, experiment: Experiment, content: LineContent) -> None:
        """Keep a line, unless it follows from files of the user, which may change."""
        digest = self._digests.get(store.folder)
        own = papers.own_folder(experiment.paper) or os.environ.get("MLFS_PAPERS")
        data = [choice.data for choice in experiment.datasets]
        if digest and not own and all(not one.own and one.checksum != NOT_HERE for one in data):
            self._lines[digest] = content
            self._new = True

    def save(self) -> None:
        """Write the lines, if there are new ones."""
        if not self._new:
            return
        content = json.dumps({"made_by": self._made_by, "lines": self._lines}).encode()
        with contextlib.suppress(OSError):  # the disk may be full or read-only
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(self._file) as stream:
                stream.write(content)


def _is_content(line: Any) -> bool:
    return (
        isinstance(line, dict)
        and line.keys() == _FIELDS.keys()
        and all(type(line[name]) is kind for name, kind in _FIELDS.items())
    )


def _stamp(path: Path) -> str:
    try:
        about = path.stat()
    except OSError:
        return f"{path} none"
    return f"{path} {about.st_mtime_ns} {about.st_size}"
