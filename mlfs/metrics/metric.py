"""The metrics that configs can name, and how several are computed at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import UserError, nearest
from ..types import Array
from . import counting, label_wise, ranking


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
    by_label : callable, optional
        Takes the same, and returns the values of the labels, of which this is the mean.

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
    by_label: Callable[[ArrayLike, ArrayLike], Array] | None = None


_AT = {k: partial(ranking.precision_at_k, k=k) for k in (1, 2, 3)}
METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("average_precision", ranking.average_precision, True, "scores"),
        Metric("hamming_loss", counting.hamming_loss, False, "labels"),
        Metric("ranking_loss", ranking.ranking_loss, False, "scores"),
        Metric("one_error", ranking.one_error, False, "scores"),
        Metric("coverage", ranking.coverage, False, "scores"),
        Metric("normalized_coverage", partial(ranking.coverage, normalize=True), False, "scores"),
        Metric("precision_at_1", _AT[1], True, "scores"),
        Metric("precision_at_2", _AT[2], True, "scores", 2),
        Metric("precision_at_3", _AT[3], True, "scores", 3),
        Metric("macro_f1", counting.macro_f1, True, "labels", by_label=counting.f1_by_label),
        Metric("micro_f1", counting.micro_f1, True, "labels"),
        Metric("macro_auc", label_wise.macro_auc, True, "scores", by_label=label_wise.auc_by_label),
        Metric("micro_auc", label_wise.micro_auc, True, "scores"),
        Metric(
            "macro_average_precision",
            label_wise.macro_average_precision,
            True,
            "scores",
            by_label=label_wise.average_precision_by_label,
        ),
        Metric("samples_jaccard", counting.samples_jaccard, True, "labels"),
        Metric("macro_jaccard", counting.macro_jaccard, True, "labels"),
        Metric("micro_jaccard", counting.micro_jaccard, True, "labels"),
        Metric("exact_match", counting.exact_match, True, "labels"),
    )
}


def find_metric(name: str | Metric) -> Metric:
    """Return a metric by its name; a UserError for an unknown name tells a similar one."""
    if isinstance(name, Metric):
        return name
    if name not in METRICS:
        known = ", ".join(METRICS)
        raise UserError(f"unknown metric '{name}'{nearest(name, METRICS)} (known: {known})")
    return METRICS[name]


def evaluate(
    Y: ArrayLike, S: ArrayLike, P: ArrayLike, names: Iterable[str | Metric]
) -> dict[str, float]:
    """Compute several metrics from true labels, scores and predicted labels.

    Parameters
    ----------
    Y : array of shape (n, l)
        True labels: 1, 0, or nan where a label is not known.
    S : array of shape (n, l)
        Scores; larger is more relevant.
    P : array of shape (n, l)
        Predicted labels, 1 or 0.
    names : iterable of str or Metric
        The metrics, or their names.

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
        metric = find_metric(name)
        if np.shape(S)[1] < metric.fewest:
            values[metric.name] = float("nan")
        else:
            values[metric.name] = metric.function(Y, S if metric.needs == "scores" else P)
    return values
