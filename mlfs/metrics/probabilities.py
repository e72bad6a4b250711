"""Scores of probabilities of labels: the Brier score and the expected calibration error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array

N_BINS = 10  # bins of equal width, as in most papers that report a calibration error


def brier_score(Y: ArrayLike, P: ArrayLike) -> float:
    """Compute the Brier score: the mean of (P - Y)² over the known labels.

    Parameters
    ----------
    Y : array of shape (n, l) or (n,)
        True labels: 1, 0, or nan where unknown.
    P : array of the same shape
        Probabilities that the labels are 1.

    Returns
    -------
    float
        The mean; 0 is best. nan if no label is known.

    References
    ----------
    Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather Review
    78(1), 1950.

    Examples
    --------
    >>> from mlfs.metrics import brier_score
    >>> brier_score([[1, 0, float("nan")]], [[0.5, 0.0, 0.9]])
    0.125
    """
    y, p = _known(Y, P)
    return float(np.mean((p - y) ** 2)) if len(y) else float("nan")


def expected_calibration_error(Y: ArrayLike, P: ArrayLike, bins: int = N_BINS) -> float:
    """Compute the expected calibration error over the known labels.

    The probabilities are sorted into bins of equal width. For each bin, the mean probability is
    compared with the share of labels that are 1; the error is the mean of these differences over
    the labels. A probability on the border of two bins belongs to the upper one, and 1 to the last.

    Parameters
    ----------
    Y : array of shape (n, l) or (n,)
        True labels: 1, 0, or nan where unknown.
    P : array of the same shape
        Probabilities that the labels are 1.
    bins : int, default=10
        Number of bins between 0 and 1.

    Returns
    -------
    float
        The error; 0 is best. nan if no label is known.

    References
    ----------
    Naeini, Cooper and Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning",
    AAAI 2015.

    Examples
    --------
    >>> from mlfs.metrics import expected_calibration_error
    >>> expected_calibration_error([1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25])
    0.0
    """
    if bins < 1:
        raise ValueError(f"bins = {bins}: use at least one bin")
    y, p = _known(Y, P)
    if not len(y):
        return float("nan")
    place = np.minimum((p * bins).astype(int), bins - 1)
    gaps = np.bincount(place, weights=p - y, minlength=bins)  # count · (mean p - share of ones)
    return float(np.abs(gaps).sum() / len(y))


def _known(Y: ArrayLike, P: ArrayLike) -> tuple[Array, Array]:
    """Return the known labels and their probabilities; raise a ValueError for bad ones."""
    Y, P = np.asarray(Y, dtype=float), np.asarray(P, dtype=float)
    if Y.shape != P.shape:
        raise ValueError(f"shapes {Y.shape} and {P.shape} do not match: pass two equal shapes")
    known = ~np.isnan(Y)
    y, p = Y[known], P[known]
    if not np.isin(y, (0.0, 1.0)).all():
        raise ValueError("labels must be 1, 0, or nan where unknown: replace the others")
    if not ((p >= 0) & (p <= 1)).all():  # nan is neither
        raise ValueError("probabilities must be between 0 and 1: correct the others")
    return y, p
