"""Measure how stable a choice of features is, and how similar two choices are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class StabilityResult:
    """Hold how similar the features are that a method chooses in `n` repeats.

    Parameters
    ----------
    index : float
        1: the same features every time; 0: no more similar than by chance; nan: undefined.
    low, high : float
        Ends of the confidence interval at level 1 - `alpha`. As in the paper, `high` may exceed 1.
    variance : float
        Variance of `index`.
    alpha : float
        1 minus the level of the confidence interval.
    n : int
        Number of repeats.
    reason : str
        Why the index is undefined; empty if it is defined.

    Examples
    --------
    >>> from mlfs.stats import stability
    >>> stability([[0, 1]], d=4).reason
    'fewer than two repeats'
    """

    index: float
    low: float
    high: float
    variance: float
    alpha: float
    n: int
    reason: str = ""


def stability(
    choices: ArrayLike | Sequence[Sequence[int]], d: int, alpha: float = 0.05
) -> StabilityResult:
    """Measure the stability of a feature selection over repeats.

    Subsets may differ in size; if they do not, the index is Kuncheva's.

    Parameters
    ----------
    choices : binary ndarray of shape (n, d), or a sequence of n sequences of int
        Either an array that is 1 where a repeat (row) has chosen a feature (column), or for each
        repeat the indices of the chosen features.
    d : int
        Number of features to choose from.
    alpha : float, default=0.05
        1 minus the level of the confidence interval.

    Returns
    -------
    StabilityResult
        The index with its confidence interval.

    References
    ----------
    Nogueira, Sechidis and Brown, "On the stability of feature selection algorithms", JMLR 18,
    2018: the index of definition 4 and its variance of theorem 7.

    Examples
    --------
    >>> from mlfs.stats import stability
    >>> stability([[0, 1], [0, 1], [0, 1]], d=5).index
    1.0
    """
    Z = _chosen(choices, d)
    n = len(Z)
    reason = ""
    if n < 2:
        reason = "fewer than two repeats"
    elif not Z.any():
        reason = "no feature is chosen"
    elif Z.all():
        reason = "every feature is chosen"
    if reason:
        nan = float("nan")
        return StabilityResult(nan, nan, nan, nan, alpha, n, reason)
    sizes = Z.mean(axis=1)  # k_i / d
    size = float(sizes.mean())
    scale = size * (1 - size)
    p = Z.mean(axis=0)
    index = 1 - float(np.mean(n / (n - 1) * p * (1 - p))) / scale
    cross = size * sizes
    share = (Z @ p / d - cross + index / 2 * (2 * cross - sizes - size + 1)) / scale
    variance = 4 / n**2 * float(((share - share.mean()) ** 2).sum())
    half = -float(scipy.special.ndtri(alpha / 2)) * float(np.sqrt(variance))
    return StabilityResult(index, index - half, index + half, variance, alpha, n)


def stability_index(choices: Sequence[Sequence[int]], d: int) -> float:
    """Compute only the index of `stability`, in a fraction of its time.

    Parameters
    ----------
    choices : sequence of sequences of int
        For each repeat the indices of the chosen features, each once.
    d : int
        Number of features to choose from.

    Returns
    -------
    float
        The index; nan where it is undefined.

    Examples
    --------
    >>> from mlfs.stats import stability_index
    >>> stability_index([[0, 1], [0, 1], [0, 1]], d=5)
    1.0
    """
    n, sizes = len(choices), [len(one) for one in choices]
    size = sum(sizes) / n / d if n else 0.0
    if n < 2 or not 0 < size < 1:
        return float("nan")
    counts: dict[int, int] = {}
    for one in choices:
        for feature in one:
            counts[feature] = counts.get(feature, 0) + 1
    spread = sum(count * (n - count) for count in counts.values()) / (n * (n - 1) * d)
    return 1 - spread / (size * (1 - size))


def jaccard(a: Iterable[int], b: Iterable[int]) -> float:
    """Compute the Jaccard index: of the features in at least one set, the share that is in both.

    Parameters
    ----------
    a, b : iterables of int
        Two sets of features.

    Returns
    -------
    float
        The share; 1 for two empty sets.

    Examples
    --------
    >>> from mlfs.stats import jaccard
    >>> jaccard([1, 2, 3], [2, 3, 4])
    0.5
    """
    first, second = set(a), set(b)
    return len(first & second) / len(first | second) if first | second else 1.0


def _chosen(choices: Any, d: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Check choices and turn them into a matrix of ones and zeros, repeats by features."""
    if isinstance(choices, np.ndarray):
        if choices.ndim != 2 or choices.shape[1] != d or not np.isin(choices, (0, 1)).all():
            raise ValueError(
                f"an array of choices must have only ones and zeros, in {d} columns (its shape is "
                f"{choices.shape}): pass indices as lists"
            )
        return choices.astype(float)
    Z = np.zeros((len(choices), d))
    for row, chosen in zip(Z, choices):
        features = np.asarray(chosen, dtype=int)
        if len(set(chosen)) < len(chosen) or ((features < 0) | (features >= d)).any():
            raise ValueError(
                f"the choice {chosen} has a feature twice, or one that is not in 0 to {d - 1}: "
                "correct it"
            )
        row[features] = 1
    return Z
