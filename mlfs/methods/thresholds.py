"""Rules that turn scores into labels: one threshold for all labels of all instances."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..types import Array

N_POINTS = 51  # as in the code of LSML's authors


def observed_errors(scores: Array, Y: Array, usual: float) -> float:
    """Find the threshold with the fewest wrong labels among the observed ones.

    As in the code of LSML's authors, `usual` and 51 points from 0 to the largest score are tried.
    Ties go to the first.

    Parameters
    ----------
    scores : ndarray of shape (n, l)
        Scores of the training instances.
    Y : ndarray of shape (n, l)
        Their labels, nan where unobserved.
    usual : float
        The threshold to use unless another is better.

    Returns
    -------
    float
        A label is predicted if its score is at least this.
    """
    positive, negative = np.sort(scores[Y == 1]), np.sort(scores[Y == 0])
    tried = np.concatenate([[usual], _points(scores)])
    missed = np.searchsorted(positive, tried)
    false = len(negative) - np.searchsorted(negative, tried)
    return float(tried[np.argmin(missed + false)])


def errors(scores: Array, Y: Array, usual: float) -> float:
    """Find the threshold with the fewest wrong labels, where an unobserved label counts as 0.

    Parameters
    ----------
    scores : ndarray of shape (n, l)
        Scores of the training instances.
    Y : ndarray of shape (n, l)
        Their labels, nan where unobserved.
    usual : float
        The threshold to use unless another is better.

    Returns
    -------
    float
        A label is predicted if its score is at least this.
    """
    return observed_errors(scores, np.nan_to_num(Y), usual)


def accuracy(scores: Array, Y: Array, usual: float) -> float:
    """Find the threshold with the best example-based accuracy, the mean of |Y∩P| / |Y∪P|.

    Of 51 points from 0 to the largest score, the first best is taken. An unobserved label counts
    as 0, and an instance with neither labels nor predictions as 1.

    Parameters
    ----------
    scores : ndarray of shape (n, l)
        Scores of the training instances.
    Y : ndarray of shape (n, l)
        Their labels, nan where unobserved.
    usual : float
        Not used: all thresholds are judged alike.

    Returns
    -------
    float
        A label is predicted if its score is at least this.
    """
    del usual
    relevant, points = Y == 1, _points(scores)
    count = np.count_nonzero(relevant, axis=1)
    reached = []
    for point in points:
        predicted = scores >= point
        both = np.count_nonzero(predicted & relevant, axis=1)
        either = count + np.count_nonzero(predicted, axis=1) - both
        reached.append(np.mean(np.where(either > 0, both / np.maximum(either, 1), 1.0)))
    return float(points[np.argmax(reached)])


def half_range(scores: Array) -> float:
    """Compute the threshold above half of the range of the scores that are to be predicted.

    In the code of GLOCAL's authors, a label is predicted if its score is more than (max − min)/2,
    over all scores at hand.

    Parameters
    ----------
    scores : ndarray
        The scores to predict from.

    Returns
    -------
    float
        The smallest number above half of the range: a label is predicted if its score is at least
        this.
    """
    return float(np.nextafter((scores.max() - scores.min()) / 2, np.inf)) if scores.size else 0.0


TUNED: dict[str, Callable[[Array, Array, float], float]] = {  # found on the training part
    "observed_errors": observed_errors,
    "errors": errors,
    "accuracy": accuracy,
}
RULES = ("fixed", *TUNED, "half_range")


def _points(scores: Array) -> Array:
    return np.linspace(0.0, scores.max(), N_POINTS)
