"""Tests that compare methods over datasets: Friedman, post-hoc critical differences, paired tests.

Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 2006.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats


@dataclass(frozen=True)
class FriedmanResult:
    """Outcome of a Friedman test.

    Parameters
    ----------
    ranks : Series
        Average rank of each method; 1 is best.
    chi2 : float
        Friedman's statistic, without a correction for ties, as the papers compute it.
    F_F : float
        Iman and Davenport's less conservative statistic; inf when every dataset ranks the
        methods alike.
    critical_value : float
        What `F_F` must exceed at `alpha`.
    p : float
        Probability of a larger `F_F` when the methods do not differ.
    alpha : float
    n : int
        Datasets used.
    dropped : tuple
        Datasets left out because a method has no value on them.
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
    def significant(self) -> bool:
        """Whether the methods differ at level `alpha`."""
        return self.p < self.alpha


@dataclass(frozen=True)
class PairedResult:
    """Outcome of a two-sided test on paired values: statistic, p and the number of pairs used."""

    statistic: float
    p: float
    n: int


def rank_rows(table: pd.DataFrame, larger_is_better: bool = True) -> pd.DataFrame:
    """Rank the methods (columns) on each dataset (row); 1 is best, equal values share the mean."""
    return table.rank(axis=1, ascending=not larger_is_better, method="average")


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
    alpha : float, default=0.05
    """
    return friedman_of_ranks(
        rank_rows(table.dropna(), larger_is_better).reindex(table.index), alpha
    )


def friedman_of_ranks(table: pd.DataFrame, alpha: float = 0.05) -> FriedmanResult:
    """As `friedman`, for ranks: one row per dataset, perhaps averaged over several experiments."""
    missing = table.isna().any(axis=1)
    n, k = table[~missing].shape
    if n < 2 or k < 2:
        raise ValueError(
            f"{k} methods have values on {n} common datasets: Friedman's test needs 2 of each"
        )
    ranks = table[~missing].mean()
    spread = float((ranks**2).sum()) - k * (k + 1) ** 2 / 4
    chi2 = 12 * n / (k * (k + 1)) * spread
    rest = n * (k - 1) - chi2
    # rest is 0 when all datasets agree; sums of ranks are halves, so anything smaller is rounding
    F_F = (n - 1) * chi2 / rest if rest > 1e-9 else float("inf")
    freedom = (k - 1, (k - 1) * (n - 1))
    return FriedmanResult(
        ranks=ranks,
        chi2=chi2,
        F_F=F_F,
        critical_value=float(stats.f.isf(alpha, *freedom)),
        p=float(stats.f.sf(F_F, *freedom)),
        alpha=alpha,
        n=n,
        dropped=tuple(table.index[missing]),
    )


def nemenyi_cd(k: int, n: int, alpha: float = 0.05) -> float:
    """Difference in average rank beyond which two of k methods differ on n datasets."""
    _check_counts(k, n)
    q = float(stats.studentized_range.isf(alpha, k, np.inf)) / np.sqrt(2)
    return _critical_difference(q, k, n)


def bonferroni_dunn_cd(k: int, n: int, alpha: float = 0.05) -> float:
    """As `nemenyi_cd`, when one of the k methods is a control compared with the others only."""
    _check_counts(k, n)
    q = float(stats.norm.isf(alpha / (2 * (k - 1))))
    return _critical_difference(q, k, n)


def paired_t(a: ArrayLike, b: ArrayLike) -> PairedResult:
    """Student's t test on the differences a - b; pairs with a missing value are left out."""
    difference = _differences(a, b)
    n = len(difference)
    # equal differences have no variance: no evidence if they are 0, certainty otherwise
    if np.ptp(difference) <= 1e-12 * np.abs(difference).max():
        same = difference[0] == 0
        statistic = 0.0 if same else float(np.copysign(np.inf, difference[0]))
        return PairedResult(statistic, 1.0 if same else 0.0, n)
    result = stats.ttest_1samp(difference, 0.0)
    return PairedResult(float(result.statistic), float(result.pvalue), n)


def wilcoxon(a: ArrayLike, b: ArrayLike) -> PairedResult:
    """Wilcoxon's signed-rank test; equal pairs and pairs with a missing value are left out."""
    difference = _differences(a, b)
    difference = difference[difference != 0]
    if len(difference) == 0:
        return PairedResult(0.0, 1.0, 0)
    result = stats.wilcoxon(difference)
    return PairedResult(float(result.statistic), float(result.pvalue), len(difference))


def _critical_difference(q: float, k: int, n: int) -> float:
    return q * float(np.sqrt(k * (k + 1) / (6 * n)))


def _check_counts(k: int, n: int) -> None:
    if k < 2 or n < 1:
        raise ValueError(f"no difference of {k} methods on {n} datasets: give k >= 2 and n >= 1")


def _differences(a: ArrayLike, b: ArrayLike) -> np.ndarray[Any, np.dtype[np.float64]]:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"shapes {a.shape} and {b.shape} are not paired: give two equal lengths")
    difference = a - b
    difference = difference[~np.isnan(difference)]
    if len(difference) < 2:
        raise ValueError(f"{len(difference)} complete pairs: a paired test needs 2 at least")
    return difference
