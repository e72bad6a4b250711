"""Data that no method can change: read-only arrays, and copies for methods of other authors."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import scipy

Data = TypeVar("Data")  # an array or a sparse matrix

_PARTS = ("data", "indices", "indptr")  # the arrays of a sparse matrix in rows or columns


def read_only(data: Data) -> Data:
    """Return data that share their memory with the given ones, and that cannot be written to."""
    if scipy.sparse.issparse(data):
        whole: Any = data
        if not whole.has_canonical_format:  # otherwise some functions of scipy sort it in place
            whole = whole.copy()
            whole.sum_duplicates()
        locked = type(whole)(
            tuple(read_only(getattr(whole, part)) for part in _PARTS), shape=whole.shape, copy=False
        )
        locked.has_canonical_format = True
        return locked  # type: ignore[no-any-return]
    view = np.asarray(data).view()
    view.flags.writeable = False
    return view  # type: ignore[return-value]


def own_copy(data: Data) -> Data:
    """Return a copy that can be written to, with the same order of its entries in memory."""
    return data.copy() if scipy.sparse.issparse(data) else np.array(data, order="K")  # type: ignore[attr-defined, return-value]
