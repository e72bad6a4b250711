"""The values that claims are checked on: those of the paper, or ours."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ...papers import Paper
from ...papers.claims import Point, Where
from ...protocols.experiment.masks import asked
from ...results.read import Results
from ..tables.metric_facts import groups
from .comparison import Comparison
from .printed_values import PrintedValue, by, printed_values

Key = tuple[str, str, str, str, float]  # table, dataset, method, metric, ratio


@dataclass(frozen=True)
class Case:
    """Values to compare with each other: a row of a table, or a point (or the mean) of curves.

    Attributes
    ----------
    dataset, metric : str
    name : str
        The name of the case in reports.
    values : dict
        The values, by the paper's headings; methods without a value are left out.
    methods : list of str
        All methods of the case, with or without a value.
    """

    dataset: str
    metric: str
    name: str
    values: dict[str, float]
    methods: list[str]


class ClaimValues(ABC):
    """The values that claims are checked on: those of printed tables, or our results."""

    def __init__(self, paper: Paper):
        self._printed = printed_values(paper.printed())

    @abstractmethod
    def value(self, key: Key) -> float:
        """Return the value for what is printed at a place; nan if there is none."""

    def shown(self, where: Where) -> Iterator[tuple[str, Results]]:
        """Return the results that reproduce a figure, with the dataset each is used for."""
        return iter(())

    def rows(self, where: Where) -> list[Case]:
        """Return the rows of printed tables that a rule refers to."""
        rows = by((one for one in self._printed if _about(where, one)), lambda one: one.row)
        found = []
        for (table, dataset, metric, _), row in rows.items():
            values = {one.method: self.value((table, *one.quantity)) for one in row}
            known = {name: value for name, value in values.items() if not math.isnan(value)}
            found.append(Case(dataset, metric, f"{dataset} (table {table})", known, list(values)))
        return found

    def curves(
        self, where: Where, *, at: float | None, each_point: bool, up_to: float | None
    ) -> list[Case]:
        """Return one case for every dataset and metric of a figure, or for every point."""
        found, seen = [], set()
        for dataset, results in self.shown(where):
            axis = results.experiment.axis
            rows = _shared(results, dataset, where)
            rows = rows.assign(point=rows.get(str(axis), 0.0))
            if up_to is not None:
                rows = rows[rows.point <= up_to]
            if at is not None:
                rows = rows[rows.point == at]
            methods = [results.printed[head] for head in results.ranked]
            for metric in where.metrics or []:
                if metric not in rows or rows[metric].isna().all():
                    continue
                seen.add((dataset, metric))
                for (ratio, point), part in (
                    groups(rows, ["ratio", "point"])
                    if each_point
                    else (((ratio, ""), part) for (ratio,), part in groups(rows, ["ratio"]))
                ):
                    means = part.groupby("method")[metric].mean()
                    values = {results.printed[str(head)]: float(v) for head, v in means.items()}
                    name = dataset + (f" at {point:g}" if each_point else "")
                    name += f", {asked(ratio)}" if ratio else ""
                    found.append(Case(dataset, metric, name, values, methods))
        for dataset in where.datasets or []:
            for metric in where.metrics or []:
                if (dataset, metric) not in seen:
                    found.append(Case(dataset, metric, dataset, {}, []))
        return found

    def series(
        self, where: Where, method: str, along: str
    ) -> dict[tuple[str, str], dict[Point, float]]:
        """Return a method's curve by dataset and metric: its mean at every value of `along`."""
        found: dict[tuple[str, str], dict[Point, float]] = {
            (dataset, metric): {}
            for dataset in where.datasets or []
            for metric in where.metrics or []
        }
        for dataset, results in self.shown(where):
            rows = results.rows[results.rows.dataset == dataset]
            heads = [head for head in results.ranked if results.printed[head] == method]
            rows = rows[rows.method.isin(heads)]
            name = str(results.experiment.axis) if along == "axis" else along
            if name not in rows or rows.empty:
                continue
            rows = rows[rows[name].notna()]
            for metric in where.metrics or []:
                if metric in rows:
                    means = rows.groupby(name)[metric].mean().dropna()
                    found[dataset, metric] = {_point(x): float(y) for x, y in means.items()}
        return found


def _about(where: Where, printed: PrintedValue) -> bool:
    return (
        printed.table in where.tables
        and (where.datasets is None or printed.dataset in where.datasets)
        and (where.metrics is None or printed.metric in where.metrics)
        and (where.ratios is None or printed.ratio in where.ratios)
    )


def _point(value: Any) -> Point:
    return value if isinstance(value, str) else float(value)


def _shared(results: Results, dataset: str, where: Where) -> pd.DataFrame:
    """Return the rows of a dataset in the repeats that all ranked methods have."""
    rows = results.rows[
        (results.rows.dataset == dataset) & results.rows.method.isin(results.ranked)
    ]
    if where.ratios is not None:
        rows = rows[rows.ratio.isin(where.ratios)]
    counts = rows.groupby(["ratio", "repeat"])["method"].transform("nunique")
    return rows[counts == rows.groupby("ratio")["method"].transform("nunique")]


class Printed(ClaimValues):
    """The values that the paper prints in tables; its figures print no values."""

    def __init__(self, paper: Paper):
        super().__init__(paper)
        self._values = {(one.table, *one.quantity): one.corrected for one in self._printed}

    def value(self, key: Key) -> float:
        """Return the printed value, nan where there is none."""
        return self._values.get(key, math.nan)


class Ours(ClaimValues):
    """Our results: those compared with printed values, and those of experiments on figures."""

    def __init__(self, paper: Paper, results: Sequence[Results], comparisons: Sequence[Comparison]):
        super().__init__(paper)
        mine = [item for item in comparisons if item.paper == paper.name]
        full: dict[tuple[str, str, str, float], int] = {}
        for item in mine:
            row = (item.table, item.dataset, item.metric, item.ratio)
            full[row] = max(full.get(row, 0), item.repeats)
        # means over different repeats cannot be compared
        self._values = {
            (item.table, item.dataset, item.method, item.metric, item.ratio): item.ours
            for item in mine
            if item.repeats == full[item.table, item.dataset, item.metric, item.ratio]
        }
        self._results = [item for item in results if item.experiment.paper == paper.name]

    def value(self, key: Key) -> float:
        """Return our value, nan where there is none."""
        return self._values.get(key, math.nan)

    def shown(self, where: Where) -> Iterator[tuple[str, Results]]:
        """Return for each dataset the experiment with most methods; ties go to the first name."""
        fit = [
            item
            for item in self._results
            if where.figure in item.experiment.figures
            and (where.experiments is None or item.experiment.name in where.experiments)
        ]
        fit.sort(key=lambda item: (-len(item.ranked), item.experiment.name))
        for dataset in where.datasets or []:
            for item in fit:
                if (item.rows.dataset == dataset).any():
                    yield dataset, item
                    break
