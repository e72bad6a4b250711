"""Keep an index of all cell files of a folder, so that many cells can be read in seconds.

The index is one compressed file, of which nothing is used before its digest is checked. An
entry is used only if its cell file still has the same time and size. If the index is lost or
damaged, or cannot be written, reading only takes longer.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import zstandard

from ..system.atomic import LONGEST, atomic_write, frame, lines_of, sealed
from .cell_file import State, is_key, stored_state

NAME = "index.zst"
_FORMAT = 4  # increase it when the content of an entry changes
_WORTH = 500  # this many files that are not in the index make it worth writing again
_READERS = 8  # threads: reading small files is mostly waiting
_BATCH = 25  # files that a thread reads before it returns them; more would take more memory
_USUAL = 2**16  # bytes: most files have less, and are read at once
_LEVEL = 1  # of compression: an index is written and read more often than sent


_ABSENT = -1  # the stamp of a file that is not there


Stamp = int  # when a file was written and its size, in one number, which takes little memory


class Snapshot:
    """Read the cells of a folder as they are now.

    Parameters
    ----------
    folder : Path
        The folder of the ``<key>.json`` files and of the index.
    known : iterable of str
        Keys that exist already, such as those of a plan: equal ones are not kept twice, which
        saves memory if there are very many.

    Attributes
    ----------
    states : dict
        The state of every cell, by key.
    """

    def __init__(self, folder: Path, known: Iterable[str] = ()):
        self.folder = folder
        # one dict, in which states replace stamps: there may be very many
        states: dict[str, Stamp | State] = {**_list(folder, known)}
        for key, stamp, state in _read_header(folder / NAME):
            if states.get(key) == stamp:
                states[key] = state
        fresh = [key for key, value in states.items() if isinstance(value, Stamp)]
        self._fresh = frozenset[str]()  # the cells that the index does not have
        if len(fresh) < _WORTH or not self._write_index(states, fresh):
            self._fresh = frozenset(fresh)
            for key, content in read_files(folder, fresh):
                states[key] = stored_state(key, content)
        for key in fresh:
            if isinstance(states[key], Stamp):
                del states[key]  # it is gone since it was listed
        self.states: dict[str, State] = states  # type: ignore[assignment]

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Yield the key and content of every cell, in any order."""
        left = set(self.states)
        with contextlib.suppress(OSError, zstandard.ZstdError):
            for key, content in _read_body(self.folder / NAME):
                if key in left and key not in self._fresh:
                    left.remove(key)
                    yield key, content
        yield from read_files(self.folder, list(left))

    def _write_index(self, states: dict[str, Stamp | State], fresh: list[str]) -> bool:
        """Read the cells that are not in the index, and write the index again with them.

        Return False if it cannot be written. In `states`, states replace the stamps of what was
        read.
        """
        path = self.folder / NAME
        try:
            with (
                atomic_write(path) as file,
                sealed(file) as whole,
                tempfile.TemporaryFile(dir=self.folder) as body,
            ):
                with frame(whole, _LEVEL) as about, frame(body, _LEVEL) as line:
                    about(b"%d" % _FORMAT)
                    for key, stamp, state in _read_header(path):
                        if isinstance(states.get(key), State):
                            about(_entry(key, stamp, state))
                    if len(fresh) < len(states):
                        for key, content in _read_body(path):
                            if isinstance(states.get(key), State):
                                line(_line(key, content))
                    for key, content in read_files(self.folder, fresh):
                        state = stored_state(key, content)
                        about(_entry(key, cast(Stamp, states[key]), state))
                        line(_line(key, content))
                        states[key] = state
                    about(b"")
                body.seek(0)
                shutil.copyfileobj(body, whole)
        except (OSError, zstandard.ZstdError):  # the disk may be full or read-only
            return False
        return True


def keys_in(folder: Path) -> Iterator[str]:
    """Yield the keys of the cell files in a folder."""
    return (name[:-5] for name in _names(folder) if is_key(name[:-5]))


def strangers_in(folder: Path) -> list[str]:
    """Return the names of JSON files that are not cells, and which are not read.

    A program that copies folders may have left them, such as ``KEY (1).json``.
    """
    return sorted(name for name in _names(folder) if not is_key(name[:-5]))


def _names(folder: Path) -> Iterator[str]:
    """Yield the names of the JSON files in a folder, one by one: there may be very many."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".json") and not entry.name.startswith("."):
                yield entry.name


def _list(folder: Path, known: Iterable[str]) -> dict[str, Stamp]:
    """Return the stamp of every cell file, by key; a key that is known is that object."""
    stamps = dict[str, Stamp]()
    base = f"{folder}{os.sep}"
    for key in keys_in(folder):
        if not stamps:
            stamps = dict.fromkeys(known, _ABSENT)  # a dict keeps its keys when they get a value
        with contextlib.suppress(FileNotFoundError):
            about = os.stat(f"{base}{key}.json")  # noqa: PTH116 (a Path would take longer)
            stamps[key] = stamp_of(about)
    if _ABSENT in stamps.values():
        return {key: stamp for key, stamp in stamps.items() if stamp != _ABSENT}
    return stamps


def stamp_of(about: os.stat_result) -> Stamp:
    """Return the stamp of a file, given what `os.stat` says about it."""
    return (about.st_mtime_ns << 40) + about.st_size  # no cell has so many bytes


def content_at(path: str) -> bytes | None:
    """Return the content of a cell file, or its beginning if it is too long; None if it is gone."""
    try:
        # a Path would take longer than the reading
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            # no more than it has: a read needs all the memory first, and many would scatter it
            content = file.read(min(os.fstat(file.fileno()).st_size + 1, _USUAL))
            return content if len(content) < _USUAL else content + _rest(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return b""  # empty content counts as damaged


def _rest(file: io.FileIO) -> bytes:
    """Return what comes after the usual length, up to one byte more than is allowed."""
    with io.BufferedReader(file) as stream:
        return stream.read(LONGEST + 1 - _USUAL)


def read_files(folder: Path, keys: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the key and content of these cells; skip files that are gone."""
    base = f"{folder}{os.sep}"

    def read(some: list[str]) -> list[tuple[str, bytes]]:
        contents = []
        for key in some:
            content = content_at(f"{base}{key}.json")
            if content is not None:
                contents.append((key, content))
        return contents

    parts = [keys[i : i + _BATCH] for i in range(0, len(keys), _BATCH)]
    with ThreadPoolExecutor(_READERS) as pool:
        for i in range(0, len(parts), _READERS):  # in steps, to save memory
            for contents in pool.map(read, parts[i : i + _READERS]):
                yield from contents


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


def _entry(key: str, stamp: Stamp, state: State) -> bytes:
    """Return the line about a cell: stamp of its file, its state and its key."""
    status, metrics, seconds, memory = state
    names = ",".join(sorted(metrics))
    return f"{stamp} {status} {names} {seconds:.6g} {memory:.6g} {key}".encode()


def _read_header(path: Path) -> Iterator[tuple[str, Stamp, State]]:
    """Yield key, stamp and state of every cell in the index; nothing if it cannot be used."""
    shared: dict[str, frozenset[str]] = {"": frozenset()}  # few different ones: share the objects
    amounts = dict[str, float]()
    try:
        with contextlib.closing(lines_of(path)) as lines:
            if int(next(lines, b"0")) != _FORMAT:
                return
            for line in lines:
                if not line:
                    return
                stamp, status, names, seconds, memory, key = line.decode().split(" ")
                if names not in shared:
                    shared[names] = frozenset(names.split(","))
                if memory not in amounts:
                    amounts[memory] = float(memory)
                state = State(sys.intern(status), shared[names], float(seconds), amounts[memory])
                yield key, int(stamp), state
    except (OSError, ValueError, zstandard.ZstdError):
        return
