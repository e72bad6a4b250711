"""Read what a user passes as y: a matrix of labels, one label, or the classes of instances."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning

from ..label_values import label_array
from ..types import Array
from .labels import check_labels


@dataclass(frozen=True)
class Target:
    """Hold y as a matrix for the methods, and its classes to convert predictions back.

    Parameters
    ----------
    Y : ndarray of shape (n, l)
        1, 0, or nan where unobserved; real numbers where the method takes attributes.
    classes : ndarray of shape (l, 2) or (c,)
        If y is a matrix: the classes 0 and 1 of each label. If y is one-dimensional: its distinct
        values, in ascending order.
    """

    Y: Array
    classes: Array


def check_target(estimator: Any, y: Any, n: int) -> Target:
    """Check the y of n instances as the estimator's tags say, and return it as a Target."""
    if y is None:
        # the checks of scikit-learn look for this text
        reason = "requires y to be passed, but the target y is None"
        raise ValueError(f"{type(estimator).__name__} {reason}: call fit(X, Y)")
    tags = estimator.tags
    return as_target(y, n=n, missing=tags.handles_missing, real=tags.real_targets)


def as_target(y: Any, *, n: int, missing: bool, real: bool = False) -> Target:
    """Read y, or raise a ValueError that says what is wrong with it.

    A one-dimensional y with two values is one label, and the larger value means relevant. With
    more values it becomes one label for each class. A matrix with a single column is one label
    if it contains only 1, 0 and nan. Otherwise it is read as one-dimensional, with the warning
    that scikit-learn gives in this case.

    Parameters
    ----------
    y : array of shape (n, l) or (n,)
        Labels or classes.
    n, missing, real : int, bool, bool
        See `check_labels`. Where real numbers are allowed, numbers are not read as classes.

    Returns
    -------
    Target
        Labels and classes.
    """
    y = label_array(y)
    if y.ndim == 2 and y.shape[1] == 1 and not _takes_as_labels(y, real):
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected: its values are read as "
            "the classes of the instances",
            DataConversionWarning,
            stacklevel=2,
        )
        y = y.ravel()
    if y.ndim != 1 or (real and _is_numeric(y)) or len(y) != n:
        Y = check_labels(y, n=n, missing=missing, real=real)
        return Target(Y, np.tile(np.arange(2), (Y.shape[1], 1)))
    return _of_classes(y, n, missing)


def _of_classes(y: Array, n: int, missing: bool) -> Target:
    """Read a one-dimensional y."""
    if y.dtype == object and _is_numeric(y):
        y = y.astype(float)
    known = np.asarray(y == y)  # nan is not equal to itself, even in an array of objects
    values = y[known]
    if len(values) == 0:
        raise ValueError("every label is nan: pass the class of at least one instance")
    if y.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("y contains infinity: pass the class of every instance")
    if y.dtype.kind == "f" and (values != np.floor(values)).any():
        raise ValueError(
            "Unknown label type: continuous values. Pass the class of every instance, "
            "or labels 1 (relevant), 0 (irrelevant) or nan (unobserved)"
        )
    try:
        classes = np.unique(values)
    except TypeError as error:
        raise ValueError("the classes in y are of several types: pass all as text") from error
    if _takes_as_labels(y, real=False):
        columns = y[:, None]
    elif len(classes) <= 2:
        columns = (y == classes[-1])[:, None]
    else:
        columns = y[:, None] == classes
    Y = np.where(known[:, None], columns, np.nan).astype(float)
    return Target(check_labels(Y, n=n, missing=missing), classes)


def _is_numeric(y: Array) -> bool:
    return y.dtype.kind in "biuf" or (
        y.dtype == object and all(isinstance(value, Number) for value in y.flat)
    )


def _takes_as_labels(y: Array, real: bool) -> bool:
    """Tell whether all values are already labels: 1, 0 or nan, or any number if `real`."""
    if not _is_numeric(y):
        return False
    values = y.astype(float)
    return real or bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
