"""Read arrays: npz and npy of numpy, npz of scipy.sparse, and LIBSVM's multi-label text."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_files
from sklearn.preprocessing import MultiLabelBinarizer

from ..errors import UserError
from ..types import Array
from .dataset import numbered
from .table import Table

# labels with commas between them, then position:value pairs, then perhaps a comment
_NUMBER = r"([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|[+-]?inf)"
_LINE = re.compile(rf"\s*[\d.,+-]*(\s+(qid:\d+|\d+:{_NUMBER}))*\s*(#.*)?")


_SPOILT = (
    ValueError,
    KeyError,
    EOFError,
    OSError,
    NotImplementedError,  # a sparse format that scipy does not know
    zipfile.BadZipFile,
    zlib.error,
)


def read_arrays(path: Path) -> Table:
    """Read an npy file, or an npz file of one array or sparse matrix, or of X and Y."""
    with path.open("rb") as file:
        if not file.read(6).startswith((b"PK", b"\x93NUMPY")):
            raise UserError(f"{path} is not a file of numpy: save it with numpy.save or savez")
    try:
        found = _content(path)
    except _SPOILT as error:
        if "allow_pickle" in str(error):
            raise UserError(
                f"{path} holds Python objects, which are not read since they can run programs: "
                "save numbers"
            ) from error
        raise UserError(f"{path} is damaged and cannot be read: save it again") from error
    if len(found) == 1:
        found = {"X": next(iter(found.values()))}
    if not {"X"} <= set(found) <= {"X", "Y"}:
        raise UserError(
            f"{path} holds {', '.join(sorted(found)) or 'nothing'}: save one array, or X and Y"
        )
    X = _table(path, found["X"], "Att")
    if "Y" not in found:
        return X
    return Table(X.path, X.values, X.names, X.levels, labels=_table(path, found["Y"], "Class"))


def _content(path: Path) -> dict[str, Any]:
    content = np.load(path, allow_pickle=False)
    if isinstance(content, np.ndarray):
        return {"X": content}
    with content:
        if {"format", "shape"} <= set(content):
            return {"X": sp.load_npz(path)}
        return dict(content)


def _table(path: Path, array: Any, stem: str) -> Table:
    if not sp.issparse(array) and array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise UserError(f"{path} holds an array of {array.ndim} dimensions: save one of 2")
    if array.dtype.kind not in "biuf":
        raise UserError(f"{path} holds {array.dtype} and not numbers: save it as float")
    values = sp.csr_matrix(array, dtype=float) if sp.issparse(array) else array.astype(float)
    return Table(str(path), values, numbered(stem, array.shape[1]), {})


def read_libsvm(paths: Sequence[Path]) -> list[Table]:
    """Read LIBSVM files that belong together: ``2,5 1:0.5 7:1``; columns and labels are shared."""
    for path in paths:
        if not path.read_bytes().strip():
            raise UserError(f"{path} is empty: give one line per row")
    try:
        found = load_svmlight_files([str(path) for path in paths], multilabel=True)
    except ValueError as error:
        raise UserError(f"{_bad_line(paths)} ({_one_line(error)})") from error
    given = [[tuple(f"{label:g}" for label in row) for row in rows] for rows in found[1::2]]
    names = sorted({name for rows in given for row in rows for name in row}, key=float)
    maker = MultiLabelBinarizer(classes=names)
    tables = []
    for path, X, rows in zip(paths, found[::2], given):
        Y: Array = maker.fit_transform(rows).astype(float)
        labels = Table(str(path), Y, names, {})
        features = numbered("Att", X.shape[1])
        tables.append(Table(str(path), sp.csr_matrix(X), features, {}, None, labels))
    return tables


def _bad_line(paths: Sequence[Path]) -> str:
    for path in paths:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        for number, line in enumerate(lines, start=1):
            if not _LINE.fullmatch(line):
                return f"{path}, line {number} is not 'label,label position:value ...': mend it"
    return f"{paths[0]} is not a LIBSVM file of rows 'label,label position:value ...'"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
