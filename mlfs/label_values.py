"""Read labels as users pass them: arrays, tables with pd.NA, masked arrays, sparse matrices."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np

from .types import Array

_WORDS = (
    "labels must be numbers: turn words into columns of 0 and 1 with "
    "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(labels)"
)


def label_array(Y: Any) -> Array:
    """Return labels as an array, with nan where a label is not known.

    A label is not known where Y has nan, None or pd.NA, or where a masked array is masked; what
    lies behind a mask does not matter. One-dimensional words are classes, and stay as they are.

    Parameters
    ----------
    Y : array, DataFrame, Series, sparse matrix or nested list
        The labels.

    Returns
    -------
    ndarray
        The labels; of floats if some are not known.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.label_values import label_array
    >>> label_array([[1, None], [0, 1]]).tolist()
    [[1.0, nan], [0.0, 1.0]]
    >>> label_array(np.ma.masked_array([1, 0], mask=[False, True])).tolist()
    [1.0, nan]
    """
    if isinstance(Y, np.ma.MaskedArray):
        objects = np.array(Y.data, dtype=object)
        objects[np.ma.getmaskarray(Y)] = None
        return label_array(objects)
    if hasattr(Y, "isna") and hasattr(Y, "to_numpy"):  # a table of pandas
        try:
            if _plain(Y):
                return np.asarray(Y)
            return np.ascontiguousarray(Y.to_numpy(dtype=float, na_value=np.nan))
        except (TypeError, ValueError):  # there are words
            Y = Y.to_numpy(dtype=object)
    try:
        labels = np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y)
    except ValueError as error:  # lists of several lengths
        raise ValueError(_WORDS) from error
    if labels.dtype == object:
        labels = _of_objects(labels)
    wide = labels.ndim == 2 and labels.shape[1] > 1
    if labels.dtype.kind in "USOV" and (wide or _nested(labels)):
        raise ValueError(_WORDS)
    return labels


def _plain(table: Any) -> bool:
    """Tell whether all columns of a table have types of numpy, other than objects."""
    types = table.dtypes if table.ndim == 2 else [table.dtype]
    return all(isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in types)


def _of_objects(labels: Array) -> Array:
    """Return objects as floats where all are numbers or not known; otherwise, unknown as nan."""
    values = [np.nan if _is_unknown(value) else value for value in labels.ravel()]
    if all(isinstance(value, Number | np.bool_) for value in values):
        return np.array(values, dtype=float).reshape(labels.shape)
    made = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        made[i] = value
    return made.reshape(labels.shape)


def _is_unknown(value: Any) -> bool:
    # pandas need not be imported for its NA, which cannot be compared
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _nested(labels: Array) -> bool:
    """Tell whether the entries are collections, such as lists of words."""
    return labels.dtype == object and any(
        isinstance(value, list | tuple | set | frozenset | np.ndarray) for value in labels.ravel()
    )
