"""Read R data files of the mldr.datasets collection, such as birds, and rcv1 with all features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...errors import UserError
from ...types import Array
from ..dataset import Parsed


def read_rda(path: Path) -> Parsed:
    """Read one mldr object; X is sparse if at most a tenth of its values are not zero.

    The object says which columns are features and which are labels. Two other columns, which mldr
    added itself, are left out. A feature of words becomes one column of 0 and 1 for each word, with
    names such as "location=2"; if the words are "0" and "1", it stays one column.
    """
    import rdata  # it imports xarray, which is slow

    # as plain columns: a DataFrame of 6000 x 47236 would be a second copy of 2.3 GB
    constructors = {
        **rdata.conversion.DEFAULT_CLASS_MAP,
        "data.frame": lambda columns, attributes: (columns, attributes),
        "mldr": lambda content, attributes: content,
    }
    try:
        content: dict[str, Any] = rdata.read_rda(path, constructor_dict=constructors)
        (mldr,) = content.values()
        columns, _ = mldr["dataset"]
        labels, attributes = mldr["labels"]
        names = [str(name) for name in columns]
        values = list(columns.values())
        if len({len(column) for column in values}) != 1:
            raise ValueError("its columns differ in length")
        features = _places(mldr["attributesIndexes"], values)
        coded = [pair for i in features for pair in _coded(names[i], values[i])]
        X = _gather([column for _, column in coded])
        places = _places(labels["index"], values)
        Y = np.column_stack([column for i in places for _, column in _coded(names[i], values[i])])
        label_names = [str(label) for label in attributes["row.names"]]
        if (
            len(label_names) != len(places)
            or Y.shape[1] != len(places)
            or not np.isin(Y, (0, 1)).all()
        ):
            raise ValueError("its labels are not 0 and 1, or not as many as their names")
    except Exception as error:  # the reader can raise any error for a damaged file
        told = " ".join(str(error).split())[:200] or type(error).__name__
        raise UserError(
            f"{path} cannot be read as an mldr dataset ({told}); get the file again."
        ) from error
    return Parsed(
        X=X,
        Y=Y.astype(np.uint8),
        feature_names=[name for name, _ in coded],
        label_names=label_names,
    )


def _places(given: Any, columns: list[Any]) -> Array:
    """Turn R's column numbers, which start at 1, into numbers that start at 0."""
    places = np.asarray(given, dtype=int).ravel() - 1
    if not len(places) or places.min() < 0 or len(set(places.tolist())) < len(places):
        raise ValueError("a column number is 0, negative or there twice")
    if places.max() >= len(columns):
        raise ValueError(f"there is no column {places.max() + 1} of {len(columns)}")
    return places


def _coded(name: str, given: Any) -> list[tuple[str, Array]]:
    """Return a column of numbers as it is, and a column of words as columns of 0 and 1."""
    column = np.asarray(given)
    if column.dtype.kind not in "OU":
        return [(name, _numbers(column))]
    if not all(isinstance(word, str) for word in column):
        raise ValueError(f"column '{name}' of words has a missing value")
    words = sorted(set(column.tolist()), key=lambda word: (len(word), word))  # 2 before 10
    if set(words) <= {"0", "1"}:
        return [(name, (column == "1").astype(float))]
    return [(f"{name}={word}", (column == word).astype(float)) for word in words]


def _numbers(column: Array) -> Array:
    if column.dtype.kind not in "biuf" or not np.isfinite(column).all():
        raise ValueError("a column has values that are not finite numbers")
    return column


def _gather(columns: list[Any]) -> Any:
    rows = [np.flatnonzero(column) for column in columns]
    counts = [len(stored) for stored in rows]
    shape = (len(columns[0]), len(columns))
    if sum(counts) > 0.1 * shape[0] * shape[1]:
        return np.column_stack(columns).astype(float)
    data = np.concatenate([np.asarray(column)[stored] for column, stored in zip(columns, rows)])
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return sp.csc_matrix((data.astype(float), np.concatenate(rows), indptr), shape=shape).tocsr()
