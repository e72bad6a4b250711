"""Compare every printed value of every paper with ours, and give it a status.

A row of a printed table (one dataset at one share of hidden labels) is compared with one
experiment, so that its methods saw the same splits. If several experiments name the table, the one
with most values of the row is used. Ties are decided in this order: the experiment that names the
fewest tables, one that tunes, the one with most datasets, the first by name.

Some results are variants of a table and are never compared with it: sweeps (`vary`), columns marked
`extra`, and datasets that were changed (`clean`, or other `frequent_labels` than the paper seems to
have used).

Printed values are compared twice: *as stated*, with experiments that follow the words of the paper
(``reading: stated``), and *as read*, with those that follow one of its readings. An experiment
without the key `reading` counts for both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ... import papers
from ...results.read import NOT_RUN, Results
from ..tables.metric_facts import records
from ..tables.paper_tables import means

Status = Literal["reproduced", "close", "off", "not run", "not runnable"]
STATUSES: tuple[Status, ...] = get_args(Status)
How = Literal["stated", "read"]
SMALLEST = 0.005  # a gap of this size counts as none, even with smaller deviations
_ROUNDING = 1e-9  # .735 - .730 is a little more than .005 in floating point

_Row = tuple[str, float]  # a dataset and a share of hidden labels
_Column = tuple[str, str]  # a column of the paper and a metric


@dataclass(frozen=True)
class Comparison:
    """One printed value, and how ours compares with it.

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
        Why it is not run or not runnable.
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
class _Value:
    mean: float
    std: float
    repeats: int


@dataclass(frozen=True)
class _Values:
    """The values of one experiment, by row and column."""

    results: Results
    values: dict[_Row, dict[_Column, _Value]]
    failures: dict[tuple[str, float, str], str]  # why a dataset, ratio and column has no value

    def order(self, columns: set[_Column], row: _Row) -> tuple[Any, ...]:
        """Return a sort key: the best experiment to compare a row with comes first."""
        experiment = self.results.experiment
        tune = getattr(experiment, "tune", None)
        return (
            -len(columns & self.values.get(row, {}).keys()),
            len(experiment.tables),
            tune is None or tune.strategy == "none",
            -len(experiment.datasets),
            experiment.name,
        )


def tolerance(*deviations: float) -> float:
    """Return the largest known deviation, but at least `SMALLEST`."""
    return max(SMALLEST, *(value for value in deviations if not math.isnan(value)), 0.0)


def compare_printed(results: Sequence[Results]) -> dict[How, list[Comparison]]:
    """Compare every printed value of all papers with results: as read, and as stated."""
    values = [_values(item) for item in results if _comparable(item)]
    return {how: list(_compare(values, how)) for how in get_args(How)}


def _comparable(item: Results) -> bool:
    experiment = item.experiment
    return experiment.paper is not None and bool(experiment.tables) and not item.swept


def _compare(values: Sequence[_Values], how: How) -> Iterator[Comparison]:
    for name in papers.names():
        paper = papers.paper(name)
        mine = [one for one in values if _counts(one.results, name, how)]
        for table in paper.tables:
            fitting = [one for one in mine if table in one.results.experiment.tables]
            yield from _of_table(paper, table, fitting)


def _counts(item: Results, name: str, how: How) -> bool:
    """Return whether results of a paper count as read or as stated; some count for both."""
    reading = item.experiment.reading
    kind = reading and ("stated" if reading == papers.STATED else "read")
    return item.experiment.paper == name and kind in (None, how)


def _values(item: Results) -> _Values:
    """Collect the values that `mlfs table --compare` shows for an experiment."""
    experiment = item.experiment
    paper = papers.paper(str(experiment.paper))
    printed = set(paper.printed(experiment.tables).metric)
    metrics = [metric for metric in experiment.metrics if metric in printed]
    values: dict[_Row, dict[_Column, _Value]] = {}
    ranked, columns = set(item.ranked), item.printed
    changed = {
        data.name
        for data in experiment.datasets
        if data.clean or data.frequent_labels != paper.frequent_labels.get(data.name)
    }
    for metric, ratio, entries in means(item, metrics):
        for entry in records(entries):
            if entry.dataset in changed or entry.method not in ranked:
                continue
            row = (str(entry.dataset), round(ratio, 6))
            value = _Value(float(entry.mean), float(entry.std), int(entry.count))
            values.setdefault(row, {}).setdefault((columns[entry.method], metric), value)
    return _Values(item, values, _failures(item))


def _failures(item: Results) -> dict[tuple[str, float, str], str]:
    headings = item.methods
    reasons: dict[tuple[str, float, str], str] = {}
    for planned, reason in item.missing:
        if reason != NOT_RUN:
            cell = planned.series.cell
            column = item.printed[headings[planned.column]]
            reasons[(cell.data.name, round(cell.settings.ratio, 6), column)] = reason
    return reasons


def _of_table(
    paper: papers.Paper, table: str, experiments: Sequence[_Values]
) -> Iterator[Comparison]:
    """Compare the values of one printed table, in the order of printing."""
    printed = list(records(paper.printed([table])))
    rows: dict[_Row, set[_Column]] = {}
    for line in printed:
        rows.setdefault(_row(line), set()).add((line.method, line.metric))
    best = {
        row: min(experiments, key=lambda one: one.order(columns, row))
        for row, columns in rows.items()
        if experiments
    }
    for line in printed:
        yield _comparison(paper, table, line, best.get(_row(line)))


def _row(line: Any) -> _Row:
    return str(line.dataset), round(line.missing_ratio, 6)


def _comparison(paper: papers.Paper, table: str, line: Any, source: _Values | None) -> Comparison:
    """Compare one line of ``printed.csv`` with the experiment of its row."""
    value = source.values.get(_row(line), {}).get((line.method, line.metric)) if source else None
    ours = value or _Value(math.nan, math.nan, 0)
    gap = ours.mean - line.mean
    status: Status
    reason = ""
    if source is None or value is None:
        status, reason = _without(paper, line, source)
    else:
        status = verdict(gap, tolerance(line.std, ours.std))
    return Comparison(
        paper=paper.name,
        table=table,
        dataset=line.dataset,
        method=line.method,
        metric=line.metric,
        ratio=line.missing_ratio,
        printed=line.mean,
        printed_std=line.std,
        ours=ours.mean,
        ours_std=ours.std,
        repeats=ours.repeats,
        gap=gap,
        status=status,
        reason=reason,
        experiment=source.results.experiment.name if source and value else "",
    )


def _without(paper: papers.Paper, line: Any, source: _Values | None) -> tuple[Status, str]:
    """Return the status of a printed value without one of ours, and the reason."""
    failed = source.failures.get((*_row(line), line.method)) if source else None
    if failed:
        return "not run", " ".join(f"failed: {failed}".split())
    never = paper.not_runnable.get(line.dataset)
    return ("not runnable", f"{line.dataset}: {never}") if never else ("not run", "")


def verdict(gap: float, allowed: float) -> Status:
    """Return "reproduced" within the allowed gap, "close" within twice that, else "off"."""
    if abs(gap) <= allowed + _ROUNDING:
        return "reproduced"
    return "close" if abs(gap) <= 2 * allowed + _ROUNDING else "off"
