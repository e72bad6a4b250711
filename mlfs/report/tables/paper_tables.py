"""Make tables like those of the papers: means, deviations, ranks, bold and printed values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ... import papers, stats
from ...protocols.experiment.masks import asked
from ...results.read import Results
from ...results.repeat_values import By, TablePart, table_parts, wide_rows
from ...stats.friedman import ranks_of
from ...stats.paired import t_statistic, t_tails
from ...types import Array
from .captions import basis, fitted, how_hidden, over_known, told
from .dependence import overlap, splits_of
from .texts import listed

LEVEL = 0.05  # significance level of every test
FEWEST_REPEATS = 5  # with fewer, a test finds next to nothing
BOLD = (
    "bold: the best, and the next ones that a t-test over the repeats does not tell from it "
    "(corrected for overlapping training parts and by Holm, 5 %)"
)


@dataclass(frozen=True)
class Table:
    """One metric at one missing ratio.

    Attributes
    ----------
    entries : DataFrame
        One row for each row and method of the table, with these columns. mean, std and count: over
        repeats, where each repeat is the mean of `points` points of its curve. compared: the mean
        over the repeats that all ranked methods of the row have. even: whether all methods of the
        row have the same repeats. rank and best. printed and gap (ours minus printed), if the
        paper prints a value.
    rows, methods : list of str
        Rows and methods, in the order in which they are shown.
    ranked : list of str
        The methods that are ranked and tested.
    basis : str
        What each value is a mean of.
    control : str, optional
        The ranked method that the others are tested against.
    heading : str
        The heading of the rows: "dataset", or the unit of the sizes.
    dataset : str
        The only dataset of a table whose rows are sizes.
    hidden : str
        How labels were hidden, in words.
    known : str
        That scores are over known labels, if some test labels are not known.
    panel : dict
        What its rows have in common besides the ratio, such as the classifier.
    fitted : str
        Which columns have settings that were chosen by printed values.
    alone : list of str
        Rows where no method can be told from the best, and only the best is bold.
    """

    experiment: str
    metric: str
    ratio: float
    entries: pd.DataFrame
    rows: list[str]
    methods: list[str]
    ranked: list[str]
    larger_is_better: bool
    basis: str = ""
    control: str | None = None
    heading: str = "dataset"
    dataset: str = ""
    hidden: str = ""
    known: str = ""
    panel: dict[str, str] = field(default_factory=dict)
    fitted: str = ""
    alone: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The experiment, the metric and the share of labels to hide."""
        return self._head + (f", {asked(self.ratio)}" if self.ratio else "")

    @property
    def caption(self) -> str:
        """The title, and what values are means of, with all that a reader must know of them."""
        return "; ".join([self._head if self.hidden else self.title, *self.about])

    @property
    def about(self) -> list[str]:
        """What is hidden, what is known, what values are means of, what was fitted, and bold."""
        return [*self._of_values, self.bold] if self.bold else self._of_values

    @property
    def drawn(self) -> str:
        """The caption of a picture of the values, in which none is bold."""
        return "; ".join([self._head if self.hidden else self.title, *self._of_values])

    @property
    def _of_values(self) -> list[str]:
        return [text for text in (self.hidden, self.known, self.basis, self.fitted) if text]

    @property
    def bold(self) -> str:
        """What bold values are; empty if none is bold."""
        if not self.entries.best.any():
            return ""
        if not self.alone:
            return BOLD
        where = listed(self.alone) if len(self.alone) < len(self.rows) else "all rows"
        return f"{BOLD}; only the best where it tells none from it ({where})"

    @property
    def _head(self) -> str:
        better = "higher" if self.larger_is_better else "lower"
        metric = self.metric.replace("_", " ")
        place = f", {self.dataset}" if self.dataset else ""
        return f"{self.experiment}{place}{told(self.panel)}: {metric} ({better} is better)"

    @property
    def uneven(self) -> list[str]:
        """Rows whose methods have different repeats."""
        marked = {row for row, even in zip(self.entries.row, self.entries.even) if not even}
        return [row for row in self.rows if row in marked]

    @cached_property  # ranks, tests and verdicts all need them
    def means(self) -> pd.DataFrame:
        """The means of the ranked methods over the repeats that all of them have."""
        entries = self.entries
        compared = dict(zip(zip(entries.row, entries.method), entries.compared))
        return pd.DataFrame(
            [
                [compared.get((row, method), math.nan) for method in self.ranked]
                for row in self.rows
            ],
            index=pd.Index(self.rows, dtype=object, name="row"),
            columns=pd.Index(self.ranked, dtype=object, name="method"),
            dtype=float,
        )


def make_tables(
    results: Results, metrics: list[str] | None = None, by: By = "dataset"
) -> list[Table]:
    """Build one table for every metric and missing ratio of an experiment.

    With ``by="size"`` there is a table for every dataset, too, and its rows are the points of the
    curves. An experiment without curves has no such table.
    """
    experiment, axis = results.experiment, results.experiment.axis
    printed = None
    if experiment.paper and experiment.tables and by == "dataset":
        printed = papers.paper(experiment.paper).printed(experiment.tables)
    control, chosen = papers.control(experiment), fitted(results)
    hidden: dict[tuple[float, str], str] = {}
    partly: dict[str, str] = {}
    tables = []
    for part in table_parts(results, metrics or experiment.metrics, by):
        metric, ratio, name = part.metric, part.ratio, part.dataset
        if (ratio, name) not in hidden:
            hidden[ratio, name] = how_hidden(results, ratio, name)
        if name not in partly:
            partly[name] = over_known(results, name)
        larger = experiment.measured[metric]
        columns, alone = _summarise(part, larger, results)
        if printed is not None:
            columns |= _printed(part.means, _near(printed, metric, ratio), results.printed)
        entries = part.means.assign(**columns)
        tables.append(
            Table(
                experiment.name,
                metric,
                ratio,
                entries,
                rows=list(dict.fromkeys(entries.row)),
                methods=results.methods,
                ranked=results.ranked,
                larger_is_better=larger,
                basis=basis(experiment, part.rows[part.rows[metric].notna()], entries, by),
                control=control,
                heading="dataset" if by == "dataset" else str(axis).removeprefix("n_"),
                dataset=name,
                hidden=hidden[ratio, name],
                known=partly[name],
                panel=part.panel,
                fitted=chosen,
                alone=alone,
            )
        )
    return tables


def means(results: Results, metrics: list[str]) -> Iterator[tuple[str, float, pd.DataFrame]]:
    """Yield for every metric and missing ratio the entries of its table, without any tests.

    The columns are row, dataset, method, and mean, std, count and points as in `Table.entries`.
    """
    for part in table_parts(results, metrics, "dataset"):
        yield part.metric, part.ratio, part.means


def repeats_of(results: Results, metric: str) -> dict[tuple[str, float, str], dict[int, float]]:
    """Return the value of every repeat that a table averages, by dataset, ratio and heading."""
    by_place: dict[tuple[str, float, str], dict[int, float]] = {}
    for part in table_parts(results, [metric], "dataset"):
        values, ratio = part.values, round(part.ratio, 6)
        columns = (values.dataset, values.method, values.repeat.tolist(), values.value.tolist())
        for dataset, method, repeat, value in zip(*columns):
            by_place.setdefault((dataset, ratio, method), {})[repeat] = value
    return by_place


def average_ranks_of(results: Results, metric: str) -> dict[str, float]:
    """Return the average rank of each ranked method over all rows that have all of them.

    These are the rows of the tables of all missing ratios, and the means are those that the
    tables rank.
    """
    names = results.ranked
    rows = []
    for part in table_parts(results, [metric], "dataset"):
        for _, methods, wide in wide_rows(part.values):
            if set(names) <= set(methods):
                mine = wide[:, [methods.index(name) for name in names]]
                shared = mine[~np.isnan(mine).any(axis=1)]
                rows += [shared.mean(axis=0)] if len(shared) else []
    larger = results.experiment.measured.get(metric, True)
    if not rows:
        return {}
    return dict(zip(names, ranks_of(np.array(rows), larger).mean(axis=0).tolist()))


def _summarise(part: TablePart, larger: bool, results: Results) -> tuple[dict[str, Any], list[str]]:
    """Compute means, ranks and which values are bold; and the rows where the best is bold alone."""
    values, means = part.values, part.means
    ranked, splits, shared_rows = set(results.ranked), splits_of(results), overlap(results)
    compared: dict[Any, float] = {}
    even: dict[str, bool] = {}
    best: dict[Any, bool] = {}
    place: dict[Any, float] = {}
    alone: list[str] = []
    for row, methods, wide in wide_rows(values):
        keys = [(row, method) for method in methods]
        shown = [method in ranked for method in methods]
        shared = wide[:, shown][~np.isnan(wide[:, shown]).any(axis=1)]
        if len(shared):
            compared_here = shared.mean(axis=0)
            mine = [key for key, is_ in zip(keys, shown) if is_]
            compared |= zip(mine, compared_here)
            if len(mine) > 1:  # a single method has no rank
                place |= zip(mine, ranks_of(compared_here[None, :], larger)[0])
        even[row] = not np.isnan(wide).any()
        bold = _best(wide, larger, [splits[name] for name in methods], shared_rows)
        if all(bold):  # all values in bold would say nothing
            means_here = wide.mean(axis=0)
            bold = list(means_here == (means_here.max() if larger else means_here.min()))
            alone += [] if all(bold) else [row]
        best |= zip(keys, bold)
    rows = means.row.tolist()
    keys = list(zip(rows, means.method.tolist()))
    columns = {
        "compared": [compared.get(key, math.nan) for key in keys],
        "even": [even[row] for row in rows],
        "rank": [place.get(key, math.nan) for key in keys],
        "best": [bool(best[key]) for key in keys],
    }
    return columns, alone


def _best(wide: Array, larger: bool, splits: list[str], overlap: float) -> list[bool]:
    """Return the best method, and those that a test does not tell from it.

    `wide` has repeats in rows and methods in columns. The best method is compared with each other
    one by a t-test over the repeats, corrected for overlapping training parts and, by Holm, for the
    number of methods. They are the first ones by rank, without a gap. There are none with
    fewer than `FEWEST_REPEATS` repeats, if the repeats differ, or if there is only one method.
    """
    bold = [False] * wide.shape[1]
    if wide.shape[1] < 2 or len(wide) < FEWEST_REPEATS or np.isnan(wide).any():
        return bold
    means = wide.mean(axis=0)
    first, *others = (int(i) for i in np.argsort(-means if larger else means, kind="stable"))
    bold[first] = True
    p_values = [_p(wide[:, first], wide[:, i], splits[first] == splits[i], overlap) for i in others]
    for i, p in zip(others, stats.holm(p_values)):
        if p < LEVEL:
            break
        bold[i] = True
    return bold


def _p(best: Array, other: Array, paired: bool, overlap: float) -> float:
    """Return the p-value of a difference; repeats on other splits are not paired."""
    if paired:
        t, n = t_statistic(best, other, overlap)
        return t_tails(t, n - 1)
    if np.ptp(best) == np.ptp(other) == 0:
        return float(best[0] == other[0])
    return float(scipy.stats.ttest_ind(best, other, equal_var=False).pvalue)


def _printed(
    means: pd.DataFrame, printed: dict[Any, tuple[float, float]], columns: dict[str, str]
) -> dict[str, Any]:
    """Return the printed value, its deviation and the gap of every entry."""
    none = (math.nan, math.nan)
    both = [
        printed.get((dataset, columns.get(method)), none)
        for dataset, method in zip(means.dataset.tolist(), means.method.tolist())
    ]
    there = np.array([mean for mean, _ in both])
    return {
        "printed": there,
        "printed_std": [std for _, std in both],
        "gap": means["mean"].to_numpy() - there,
    }


def _near(printed: pd.DataFrame, metric: str, ratio: float) -> dict[Any, tuple[float, float]]:
    """Return printed means and deviations of a metric at a ratio, by dataset and column."""
    close = np.abs(printed.missing_ratio.to_numpy(float) - ratio) < 1e-9
    near = printed[(printed.metric == metric).to_numpy() & close]
    places = zip(near.dataset.tolist(), near.method.tolist())
    return dict(zip(places, zip(near["mean"].tolist(), near["std"].tolist())))


def flat(tables: list[Table]) -> pd.DataFrame:
    """Return all entries of several tables in one long frame."""
    parts = [
        table.entries.assign(
            experiment=table.experiment, metric=table.metric, ratio=table.ratio, **table.panel
        )
        for table in tables
    ]
    first = ["experiment", "metric", "ratio", "row", "dataset", "method"]
    whole = pd.concat(parts, ignore_index=True)
    return whole[first + [column for column in whole if column not in first]]
