"""Read files of vectors as INRIA LEAR publishes them: GIST features and annotations of images."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...errors import UserError
from ...types import Array
from ..dataset import Parsed, numbered


def read_fvec(path: Path) -> Array:
    """Read rows of float32; before each row is its length as int32."""
    return _rows(path, "<i4", "<f4")


def read_hvecs(path: Path) -> Array:
    """Read rows of int16; before each row is its length as int16."""
    return _rows(path, "<i2", "<i2")


def read_lear(paths: list[Path]) -> Parsed:
    """Read a dataset of four files: features and labels of the training part, then of the test.

    The files have no names of features and labels.
    """
    (X_train, Y_train), (X_test, Y_test) = _part(*paths[:2]), _part(*paths[2:])
    for place, train, test in ((0, X_train, X_test), (1, Y_train, Y_test)):
        if train.shape[1] != test.shape[1]:
            raise UserError(
                f"{paths[place]} has rows of {train.shape[1]} values, but {paths[place + 2]} of "
                f"{test.shape[1]}; get both again."
            )
    X, Y = np.vstack([X_train, X_test]), np.vstack([Y_train, Y_test])
    return Parsed(
        X=X.astype(float),
        Y=Y.astype(np.uint8),
        feature_names=numbered("Att", X.shape[1]),
        label_names=numbered("Class", Y.shape[1]),
        n_train=len(X_train),
    )


def _part(features: Path, labels: Path) -> tuple[Array, Array]:
    X, Y = read_fvec(features), read_hvecs(labels)
    if len(X) != len(Y):
        raise UserError(f"{features} has {len(X)} rows, but {labels} has {len(Y)}; get both again.")
    if not np.isfinite(X).all():
        raise UserError(f"{features} has a value that is missing or infinite; get it again.")
    if not np.isin(Y, (0, 1)).all():
        raise UserError(f"{labels} has labels other than 0 and 1; get it again.")
    return X, Y


def _rows(path: Path, length: str, value: str) -> Array:
    content = path.read_bytes()
    head = np.dtype(length)
    width = int(np.frombuffer(content, head, 1)[0]) if len(content) >= head.itemsize else 0
    size = head.itemsize + width * np.dtype(value).itemsize
    wrong = ""
    if width < 1:
        wrong = "it is empty, or its first row is"
    elif len(content) % size:
        wrong = f"its size is not a multiple of a row of {width} values"
    else:
        rows = np.frombuffer(content, np.dtype([("length", head), ("values", value, (width,))]))
        if (rows["length"] != width).any():
            place = int(np.flatnonzero(rows["length"] != width)[0])
            wrong = f"row {place + 1} does not have the length {width} of the first row"
    if wrong:
        raise UserError(f"{path} cannot be read as rows of vectors ({wrong}); get it again.")
    return rows["values"]
