"""Compare every printed value of every paper with ours, and give it a status.

A row of a printed table (one dataset at one share of hidden labels) is compared with one
experiment, so that its methods saw the same splits. If several experiments name the table, the one
with most values of the row is used. Ties are decided in this order: the experiment that names the
fewest tables, one that tunes, the one with most datasets, the first by name.

Some results are variants of a table and are never compared with it: sweeps (`vary`), columns marked
`extra`, and datasets that were changed (`clean`, or other `frequent_labels` than the paper seems to
have used).

Printed values are compared *as stated*, with experiments that follow the words of the paper
(``reading: stated``, or no key `reading`). What readings give is counted column by column, see
`read_columns`; a column counts *as read* only if its reading explains it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ... import papers
from ...results.read import NOT_RUN, Results
from ..tables.metric_facts import is_time, records
from ..tables.paper_tables import means
from .judgement import Mean, Status, judge, usual_distance

_Row = tuple[str, float]  # a dataset and a share of hidden labels
_Column = tuple[str, str]  # our heading or a column of the paper, and a metric
Place = tuple[str, str, str, str, float]  # table, dataset, method, metric, ratio
Row = tuple[str, str, str, str, float]  # paper, table, dataset, metric, ratio
_NOTHING = Mean(math.nan, repeats=0)


@dataclass(frozen=True)
class Comparison:
    """One printed value, and how ours compares with it.

    Attributes
    ----------
    paper, table, dataset, method, metric, ratio
        Where it is printed. Dataset and metric have our names, the method has the paper's heading.
    printed, printed_std, printed_repeats
        The printed mean, its deviation (nan if none is printed) and the number of its repeats (1
        if neither the paper nor our run says more).
    unit : float
        One unit of the last printed digit.
    distance : float
        The usual (median) distance between two methods of its row; nan if the row has only one.
    ours, ours_std : float
        Our mean and deviation, as ``mlfs table`` shows them. Both are nan without a result; the
        deviation is nan with one repeat, too.
    repeats : int
        The number of repeats that our value is the mean of.
    gap : float
        Our value minus the printed one.
    larger : bool, optional
        Whether larger values are better; None without a value of ours.
    status : str
        One of `judgement.STATUSES`.
    reason : str
        Why it is not run, not fetched or not comparable.
    experiment, column : str
        The experiment that our value comes from, and our heading of its column there.
    reading : str
        The reading that the experiment follows; empty if it follows the words of the paper.
    """

    paper: str
    table: str
    dataset: str
    method: str
    metric: str
    ratio: float
    printed: float
    printed_std: float
    printed_repeats: int
    unit: float
    distance: float
    ours: float
    ours_std: float
    repeats: int
    gap: float
    larger: bool | None
    status: Status
    reason: str
    experiment: str
    column: str
    reading: str

    @property
    def place(self) -> Place:
        """Where it is printed in its paper."""
        return self.table, self.dataset, self.method, self.metric, self.ratio

    @property
    def row(self) -> Row:
        """Its row: the values of a row can be compared with each other."""
        return self.paper, self.table, self.dataset, self.metric, self.ratio

    @property
    def sides(self) -> tuple[Mean, Mean]:
        """The printed mean and ours."""
        return (
            Mean(self.printed, self.printed_std, self.printed_repeats),
            Mean(self.ours, self.ours_std, self.repeats),
        )

    @property
    def quotient(self) -> float:
        """Our value divided by the printed one."""
        return self.ours / self.printed if self.printed else math.nan

    def judged_with(self, ours: Mean) -> Status:
        """Return the status that another value of ours would have in this place."""
        return judge(self.sides[0], ours, self.unit, self.distance, bool(self.larger))


def swap_rate(comparisons: Sequence[Comparison], method: str | None = None) -> float:
    """Return how often our value of another method of the same row would count as reproduced.

    Parameters
    ----------
    comparisons : sequence of Comparison
        All values of the rows; only those that can be compared count.
    method : str, optional
        The only column whose place is taken; by default every column's is.

    Returns
    -------
    float
        The share of pairs that pass; nan if no row has two values.
    """
    return share_of(swaps(comparisons, method).values())


def swaps(
    comparisons: Sequence[Comparison], method: str | None = None
) -> dict[Row, tuple[int, int]]:
    """Return how many pairs of `swap_rate` pass in each row, and how many there are."""
    rows: dict[Row, list[Comparison]] = {}
    for one in comparisons:
        if one.repeats and one.status != "not comparable":
            rows.setdefault(one.row, []).append(one)
    by_paper = {}
    for name, row in rows.items():
        passed = [
            here.judged_with(other.sides[1]) == "reproduced"
            for here in row
            for other in row
            if other.method != here.method and method in (None, here.method)
        ]
        by_paper[name] = (sum(passed), len(passed))
    return by_paper


def share_of(counts: Iterable[tuple[int, int]]) -> float:
    """Return the share of all that pass, given how many do and how many there are; or nan."""
    passed, pairs = (sum(some) for some in zip((0, 0), *counts))
    return passed / pairs if pairs else math.nan


@dataclass(frozen=True)
class RunValues:
    """The values of one experiment, by row and column.

    Ranked columns are found by the paper's heading, and all columns by ours.
    """

    results: Results
    values: dict[_Row, dict[_Column, Mean]]
    by_heading: dict[_Row, dict[_Column, Mean]]
    headings: dict[str, str]  # our heading of the ranked column that stands for a printed one
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


def run_values(results: Sequence[Results]) -> list[RunValues]:
    """Return the values of the experiments that can be compared with printed tables."""
    return [_values(item) for item in results if _comparable(item)]


def _comparable(item: Results) -> bool:
    experiment = item.experiment
    return experiment.paper is not None and bool(experiment.tables) and not item.swept


def reading_of(item: Results) -> str:
    """Return the reading that results follow; empty if they follow the words of their paper."""
    reading = item.experiment.reading
    return "" if reading in (None, papers.STATED) else str(reading)


def compare_stated(runs: Sequence[RunValues]) -> list[Comparison]:
    """Compare every printed value of all papers with the runs that follow the papers' words."""
    comparisons: list[Comparison] = []
    for name in papers.names():
        mine = [one for one in runs if not reading_of(one.results)]
        comparisons += compare_paper(papers.paper(name), mine)
    return comparisons


def compare_paper(
    paper: papers.Paper,
    runs: Sequence[RunValues],
    *,
    wanted: Callable[[Any], bool] = lambda line: True,
    column: str | None = None,
) -> Iterator[Comparison]:
    """Compare printed values of a paper with runs of it, in the order of printing.

    Parameters
    ----------
    paper : Paper
        The paper.
    runs : sequence of RunValues
        The runs to choose from, row by row; those of other papers are left out.
    wanted : callable
        Says for a line of printed values whether it is compared.
    column : str, optional
        Our heading of the only column whose values are used; by default that of the paper.
    """
    lines, distances, columns = _printed_lines(paper.folder)
    mine = [one for one in runs if one.results.experiment.paper == paper.name]
    sources = {
        (table, row): min(
            (one for one in mine if table in one.results.experiment.tables),
            key=lambda one: one.order(names, row),
            default=None,
        )
        for (table, row), names in columns.items()
    }
    for line in lines:
        if wanted(line):
            row = _row(line)
            distance = distances[line.table, row, line.metric]
            yield _comparison(paper, line, sources[line.table, row], column, distance)


@cache  # every column of every reading asks for them
def _printed_lines(
    folder: Path,
) -> tuple[list[Any], dict[tuple[str, _Row, str], float], dict[tuple[str, _Row], set[_Column]]]:
    """Return the printed values of a paper, the usual distances in their rows, and the columns."""
    lines = list(records(papers.read_paper(folder).printed()))
    rows: dict[tuple[str, _Row, str], list[float]] = {}
    columns: dict[tuple[str, _Row], set[_Column]] = {}
    for line in lines:
        rows.setdefault((line.table, _row(line), line.metric), []).append(line.mean)
        columns.setdefault((line.table, _row(line)), set()).add((line.method, line.metric))
    return lines, {key: usual_distance(values) for key, values in rows.items()}, columns


def _values(item: Results) -> RunValues:
    """Collect the values that `mlfs table --compare` shows for an experiment."""
    experiment = item.experiment
    paper = papers.paper(str(experiment.paper))
    printed = set(paper.printed(experiment.tables).metric)
    metrics = [metric for metric in experiment.metrics if metric in printed]
    values: dict[_Row, dict[_Column, Mean]] = {}
    by_heading: dict[_Row, dict[_Column, Mean]] = {}
    ranked, columns = set(item.ranked), item.printed
    changed = {
        data.name
        for data in experiment.datasets
        if data.clean or data.frequent_labels != paper.frequent_labels.get(data.name)
    }
    for metric, ratio, entries in means(item, metrics):
        for entry in records(entries):
            if entry.dataset in changed:
                continue
            row = (str(entry.dataset), round(ratio, 6))
            value = Mean(float(entry.mean), float(entry.std), int(entry.count))
            by_heading.setdefault(row, {})[entry.method, metric] = value
            if entry.method in ranked:
                values.setdefault(row, {}).setdefault((columns[entry.method], metric), value)
    headings = {columns[head]: head for head in reversed(item.ranked)}  # the first one counts
    return RunValues(item, values, by_heading, headings, _failures(item))


def _failures(item: Results) -> dict[tuple[str, float, str], str]:
    headings = item.methods
    reasons: dict[tuple[str, float, str], str] = {}
    for planned, reason in item.missing:
        if reason != NOT_RUN:
            cell = planned.series.cell
            column = item.printed[headings[planned.column]]
            reasons[(cell.data.name, round(cell.settings.ratio, 6), column)] = reason
    return reasons


def _row(line: Any) -> _Row:
    return str(line.dataset), round(line.missing_ratio, 6)


def _comparison(
    paper: papers.Paper, line: Any, source: RunValues | None, column: str | None, distance: float
) -> Comparison:
    """Compare one line of ``printed.csv`` with the experiment of its row."""
    value = source and (
        source.by_heading.get(_row(line), {}).get((column, line.metric))
        if column
        else source.values.get(_row(line), {}).get((line.method, line.metric))
    )
    ours = value or _NOTHING
    printed = Mean(line.mean, line.std, paper.repeats or max(ours.repeats, 1))
    larger, experiment, heading, reading = None, "", "", ""
    if source is None or value is None:
        status, reason = _without(paper, line, source)
    else:
        made = source.results.experiment
        larger, experiment, reading = (
            made.scores[line.metric],
            made.name,
            reading_of(source.results),
        )
        heading = column or source.headings[line.method]
        reason = _why_not_comparable(paper, line)
        status = judge(printed, ours, line.unit, distance, larger)
        if reason:
            status = "not comparable"
    return Comparison(
        paper=paper.name,
        table=line.table,
        dataset=line.dataset,
        method=line.method,
        metric=line.metric,
        ratio=line.missing_ratio,
        printed=line.mean,
        printed_std=line.std,
        printed_repeats=printed.repeats,
        unit=line.unit,
        distance=distance,
        ours=ours.value,
        ours_std=ours.std,
        repeats=ours.repeats,
        gap=ours.value - line.mean,
        larger=larger,
        status=status,
        reason=reason,
        experiment=experiment,
        column=heading,
        reading=reading,
    )


def _why_not_comparable(paper: papers.Paper, line: Any) -> str:
    if is_time(line.metric):
        return "seconds on another machine"
    return paper.substitutes.get(line.dataset, "")


def _without(paper: papers.Paper, line: Any, source: RunValues | None) -> tuple[Status, str]:
    """Return the status of a printed value without one of ours, and the reason."""
    failed = source.failures.get((*_row(line), line.method)) if source else None
    if failed:
        return "not run", " ".join(f"failed: {failed}".split())
    never = paper.not_fetched.get(line.dataset)
    return ("not fetched", f"{line.dataset}: {never}") if never else ("not run", "")
