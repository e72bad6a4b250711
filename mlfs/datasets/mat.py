"""Read the MATLAB files: the Yahoo sets, corel16k and rcv1 (top 944)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from ..errors import UserError
from ..linalg import dense
from ..types import Array
from .dataset import Parsed, numbered


def load_mat(path: Path, *keys: str) -> dict[str, Any]:
    """Load a MATLAB file with every number as a double; all `keys` must be in it."""
    try:
        # without mat_dtype the labels come as uint8, and -1 overflows to 255
        content = scipy.io.loadmat(path, mat_dtype=True)
    except (ValueError, TypeError, OSError, NotImplementedError) as error:
        raise UserError(f"{path} is not a MATLAB file that can be read ({error}).") from error
    missing = [key for key in keys if key not in content]
    if missing:
        raise UserError(f"{path} lacks {', '.join(missing)}; it is not the file expected here.")
    return content


def read_parts(path: Path) -> Parsed:
    """Read train_data, train_target (l x n, -1/+1), test_data and test_target: the Yahoo sets."""
    keys = ("train_data", "train_target", "test_data", "test_target")
    content = load_mat(path, *keys)
    train, train_target, test, test_target = (content[key] for key in keys)
    X = np.vstack([dense(train), dense(test)])
    Y = np.hstack([dense(train_target), dense(test_target)]).T
    return _parsed(X, Y, n_train=train.shape[0])


def read_whole(path: Path, label_names: list[str] | None = None) -> Parsed:
    """Read data (n x d) and target (l x n, 0/1 or -1/+1), without a split: corel16k, rcv1."""
    content = load_mat(path, "data", "target")
    X = content["data"]
    return _parsed(
        X.tocsr() if sp.issparse(X) else X, dense(content["target"]).T, label_names=label_names
    )


def _parsed(
    X: Any, Y: Array, n_train: int | None = None, label_names: list[str] | None = None
) -> Parsed:
    return Parsed(
        X=X.astype(float),
        Y=(Y > 0).astype(np.uint8, order="C"),
        feature_names=numbered("Att", X.shape[1]),
        label_names=label_names or numbered("Class", Y.shape[1]),
        n_train=n_train,
    )
