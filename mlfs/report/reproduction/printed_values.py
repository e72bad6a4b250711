"""The values that papers print, as claims and the audit read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd

from ..tables.metric_facts import records

Key = TypeVar("Key")


@dataclass(frozen=True)
class PrintedValue:
    """A value in a table of a paper, with our names of datasets and metrics.

    Attributes
    ----------
    mean, std, rank : float
        The printed numbers; the last two are nan where nothing is printed.
    bold : bool, optional
        Whether it is printed bold; None if this is not known.
    unit : float
        One unit of the last printed digit.
    corrected : float
        The same as `mean`, or the right value if `mean` is misprinted.
    """

    table: str
    dataset: str
    method: str
    metric: str
    ratio: float
    mean: float
    std: float = math.nan
    rank: float = math.nan
    bold: bool | None = None
    corrected: float = math.nan
    unit: float = 0.0

    @property
    def row(self) -> tuple[str, str, str, float]:
        """Its row of the table: the values of a row can be compared."""
        return self.table, self.dataset, self.metric, self.ratio

    @property
    def column(self) -> tuple[str, str, float]:
        """Its column of the table, over all datasets and metrics."""
        return self.table, self.method, self.ratio

    @property
    def quantity(self) -> tuple[str, str, str, float]:
        """What it measures; several tables may print the same quantity."""
        return self.dataset, self.method, self.metric, self.ratio


def printed_values(printed: pd.DataFrame) -> list[PrintedValue]:
    """Return the values of `Paper.printed`."""
    return [
        PrintedValue(
            table=line.table,
            dataset=line.dataset,
            method=line.method,
            metric=line.metric,
            ratio=line.missing_ratio,
            mean=line.mean if math.isnan(line.as_printed) else line.as_printed,
            std=line.std,
            rank=line.printed_rank,
            bold=None if line.bold is pd.NA else bool(line.bold),
            corrected=line.mean,
            unit=line.unit,
        )
        for line in records(printed)
    ]


def by(
    values: Iterable[PrintedValue], key: Callable[[PrintedValue], Key]
) -> dict[Key, list[PrintedValue]]:
    """Group values by a key, and keep their order."""
    groups: dict[Key, list[PrintedValue]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups
