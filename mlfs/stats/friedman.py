"""Friedman's test over datasets, and the critical differences of its post-hoc tests.

Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 2006.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
import pandas as pd
import scipy

from ..types import Array
from .rounding import mean_ranks, settled

_PERMUTED = 10  # datasets up to which the p-value is found by permutations
_FEW_METHODS = 6
_ENUMERATED = 20_000  # permutations that are all tried
_DRAWN = 9_999


@dataclass(frozen=True)
class FriedmanResult:
    """Hold the outcome of a Friedman test.

    Parameters
    ----------
    ranks : Series
        Average rank of each method; 1 is best.
    chi2 : float
        Friedman's statistic, without a correction for ties, as the papers compute it.
    F_F : float
        Iman and Davenport's less conservative statistic; inf if all datasets rank the methods in
        the same order.
    critical_value : float
        The methods differ at level `alpha` if `F_F` is larger than this value.
    p : float
        Probability of so large an `F_F`, or a larger one, when the methods do not differ. For up to
        10 datasets it is found by permuting the ranks of each dataset, since the F distribution is
        far off there: by all permutations if they are few, else by 9,999 random ones, always the
        same.
    alpha : float
        Level of the test.
    n : int
        Number of datasets used.
    dropped : tuple
        Datasets left out because a method has no value on them.

    Examples
    --------
    >>> import pandas as pd
    >>> from mlfs.stats import friedman
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.9, 0.8, 0.7], "b": [0.5] * 6})
    >>> result = friedman(scores)
    >>> result.ranks["a"], result.significant
    (np.float64(1.0), True)
    """

    ranks: pd.Series[float]
    chi2: float
    F_F: float
    critical_value: float
    p: float
    alpha: float
    n: int
    dropped: tuple[Hashable, ...]

    @property
    def permuted(self) -> bool:
        """Whether `p` was found by permutations."""
        return self.n <= _PERMUTED

    @property
    def significant(self) -> bool:
        """Whether the methods differ at level `alpha`."""
        return self.p < self.alpha


def rank_rows(table: pd.DataFrame, larger_is_better: bool = True) -> pd.DataFrame:
    """Rank the methods (columns) on each dataset (row).

    Values that differ only by rounding errors, such as means of the same scores in another order,
    count as equal.

    Parameters
    ----------
    table : DataFrame
        One row per dataset, one column per method.
    larger_is_better : bool, default=True
        Whether the largest value gets rank 1.

    Returns
    -------
    DataFrame
        The ranks; 1 is best, and equal values share the mean of their ranks.

    Examples
    --------
    >>> import pandas as pd
    >>> from mlfs.stats import rank_rows
    >>> rank_rows(pd.DataFrame({"a": [0.9], "b": [0.5], "c": [0.5]})).values.tolist()
    [[1.0, 2.5, 2.5]]
    """
    values = table.to_numpy(dtype=float)
    return pd.DataFrame(ranks_of(values, larger_is_better), table.index, table.columns)


def ranks_of(values: Array, larger_is_better: bool = True) -> Array:
    """Rank like `rank_rows`, but in an array; a value that is nan has the rank nan.

    Parameters
    ----------
    values : array of shape (n_datasets, n_methods)
        One row per dataset, one column per method.
    larger_is_better : bool, default=True
        Whether the largest value gets rank 1.

    Returns
    -------
    array of shape (n_datasets, n_methods)
        The ranks.
    """
    ranks = np.full(values.shape, np.nan)
    for row, ranked in zip(values, ranks):
        known = ~np.isnan(row)
        rounded = settled(row[known], np.abs(row[known]).max(initial=0.0))
        ranked[known] = mean_ranks(-rounded if larger_is_better else rounded)
    return ranks


def friedman(
    table: pd.DataFrame, larger_is_better: bool = True, alpha: float = 0.05
) -> FriedmanResult:
    """Test whether methods differ over datasets.

    Parameters
    ----------
    table : DataFrame
        One row per dataset, one column per method. Rows with a missing value are dropped, and
        the result names them.
    larger_is_better : bool, default=True
        Whether the largest value is the best.
    alpha : float, default=0.05
        Level of the test.

    Returns
    -------
    FriedmanResult
        Average ranks, statistics and p-value.

    References
    ----------
    Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from mlfs.stats import friedman
    >>> scores = pd.DataFrame({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.6, 0.9], "c": [0.1, 0.2, 0.3]})
    >>> round(friedman(scores).chi2, 2)
    4.67
    """
    return friedman_of_ranks(
        rank_rows(table.dropna(), larger_is_better).reindex(table.index), alpha
    )


def friedman_of_ranks(table: pd.DataFrame, alpha: float = 0.05) -> FriedmanResult:
    """Test like `friedman`, but from given ranks.

    Parameters
    ----------
    table : DataFrame
        The ranks, perhaps means over several experiments: one row per dataset, one column per
        method.
    alpha : float, default=0.05
        Level of the test.

    Returns
    -------
    FriedmanResult
        Average ranks, statistics and p-value.
    """
    values = table.to_numpy(float)
    missing = np.isnan(values).any(axis=1)
    values = values[~missing]
    n, k = values.shape
    if n < 2 or k < 2:
        raise ValueError(
            f"{k} methods have values on {n} common datasets: Friedman's test needs 2 of each"
        )
    ranks = pd.Series(values.mean(axis=0), table.columns)
    spread = float((ranks.to_numpy() ** 2).sum()) - k * (k + 1) ** 2 / 4
    chi2 = 12 * n / (k * (k + 1)) * spread
    rest = n * (k - 1) - chi2
    # rest is 0 if all datasets agree; ranks are multiples of 1/2, so a tiny rest is only rounding
    F_F = (n - 1) * chi2 / rest if rest > 1e-9 else float("inf")
    p = _permuted(tuple(map(tuple, values.tolist()))) if n <= _PERMUTED else None
    freedom = (k - 1, (k - 1) * (n - 1))
    return FriedmanResult(
        ranks=ranks,
        chi2=chi2,
        F_F=F_F,
        critical_value=float(scipy.special.fdtri(*freedom, 1 - alpha)),
        p=float(scipy.special.fdtrc(*freedom, F_F)) if p is None else p,
        alpha=alpha,
        n=n,
        dropped=tuple(table.index[missing]),
    )


@lru_cache(256)  # a report tests the same ranks for its tables and for several claims
def _permuted(given: tuple[tuple[float, ...], ...]) -> float:
    """Return the p-value of Friedman's statistic by permuting the ranks of every dataset.

    With fixed ranks the statistic grows with the sum of squares of the methods' rank sums.
    """
    ranks = np.array(given)
    n, k = ranks.shape
    actual = float((ranks.sum(axis=0) ** 2).sum())
    orders = math.factorial(k)
    if k <= _FEW_METHODS and orders ** (n - 1) <= _ENUMERATED:
        rows = [np.array(list(permutations(row))) for row in ranks[1:]]
        sums = ranks[:1]  # the first dataset may stay as it is
        for row in rows:
            sums = (sums[:, None, :] + row[None, :, :]).reshape(-1, k)
        seen, more = (sums**2).sum(axis=1), 0
    else:
        sums = sum(row[order] for row, order in zip(ranks, _drawn(n, k)))
        seen, more = (sums**2).sum(axis=1), 1
    return float(((seen >= actual - 1e-9).sum() + more) / (len(seen) + more))


@lru_cache(8)  # the tables of a report often have equally many datasets and methods
def _drawn(n: int, k: int) -> Array:
    """Draw `_DRAWN` random orders of k methods for each of n datasets."""
    orders = np.tile(np.arange(k), (_DRAWN, n, 1))
    drawn: Array = np.random.default_rng(0).permuted(orders, axis=2)
    return np.ascontiguousarray(drawn.swapaxes(0, 1))


def nemenyi_cd(k: int, n: int, alpha: float = 0.05) -> float:
    """Compute the critical difference of Nemenyi's test, which compares all pairs of methods.

    Two methods differ significantly if their average ranks differ by more than this.

    Parameters
    ----------
    k : int
        Number of methods.
    n : int
        Number of datasets.
    alpha : float, default=0.05
        Level of the test.

    Returns
    -------
    float
        The critical difference.

    Examples
    --------
    >>> from mlfs.stats import nemenyi_cd
    >>> round(float(nemenyi_cd(k=4, n=10)), 3)
    1.483
    """
    _check_counts(k, n)
    return _critical_difference(_studentized_range(k, alpha), k, n)


@lru_cache(64)  # scipy solves an integral for each
def _studentized_range(k: int, alpha: float) -> float:
    return float(scipy.stats.studentized_range.isf(alpha, k, np.inf)) / math.sqrt(2)


def bonferroni_dunn_cd(k: int, n: int, alpha: float = 0.05) -> float:
    """Compute the critical difference when all methods are compared with one control only.

    Parameters
    ----------
    k : int
        Number of methods, including the control.
    n : int
        Number of datasets.
    alpha : float, default=0.05
        Level of the test.

    Returns
    -------
    float
        The critical difference in average rank.

    Examples
    --------
    >>> from mlfs.stats import bonferroni_dunn_cd
    >>> round(bonferroni_dunn_cd(k=4, n=10), 3)
    1.382
    """
    _check_counts(k, n)
    q = -float(scipy.special.ndtri(alpha / (2 * (k - 1))))
    return _critical_difference(q, k, n)


def _critical_difference(q: float, k: int, n: int) -> float:
    return q * float(np.sqrt(k * (k + 1) / (6 * n)))


def _check_counts(k: int, n: int) -> None:
    if k < 2 or n < 1:
        raise ValueError(f"no critical difference for k = {k} and n = {n}: use k >= 2 and n >= 1")
