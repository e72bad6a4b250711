"""Multi-label metrics as the papers computed them, and two measures of a clustering.

Scores S and labels Y or P are n x l arrays; a larger score means more relevant. ``ties`` chooses
how to treat equal scores, and instances that have all labels or no label:

- "zhang" (default) follows the MATLAB scripts of Zhang and Zhou, which nearly every paper uses.
  Among equal scores the larger label index ranks higher. Instances with all or no labels are left
  out of average precision, ranking loss and one-error (nan if none remains).
- "sklearn" follows scikit-learn. Equal scores share their worst rank, and every instance counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UserError, nearest
from .counting import acc, hamming_loss, macro_f1, micro_f1, nmi
from .probabilities import brier_score, expected_calibration_error
from .ranking import average_precision, coverage, one_error, precision_at_k, ranking_loss

__all__ = [
    "METRICS",
    "Metric",
    "acc",
    "average_precision",
    "brier_score",
    "coverage",
    "evaluate",
    "expected_calibration_error",
    "hamming_loss",
    "macro_f1",
    "micro_f1",
    "nmi",
    "one_error",
    "precision_at_k",
    "ranking_loss",
]


@dataclass(frozen=True)
class Metric:
    """Describe a metric that a config can name.

    Parameters
    ----------
    name : str
        Its name in configs and tables.
    function : callable
        Takes (Y, S) or (Y, P), see `needs`.
    larger_is_better : bool
        Whether a larger value is better.
    needs : {"scores", "labels"}
        Whether `function` takes scores S or predicted labels P.
    fewest : int
        The smallest number of labels for which it is defined.

    Examples
    --------
    >>> from mlfs.metrics import METRICS
    >>> METRICS["hamming_loss"].larger_is_better, METRICS["hamming_loss"].needs
    (False, 'labels')
    """

    name: str
    function: Callable[[ArrayLike, ArrayLike], float]
    larger_is_better: bool
    needs: Literal["scores", "labels"]
    fewest: int = 1


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("average_precision", average_precision, True, "scores"),
        Metric("hamming_loss", hamming_loss, False, "labels"),
        Metric("ranking_loss", ranking_loss, False, "scores"),
        Metric("one_error", one_error, False, "scores"),
        Metric("coverage", coverage, False, "scores"),
        Metric("normalized_coverage", partial(coverage, normalize=True), False, "scores"),
        Metric("precision_at_1", partial(precision_at_k, k=1), True, "scores"),
        Metric("precision_at_2", partial(precision_at_k, k=2), True, "scores", 2),
        Metric("precision_at_3", partial(precision_at_k, k=3), True, "scores", 3),
        Metric("macro_f1", macro_f1, True, "labels"),
        Metric("micro_f1", micro_f1, True, "labels"),
    )
}


def evaluate(Y: ArrayLike, S: ArrayLike, P: ArrayLike, names: Iterable[str]) -> dict[str, float]:
    """Compute several metrics from true labels, scores and predicted labels.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels, 1 or 0.
    S : array of shape (n, l)
        Scores; larger is more relevant.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.
    names : iterable of str
        Names of the metrics.

    Returns
    -------
    dict of str to float
        The values; nan for a metric that needs more labels than there are.

    Examples
    --------
    >>> from mlfs.metrics import evaluate
    >>> evaluate([[1, 0]], [[0.9, 0.1]], [[1, 1]], ["one_error", "hamming_loss"])
    {'one_error': 0.0, 'hamming_loss': 0.5}
    """
    values = {}
    for name in names:
        if name not in METRICS:
            known = ", ".join(METRICS)
            raise UserError(f"unknown metric '{name}'{nearest(name, METRICS)} (known: {known})")
        metric = METRICS[name]
        if np.shape(S)[1] < metric.fewest:
            values[name] = float("nan")
        else:
            values[name] = metric.function(Y, S if metric.needs == "scores" else P)
    return values
