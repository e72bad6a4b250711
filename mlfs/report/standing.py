"""Compare every printed cell of every paper with our value, and give it a status.

A row of a printed table (one dataset at one share of hidden labels) is compared with one
experiment, so that its methods saw the same splits. If several experiments name the table, the one
with most cells of the row is used. Ties are decided in this order: the experiment that names the
fewest tables, one that tunes, the one with most datasets, the first by name.

Some results are variants of a table and are never compared with it: sweeps (`vary`), columns marked
`extra`, and datasets that were changed (`clean`, or other `frequent_labels` than the paper seems to
have used).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pandas as pd

from .. import papers
from .results import NOT_RUN, Results
from .tables import make_tables

Status = Literal["reproduced", "close", "explained", "off", "not run", "not runnable"]
STATUSES: tuple[Status, ...] = get_args(Status)
SMALLEST = 0.005  # a gap of this size counts as none, even with smaller deviations
_ROUNDING = 1e-9  # .735 - .730 is a little more than .005 in floating point

Place = tuple[str, float]  # a dataset and a share of hidden labels
Column = tuple[str, str]  # a column (the paper's or ours) and a metric


@dataclass(frozen=True)
class Standing:
    """One printed cell, and how our value compares with it.

    Attributes
    ----------
    paper, table, dataset, method, metric, ratio
        Where it is printed. Dataset and metric have our names, the method has the paper's heading.
    printed, printed_std : float
        The printed mean and deviation; the deviation is nan if none is printed.
    ours, ours_std : float
        Our mean and deviation, as ``mlfs table`` shows them. Both are nan without a result; the
        deviation is nan with one repeat, too.
    repeats : int
        The number of repeats that our value is the mean of.
    gap : float
        Our value minus the printed one.
    status : str
        One of `STATUSES`.
    reason : str
        Why it is explained, not run or not runnable.
    experiment : str
        The experiment that our value comes from.
    """

    paper: str
    table: str
    dataset: str
    method: str
    metric: str
    ratio: float
    printed: float
    printed_std: float
    ours: float
    ours_std: float
    repeats: int
    gap: float
    status: Status
    reason: str
    experiment: str

    @property
    def tolerance(self) -> float:
        """The largest gap that still counts as reproduced."""
        return tolerance(self.printed_std, self.ours_std)


@dataclass(frozen=True)
class _Figure:
    mean: float
    std: float
    repeats: int


@dataclass(frozen=True)
class _Source:
    """The values of one experiment, by place and column; extra columns are kept apart."""

    results: Results
    figures: dict[Place, dict[Column, _Figure]]
    extra: dict[Place, dict[Column, _Figure]]  # by our headings
    failures: dict[tuple[str, float, str], str]  # why a dataset, ratio and column has no value

    def order(self, columns: set[Column], place: Place) -> tuple[Any, ...]:
        """Return a sort key: the best experiment to compare a row with comes first."""
        experiment = self.results.experiment
        tune = getattr(experiment, "tune", None)
        return (
            -len(columns & self.figures.get(place, {}).keys()),
            len(experiment.tables),
            tune is None or tune.strategy == "none",
            -len(experiment.datasets),
            experiment.name,
        )


def tolerance(*deviations: float) -> float:
    """Return the largest known deviation, but at least `SMALLEST`."""
    return max(SMALLEST, *(value for value in deviations if not math.isnan(value)), 0.0)


def standings(results: Sequence[Results]) -> list[Standing]:
    """Compare every printed cell of all papers with the given results."""
    found: list[Standing] = []
    for name in papers.names():
        paper = papers.paper(name)
        sources = [_source(item) for item in results if _belongs(item, name)]
        for table in paper.tables:
            cells = paper.printed([table])
            mine = [item for item in sources if table in item.results.experiment.tables]
            found += _of_table(paper, table, cells, mine)
    return found


def _belongs(item: Results, name: str) -> bool:
    experiment = item.experiment
    return experiment.paper == name and bool(experiment.tables) and not item.swept


def _source(item: Results) -> _Source:
    """Collect the values that `mlfs table --compare` shows for an experiment."""
    experiment = item.experiment
    printed = papers.paper(str(experiment.paper)).printed(experiment.tables)
    metrics = [metric for metric in experiment.metrics if metric in set(printed.metric)]
    figures: dict[Place, dict[Column, _Figure]] = {}
    extra: dict[Place, dict[Column, _Figure]] = {}
    ranked, heads = set(item.ranked), item.printed
    used = papers.paper(str(experiment.paper)).frequent_labels
    changed = {
        data.name
        for data in experiment.datasets
        if data.clean or data.frequent_labels != used.get(data.name)
    }
    for table in make_tables(item, metrics) if metrics else []:
        for cell in _each(table.cells):
            if cell.dataset in changed:
                continue
            place = (str(cell.dataset), round(table.ratio, 6))
            figure = _Figure(float(cell.mean), float(cell.std), int(cell.count))
            if cell.method in ranked:
                column = (heads[cell.method], table.metric)
                figures.setdefault(place, {}).setdefault(column, figure)
            else:
                extra.setdefault(place, {})[(cell.method, table.metric)] = figure
    return _Source(item, figures, extra, _failures(item))


def _failures(item: Results) -> dict[tuple[str, float, str], str]:
    heads = item.methods
    found: dict[tuple[str, float, str], str] = {}
    for planned, reason in item.missing:
        if reason != NOT_RUN:
            cell = planned.series.cell
            column = item.printed[heads[planned.column]]
            found[(cell.data.name, round(cell.settings.ratio, 6), column)] = reason
    return found


def _of_table(
    paper: papers.Paper, table: str, cells: pd.DataFrame, sources: list[_Source]
) -> Iterator[Standing]:
    """Return the standings of one printed table, in the order of printing."""
    rows: dict[Place, set[Column]] = {}
    for cell in _each(cells):
        rows.setdefault(_place(cell), set()).add((cell.method, cell.metric))
    best = {
        place: min(sources, key=lambda source: source.order(columns, place))
        for place, columns in rows.items()
        if sources
    }
    for cell in _each(cells):
        yield _standing(paper, table, cell, best.get(_place(cell)))


def _each(frame: pd.DataFrame) -> Iterable[Any]:
    return frame.itertuples()


def _place(cell: Any) -> Place:
    return str(cell.dataset), round(cell.missing_ratio, 6)


def _standing(paper: papers.Paper, table: str, cell: Any, source: _Source | None) -> Standing:
    place, column = _place(cell), (cell.method, cell.metric)
    figure = source.figures.get(place, {}).get(column) if source else None
    ours = figure or _Figure(math.nan, math.nan, 0)
    gap = ours.mean - cell.mean
    status: Status
    reason = ""
    if source is None or figure is None:
        status, reason = _without(paper, cell, source)
    else:
        status = verdict(gap, tolerance(cell.std, ours.std))
        if status == "off":
            reason = _explanation(paper, table, cell, source)
            status = "explained" if reason else "off"
    return Standing(
        paper=paper.name,
        table=table,
        dataset=cell.dataset,
        method=cell.method,
        metric=cell.metric,
        ratio=cell.missing_ratio,
        printed=cell.mean,
        printed_std=cell.std,
        ours=ours.mean,
        ours_std=ours.std,
        repeats=ours.repeats,
        gap=gap,
        status=status,
        reason=reason,
        experiment=source.results.experiment.name if source and figure else "",
    )


def _without(paper: papers.Paper, cell: Any, source: _Source | None) -> tuple[Status, str]:
    """Return the status of a cell without a value of ours, and the reason."""
    failed = source.failures.get((*_place(cell), cell.method)) if source else None
    if failed:
        return "not run", " ".join(f"failed: {failed}".split())
    never = paper.not_runnable.get(cell.dataset)
    return ("not runnable", f"{cell.dataset}: {never}") if never else ("not run", "")


def _explanation(paper: papers.Paper, table: str, cell: Any, source: _Source) -> str:
    """Return the known fault of the paper that produces the printed value, if there is one."""
    place = _place(cell)
    for rule in paper.explained:
        if not rule.covers(table, cell.dataset, cell.method, cell.metric, cell.missing_ratio):
            continue
        if rule.column is None:
            if rule.is_printed(cell.dataset, cell.mean):
                return rule.reason
            continue
        other = source.extra.get(place, {}).get((rule.column, cell.metric))
        allowed = tolerance(cell.std, other.std) if other else 0.0
        if other and verdict(other.mean - cell.mean, allowed) == "reproduced":
            return rule.reason
    return ""


def verdict(gap: float, allowed: float) -> Status:
    """Return "reproduced" within the allowed gap, "close" within twice that, else "off"."""
    if abs(gap) <= allowed + _ROUNDING:
        return "reproduced"
    return "close" if abs(gap) <= 2 * allowed + _ROUNDING else "off"
