"""Read MATLAB files: the Yahoo datasets, corel16k and rcv1 (top 944)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from ..errors import UserError
from ..linalg import dense
from ..types import Array, Matrix
from .dataset import Parsed, numbered
from .matcheck import check_mat

# limits, because a damaged header may have any number
_LARGEST = 500_000_000  # values of a table
_LONGEST = 1_000_000  # rows or columns


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
