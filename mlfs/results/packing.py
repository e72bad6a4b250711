"""Pack results into one compressed file, to archive or to share them.

The first line of the file has the experiment and the number of cells. Every other line has the
key of a cell and then the content of its file. ``zstd -dc FILE`` shows the lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import zstandard

from ..config import shipped
from ..errors import UserError
from ..protocols import Experiment
from ..protocols.plan import plan, with_tuners
from ..system.atomic import atomic_write, compress, lines_of
from .cell_file import State, stored_state
from .store import Store, description, restored, unwritable

SUFFIX = ".jsonl.zst"
_FORMAT = 1


class Packed(Store):
    """Read the results of one experiment from a packed file; no results can be added.

    Parameters
    ----------
    file : path
        A file that `pack` wrote.
    """

    def __init__(self, file: str | Path):
        super().__init__(file)

    def open(self, experiment: Experiment, *_: object, **__: object) -> None:
        """Refuse: no results can be added to a packed file."""
        raise UserError(f"{self.folder} is packed: run 'mlfs results unpack {self.folder}' first")

    def experiment(self) -> Experiment:
        """Return the experiment that these results belong to."""
        try:
            return restored(self._header, str(self.folder))
        except ValueError as error:
            raise self._damage() from error

    @property
    def figures(self) -> Path:
        """The folder for the figures of `mlfs plot`, beside the file."""
        return self.folder.with_name(self.folder.name.removesuffix(SUFFIX) + "-figures")

    def states(self) -> dict[str, State]:
        """Return the state of every stored cell, by key."""
        return {key: stored_state(key, content) for key, content in self.contents()}

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the key and content of every stored cell."""
        left = self._header["cells"]
        try:
            lines = lines_of(self.folder)
            next(lines)
            for line in lines:
                key, content = line.split(b"\t", 1)
                left -= 1
                yield key.decode(), content
        except (OSError, ValueError, zstandard.ZstdError) as error:
            raise self._damage() from error
        if left:
            raise self._damage()

    def _content(self, key: str) -> bytes | None:
        return self._all.get(key)

    @cached_property
    def _all(self) -> dict[str, bytes]:
        return dict(self.contents())

    @cached_property
    def _header(self) -> dict[str, Any]:
        try:
            header = json.loads(next(lines_of(self.folder), b""))
            if header["format"] == _FORMAT:
                return {**header, "cells": int(header["cells"])}
        except (OSError, ValueError, KeyError, TypeError, zstandard.ZstdError) as error:
            raise self._damage() from error
        raise UserError(f"{self.folder} was packed by a newer mlfs: update with pip")

    def _damage(self) -> UserError:
        return UserError(f"{self.folder} is damaged or not a packed file: get it again")


def pack(store: Store, output: Path) -> tuple[int, int]:
    """Write the cells of an experiment into one file.

    Cells of earlier versions of the methods or of the config are left out.

    Returns
    -------
    kept : int
        How many cells were written.
    others : int
        How many cells were left out.
    """
    experiment = store.experiment()
    contents = dict(store.contents())
    wanted = dict.fromkeys(one.key for one in with_tuners(plan(experiment)))  # columns share cells
    kept = [key for key in wanted if key in contents and _sound(key, contents[key])]
    header = {"format": _FORMAT, "cells": len(kept), **description(experiment)}
    lines = (key.encode() + b"\t" + contents[key].strip() for key in kept)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(output) as stream:
            compress([json.dumps(header).encode()], stream)
            compress(lines, stream)
    except OSError as error:
        raise unwritable(output, error) from error
    return len(kept), len(contents) - len(kept)


def unpack(packed: Packed, folder: Path) -> int:
    """Write packed results as a folder that `mlfs run` can continue; return the number of cells."""
    store = Store(folder)
    store.open(packed.experiment())
    count = 0
    for key, content in packed.contents():
        store.put(key, content.decode() + "\n")
        count += 1
    return count


def _sound(key: str, content: bytes) -> bool:
    return stored_state(key, content).status != "damaged"


def find(root: str | Path) -> list[Store]:
    """Return the results folders and packed files at or directly below `root`, sorted by name.

    If there is no folder ``results/mfsef``, the file ``results/mfsef.jsonl.zst`` is used.
    ``results/reference`` means the results that come with mlfs.
    """
    root = shipped.results_at(Path(root))
    beside = root.with_name(root.name + SUFFIX)
    if not root.exists() and beside.is_file():
        root = beside
    if root.is_file():
        return [Packed(root)]
    entries = sorted(root.iterdir()) if root.is_dir() else []
    folders = [path for path in [root, *entries] if (path / "experiment.yaml").is_file()]
    names = {path.name + SUFFIX for path in folders}  # a folder is newer than its packed file
    packed = [path for path in entries if path.name.endswith(SUFFIX) and path.name not in names]
    stores = [*map(Store, folders), *map(Packed, packed)]
    if not stores:
        raise UserError(f"no results in {root}: run a config first, with 'mlfs run CONFIG'")
    return sorted(stores, key=lambda store: store.folder.name)
