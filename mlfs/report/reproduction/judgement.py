"""Decide whether our mean agrees with a printed one: the statuses, and how easily they are given.

Two means agree as far as chance allows if they differ by no more than a 95 % interval (Welch's,
from both deviations and numbers of repeats) and half a printed digit. That alone is weak: a noisy
value agrees with everything. So a value is *reproduced* only if two more things hold. The
difference is no more than half the usual distance between two methods of its row; and it is inside
the interval if our mean counts as no noisier than the printed one (no larger deviation, no fewer
repeats), so that no value passes by our noise.

The swap rate says how telling "reproduced" is: how often the value of another method of the same
row would pass in the place of the right one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import Literal, get_args

from scipy.special import stdtrit

Status = Literal[
    "reproduced",
    "within chance",
    "explained",
    "better",
    "worse",
    "not comparable",
    "not run",
    "not fetched",
]
STATUSES: tuple[Status, ...] = get_args(Status)
JUDGED: tuple[Status, ...] = STATUSES[:5]  # those of values that are compared
AGREE: tuple[Status, ...] = ("reproduced", "explained")
MEANINGS: dict[Status, str] = {
    "reproduced": (
        "the two means differ by no more than chance allows (a 95 % interval from both deviations "
        "and numbers of repeats, where ours counts as no noisier than the printed one, plus half a "
        "printed digit; 2.5 units of the last printed digit where no deviation is printed), and by "
        "no more than half the usual (median) distance between two methods of that row"
    ),
    "within chance": (
        "chance allows the difference, but the row cannot tell methods apart at that distance, or "
        "only the noise of our own mean is that large"
    ),
    "explained": (
        "the words of the paper do not give the value, or were not run, but a reading of its whole "
        "column gives it; a reading must reproduce at least half of the column, at least twice as "
        "many values as the words of the paper where both were run, and a larger share than the "
        "swap rate"
    ),
    "better": "ours is better than printed by more than chance allows",
    "worse": "ours is worse than printed by more than chance allows",
    "not comparable": (
        "seconds on another machine, or features that stand in for the paper's; shown as a ratio"
    ),
    "not run": "no run has a value for it, or only a reading that does not explain its column",
    "not fetched": "its data are public, but are not among those that mlfs fetches",
}
SWAP = (
    "swap rate: how often the value of another method of the same row would count as reproduced in "
    "the place of the right one"
)
DIGITS = 2.5  # units of the last printed digit that a value without a deviation may differ by
_LEVEL = 0.975  # of a two-sided interval of 95 %
_ROUNDING = 1e-9  # .735 - .730 is a little more than .005 in floating point


@dataclass(frozen=True)
class Mean:
    """A mean over `repeats` repeats, and their standard deviation; nan if it is not known."""

    value: float
    std: float = math.nan
    repeats: int = 1


def allowed(printed: Mean, ours: Mean, unit: float) -> float:
    """Return how far apart two means may be by chance: an interval of 95 %, and half a digit.

    If only one deviation is known, the other mean is taken to vary alike. If none is known, the
    means may differ by `DIGITS` units of the last printed digit.
    """
    spread = [one for one in (printed, ours) if not math.isnan(one.std)]
    if not spread:
        return DIGITS * unit
    if len(spread) == 1:
        deviations, freedom = 2 * [spread[0].std], float(max(spread[0].repeats - 1, 1))
    else:
        deviations, freedom = [printed.std, ours.std], math.nan
    a, b = (std**2 / one.repeats for std, one in zip(deviations, (printed, ours)))
    if a + b == 0:
        return unit / 2
    if math.isnan(freedom):  # Welch and Satterthwaite
        parts = a**2 / max(printed.repeats - 1, 1) + b**2 / max(ours.repeats - 1, 1)
        freedom = (a + b) ** 2 / parts
    return float(stdtrit(freedom, _LEVEL)) * math.sqrt(a + b) + unit / 2


def allowed_by_print(printed: Mean, ours: Mean, unit: float) -> float:
    """Return the same as `allowed` if our mean were no noisier than the printed one.

    Our deviation counts no more than the printed one, and our repeats no fewer.
    """
    if math.isnan(printed.std):
        return DIGITS * unit
    std = ours.std if ours.std <= printed.std else printed.std  # also if ours is not known
    repeats = max(ours.repeats, printed.repeats)
    return allowed(printed, Mean(ours.value, std, repeats), unit)


def judge(printed: Mean, ours: Mean, unit: float, distance: float, larger: bool) -> Status:
    """Return the status of a value that can be compared.

    Parameters
    ----------
    printed, ours : Mean
        The two means.
    unit : float
        One unit of the last printed digit.
    distance : float
        The usual distance between two methods of the row; nan if the row has only one.
    larger : bool
        Whether larger values are better.

    Returns
    -------
    str
        One of reproduced, within chance, better and worse.
    """
    gap = ours.value - printed.value
    size = abs(gap) - _ROUNDING
    if size > allowed(printed, ours, unit):
        return "better" if (gap > 0) == larger else "worse"
    if size <= distance / 2 and size <= allowed_by_print(printed, ours, unit):
        return "reproduced"
    return "within chance"


def usual_distance(values: Sequence[float]) -> float:
    """Return the median distance between two values of a row; nan without two."""
    gaps = [abs(a - b) for a, b in combinations(values, 2)]
    return median(gaps) if gaps else math.nan
