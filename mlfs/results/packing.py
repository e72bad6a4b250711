"""Pack results into one compressed file, to archive or to share them.

The first line of the file has the experiment and the number of cells. Every other line has the
key of a cell and then the content of its file. ``zstd -dc FILE`` shows the lines. Nothing is used
before the digest of the whole file, at its end, is checked.
"""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from hashlib import file_digest
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import zstandard

from ..config import shipped
from ..errors import UserError
from ..protocols import Experiment
from ..protocols.plan import plan, with_tuners
from ..system.atomic import (
    PART,
    atomic_write,
    compress,
    lines_of,
    make_folder,
    sealed,
    sync_folder,
)
from .cell_file import Damaged, State, is_key, record_of, state_of, stored_state, too_deep
from .store import Store, description, restored, unreadable, unwritable

SUFFIX = ".jsonl.zst"
_FORMAT = 2  # increase it when the lines change
_DEEPEST = 50  # most levels of nesting in the description of an experiment


class NoResults(UserError):
    """Report that there are no results at a place."""


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

    def states(self, known: Iterable[str] = ()) -> dict[str, State]:
        """Return the state of every stored cell, by key."""
        return {key: stored_state(key, content) for key, content in self.contents()}

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the key and content of every stored cell."""
        left, seen = self._header["cells"], set()
        try:
            lines = lines_of(self.folder)
            next(lines)
            for line in lines:
                name, content = line.split(b"\t", 1)
                key = name.decode()
                if not is_key(key) or key in seen:
                    raise ValueError("not a key, or there twice")
                seen.add(key)
                left -= 1
                yield key, content
        except (OSError, ValueError, zstandard.ZstdError) as error:
            raise self._damage() from error
        if left:
            raise self._damage()

    def digest(self) -> str:
        """Return the SHA-256 of the file; an empty text if it cannot be read."""
        try:
            with self.folder.open("rb") as file:
                return file_digest(file, "sha256").hexdigest()
        except OSError:
            return ""  # reading the cells says what is wrong

    def strangers(self) -> list[Path]:
        """Return no files: a packed file with anything but cells is damaged."""
        return []

    def _content(self, key: str) -> bytes | None:
        return self._all.get(key)

    @cached_property
    def _all(self) -> dict[str, bytes]:
        return dict(self.contents())

    @cached_property
    def _header(self) -> dict[str, Any]:
        try:
            header = json.loads(next(lines_of(self.folder), b""))
            form = header["format"]
            if form > _FORMAT:
                raise UserError(f"{self.folder} was packed by a newer mlfs: update with pip")
            if form == _FORMAT and not too_deep(header, _DEEPEST):
                return {**header, "cells": int(header["cells"])}
        except PermissionError as error:
            raise unreadable(self.folder, error) from error
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            RecursionError,
            zstandard.ZstdError,
        ) as error:
            raise self._damage() from error
        raise self._damage()

    def _damage(self) -> UserError:
        return UserError(
            f"{self.folder} is damaged, is not a packed file, or was packed by an earlier mlfs: "
            "get it again"
        )


class PackedCells(NamedTuple):
    """Count the cells that `pack` wrote and left out, and say what is wrong with damaged ones."""

    kept: int
    others: int  # of earlier versions of the methods or of the config
    damaged: list[str]


def pack(store: Store, output: Path, tick: Callable[[], object] = lambda: None) -> PackedCells:
    """Write the cells of an experiment into one file; `tick` is called after every cell.

    Damaged cells, and cells of earlier versions of the methods or of the config, are left out.
    """
    experiment = store.experiment()
    contents = dict(store.contents())
    wanted = dict.fromkeys(one.key for one in with_tuners(plan(experiment)))  # columns share cells
    kept, damaged = list[str](), list[str]()
    for key in filter(contents.__contains__, wanted):
        try:
            record_of(key, contents[key], store.folder)
            kept.append(key)
        except Damaged as error:
            damaged.append(str(error))
        tick()
    header = {"format": _FORMAT, "cells": len(kept), **description(experiment)}
    lines = (key.encode() + b"\t" + contents[key].strip() for key in kept)
    try:
        make_folder(output.parent, sync=True)
        with atomic_write(output, sync=True) as file, sealed(file) as stream:
            compress([json.dumps(header).encode()], stream)
            compress(lines, stream)
    except OSError as error:
        raise unwritable(output, error, "--output") from error
    return PackedCells(len(kept), len(contents) - len(kept) - len(damaged), damaged)


def unpack(
    packed: Packed, folder: Path, tick: Callable[[], object] = lambda: None
) -> tuple[int, int]:
    """Write packed results as a folder that `mlfs run` can continue: all of them, or nothing.

    Cells that are already finished in the folder stay as they are. `tick` is called after every
    cell.

    Returns
    -------
    written : int
        How many cells were written.
    kept : int
        How many cells of the folder stayed.
    """
    store, states = Store(folder), Store(folder).states()
    part = Store(folder.with_name(f"{PART}{uuid4().hex}"))
    store.sync = part.sync = True
    written = list[str]()
    kept = 0
    try:
        experiment = packed.experiment()
        make_folder(part.folder, sync=True)
        part.open(experiment)
        for key, content in packed.contents():
            tick()
            if not _better(state_of(record_of(key, content, packed.folder)), states.get(key)):
                kept += 1
                continue
            part.put(key, content + b"\n")
            written.append(key)
        store.open(experiment, states=states)
        for key in written:
            name = f"{key}.json"
            (part.folder / "cells" / name).replace(folder / "cells" / name)
        sync_folder(folder / "cells")
    except Damaged as error:
        raise UserError(f"{error}: get the file again; nothing was written") from error
    except OSError as error:
        raise unwritable(folder, error, "--output") from error
    finally:
        shutil.rmtree(part.folder, ignore_errors=True)
    return len(written), kept


def _better(new: State, old: State | None) -> bool:
    """Tell whether a packed cell replaces one of the folder, which stays if it is finished."""
    if old is None or old.status == "damaged":
        return True
    return new.status == "done" and (old.status != "done" or new.metrics > old.metrics)


def find(root: str | Path) -> list[Store]:
    """Return the results folders and packed files at or directly below `root`, sorted by name.

    If there is no folder ``results/mfsef``, the file ``results/mfsef.jsonl.zst`` is used.
    ``results/reference`` means the results that come with mlfs.
    """
    try:
        return _find(shipped.results_at(Path(root)))
    except PermissionError as error:
        raise unreadable(Path(root), error) from error


def _find(root: Path) -> list[Store]:
    beside = root.with_name(root.name + SUFFIX)
    if not root.exists() and beside.is_file():
        root = beside
    if root.is_file():
        return [Packed(root)]
    entries = sorted(root.iterdir()) if root.is_dir() else []
    folders = [path for path in [root, *entries] if _has_results(path)]
    names = {path.name + SUFFIX for path in folders}  # a folder is newer than its packed file
    packed = [path for path in entries if path.name.endswith(SUFFIX) and path.name not in names]
    stores = [*map(Store, folders), *map(Packed, packed)]
    if not stores:
        raise NoResults(f"no results in {root}: run a config first, with 'mlfs run CONFIG'")
    return sorted(stores, key=lambda store: store.folder.name)


def _has_results(folder: Path) -> bool:
    try:
        return stat.S_ISREG((folder / "experiment.yaml").stat().st_mode)
    except PermissionError as error:
        raise unreadable(folder, error) from error
    except OSError:  # there is none, or `folder` is a file
        return False
