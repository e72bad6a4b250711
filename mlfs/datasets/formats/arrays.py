"""Read arrays: npz and npy files of numpy, npz files of scipy.sparse, and LIBSVM text files."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...errors import UserError
from ...types import Array
from ..dataset import numbered
from .file_table import FileTable

# possessive: a number matches completely or not at all, so the time is linear
_NUMBER = r"(?:[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+|nan|[+-]?+inf)"
_LABELS = re.compile(rf"{_NUMBER}(?:,{_NUMBER})*+")
_PAIR = re.compile(rf"(?:qid:\d++|\d++:{_NUMBER})")
_WIDEST = 5_000_000  # columns; the largest published datasets have two million


def read_arrays(path: Path) -> FileTable:
    """Read an npy file, or an npz file with one array, one sparse matrix, or X and Y."""
    with path.open("rb") as file:
        if not file.read(6).startswith((b"PK", b"\x93NUMPY")):
            raise UserError(f"{path} is not a file of numpy: save it with numpy.save or savez")
    try:
        arrays = _content(path)
    except Exception as error:  # numpy can raise any error for a damaged file
        if "allow_pickle" in str(error):
            raise UserError(
                f"{path} contains Python objects, which are not read because they can run "
                "programs: save numbers instead"
            ) from error
        raise UserError(f"{path} is damaged and cannot be read: save it again") from error
    if len(arrays) == 1:
        arrays = {"X": next(iter(arrays.values()))}
    if not {"X"} <= set(arrays) <= {"X", "Y"}:
        raise UserError(
            f"{path} contains {', '.join(sorted(arrays)) or 'nothing'}: save one array, or X and Y"
        )
    X = _table(path, arrays["X"], "Att")
    if "Y" not in arrays:
        return X
    return FileTable(X.path, X.values, X.names, X.levels, labels=_table(path, arrays["Y"], "Class"))


def _content(path: Path) -> dict[str, Any]:
    content = np.load(path, allow_pickle=False)
    if isinstance(content, np.ndarray):
        return {"X": content}
    with content:
        if {"format", "shape"} <= set(content):
            X = sp.load_npz(path)
            if hasattr(X, "check_format"):
                # a wrong index would crash the process when the matrix is used
                X.check_format(full_check=True)
            return {"X": X}
        arrays = dict(content)
        if not all(isinstance(array, np.ndarray) for array in arrays.values()):
            raise ValueError("a member of the archive is not an array")
        return arrays


def _table(path: Path, array: Any, stem: str) -> FileTable:
    if not sp.issparse(array) and array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise UserError(f"{path} has an array of {array.ndim} dimensions: save one of 2")
    if array.dtype.kind not in "biuf":
        raise UserError(f"{path} contains {array.dtype} and not numbers: save it as float")
    _check_width(path, array)
    values = sp.csr_matrix(array, dtype=float) if sp.issparse(array) else array.astype(float)
    return FileTable(str(path), values, numbered(stem, array.shape[1]), {})


def _check_width(path: Path, array: Any) -> None:
    if array.shape[1] > _WIDEST:
        raise UserError(
            f"{path} has {array.shape[1]:,} columns, but at most {_WIDEST:,} are allowed: correct "
            "it"
        )


def read_libsvm(paths: Sequence[Path]) -> list[FileTable]:
    """Read LIBSVM files with lines such as ``2,5 1:0.5 7:1``; they share columns and labels."""
    from sklearn.datasets import load_svmlight_files  # slow to import
    from sklearn.preprocessing import MultiLabelBinarizer

    for path in paths:
        if not path.read_bytes().strip():
            raise UserError(f"{path} is empty: write one line for each row")
    try:
        read = load_svmlight_files([str(path) for path in paths], multilabel=True)
    except (ValueError, OverflowError) as error:
        raise UserError(f"{_bad_line(paths)} ({_one_line(error)})") from error
    _check_width(paths[0], read[0])
    for path, rows in zip(paths, read[1::2]):
        if not all(map(math.isfinite, chain.from_iterable(rows))):
            raise UserError(f"{path} has a label that is not a finite number: use numbers")
    given = [[tuple(map(_label, row)) for row in rows] for rows in read[1::2]]
    names = sorted({name for rows in given for row in rows for name in row}, key=float)
    maker = MultiLabelBinarizer(classes=names)
    tables = []
    for path, X, rows in zip(paths, read[::2], given):
        Y: Array = maker.fit_transform(rows).astype(float)
        labels = FileTable(str(path), Y, names, {})
        features = numbered("Att", X.shape[1])
        tables.append(FileTable(str(path), sp.csr_matrix(X), features, {}, None, labels))
    return tables


def _label(value: float) -> str:
    """Return the name of a label, which is its number with all digits."""
    return str(int(value)) if value == int(value) else repr(float(value))


def _bad_line(paths: Sequence[Path]) -> str:
    for path in paths:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, start=1):
            if not _is_row(line):
                return f"{path}, line {number} is not 'label,label position:value ...': correct it"
    return f"{paths[0]} is not a LIBSVM file of rows 'label,label position:value ...'"


def _is_row(line: str) -> bool:
    """Tell whether a line has labels with commas and then pairs of position and value, if any."""
    words = line.partition("#")[0].split()
    if words and _LABELS.fullmatch(words[0]):
        del words[0]
    return all(_PAIR.fullmatch(word) for word in words)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
