"""Metrics of scores that measure how well the scores of a label order the instances.

Only known labels take part. A label whose value is not defined is left out of a mean.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array
from .checks import Known, check_scores, mean


def macro_auc(Y: ArrayLike, S: ArrayLike) -> float:
    """Compute the mean over labels of the area under the ROC curve.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; larger is more relevant. Equal ones count one half.

    Returns
    -------
    float
        The mean over the labels that have a known positive and a known negative; 1 is best.

    Examples
    --------
    >>> from mlfs.metrics import macro_auc
    >>> macro_auc([[1, 0], [0, 1], [0, float("nan")]], [[0.9, 0.1], [0.2, 0.8], [0.9, 0.5]])
    0.875
    """
    return mean(_of_labels(_auc, *check_scores(Y, S)))


def micro_auc(Y: ArrayLike, S: ArrayLike) -> float:
    """Compute the area under the ROC curve over all entries together.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; larger is more relevant. Equal ones count one half.

    Returns
    -------
    float
        The area; 1 is best, and it is nan unless there are positives and negatives.

    Examples
    --------
    >>> from mlfs.metrics import micro_auc
    >>> micro_auc([[1, 0], [0, 1]], [[0.9, 0.1], [0.2, 0.2]])
    0.875
    """
    relevant, S, known = check_scores(Y, S)
    return _auc(*_entries(relevant, S, known))


def macro_average_precision(Y: ArrayLike, S: ArrayLike) -> float:
    """Compute the mean over labels of the average precision of their ranked instances.

    `average_precision` ranks the labels of an instance; this ranks the instances of a label.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; larger is more relevant. Equal ones share their worst rank.

    Returns
    -------
    float
        The mean over the labels that have a known positive; 1 is best.

    Examples
    --------
    >>> from mlfs.metrics import macro_average_precision
    >>> macro_average_precision([[1], [0], [1]], [[0.9], [0.5], [0.5]])
    0.8333333333333333
    """
    return mean(_of_labels(_precision, *check_scores(Y, S)))


def auc_by_label(Y: ArrayLike, S: ArrayLike) -> Array:
    """Compute the area under the ROC curve of every label.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; larger is more relevant.

    Returns
    -------
    ndarray of shape (l,)
        The areas, of which `macro_auc` is the mean; nan where a label has only one known value.

    Examples
    --------
    >>> from mlfs.metrics import auc_by_label
    >>> auc_by_label([[1, 0], [0, 0]], [[0.9, 0.1], [0.2, 0.8]]).tolist()
    [1.0, nan]
    """
    return _by_label(_auc, *check_scores(Y, S))


def average_precision_by_label(Y: ArrayLike, S: ArrayLike) -> Array:
    """Compute the average precision of the ranked instances of every label.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; larger is more relevant.

    Returns
    -------
    ndarray of shape (l,)
        The values, of which `macro_average_precision` is the mean; nan without a known positive.

    Examples
    --------
    >>> from mlfs.metrics import average_precision_by_label
    >>> average_precision_by_label([[1, 0], [0, 0]], [[0.9, 0.1], [0.2, 0.8]]).tolist()
    [1.0, nan]
    """
    return _by_label(_precision, *check_scores(Y, S))


def _by_label(
    value: Callable[[Array, Array], float], relevant: Array, S: Array, known: Known
) -> Array:
    columns = range(S.shape[1])
    if known is None:
        return np.array([value(relevant[:, j], S[:, j]) for j in columns])
    return np.array([value(relevant[known[:, j], j], S[known[:, j], j]) for j in columns])


def _of_labels(
    value: Callable[[Array, Array], float], relevant: Array, S: Array, known: Known
) -> Array:
    """Return the values of the labels for which the value is defined."""
    values = _by_label(value, relevant, S, known)
    return values[~np.isnan(values)]


def _entries(relevant: Array, S: Array, known: Known) -> tuple[Array, Array]:
    return (relevant.ravel(), S.ravel()) if known is None else (relevant[known], S[known])


def _auc(y: Array, s: Array) -> float:
    hits, misses = _counts(y, s)
    if not len(hits) or hits[-1] == 0 or misses[-1] == 0:
        return float("nan")
    # the area under straight lines between the points, in halves of pairs
    halves = np.diff(misses, prepend=0) * (hits + np.concatenate([[0], hits[:-1]]))
    return float(halves.sum() / (2 * int(hits[-1]) * int(misses[-1])))


def _precision(y: Array, s: Array) -> float:
    hits, misses = _counts(y, s)
    if not len(hits) or hits[-1] == 0:
        return float("nan")
    return float((np.diff(hits, prepend=0) * (hits / (hits + misses))).sum() / hits[-1])


def _counts(y: Array, s: Array) -> tuple[Array, Array]:
    """Count positives and negatives that are scored at least as high as each distinct score."""
    order = np.argsort(s, kind="stable")[::-1]
    falling = s[order]
    ends = np.ones(len(s), dtype=bool)
    ends[:-1] = falling[1:] != falling[:-1]
    hits = y[order].cumsum()[ends]
    return hits, np.flatnonzero(ends) + 1 - hits
