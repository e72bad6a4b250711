"""Read MATLAB files: the Yahoo datasets, corel16k and rcv1 (top 944)."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from ...errors import UserError
from ...numerics.linalg import dense
from ...types import Array, Matrix
from ..dataset import Parsed, numbered

# limits, because a damaged header may have any number
_LARGEST = 500_000_000  # values of a table
_LONGEST = 1_000_000  # rows or columns
# the format of MATLAB 5: the length of its header, types of elements, classes of matrices
_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 12, 13})
_TEXTS = frozenset({16, 17, 18})
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE = 1, 2, 3, 4, 5
_CLASSES = range(_CELL, 16)  # the five above, and then the classes of numbers
_COMPLEX = 0x800
_DEEPEST = 30  # cells inside cells


def load_mat(path: Path, *keys: str) -> dict[str, Any]:
    """Load a MATLAB file with every number as a double; all `keys` must be in it."""
    try:
        check_mat(path.read_bytes())
        # without mat_dtype the labels would be uint8, and -1 would become 255
        content = scipy.io.loadmat(path, mat_dtype=True)
        for key, value in content.items():
            if sp.issparse(value):
                content[key] = sp.csc_matrix(value)
                # a wrong index would crash the process when the matrix is used
                content[key].check_format(full_check=True)
    except Exception as error:  # scipy's reader can raise any error for a damaged file
        told = " ".join(str(error).split())[:200] or type(error).__name__
        raise UserError(
            f"{path} cannot be read as a MATLAB file ({told}); get the file again."
        ) from error
    missing = [key for key in keys if key not in content]
    if missing:
        raise UserError(f"{path} lacks {', '.join(missing)}; get the right file.")
    return content


def matrix(content: dict[str, Any], key: str, path: Path) -> Matrix:
    """Return one variable of a MATLAB file, which must be a matrix of finite numbers."""
    value = content[key]
    wrong = ""
    if not (sp.issparse(value) or isinstance(value, np.ndarray)) or value.dtype.kind not in "biuf":
        wrong = "does not contain numbers"
    elif value.ndim != 2 or 0 in value.shape:
        wrong = f"has the shape {value.shape}, and is not a table"
    elif max(value.shape) > _LONGEST or value.shape[0] * value.shape[1] > _LARGEST:
        wrong = f"claims to be a table of {value.shape[0]:,} x {value.shape[1]:,}"
    elif not np.isfinite(value.data if sp.issparse(value) else value).all():
        wrong = "has a value that is missing or infinite"
    if wrong:
        raise UserError(f"{path}: '{key}' {wrong}; get the file again.")
    return value


def read_parts(path: Path) -> Parsed:
    """Read a Yahoo dataset: train_data, train_target (l x n, -1/+1), test_data, test_target."""
    keys = ("train_data", "train_target", "test_data", "test_target")
    content = load_mat(path, *keys)
    train, train_target, test, test_target = (dense(matrix(content, key, path)) for key in keys)
    if train.shape[1] != test.shape[1] or len(train_target) != len(test_target):
        raise UserError(f"{path}: the training and the test part differ in shape; get it again.")
    X, Y = np.vstack([train, test]), np.hstack([train_target, test_target]).T
    return _parsed(path, X, Y, n_train=len(train))


def read_whole(path: Path, label_names: list[str] | None = None) -> Parsed:
    """Read corel16k or rcv1: data (n x d) and target (l x n, 0/1 or -1/+1), without a split."""
    content = load_mat(path, "data", "target")
    X, Y = matrix(content, "data", path), dense(matrix(content, "target", path)).T
    return _parsed(path, X.tocsr() if sp.issparse(X) else X, Y, label_names=label_names)


def _parsed(
    path: Path,
    X: Any,
    Y: Array,
    n_train: int | None = None,
    label_names: list[str] | None = None,
) -> Parsed:
    if X.shape[0] != len(Y):
        raise UserError(
            f"{path} has {X.shape[0]} rows of features, but {len(Y)} of labels; get it again."
        )
    if label_names and len(label_names) != Y.shape[1]:
        raise UserError(
            f"{path} has {Y.shape[1]} labels, but {len(label_names)} label names; get both again."
        )
    if not np.isin(Y, (-1, 0, 1)).all():
        raise UserError(f"{path} has labels other than 0, 1 and -1; get it again.")
    return Parsed(
        X=X.astype(float),
        Y=(Y > 0).astype(np.uint8, order="C"),
        feature_names=numbered("Att", X.shape[1]),
        label_names=label_names or numbered("Class", Y.shape[1]),
        n_train=n_train,
    )


def check_mat(content: bytes) -> None:
    """Raise ValueError, or zlib.error, unless all elements of a MATLAB 5 file are well formed.

    Some damage would crash the process while scipy reads the file. A file is a header and then
    elements. An element is a tag, with its type and length, and its content. Matrices contain
    elements again. scipy looks up the type of numbers in a table, and does not check whether the
    type exists.
    """
    mark = content[126:_HEADER]
    if mark not in (b"IM", b"MI"):
        raise ValueError("it is not in the format of MATLAB 5")
    order = "<" if mark == b"IM" else ">"
    elements = _Elements(memoryview(content)[_HEADER:], order)
    while elements.more:
        kind, element = elements.next()
        if kind == _COMPRESSED:
            kind, element = _Elements(memoryview(_decompress(element)), order).next()
        if kind != _MATRIX:
            raise ValueError("a variable is not a matrix")
        _check_matrix(element, order, 0)


def _decompress(packed: memoryview) -> bytes:
    """Decompress a whole element, so that its checksum is checked."""
    stream = zlib.decompressobj()
    content = stream.decompress(packed)
    if not stream.eof or stream.unused_data:
        raise ValueError("a compressed element is cut off or too long")
    return content


def _check_matrix(content: memoryview, order: str, depth: int) -> None:
    if not len(content):
        return  # an empty cell
    if depth > _DEEPEST:
        raise ValueError("cells are nested too deeply")
    elements = _Elements(content, order)
    kind, flags = elements.next()
    if kind != 6 or len(flags) != 8:
        raise ValueError("a matrix has no class")
    (told,) = struct.unpack(f"{order}I", flags[:4])
    matrix_class = told & 0xFF
    if told & _COMPLEX:
        raise ValueError("a matrix has complex numbers")
    if matrix_class not in _CLASSES:
        raise ValueError(f"a matrix has the class {matrix_class}, which is not supported")
    kind, shape = elements.next()
    if kind != 5 or len(shape) % 4:
        raise ValueError("a matrix has no shape")
    kind, _ = elements.next()
    if kind != 1:
        raise ValueError("a matrix has no name")
    allowed = _NUMBERS | _TEXTS if matrix_class == _CHAR else _NUMBERS
    while elements.more:
        kind, element = elements.next()
        if kind == _MATRIX and matrix_class in (_CELL, _STRUCT, _OBJECT):
            _check_matrix(element, order, depth + 1)
        elif kind not in allowed:
            raise ValueError(f"numbers have the type {kind}, which does not exist")


class _Elements:
    """Read the elements in a sequence of bytes, one after the other."""

    def __init__(self, content: memoryview, order: str):
        self.content, self.order, self.place = content, order, 0

    @property
    def more(self) -> bool:
        """Whether an element is left."""
        return self.place < len(self.content)

    def next(self) -> tuple[int, memoryview]:
        """Return the next element's type and content; raise ValueError if it is not complete."""
        tag = self.content[self.place : self.place + 8]
        if len(tag) < 8:
            raise ValueError("an element is cut off")
        kind, length = struct.unpack(f"{self.order}II", tag)
        if kind >> 16:  # a small element: type and length in one number, content in the other
            kind, length = kind & 0xFFFF, kind >> 16
            if length > 4:
                raise ValueError("an element is longer than it can be")
            start, end = self.place + 4, self.place + 8
        else:
            start = self.place + 8
            # all elements but compressed ones are padded to multiples of 8 bytes
            end = start + (length if kind == _COMPRESSED else -(-length // 8) * 8)
        element = self.content[start : start + length]
        if len(element) < length:
            raise ValueError("an element is cut off")
        self.place = end
        return kind, element
