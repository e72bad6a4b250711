"""The values that claims are checked on: those of the paper, or ours."""

from __future__ import annotations

import math
import statistics
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from ...papers import Paper
from ...papers.claims import Point, Where
from ...protocols.experiment.masks import asked
from ...results.read import Results
from ..tables.dependence import overlap, splits_of
from ..tables.metric_facts import groups
from ..tables.paper_tables import repeats_of
from .claim_tests import Sample
from .comparison import Comparison
from .printed_values import PrintedValue, by, printed_values

Key = tuple[str, str, str, str, float]  # table, dataset, method, metric, ratio


@dataclass
class AlreadyRead:
    """What was read of results, so that claims about the same ones read it once.

    Attributes
    ----------
    scores : dict
        The scores of every repeat, by the id of the results and a metric.
    samples : dict
        Means and deviations of them, by the id of the results, a metric and a place.
    cases : dict
        The cases of curves, by the id of the results and what is asked of them.
    """

    scores: dict[tuple[int, str], dict[Any, dict[int, float]]] = field(default_factory=dict)
    samples: dict[Any, Sample] = field(default_factory=dict)
    cases: dict[Any, list[Case]] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """Values to compare with each other: a row of a table, or a point (or the mean) of curves.

    Attributes
    ----------
    dataset, metric : str
    name : str
        The name of the case in reports.
    samples : dict
        The scores, by the paper's headings; methods without a value are left out.
    methods : list of str
        All methods of the case, with or without a value.
    overlap : float
        How far training parts of repeats overlap, see `mlfs.stats.paired_t`.
    unit : float
        One unit of the last printed digit; 0 if nothing is printed.
    """

    dataset: str
    metric: str
    name: str
    samples: dict[str, Sample]
    methods: list[str]
    overlap: float = 0.0
    unit: float = 0.0

    @property
    def values(self) -> dict[str, float]:
        """The means, by the paper's headings."""
        return {name: sample.mean for name, sample in self.samples.items()}


@dataclass(frozen=True)
class Curve:
    """The scores of a method at the points of a curve, and how far training parts overlap."""

    points: dict[Point, Sample]
    overlap: float = 0.0


class ClaimValues(ABC):
    """The values that claims are checked on: those of printed tables, or our results."""

    def __init__(self, paper: Paper, read: AlreadyRead | None = None):
        self.paper = paper
        self._read = read or AlreadyRead()
        self._printed = printed_values(paper.printed())

    @abstractmethod
    def sample(self, key: Key) -> Sample | None:
        """Return the scores for what is printed at a place; None if there are none."""

    def overlap(self, key: Key) -> float:
        """Return how far the training parts behind a printed value overlap."""
        return 0.0

    def shown(self, where: Where) -> Iterator[tuple[str, Results]]:
        """Return the results that reproduce a figure, with the dataset each is used for."""
        return iter(())

    def rows(self, where: Where) -> list[Case]:
        """Return the rows of printed tables that a rule refers to."""
        rows = by((one for one in self._printed if _about(where, one)), lambda one: one.row)
        cases = []
        for (table, dataset, metric, _), row in rows.items():
            samples = {one.method: self.sample((table, *one.quantity)) for one in row}
            filled = {name: sample for name, sample in samples.items() if sample}
            overlap = max(self.overlap((table, *one.quantity)) for one in row)
            name = f"{dataset} (table {table})"
            case = Case(dataset, metric, name, filled, list(samples), overlap, row[0].unit)
            cases.append(case)
        return cases

    def curves(
        self, where: Where, *, at: float | None, each_point: bool, up_to: float | None
    ) -> list[Case]:
        """Return one case for every dataset and metric of a figure, or for every point."""
        every, seen = list[Case](), set[tuple[str, str]]()
        for dataset, results in self.shown(where):
            ratios = None if where.ratios is None else tuple(where.ratios)
            for metric in where.metrics or []:
                asked_for = (id(results), dataset, metric, ratios, at, each_point, up_to)
                if asked_for not in self._read.cases:
                    rows = _shared(results, dataset, where)
                    rows = rows.assign(point=rows.get(str(results.experiment.axis), 0.0))
                    if up_to is not None:
                        rows = rows[rows.point <= up_to]
                    if at is not None:
                        rows = rows[rows.point == at]
                    cases = _curve_cases(results, rows, dataset, metric, each_point)
                    self._read.cases[asked_for] = cases
                if self._read.cases[asked_for]:
                    seen.add((dataset, metric))
                    every += self._read.cases[asked_for]
        for dataset in where.datasets or []:
            for metric in where.metrics or []:
                if (dataset, metric) not in seen:
                    every.append(Case(dataset, metric, dataset, {}, []))
        return every

    def series(self, where: Where, method: str, along: str) -> dict[tuple[str, str], Curve]:
        """Return a method's curve by dataset and metric: its scores at every value of `along`."""
        by_place: dict[tuple[str, str], Curve] = {
            (dataset, metric): Curve({})
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
                    scored = rows[rows[metric].notna()]
                    points = {
                        _point(x): _sample(part, metric, "")
                        for (x,), part in groups(scored.sort_values(name), [name])
                    }
                    by_place[dataset, metric] = Curve(points, overlap(results))
        return by_place


def _curve_cases(
    results: Results, rows: pd.DataFrame, dataset: str, metric: str, each_point: bool
) -> list[Case]:
    """Return a case for the curves of every ratio in rows of a dataset, or for their points."""
    if metric not in rows or rows[metric].isna().all():
        return []
    methods = [results.printed[head] for head in results.ranked]
    splits = splits_of(results)
    cases = []
    for (ratio, *point), part in groups(rows, ["ratio", "point"] if each_point else ["ratio"]):
        samples = {
            results.printed[str(head)]: _sample(mine, metric, splits[str(head)])
            for (head,), mine in groups(part, ["method"])
        }
        name = dataset + "".join(f" at {value:g}" for value in point)
        name += f", {asked(ratio)}" if ratio else ""
        cases.append(Case(dataset, metric, name, samples, methods, overlap(results)))
    return cases


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


def _sample(rows: pd.DataFrame, metric: str, splits: str) -> Sample:
    """Return the scores of rows, each repeat as the mean of its points."""
    repeats = rows.repeat.tolist()
    if len(set(repeats)) < len(repeats):
        return sample_of(rows.groupby("repeat")[metric].mean().dropna().to_dict(), splits)
    one = dict(zip(repeats, rows[metric].tolist()))  # grouping takes far longer
    return sample_of({i: one[i] for i in sorted(one) if not math.isnan(one[i])}, splits)


def sample_of(repeats: Mapping[Any, float], splits: str = "") -> Sample:
    """Return the scores of the given repeats."""
    values = list(repeats.values())
    mean = statistics.fmean(values) if values else math.nan
    std = statistics.stdev(values) if len(values) > 1 else math.nan
    return Sample(mean, std, len(values), {int(i): float(v) for i, v in repeats.items()}, splits)


class Printed(ClaimValues):
    """The values that the paper prints in tables; its figures print no values."""

    def __init__(self, paper: Paper):
        super().__init__(paper)
        self._samples = {
            (one.table, *one.quantity): Sample(one.corrected, one.std, paper.repeats or 1)
            for one in self._printed
        }

    def sample(self, key: Key) -> Sample | None:
        """Return the printed mean and deviation."""
        return self._samples.get(key)


class Ours(ClaimValues):
    """Our results: those compared with printed values, and those of experiments on figures."""

    def __init__(
        self,
        paper: Paper,
        results: Sequence[Results],
        comparisons: Sequence[Comparison],
        read: AlreadyRead | None = None,
    ):
        super().__init__(paper, read)
        self._results = [item for item in results if item.experiment.paper == paper.name]
        self._by_name = {item.experiment.name: item for item in reversed(self._results)}
        self._overlaps: dict[int, float] = {}
        mine = [item for item in comparisons if item.paper == paper.name and item.repeats]
        full: dict[Any, int] = {}
        for item in mine:
            full[item.row] = max(full.get(item.row, 0), item.repeats)
        # means over different repeats cannot be compared
        self._compared = {item.place: item for item in mine if item.repeats == full[item.row]}

    def sample(self, key: Key) -> Sample | None:
        """Return our scores of what is printed at a place."""
        item = self._compared.get(key)
        results = self._named(item.experiment) if item else None
        if item is None or results is None:
            return None
        place = (id(results), item.metric)
        scores = self._read.scores
        if place not in scores:
            scores[place] = repeats_of(results, item.metric)
        where = (item.dataset, round(item.ratio, 6), item.column)
        samples = self._read.samples
        if (place, where) not in samples:
            splits = splits_of(results)[item.column]
            samples[place, where] = sample_of(scores[place][where], splits)
        return samples[place, where]

    def overlap(self, key: Key) -> float:
        """Return how far the training parts of the experiment overlap."""
        item = self._compared.get(key)
        results = self._named(item.experiment) if item else None
        if results is None:
            return 0.0
        if id(results) not in self._overlaps:
            self._overlaps[id(results)] = overlap(results)
        return self._overlaps[id(results)]

    def _named(self, name: str) -> Results | None:
        return self._by_name.get(name)

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
