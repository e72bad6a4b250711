"""Keep parsed copies of datasets in the cache, which are loaded or shared much faster.

A copy is one file: the length of a JSON header, the header, and the arrays. Arrays start at cache
lines, so that processes can map the file; all processes together then need its memory only once.
The header names the code that read the data. A copy by other code is never used, so a changed
reader shows at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zlib
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import UserError
from ..types import Array, Matrix
from .dataset import Parsed
from .local_files import scratch

SUFFIX = ".parsed"
_DIGITS = 16  # digits of the length of the header, which is at the start
_LINE = 64  # bytes of a cache line
_MATRIX = ("data", "indices", "indptr")  # the arrays of a sparse matrix
_SPOILT = (OSError, ValueError, KeyError, TypeError, AttributeError)


@cache
def code_digest() -> str:
    """Return a digest of the code that reads data and writes copies."""
    here = Path(__file__).parent
    files = sorted(path for part in (".", "formats", "user") for path in (here / part).glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def load_copy(path: Path, digest: str, mapped: bool = False) -> Parsed | None:
    """Read a parsed copy; return None if there is none, or if it is stale or damaged.

    With `mapped`, its arrays are read-only and shared with all processes that map them.
    """
    try:
        with path.open("rb") as stream:
            about, start = _header(stream)
            if about["checksum"] != digest:
                return None
            arrays = {
                name: _array(stream, start + place["at"], place, mapped)
                for name, place in about["arrays"].items()
            }
        return Parsed(
            X=_matrix(arrays, about["shape"]),
            Y=arrays["Y"],
            feature_names=about["feature_names"],
            label_names=about["label_names"],
            n_train=about["n_train"],
            notes=tuple(about["notes"]),
        )
    except _SPOILT:
        return None


def copy_digest(path: Path) -> str | None:
    """Return the checksum in the header of a parsed copy; None if there is no usable copy."""
    try:
        with path.open("rb") as stream:
            return str(_header(stream)[0]["checksum"])
    except _SPOILT:
        return None


def save_copy(path: Path, digest: str, parsed: Parsed) -> None:
    """Store a parsed copy; if the cache cannot be written, do nothing."""
    X = parsed.X
    parts = {name: getattr(X, name) for name in _MATRIX} if sp.issparse(X) else {"X": X}
    arrays = {name: np.asarray(array) for name, array in {**parts, "Y": parsed.Y}.items()}
    places, end = {}, 0
    for name, array in arrays.items():
        places[name] = _place(array, end)
        end = _rounded(end + array.nbytes)
    about = {
        "code": code_digest(),
        "checksum": digest,
        "shape": X.shape,
        "arrays": places,
        "feature_names": parsed.feature_names,
        "label_names": parsed.label_names,
        "n_train": parsed.n_train,
        "notes": parsed.notes,
    }
    header = json.dumps(about).encode()
    with contextlib.suppress(OSError, UserError), scratch(path.name) as temporary:
        with temporary.open("wb") as out:
            out.write(b"%0*d" % (_DIGITS, len(header)) + header)
            for array in arrays.values():
                out.write(bytes(_rounded(out.tell()) - out.tell()))
                out.write(_content(array))
        path.parent.mkdir(exist_ok=True)
        temporary.replace(path)


def touch(path: Path) -> None:
    """Mark a copy as used, so that `sweep` keeps it."""
    with contextlib.suppress(OSError):
        os.utime(path)


def sweep(folder: Path, pattern: str, before: float) -> None:
    """Remove copies that were last used before the time `before`, in seconds since 1970."""
    for path in folder.glob(pattern):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < before:
                path.unlink()


def _rounded(position: int) -> int:
    return -(-position // _LINE) * _LINE


def _content(array: Array) -> memoryview[Any]:
    """Return the bytes of an array in the order of its memory."""
    flat = np.ascontiguousarray(array.T if _by_columns(array) else array)
    return flat.data.cast("B") if flat.size else memoryview(b"")


def _by_columns(array: Array) -> bool:
    return bool(array.flags.f_contiguous and not array.flags.c_contiguous)


def _place(array: Array, at: int) -> dict[str, Any]:
    return {
        "at": at,
        "type": array.dtype.str,
        "shape": array.shape,
        "order": "F" if _by_columns(array) else "C",
        "sum": zlib.crc32(_content(array)),
    }


def _header(stream: BufferedReader) -> tuple[dict[str, Any], int]:
    """Return the header, and the position where the arrays start."""
    length = int(stream.read(_DIGITS))
    about = json.loads(stream.read(length))
    if about["code"] != code_digest():
        raise ValueError("written by other code")
    return about, _rounded(_DIGITS + length)


def _array(stream: BufferedReader, at: int, place: dict[str, Any], mapped: bool) -> Array:
    kind, shape, order = np.dtype(place["type"]), tuple(place["shape"]), place["order"]
    if mapped and 0 not in shape:
        array = np.asarray(np.memmap(stream, kind, "r", at, shape, order))
    else:
        stream.seek(at)
        array = np.empty(shape, kind, order)
        if stream.readinto(_content(array)) != array.nbytes:
            raise ValueError("cut off")
    if zlib.crc32(_content(array)) != place["sum"]:
        raise ValueError("damaged")
    return array


def _matrix(arrays: dict[str, Array], shape: list[int]) -> Matrix:
    if "X" in arrays:
        return arrays["X"]
    return sp.csr_matrix(tuple(arrays[name] for name in _MATRIX), shape=tuple(shape))
