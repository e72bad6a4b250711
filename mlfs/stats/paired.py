"""Tests on paired values: Student's t, Wilcoxon's signed ranks, Holm's correction."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from ..types import Array
from .rounding import mean_ranks, settled

_ENUMERATED, _ENUMERATED_TIED = 50, 13  # all signs are counted for up to so many pairs
_STEPS, _CLOSE = 1000, 1e-16  # of a continued fraction: most terms, and when it has converged
_OUTCOMES = {"wins": 1, "ties": 0, "losses": -1}


@dataclass(frozen=True)
class PairedResult:
    """Hold the outcome of a two-sided test on paired values.

    Parameters
    ----------
    statistic : float
        The statistic of the test.
    p : float
        The p-value.
    n : int
        Number of pairs used.

    Examples
    --------
    >>> from mlfs.stats import wilcoxon
    >>> wilcoxon([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    PairedResult(statistic=0.0, p=1.0, n=0)
    """

    statistic: float
    p: float
    n: int


def paired_t(a: ArrayLike, b: ArrayLike, overlap: float = 0.0) -> PairedResult:
    """Apply Student's t test to the differences a - b.

    Parameters
    ----------
    a, b : arrays of shape (n,)
        Paired values; pairs with a missing value are left out.
    overlap : float, default=0.0
        For pairs that are repeated splits of one dataset: the size of the test part divided by that
        of the training part. The splits share rows, so the variance of the mean is s² (1/n +
        overlap) instead of s²/n (Nadeau and Bengio, Machine Learning 52, 2003).

    Returns
    -------
    PairedResult
        Statistic, p-value and number of pairs.

    References
    ----------
    Nadeau and Bengio, "Inference for the generalization error", Machine Learning 52, 2003.

    Examples
    --------
    >>> from mlfs.stats import paired_t
    >>> round(paired_t([1.0, 2.0, 3.0], [0.0, 1.5, 1.0]).p, 3)
    0.118
    """
    statistic, n = t_statistic(a, b, overlap)
    if np.isinf(statistic) or statistic == 0:
        return PairedResult(statistic, float(statistic == 0), n)
    return PairedResult(statistic, float(2 * scipy.special.stdtr(n - 1, -abs(statistic))), n)


def t_statistic(a: ArrayLike, b: ArrayLike, overlap: float = 0.0) -> tuple[float, int]:
    """Return Student's t of `paired_t`, and the number of pairs.

    Differences that are all equal have no variance: t is 0 if they are 0, and infinite otherwise.
    """
    difference = _differences(a, b)
    n = len(difference)
    if np.ptp(difference) <= 1e-12 * np.abs(difference).max():
        return (0.0 if difference[0] == 0 else float(np.copysign(np.inf, difference[0]))), n
    return float(difference.mean() / (difference.std(ddof=1) * np.sqrt(1 / n + overlap))), n


def t_tails(t: float, freedom: int) -> float:
    """Return the probability that Student's t is at least this far from 0.

    It is the regularised incomplete beta function of freedom / 2 and 1 / 2, at freedom / (freedom +
    t²), by its continued fraction. `paired_t` uses scipy.special, but that takes as long to import
    as a table takes to print, and tables ask only whether a probability is below 5 %.
    """
    if t == 0 or math.isinf(t):
        return float(t == 0)
    a, b, x, rest = freedom / 2, 0.5, freedom / (freedom + t * t), t * t / (freedom + t * t)
    if x < (a + 1) / (a + b + 2):
        return _beta_tail(a, b, x, rest)
    return 1 - _beta_tail(b, a, rest, x)


def _beta_tail(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function where its continued fraction is quick.

    `rest` is 1 - x, given apart because a small one would lose its digits.
    """
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    before = math.exp(constant + a * math.log(x) + b * math.log(rest)) / a
    c, d = 1.0, 1 / (1 - (a + b) / (a + 1) * x)
    fraction = d
    for m in range(1, _STEPS):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + step * d)
            c = 1 + step / c
            fraction *= c * d
        if abs(c * d - 1) < _CLOSE:
            break
    return before * fraction


def wilcoxon(a: ArrayLike, b: ArrayLike) -> PairedResult:
    """Apply Wilcoxon's signed-rank test.

    As in ``scipy.stats.wilcoxon``, the test is exact for up to 50 pairs, or for up to 13 pairs if
    there are ties or equal pairs. Otherwise it uses the normal approximation. Differences that
    differ only by rounding errors are tied: .3 - .2 and .2 - .1 get the same rank.

    Parameters
    ----------
    a, b : arrays of shape (n,)
        Paired values; equal pairs and pairs with a missing value are left out.

    Returns
    -------
    PairedResult
        Statistic, p-value and number of pairs.

    Examples
    --------
    >>> from mlfs.stats import wilcoxon
    >>> wilcoxon([0.9, 0.8, 0.7, 0.6, 0.5], [0.1, 0.1, 0.1, 0.1, 0.1]).p
    0.0625
    """
    return _wilcoxon(_paired_differences(a, b))


def _wilcoxon(difference: Array) -> PairedResult:
    n = int((difference != 0).sum())
    if n == 0:
        return PairedResult(0.0, 1.0, 0)
    tied = len(np.unique(np.abs(difference))) < len(difference) or n < len(difference)
    if len(difference) <= (_ENUMERATED_TIED if tied else _ENUMERATED):
        return _enumerated(difference[difference != 0])
    result = scipy.stats.wilcoxon(difference)
    return PairedResult(float(result.statistic), float(result.pvalue), n)


def smallest_wilcoxon_p(n: int) -> float:
    """Return the smallest p-value that Wilcoxon's test can have with so many pairs.

    Parameters
    ----------
    n : int
        Number of pairs.

    Returns
    -------
    float
        Two of the 2^n choices of signs: all positive, or all negative.

    Examples
    --------
    >>> from mlfs.stats import smallest_wilcoxon_p
    >>> smallest_wilcoxon_p(7)
    0.015625
    """
    return min(1.0, 2.0 ** (1 - n))


def rank_biserial(a: ArrayLike, b: ArrayLike) -> float:
    """Compute the matched-pairs rank-biserial correlation of a and b.

    It is the share of Wilcoxon's rank sum where a is larger, minus the share where b is larger.

    Parameters
    ----------
    a, b : arrays of shape (n,)
        Paired values.

    Returns
    -------
    float
        1 if a is always larger than b, -1 if it is always smaller, 0 when all pairs are equal.

    References
    ----------
    Kerby, "The simple difference formula", Comprehensive Psychology 3, 2014,
    https://doi.org/10.2466/11.IT.3.1

    Examples
    --------
    >>> from mlfs.stats import rank_biserial
    >>> rank_biserial([2.0, 3.0], [1.0, 1.0])
    1.0
    """
    return _rank_biserial(_paired_differences(a, b))


def _rank_biserial(difference: Array) -> float:
    difference = difference[difference != 0]
    rank = mean_ranks(np.abs(difference))
    return float(np.sign(difference) @ rank / rank.sum()) if len(rank) else 0.0


def kendall_tau(a: ArrayLike, b: ArrayLike) -> float:
    """Compute Kendall's tau-b: how far two lists order the same things alike.

    It is ``scipy.stats.kendalltau`` for few values, without its p-value.

    Parameters
    ----------
    a, b : arrays of shape (n,)
        Paired values.

    Returns
    -------
    float
        1 for the same order, -1 for the opposite one; nan if all values of one list are equal.
    """
    one, other = (np.sign(np.subtract.outer(values, values)) for values in (a, b))
    agree, mine, theirs = (float(signs.sum()) / 2 for signs in (one * other, one**2, other**2))
    if not mine * theirs > 0:
        return math.nan
    return min(1.0, max(-1.0, agree / math.sqrt(mine) / math.sqrt(theirs)))


def holm(p: ArrayLike) -> Array:
    """Adjust the p-values of several tests by Holm's step-down procedure.

    Parameters
    ----------
    p : array of shape (n,)
        The p-values.

    Returns
    -------
    ndarray of shape (n,)
        The adjusted p-values, in the order of `p`.

    Examples
    --------
    >>> from mlfs.stats import holm
    >>> holm([0.01, 0.04]).tolist()
    [0.02, 0.04]
    """
    p = np.asarray(p, dtype=float)
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def holm_wilcoxon(
    table: pd.DataFrame,
    larger_is_better: bool = True,
    control: Hashable | None = None,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Compare methods two by two with Wilcoxon's signed-rank test and Holm's correction.

    Parameters
    ----------
    table : DataFrame
        One row per dataset, one column per method; rows with a missing value are left out.
    larger_is_better : bool, default=True
        Whether the largest value is the best.
    control : hashable, optional
        The column to compare the others with; by default all pairs are compared.
    alpha : float, default=0.05
        Level of the test.

    Returns
    -------
    DataFrame
        One row per pair with the columns method, versus, n (datasets), wins, ties and losses of
        the method, statistic, p, effect, p_holm and differs (p_holm below alpha). The effect is
        the matched-pairs rank-biserial correlation; it is positive if the method is better.

    Examples
    --------
    >>> import pandas as pd
    >>> from mlfs.stats import holm_wilcoxon
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.6, 0.4]})
    >>> holm_wilcoxon(scores)[["method", "versus", "wins", "p_holm"]].values.tolist()
    [['a', 'b', 3, 0.25]]
    """
    complete = table.dropna()
    if len(complete) < 2 or table.shape[1] < 2:
        raise ValueError(
            f"{table.shape[1]} methods have values on {len(complete)} common datasets: "
            "Wilcoxon's test needs 2 of each"
        )
    if control is not None and control not in table.columns:
        raise ValueError(
            f"no column '{control}' to compare with: choose one of {', '.join(map(str, table))}"
        )
    pairs: Iterable[tuple[Hashable, Hashable]] = combinations(table.columns, 2)
    if control is not None:
        pairs = [(control, other) for other in table.columns if other != control]
    sign = 1.0 if larger_is_better else -1.0
    values = {name: sign * complete[name].to_numpy(float) for name in complete}
    rows = []
    for method, versus in pairs:
        ours, theirs = values[method], values[versus]
        difference = _paired_differences(ours, theirs)
        signs = np.sign(difference)
        row = {"method": method, "versus": versus, "n": len(complete)}
        row |= {name: int((signs == s).sum()) for name, s in _OUTCOMES.items()}
        test = _wilcoxon(difference)
        row |= {"statistic": test.statistic, "p": test.p, "effect": _rank_biserial(difference)}
        rows.append(row)
    tested = pd.DataFrame(rows)
    corrected = holm(tested["p"])
    return tested.assign(p_holm=corrected, differs=corrected < alpha)


def _enumerated(difference: Array) -> PairedResult:
    """Apply the exact signed-rank test, over all choices of signs, to differences.

    Tied ranks are multiples of 1/2, so twice a sum of ranks is a whole number. The loop counts how
    many choices of signs lead to each sum, adding one rank after the other.
    """
    twice = np.rint(2 * mean_ranks(np.abs(difference))).astype(int)
    counts = np.zeros(twice.sum() + 1)
    counts[0] = 1.0
    for rank in twice:
        counts[rank:] = counts[rank:] + counts[: len(counts) - rank]
    plus = int(twice[difference > 0].sum())
    smaller = min(plus, int(twice.sum()) - plus)
    p = 2 * counts[: smaller + 1].sum() / counts.sum()
    return PairedResult(smaller / 2, min(1.0, float(p)), len(difference))


def _paired_differences(a: ArrayLike, b: ArrayLike) -> Array:
    """Compute a - b, and remove rounding errors: equal sizes become equal, tiny ones become 0."""
    difference = _differences(a, b)
    scale = float(max(np.nanmax(np.abs(a)), np.nanmax(np.abs(b))))
    size = settled(np.append(0.0, np.abs(difference)), scale)[1:]
    return np.sign(difference) * size


def _differences(a: ArrayLike, b: ArrayLike) -> Array:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"shapes {a.shape} and {b.shape} are not paired: pass two equal lengths")
    difference = a - b
    difference = difference[~np.isnan(difference)]
    if len(difference) < 2:
        raise ValueError(f"{len(difference)} complete pairs: a paired test needs at least 2")
    return difference
