"""Metrics of predicted labels, and two measures of a clustering."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .checks import check_labels, mean


def hamming_loss(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute the share of wrong entries, over all instances and labels.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels, 1 or 0.
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
    Y, P = check_labels(Y, P)
    return mean(Y != P)


def macro_f1(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute the mean of F1 over labels.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels, 1 or 0.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.

    Returns
    -------
    float
        The mean; 1 is best. A label that is neither present nor predicted counts as 0.

    Examples
    --------
    >>> from mlfs.metrics import macro_f1
    >>> macro_f1([[1, 0], [0, 1]], [[1, 0], [0, 0]])
    0.5
    """
    Y, P = check_labels(Y, P)
    size = Y.sum(axis=0) + P.sum(axis=0)
    return mean(2 * (Y & P).sum(axis=0), np.maximum(size, 1))


def micro_f1(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute F1 over all entries together.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels, 1 or 0.
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
    Y, P = check_labels(Y, P)
    return 2 * int((Y & P).sum()) / max(int(Y.sum()) + int(P.sum()), 1)


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
