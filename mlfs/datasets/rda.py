"""Read the R data files of the mldr.datasets collection: rcv1 in full, scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import UserError
from .dataset import Parsed


def read_rda(path: Path) -> Parsed:
    """Read one mldr object; X comes sparse when less than a tenth of it is not zero.

    The table has one column per attribute; the object says which are features and which
    labels, and two further columns that mldr counted itself are left out.
    """
    import rdata  # brings xarray, which is slow to import

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
        positions = np.asarray(labels["index"], dtype=int) - 1
        features = np.asarray(mldr["attributesIndexes"], dtype=int) - 1
    except (ValueError, KeyError, TypeError, NotImplementedError, OSError) as error:
        raise UserError(f"{path} is not an mldr dataset that can be read ({error}).") from error
    names, values = list(columns), list(columns.values())
    X = _gather([values[i] for i in features])
    Y = np.column_stack([np.asarray(values[i], dtype=float) for i in positions])
    return Parsed(
        X=X,
        Y=(Y > 0).astype(np.uint8),
        feature_names=[str(names[i]) for i in features],
        label_names=[str(label) for label in attributes["row.names"]],
    )


def _gather(columns: list[Any]) -> Any:
    rows = [np.flatnonzero(column) for column in columns]
    counts = [len(found) for found in rows]
    shape = (len(columns[0]), len(columns))
    if sum(counts) > 0.1 * shape[0] * shape[1]:
        return np.column_stack(columns).astype(float)
    data = np.concatenate([np.asarray(column)[found] for column, found in zip(columns, rows)])
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return sp.csc_matrix((data.astype(float), np.concatenate(rows), indptr), shape=shape).tocsr()
