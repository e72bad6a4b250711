"""The ways to treat unknown training labels, and which of them a method can."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from ...errors import UserError
from ...methods import registry
from ...methods.labels import observed
from ...types import Array, Matrix

Missing = Literal["zero", "available", "complete"]


def treated(
    method: Any, X: Matrix, Y: Array, missing: Missing | None, notes: list[str]
) -> tuple[Any, Matrix, Array]:
    """Return the method, the rows and the labels to fit, and add a note on unknown labels.

    Parameters
    ----------
    method : Ranker or MultiLabelClassifier
        The unfitted method.
    X, Y : Matrix, Array
        The training part; unknown labels are nan.
    missing : {"zero", "available", "complete"} or None
        How unknown labels are treated. By default a method that accepts them gets them, and for
        any other they become 0.
    notes : list of str
        Gets a sentence on what was done; none if all labels are known.

    Returns
    -------
    tuple of object, Matrix and Array
        The method, X and Y to fit. If no label is unknown, they are what was given.
    """
    known = observed(Y)
    if known.all():
        return method, X, Y
    name = type(method).__name__
    if missing == "complete":
        rows = known.all(axis=1)
        if not rows.any():
            raise UserError(
                "no training row is known completely: use 'missing: available' or 'missing: zero'"
            )
        notes.append(f"{name} was fitted to the rows whose labels are all known")
        return method, X[rows], Y[rows]
    if missing == "zero" or (missing is None and not method.tags.handles_missing):
        why = "" if missing else " cannot use unobserved labels:"
        notes.append(f"{name}{why or ': unobserved labels were'} taken as 0")
        return method, X, np.nan_to_num(Y, nan=0.0)
    if method.tags.handles_missing:
        return method, X, Y
    from ...methods.ranker import Ranker
    from .by_label import ByLabelClassifier, ByLabelRanker

    notes.append(f"one {name} was fitted to each label, on the rows where it is known")
    wrapped = ByLabelRanker(method) if isinstance(method, Ranker) else ByLabelClassifier(method)
    return wrapped, X, Y


def cannot(name: str, kinds: tuple[str, ...], missing: Missing | None) -> Iterator[str]:
    """Yield a sentence if a method cannot be used with a treatment of unknown labels."""
    if missing != "available" or registry.was_checked():
        return
    from .by_label import AVAILABLE, OWN, treatments

    ways = treatments(registry.method(name, kinds))
    if AVAILABLE in ways:
        return
    if OWN in ways:
        yield f"'{name}' treats unknown labels in its own way: leave out 'missing' in its column"
    else:
        yield f"'{name}' uses all labels together: it can only have 'missing: zero' or 'complete'"
