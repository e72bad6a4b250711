"""Metrics of scores that measure how well scores rank the relevant labels of an instance.

Labels that are not known do not take part. In a truth that has such labels, an instance counts if
it has a known relevant and a known irrelevant label.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array
from .checks import Known, check_scores, mean

Ties = Literal["zhang", "sklearn"]


def average_precision(Y: ArrayLike, S: ArrayLike, ties: Ties = "zhang") -> float:
    """Compute the mean precision at the ranks of the relevant labels.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; larger is more relevant.
    ties : {"zhang", "sklearn"}, default="zhang"
        Convention for equal scores and for instances with all or no labels; see
        :mod:`mlfs.metrics`.

    Returns
    -------
    float
        The mean over instances and their relevant labels; 1 is best.

    Examples
    --------
    >>> from mlfs.metrics import average_precision
    >>> average_precision([[1, 0, 0]], [[0.9, 0.1, 0.2]])
    1.0
    """
    relevant, rank, known = _ranked(*check_scores(Y, S), worst=_is_sklearn(ties))
    row, column = np.nonzero(relevant)
    at = rank[row, column]
    precision = relevant.cumsum(axis=1)[row, at - 1] / at
    count = relevant.sum(axis=1)
    total = np.bincount(row, precision, minlength=len(relevant))
    if ties == "zhang" or known is not None:
        return mean(total, np.maximum(count, 1), keep=_proper(relevant, known))
    return mean(np.where(count, total, 1.0), np.maximum(count, 1))


def ranking_loss(Y: ArrayLike, S: ArrayLike, ties: Ties = "zhang") -> float:
    """Compute the mean share of label pairs that are ranked in the wrong order.

    A pair is wrong if the score of its relevant label is not larger than that of the irrelevant.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; larger is more relevant.
    ties : {"zhang", "sklearn"}, default="zhang"
        Convention for equal scores and for instances with all or no labels; see
        :mod:`mlfs.metrics`.

    Returns
    -------
    float
        The mean over instances; 0 is best.

    Examples
    --------
    >>> from mlfs.metrics import ranking_loss
    >>> ranking_loss([[1, 0, 0]], [[0.2, 0.9, 0.1]])
    0.5
    """
    zhang = not _is_sklearn(ties)
    # a tie is a full error under either convention
    relevant, rank, known = _ranked(*check_scores(Y, S), worst=True)
    row, column = np.nonzero(relevant)
    wrong = (~relevant).cumsum(axis=1)[row, rank[row, column] - 1]
    count = relevant.sum(axis=1)
    pairs = count * (_sizes(relevant, known) - count)
    total = np.bincount(row, wrong, minlength=len(relevant))
    all_count = known is None and not zhang
    keep = None if all_count else _proper(relevant, known)
    return mean(total, np.maximum(pairs, 1), keep=keep)


def one_error(Y: ArrayLike, S: ArrayLike) -> float:
    """Compute the share of instances whose top-scored labels are all irrelevant.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; larger is more relevant.

    Returns
    -------
    float
        The share; 0 is best.

    Examples
    --------
    >>> from mlfs.metrics import one_error
    >>> one_error([[1, 0], [0, 1]], [[0.9, 0.1], [0.9, 0.1]])
    0.5
    """
    relevant, S, known = check_scores(Y, S)
    top = (S if known is None else np.where(known, S, -np.inf)).max(axis=1, keepdims=True)
    missed = ~(relevant & (top == S)).any(axis=1)
    return mean(missed, keep=_proper(relevant, known))


def coverage(Y: ArrayLike, S: ArrayLike, normalize: bool = False, ties: Ties = "zhang") -> float:
    """Compute the mean depth of the ranking that covers all relevant labels of an instance.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; larger is more relevant.
    normalize : bool, default=False
        Divide by the number of labels.
    ties : {"zhang", "sklearn"}, default="zhang"
        Zhang counts depths from 0, and an instance without labels contributes -1;
        scikit-learn counts from 1, and such an instance contributes 0.

    Returns
    -------
    float
        The mean over instances; smaller is better.

    Examples
    --------
    >>> from mlfs.metrics import coverage
    >>> coverage([[1, 0, 1]], [[0.9, 0.5, 0.1]])
    2.0
    """
    relevant, rank, known = _ranked(*check_scores(Y, S), worst=_is_sklearn(ties))
    deepest = (relevant * rank).max(axis=1)
    if known is None:
        depth = mean(deepest) - (ties == "zhang")
        return depth / relevant.shape[1] if normalize else depth
    over = np.maximum(_sizes(relevant, known), 1) if normalize else 1
    return mean(deepest - (ties == "zhang"), over, keep=_proper(relevant, known))


def precision_at_k(Y: ArrayLike, S: ArrayLike, k: int) -> float:
    """Compute the share of relevant labels among the k best scored.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; equal ones rank as in "zhang".
    k : int
        Number of labels to look at.

    Returns
    -------
    float
        The mean over instances; 1 is best.

    Examples
    --------
    >>> from mlfs.metrics import precision_at_k
    >>> precision_at_k([[1, 0, 1]], [[0.9, 0.5, 0.1]], k=2)
    0.5
    """
    relevant, _, known = _ranked(*check_scores(Y, S), worst=False)
    if not 1 <= k <= relevant.shape[1]:
        raise ValueError(f"k = {k} of {relevant.shape[1]} labels: choose 1..{relevant.shape[1]}")
    if known is None:
        return mean(relevant[:, :k])
    looked_at = np.clip(_sizes(relevant, known), 1, k)
    return mean(relevant[:, :k].sum(axis=1), looked_at, keep=_proper(relevant, known))


def _ranked(Y: Array, S: Array, known: Known, *, worst: bool) -> tuple[Array, Array, Known]:
    """Sort each row by decreasing score; return the sorted relevance and the ranks (1 is best).

    Among equal scores, the larger label index comes first. If `worst`, equal scores share the last
    of their ranks. Labels that are not known come behind all others, so they change no rank; the
    last array tells which sorted labels are known.
    """
    order = np.argsort(S, axis=1, kind="stable")[:, ::-1]
    if known is not None:
        behind = np.argsort(~np.take_along_axis(known, order, axis=1), axis=1, kind="stable")
        order = np.take_along_axis(order, behind, axis=1)
        known = np.take_along_axis(known, order, axis=1)
    l = S.shape[1]  # noqa: E741
    rank = np.broadcast_to(np.arange(1, l + 1), S.shape)
    if worst:
        falling = np.take_along_axis(S, order, axis=1)
        ends = np.ones(S.shape, dtype=bool)
        ends[:, :-1] = falling[:, 1:] != falling[:, :-1]
        if known is not None:
            ends[:, :-1] |= known[:, :-1] & ~known[:, 1:]
        last = np.where(ends, rank, l)
        rank = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    return np.take_along_axis(Y, order, axis=1), rank, known


def _sizes(Y: Array, known: Known) -> Array | int:
    """Return how many labels of each row are known."""
    return Y.shape[1] if known is None else known.sum(axis=1)


def _proper(Y: Array, known: Known) -> Array:
    """Mark instances that have a relevant and an irrelevant label."""
    count = Y.sum(axis=1)
    return (count > 0) & (count < _sizes(Y, known))


def _is_sklearn(ties: str) -> bool:
    if ties not in ("zhang", "sklearn"):
        raise ValueError(f"ties = {ties!r} is unknown: use 'zhang' or 'sklearn'")
    return ties == "sklearn"
