"""Facts about metrics: whether larger is better, their range and their chance level."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import pandas as pd

from ... import datasets
from ...metrics import METRICS
from ...papers import density
from ...protocols import NAMES, protocol

_UNBOUNDED = ("coverage",)  # counts labels; all other scores are shares


@cache
def directions() -> dict[str, bool]:
    """Return for every metric of every protocol whether larger is better."""
    return {metric: up for name in NAMES for metric, up in protocol(name).experiment.scores.items()}


class UnknownMetric(Exception):
    """Raised for a metric if mlfs does not know whether larger is better."""


def sign(metric: str) -> int:
    """Return 1 for a metric where larger is better, and -1 where smaller is better."""
    if metric not in directions():
        raise UnknownMetric(f"it is not known whether larger is better in {words(metric)}")
    return 1 if directions()[metric] else -1


def limits(metric: str) -> tuple[float, float]:
    """Return the smallest and the largest value that a metric can have."""
    if metric in METRICS and metric not in _UNBOUNDED:
        return 0.0, 1.0
    return (0.0, math.inf) if metric in directions() else (-math.inf, math.inf)


def chance(metric: str, dataset: str) -> tuple[float, str] | None:
    """Return the score of a guess without knowledge on a dataset, and how it guesses.

    The guess ranks labels at random, and every instance is assumed to have the mean number of
    labels. For the Hamming loss it predicts no label, which is the best guess without knowledge.
    """
    share = density(dataset)
    if share is None:
        return None
    n_labels = datasets.catalog()[dataset].l
    relevant = share * n_labels
    if metric == "hamming_loss":
        return share, "predicting no label"
    if metric == "ranking_loss":
        return 0.5, "a random order"
    if metric == "one_error":
        return 1 - share, "a random order"
    if metric == "average_precision":
        # a relevant label at rank i counts itself, and each other relevant label is above it with
        # probability (i - 1) / (l - 1): the mean over i of 1/i + (r - 1)(i - 1) / (i (l - 1))
        harmonic = sum(1 / i for i in range(1, n_labels + 1))
        above = (relevant - 1) * (n_labels - harmonic) / (n_labels - 1) if n_labels > 1 else 0.0
        return (harmonic + above) / n_labels, "a random order"
    if metric in ("coverage", "normalized_coverage"):
        # the largest of r ranks drawn from 1..l has the mean r (l + 1) / (r + 1)
        deepest = relevant * (n_labels + 1) / (relevant + 1) - 1
        return deepest / (n_labels if metric == "normalized_coverage" else 1), "a random order"
    return None


def is_time(metric: str) -> bool:
    """Return whether a metric measures time, which depends on the machine."""
    return metric.endswith("seconds")


def words(metric: str) -> str:
    """Return the name of a metric as words."""
    return metric.replace("_", " ")


def records(frame: pd.DataFrame) -> Iterator[Any]:
    """Return the rows of a frame as named tuples, whose fields have the types of the columns."""
    yield from frame.itertuples()


def groups(frame: pd.DataFrame, by: list[str]) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Return the parts of a frame that share the values of some columns, and those values."""
    yield from frame.groupby(by, sort=False)
