"""The tests behind verdicts on claims: how sure a case speaks for a claim, or against it.

A method is compared with others pair by pair. With our results the pairs are repeats on the same
splits, and the t-test is corrected for overlapping training parts. With printed values there are
only means and deviations, and Welch's test is used. A value without repeats cannot be tested: it
speaks neither for a claim nor against it. Differences below the printed precision are none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scipy.special import stdtr

from ... import stats
from ...types import Array

LEVEL = 0.05
Amount = Callable[[float, float], float]  # what speaks for the claim, given both values


@dataclass(frozen=True)
class Sample:
    """The scores of a method: a mean, a deviation, and the score of every repeat if it is known.

    Attributes
    ----------
    mean, std : float
        Over repeats; the deviation is nan if it is not known.
    count : int
        The number of repeats.
    repeats : dict, optional
        The score of each repeat.
    splits : str
        Which splits the repeats are of: samples of the same splits are paired.
    """

    mean: float
    std: float = math.nan
    count: int = 1
    repeats: dict[int, float] | None = None
    splits: str = ""


@dataclass(frozen=True)
class Evidence:
    """How sure something speaks for a claim, and how sure against it: two p-values."""

    amount: float
    favourable: float
    contrary: float


def evidence(
    ours: Sample, other: Sample, amount: Amount, *, overlap: float = 0.0, unit: float = 0.0
) -> Evidence:
    """Test whether `amount(ours, other)` differs from 0.

    Parameters
    ----------
    ours, other : Sample
        The scores of two methods.
    amount : callable
        Gives a positive number if two values speak for the claim.
    overlap : float
        The number of test rows divided by that of training rows, see `mlfs.stats.paired_t`.
    unit : float
        One unit of the last printed digit; half of it is no difference.
    """
    size = amount(ours.mean, other.mean)
    p = _p(ours, other, amount, overlap)
    if math.isnan(p) or abs(size) < unit / 2:
        p = 1.0
    return Evidence(size, p if size > 0 else 1.0, p if size < 0 else 1.0)


def _p(ours: Sample, other: Sample, amount: Amount, overlap: float) -> float:
    """Return the two-sided p-value; nan if nothing can be tested."""
    if ours.repeats and other.repeats and ours.splits == other.splits:
        shared = sorted(ours.repeats.keys() & other.repeats.keys())
        amounts = [amount(ours.repeats[i], other.repeats[i]) for i in shared]
        if len(amounts) < 2 or not all(map(math.isfinite, amounts)):
            return math.nan
        return stats.paired_t(amounts, [0.0] * len(amounts), overlap).p
    if min(ours.count, other.count) < 2 or math.isnan(ours.std) or math.isnan(other.std):
        return math.nan
    # the slopes of the amount turn deviations of both values into one of the amount
    here, step = amount(ours.mean, other.mean), 1e-6 * max(abs(ours.mean), abs(other.mean), 1e-6)
    a = (amount(ours.mean + step, other.mean) - here) / step * ours.std
    b = (amount(ours.mean, other.mean + step) - here) / step * other.std
    parts = a**2 / ours.count, b**2 / other.count
    if sum(parts) == 0:
        return math.nan
    freedom = sum(parts) ** 2 / (
        parts[0] ** 2 / (ours.count - 1) + parts[1] ** 2 / (other.count - 1)
    )
    return float(2 * stdtr(freedom, -abs(here) / math.sqrt(sum(parts))))


def against_all(evidence: Sequence[Evidence], place: int = 1) -> Evidence:
    """Return the evidence that a method is among the best `place`, from that against each other.

    It must be better than all others but ``place - 1``: the largest of those p-values counts. It is
    not if `place` others are better: their number among all is corrected for.
    """
    ordered = sorted(evidence, key=lambda one: one.amount)
    if place > len(evidence):
        return Evidence(math.inf, 0.0, 1.0)
    favourable = sorted((one.favourable for one in evidence), reverse=True)[place - 1]
    contrary = sorted(one.contrary for one in evidence)[place - 1] * (len(evidence) - place + 1)
    return Evidence(ordered[place - 1].amount, favourable, min(1.0, contrary))


@dataclass(frozen=True)
class Tally:
    """What the cases of a claim say together, with Holm's correction for their number.

    Attributes
    ----------
    favourable, contrary : int
        The number of cases that speak for the claim, and against it, significantly.
    outcome : {"holds", "contradicted", "not distinguishable"}
    p : float
        The p-value behind the outcome; for the last one, the smaller one that was not enough.
    """

    favourable: int
    contrary: int
    outcome: str
    p: float


def tally(cases: Sequence[Evidence], needed: int, total: int, *, corrected: bool = False) -> Tally:
    """Decide a claim that must be true in `needed` of `total` cases.

    It holds if so many cases are significantly favourable. It is contradicted if so many are
    significantly contrary that too few are left.

    Parameters
    ----------
    cases : sequence of Evidence
        The cases that have results.
    needed, total : int
        How many cases must be favourable, of how many, with those that have no results.
    corrected : bool
        Whether the p-values are corrected for the number of cases already.
    """
    adjust: Callable[[list[float]], Array | list[float]] = (
        (lambda values: values) if corrected else stats.holm
    )
    good = sorted(float(p) for p in adjust([one.favourable for one in cases]))
    bad = sorted(float(p) for p in adjust([one.contrary for one in cases]))
    favourable = sum(p < LEVEL for p in good)
    contrary = sum(p < LEVEL for p in bad)
    last, first = needed - 1, total - needed
    for_it = good[last] if last < len(good) else 1.0
    against_it = bad[first] if first < len(bad) else 1.0
    if favourable >= needed:
        return Tally(favourable, contrary, "holds", for_it)
    if contrary > total - needed:
        return Tally(favourable, contrary, "contradicted", against_it)
    return Tally(favourable, contrary, "not distinguishable", min(for_it, against_it))
