"""Multi-label metrics as the papers computed them, and two measures of a clustering.

Scores S and labels Y or P are n x l arrays; a larger score means more relevant. ``ties`` names
the convention for equal scores and for instances with all or no labels:

- "zhang" (default) follows the MATLAB scripts of Zhang and Zhou, which nearly every paper uses:
  among equal scores the larger label index ranks higher, and instances with all or no labels
  are left out of average precision, ranking loss and one-error (nan if none remains);
- "sklearn" equals scikit-learn's functions: equal scores share their worst rank, and every
  instance counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from .errors import UserError, nearest
from .types import Array

Ties = Literal["zhang", "sklearn"]


def average_precision(Y: ArrayLike, S: ArrayLike, ties: Ties = "zhang") -> float:
    """Mean over instances and their labels of the precision at that label's rank."""
    relevant, rank = _ranked(*_check_scores(Y, S), worst=_is_sklearn(ties))
    row, column = np.nonzero(relevant)
    at = rank[row, column]
    precision = relevant.cumsum(axis=1)[row, at - 1] / at
    count = relevant.sum(axis=1)
    total = np.bincount(row, precision, minlength=len(relevant))
    if ties == "zhang":
        return _mean(total, np.maximum(count, 1), keep=_proper(relevant))
    return _mean(np.where(count, total, 1.0), np.maximum(count, 1))


def ranking_loss(Y: ArrayLike, S: ArrayLike, ties: Ties = "zhang") -> float:
    """Mean share of pairs whose relevant label scores no higher than the irrelevant one."""
    zhang = not _is_sklearn(ties)
    # a tie is a full error under either convention
    relevant, rank = _ranked(*_check_scores(Y, S), worst=True)
    row, column = np.nonzero(relevant)
    wrong = (~relevant).cumsum(axis=1)[row, rank[row, column] - 1]
    count = relevant.sum(axis=1)
    pairs = count * (relevant.shape[1] - count)
    total = np.bincount(row, wrong, minlength=len(relevant))
    return _mean(total, np.maximum(pairs, 1), keep=_proper(relevant) if zhang else None)


def one_error(Y: ArrayLike, S: ArrayLike) -> float:
    """Share of instances none of whose top-scored labels is relevant."""
    Y, S = _check_scores(Y, S)
    top = S.max(axis=1, keepdims=True)
    missed = ~(Y & (top == S)).any(axis=1)
    return _mean(missed, keep=_proper(Y))


def coverage(Y: ArrayLike, S: ArrayLike, normalize: bool = False, ties: Ties = "zhang") -> float:
    """Mean depth at which the ranking has covered all relevant labels of an instance.

    Parameters
    ----------
    Y, S : arrays of shape (n, l)
    normalize : bool, default=False
        Divide by the number of labels.
    ties : {"zhang", "sklearn"}
        Zhang counts depths from 0 and lets an instance without labels contribute -1;
        scikit-learn counts from 1 and lets it contribute 0.
    """
    relevant, rank = _ranked(*_check_scores(Y, S), worst=_is_sklearn(ties))
    depth = _mean((relevant * rank).max(axis=1)) - (ties == "zhang")
    return depth / relevant.shape[1] if normalize else depth


def precision_at_k(Y: ArrayLike, S: ArrayLike, k: int) -> float:
    """Share of relevant labels among the k best scored; equal scores rank as in "zhang"."""
    relevant, _ = _ranked(*_check_scores(Y, S), worst=False)
    if not 1 <= k <= relevant.shape[1]:
        raise ValueError(f"k = {k} of {relevant.shape[1]} labels: choose 1..{relevant.shape[1]}")
    return _mean(relevant[:, :k])


def hamming_loss(Y: ArrayLike, P: ArrayLike) -> float:
    """Share of wrong entries, over all instances and labels."""
    Y, P = _check_labels(Y, P)
    return _mean(Y != P)


def macro_f1(Y: ArrayLike, P: ArrayLike) -> float:
    """Mean over labels of F1; a label neither present nor predicted counts 0."""
    Y, P = _check_labels(Y, P)
    size = Y.sum(axis=0) + P.sum(axis=0)
    return _mean(2 * (Y & P).sum(axis=0), np.maximum(size, 1))


def micro_f1(Y: ArrayLike, P: ArrayLike) -> float:
    """F1 of all entries taken together; 0 when nothing is present or predicted."""
    Y, P = _check_labels(Y, P)
    return 2 * int((Y & P).sum()) / max(int(Y.sum()) + int(P.sum()), 1)


def acc(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Clustering accuracy: the share of instances right under the best matching of clusters."""
    shared = contingency_matrix(classes, clusters)
    return float(shared[linear_sum_assignment(shared, maximize=True)].sum() / shared.sum())


def nmi(classes: ArrayLike, clusters: ArrayLike) -> float:
    """Mutual information of classes and clusters over the mean of their entropies."""
    return float(normalized_mutual_info_score(classes, clusters))


@dataclass(frozen=True)
class Metric:
    """A metric a config can name.

    Parameters
    ----------
    name : str
    function : callable
        Takes (Y, S) or (Y, P), as `needs` says.
    larger_is_better : bool
    needs : {"scores", "labels"}
    fewest : int
        Number of labels below which it is undefined.
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
    """Compute the metrics called `names` from true labels, scores and predicted labels.

    A metric that needs more labels than there are is nan.
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


def _ranked(Y: Array, S: Array, *, worst: bool) -> tuple[Array, Array]:
    """Sort each row by falling score: the relevance along it, and the rank (1 is best).

    Equal scores rank by falling label index or, if `worst`, share the last of their ranks.
    """
    order = np.argsort(S, axis=1, kind="stable")[:, ::-1]
    l = S.shape[1]  # noqa: E741
    rank = np.broadcast_to(np.arange(1, l + 1), S.shape)
    if worst:
        falling = np.take_along_axis(S, order, axis=1)
        ends = np.ones(S.shape, dtype=bool)
        ends[:, :-1] = falling[:, 1:] != falling[:, :-1]
        last = np.where(ends, rank, l)
        rank = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    return np.take_along_axis(Y, order, axis=1), rank


def _proper(Y: Array) -> Array:
    """Instances that have a relevant and an irrelevant label."""
    count = Y.sum(axis=1)
    return (count > 0) & (count < Y.shape[1])


def _mean(values: Array, over: Array | int = 1, keep: Array | None = None) -> float:
    """Mean of values / over on the rows to keep, nan when there is none."""
    ratio = values / over
    if keep is not None:
        ratio = ratio[keep]
    return float(ratio.mean()) if ratio.size else float("nan")


def _is_sklearn(ties: str) -> bool:
    if ties not in ("zhang", "sklearn"):
        raise ValueError(f"ties = {ties!r} is unknown: use 'zhang' or 'sklearn'")
    return ties == "sklearn"


def _check_scores(Y: ArrayLike, S: ArrayLike) -> tuple[Array, Array]:
    Y, S = _binary(Y), np.asarray(S)
    _check_shapes(Y, S)
    if np.isnan(S).any():
        raise ValueError("scores hold nan, which has no rank: mend the method that gave them")
    return Y, S


def _check_labels(Y: ArrayLike, P: ArrayLike) -> tuple[Array, Array]:
    Y, P = _binary(Y), _binary(P)
    _check_shapes(Y, P)
    return Y, P


def _binary(Y: Any) -> Array:
    """Y as an n x l boolean array."""
    Y = np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y)
    relevant: Array = Y == 1
    if not (relevant | (Y == 0)).all():
        raise ValueError("labels must be 1 or 0 to be compared: convert -1 to 0, fill in nan")
    return relevant


def _check_shapes(Y: Array, other: Array) -> None:
    if Y.ndim != 2 or Y.shape != other.shape or Y.size == 0:
        raise ValueError(f"shapes {Y.shape} and {other.shape} do not match: give two n x l arrays")
