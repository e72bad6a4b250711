"""What an audit reads (the cells that a paper prints), and what it finds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd

from .facts import records

Key = TypeVar("Key")


@dataclass(frozen=True)
class Cell:
    """A printed cell, with our names of datasets and metrics.

    Attributes
    ----------
    mean, std, rank : float
        The printed values; the last two are nan where nothing is printed.
    bold : bool, optional
        Whether it is printed bold; None if this is not known.
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

    @property
    def row(self) -> tuple[str, str, str, float]:
        """Its row of the table: the cells of a row can be compared."""
        return self.table, self.dataset, self.metric, self.ratio

    @property
    def column(self) -> tuple[str, str, float]:
        """Its column of the table, over all datasets and metrics."""
        return self.table, self.method, self.ratio

    @property
    def quantity(self) -> tuple[str, str, str, float]:
        """What it measures; several tables may print the same quantity."""
        return self.dataset, self.method, self.metric, self.ratio


def read_cells(printed: pd.DataFrame) -> list[Cell]:
    """Return the cells of `Paper.printed`."""
    return [
        Cell(
            table=cell.table,
            dataset=cell.dataset,
            method=cell.method,
            metric=cell.metric,
            ratio=cell.missing_ratio,
            mean=cell.mean if math.isnan(cell.as_printed) else cell.as_printed,
            std=cell.std,
            rank=cell.printed_rank,
            bold=None if cell.bold is pd.NA else bool(cell.bold),
            corrected=cell.mean,
        )
        for cell in records(printed)
    ]


def by(cells: Iterable[Cell], key: Callable[[Cell], Key]) -> dict[Key, list[Cell]]:
    """Group cells by a key, and keep their order."""
    found: dict[Key, list[Cell]] = {}
    for cell in cells:
        found.setdefault(key(cell), []).append(cell)
    return found


@dataclass(frozen=True)
class Finding:
    """Something in a paper that cannot be right, or that a reader should know.

    Attributes
    ----------
    rule : str
        The rule that found it.
    table : str
        Number of the printed table, or several numbers separated by blanks.
    dataset, method, metric : str
        Where it is in the table, with our names; empty if it is about more than one.
    text : str
        What is wrong, in a sentence.
    misprint : bool
        Whether the printed value of this one cell is wrong.
    ratio : float, optional
        The missing ratio of the cell.
    """

    rule: str
    table: str
    dataset: str
    method: str
    metric: str
    text: str
    misprint: bool = False
    ratio: float | None = None

    @classmethod
    def of(cls, rule: str, cell: Cell, text: str, misprint: bool = False) -> Finding:
        """Return a finding about one printed cell."""
        place = (cell.table, cell.dataset, cell.method, cell.metric)
        return cls(rule, *place, text, misprint, cell.ratio)
