"""Keep an index of all cell files of a folder, so that many cells can be read in seconds.

The index is one compressed file, of which nothing is used before its digest is checked. An
entry is used only if its cell file still has the same time and size. If the index is lost or
damaged, or cannot be written, reading only takes longer.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import zstandard

from ..system.atomic import LONGEST, atomic_write, compress, lines_of, sealed
from .cell_file import State, is_key, stored_state

NAME = "index.zst"
_FORMAT = 3  # increase it when the content of an entry changes
_WORTH = 500  # this many files that are not in the index make it worth writing again
_READERS = 8  # threads: reading small files is mostly waiting
_BATCH = 100  # files that a thread reads before it returns them


Stamp = tuple[int, int]  # the time when a file was written, and its size


class Snapshot:
    """Read the cells of a folder as they are now.

    Parameters
    ----------
    folder : Path
        The folder of the ``<key>.json`` files and of the index.

    Attributes
    ----------
    states : dict
        The state of every cell, by key.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self._fresh = _list(folder)
        self.states: dict[str, State] = {}
        for key, stamp, state in _read_header(folder / NAME):
            if self._fresh.get(key) == stamp:
                self.states[key] = state
                del self._fresh[key]  # at once, to save memory: there may be very many
        if len(self._fresh) >= _WORTH:
            with contextlib.suppress(OSError):  # the disk may be full or read-only
                self._write_index()
        for key, content in read_files(folder, list(self._fresh)):
            self.states[key] = stored_state(key, content)

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the key and content of every cell, in any order."""
        left = set(self.states)
        with contextlib.suppress(OSError, zstandard.ZstdError):
            for key, content in _read_body(self.folder / NAME):
                if key in left and key not in self._fresh:
                    left.remove(key)
                    yield key, content
        yield from read_files(self.folder, list(left))

    def _write_index(self) -> None:
        """Read the cells that are not in the index, and write the index again with them."""
        states, files = dict(self.states), dict(self._fresh)
        for key, stamp, _ in _read_header(self.folder / NAME):
            if key in states:
                files[key] = stamp

        def lines() -> Iterator[bytes]:
            for key, content in self.contents():
                yield _line(key, content)
            for key, content in read_files(self.folder, list(self._fresh)):
                states[key] = stored_state(key, content)
                yield _line(key, content)

        with (
            atomic_write(self.folder / NAME) as file,
            sealed(file) as whole,
            tempfile.TemporaryFile(dir=self.folder) as body,
        ):
            compress(lines(), body)
            compress(_header(files, states), whole)
            body.seek(0)
            shutil.copyfileobj(body, whole)
        self.states, self._fresh = states, {}


def names_in(folder: Path) -> tuple[list[str], list[str]]:
    """Return the keys of the cell files, and the names of other JSON files, which are not read.

    A program that copies folders may have left others, such as ``KEY (1).json``.
    """
    try:
        names = os.listdir(folder)  # noqa: PTH208 (Path.iterdir takes longer)
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    keys, strangers = list[str](), list[str]()
    for name in names:
        key = name.removesuffix(".json")
        if key != name and not name.startswith("."):
            keys.append(key) if is_key(key) else strangers.append(name)
    return keys, sorted(strangers)


def _list(folder: Path) -> dict[str, Stamp]:
    """Return the time and size of every cell file, by key."""
    found = {}
    base = f"{folder}{os.sep}"
    for key in names_in(folder)[0]:
        with contextlib.suppress(FileNotFoundError):
            about = os.stat(f"{base}{key}.json")  # noqa: PTH116 (a Path would take longer)
            found[key] = (about.st_mtime_ns, about.st_size)
    return found


def read_files(folder: Path, keys: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the key and content of these cells; skip files that are gone."""
    base = f"{folder}{os.sep}"

    def read(some: list[str]) -> list[tuple[str, bytes]]:
        found = []
        for key in some:
            try:
                # a Path would take longer than the reading
                with open(f"{base}{key}.json", "rb", buffering=0) as file:  # noqa: PTH123
                    found.append((key, file.read(LONGEST + 1)))
            except FileNotFoundError:
                pass
            except OSError:
                found.append((key, b""))  # empty content counts as damaged
        return found

    parts = [keys[i : i + _BATCH] for i in range(0, len(keys), _BATCH)]
    with ThreadPoolExecutor(_READERS) as pool:
        for i in range(0, len(parts), _READERS):  # in steps, to save memory
            for found in pool.map(read, parts[i : i + _READERS]):
                yield from found


def _line(key: str, content: bytes) -> bytes:
    # a cell is one line, but a damaged file may contain line breaks
    return key.encode() + b" " + content.replace(b"\n", b" ").rstrip()


def _read_body(path: Path) -> Iterator[tuple[str, bytes]]:
    lines = lines_of(path)
    for line in lines:
        if not line:
            break  # the end of the header
    for line in lines:
        key, _, content = line.partition(b" ")
        yield key.decode(), content


def _header(files: dict[str, Stamp], states: dict[str, State]) -> Iterator[bytes]:
    """Yield the lines: the format; time, size, state and key of every cell; an empty line."""
    yield b"%d" % _FORMAT
    for key, (status, metrics, seconds, memory) in states.items():
        when, size = files[key]
        costs = f"{seconds:.6g} {memory:.6g}"
        yield f"{when} {size} {status} {','.join(sorted(metrics))} {costs} {key}".encode()
    yield b""


def _read_header(path: Path) -> Iterator[tuple[str, Stamp, State]]:
    """Yield key, stamp and state of every cell in the index; nothing if it cannot be used."""
    known: dict[str, frozenset[str]] = {"": frozenset()}  # few different ones: share the objects
    try:
        with contextlib.closing(lines_of(path)) as lines:
            if int(next(lines, b"0")) != _FORMAT:
                return
            for line in lines:
                if not line:
                    return
                when, size, status, names, seconds, memory, key = line.decode().split(" ")
                if names not in known:
                    known[names] = frozenset(names.split(","))
                state = State(status, known[names], float(seconds), float(memory))
                yield key, (int(when), int(size)), state
    except (OSError, ValueError, zstandard.ZstdError):
        return
