"""Check what methods return before it is scored; each message says which method it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...types import Array, Matrix

if TYPE_CHECKING:  # a table reads configs, and needs no method
    from ...methods.ranker import Ranker


@dataclass(frozen=True)
class ChosenFeatures:
    """What a selector has found, as plain data that may come from another process.

    Parameters
    ----------
    sizes : list of int
        Numbers of features.
    subsets : list of ndarray
        The features for each size, best first.
    scores : ndarray or None
        The scores of all features, if these alone decide the subsets.
    seconds : float
        How long it took.
    """

    sizes: list[int]
    subsets: list[Array]
    scores: Array | None
    seconds: float

    def checked(self, name: str, d: int) -> list[Array]:
        """Return the features for each size, ranked by this process if there are scores."""
        if self.scores is None:
            return [check_subset(name, one, d) for one in self.subsets]
        from ...methods.ranker import by_score, check_ranks

        ranking = by_score(check_ranks(name, self.scores, d))
        return [ranking[:size] for size in self.sizes]


def choose(selector: Ranker, X: Matrix, Y: Array, sizes: Sequence[int]) -> ChosenFeatures:
    """Fit a selector and return the features that it chooses for every size."""
    from ...methods.ranker import Ranker

    began = perf_counter()
    subsets = selector.subsets(X, Y, sizes)
    seconds = perf_counter() - began
    usual = all(
        getattr(type(selector), name) is getattr(Ranker, name) for name in ("fit", "subsets")
    )
    scores = selector.scores_ if usual and selector._has_scores else None
    return ChosenFeatures([int(one) for one in sizes], list(subsets), scores, seconds)


def check_subset(name: str, columns: Any, d: int) -> Array:
    """Return the features that a selector has chosen, or raise ValueError.

    Parameters
    ----------
    name : str
        Name of the selector.
    columns : ndarray
        What it returned: numbers of features, best first.
    d : int
        Number of features in the data.

    Returns
    -------
    ndarray of int
        `columns`.
    """
    subset = np.asarray(columns)
    if subset.ndim != 1 or subset.dtype.kind not in "iu" or not subset.size:
        raise ValueError(f"{name} returned no list of features: return their numbers, best first")
    if subset.min() < 0 or subset.max() >= d or len(np.unique(subset)) < len(subset):
        raise ValueError(
            f"{name} returned features that are not there, or one more than once: return "
            f"different numbers from 0 to {d - 1}"
        )
    return subset


def check_scores(name: str, scores: Any, predicted: Any, shape: tuple[int, ...]) -> None:
    """Raise ValueError if a classifier did not return a finite real score for every label.

    Parameters
    ----------
    name : str
        Name of the classifier.
    scores, predicted : ndarray
        What it returned for the test part: scores of labels, and predicted labels.
    shape : tuple of int
        Numbers of test instances and of labels.
    """
    for what, values in (("scores", scores), ("predictions", predicted)):
        array = np.asarray(values)
        if array.shape != tuple(shape):
            raise ValueError(
                f"{name} returned {what} of shape {array.shape}: return the shape {tuple(shape)}"
            )
        if array.dtype.kind not in "fiub":
            raise ValueError(f"{name} returned {what} of type {array.dtype}: return real numbers")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} returned {what} that are nan or infinite: return numbers")
    if not np.isin(predicted, (0, 1)).all():
        raise ValueError(f"{name} predicted values besides 0 and 1: return one of them")
