"""Metrics of predicted labels over the known ones, and two measures of a clustering."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array
from .checks import Known, check_labels, mean


def hamming_loss(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute the share of wrong entries, over all instances and labels that are known.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.

    Returns
    -------
    float
        The share; 0 is best.

    Examples
    --------
    >>> from mlfs.metrics import hamming_loss
    >>> hamming_loss([[1, 0], [0, 1]], [[1, 0], [0, 0]])
    0.25
    """
    Y, P, known = check_labels(Y, P)
    wrong = Y != P
    return mean(wrong if known is None else wrong[known])


def macro_f1(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute the mean of F1 over labels.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.

    Returns
    -------
    float
        The mean; 1 is best. A label that is neither present nor predicted counts as 0; one that
        is known of no instance is left out.

    Examples
    --------
    >>> from mlfs.metrics import macro_f1
    >>> macro_f1([[1, 0], [0, 1]], [[1, 0], [0, 0]])
    0.5
    """
    Y, P, known = check_labels(Y, P)
    return mean(*_f1(Y, P), keep=_any(known, axis=0))


def f1_by_label(Y: ArrayLike, P: ArrayLike) -> Array:
    """Compute F1 of every label.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.

    Returns
    -------
    ndarray of shape (l,)
        F1, of which `macro_f1` is the mean; nan for a label that is known of no instance.

    Examples
    --------
    >>> from mlfs.metrics import f1_by_label
    >>> f1_by_label([[1, 0], [0, 1]], [[1, 0], [0, 0]]).tolist()
    [1.0, 0.0]
    """
    Y, P, known = check_labels(Y, P)
    twice, size = _f1(Y, P)
    return twice / size if known is None else np.where(known.any(axis=0), twice / size, np.nan)


def _f1(Y: Array, P: Array) -> tuple[Array, Array]:
    """Return the numerators and denominators of F1 by label."""
    size = Y.sum(axis=0) + P.sum(axis=0)
    return 2 * (Y & P).sum(axis=0), np.maximum(size, 1)


def micro_f1(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute F1 over all entries together.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.

    Returns
    -------
    float
        F1; 1 is best, and it is 0 if no label is present or predicted.

    Examples
    --------
    >>> from mlfs.metrics import micro_f1
    >>> round(micro_f1([[1, 0], [0, 1]], [[1, 0], [0, 0]]), 3)
    0.667
    """
    Y, P, known = check_labels(Y, P)
    if known is not None and not known.any():
        return float("nan")
    return 2 * int((Y & P).sum()) / max(int(Y.sum()) + int(P.sum()), 1)


def samples_jaccard(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute the mean over instances of the shared labels divided by the joined ones.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.

    Returns
    -------
    float
        The mean; 1 is best. An instance without present or predicted labels counts as 0; one
        without known labels is left out.

    Examples
    --------
    >>> from mlfs.metrics import samples_jaccard
    >>> samples_jaccard([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.75
    """
    return _mean_jaccard(Y, P, axis=1)


def macro_jaccard(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute the mean over labels of the shared instances divided by the joined ones.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.

    Returns
    -------
    float
        The mean; 1 is best. A label that is neither present nor predicted counts as 0; one that
        is known of no instance is left out.

    Examples
    --------
    >>> from mlfs.metrics import macro_jaccard
    >>> macro_jaccard([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.75
    """
    return _mean_jaccard(Y, P, axis=0)


def micro_jaccard(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute the shared labels divided by the joined ones, over all entries together.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.

    Returns
    -------
    float
        The share; 1 is best, and it is 0 if no label is present or predicted.

    Examples
    --------
    >>> from mlfs.metrics import micro_jaccard
    >>> round(micro_jaccard([[1, 1], [0, 1]], [[1, 0], [0, 1]]), 3)
    0.667
    """
    Y, P, known = check_labels(Y, P)
    if known is not None and not known.any():
        return float("nan")
    return int((Y & P).sum()) / max(int((Y | P).sum()), 1)


def exact_match(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute the share of instances of which all known labels are predicted right.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.

    Returns
    -------
    float
        The share; 1 is best. An instance without known labels is left out.

    Examples
    --------
    >>> from mlfs.metrics import exact_match
    >>> exact_match([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.5
    """
    Y, P, known = check_labels(Y, P)
    return mean((Y == P).all(axis=1), keep=_any(known, axis=1))


def _mean_jaccard(Y: ArrayLike, P: ArrayLike, axis: int) -> float:
    Y, P, known = check_labels(Y, P)
    shared, joined = (Y & P).sum(axis=axis), (Y | P).sum(axis=axis)
    return mean(shared, np.maximum(joined, 1), keep=_any(known, axis))


def _any(known: Known, axis: int) -> Array | None:
    """Mark the labels or instances of which something is known; None if all are complete."""
    return None if known is None else np.asarray(known.any(axis=axis))


def acc(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Compute the clustering accuracy: the share of right instances under the best matching.

    The best matching assigns clusters to classes so that most instances are right.

    Parameters
    ----------
    classes : array of shape (n,)
        The true classes.
    clusters : array of shape (n,)
        The clusters found.

    Returns
    -------
    float
        The share; 1 is best.

    Examples
    --------
    >>> from mlfs.metrics import acc
    >>> acc([0, 0, 1, 1], [5, 5, 3, 5])
    0.75
    """
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics.cluster import contingency_matrix

    shared = contingency_matrix(classes, clusters)
    return float(shared[linear_sum_assignment(shared, maximize=True)].sum() / shared.sum())


def nmi(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Compute the mutual information of classes and clusters, divided by their mean entropy.

    Parameters
    ----------
    classes : array of shape (n,)
        The true classes.
    clusters : array of shape (n,)
        The clusters found.

    Returns
    -------
    float
        The normalised mutual information; 1 is best.

    Examples
    --------
    >>> from mlfs.metrics import nmi
    >>> round(nmi([0, 0, 1, 1], [5, 5, 3, 3]), 6)
    1.0
    """
    from sklearn.metrics import normalized_mutual_info_score

    return float(normalized_mutual_info_score(classes, clusters))
