"""Make tables like those of the papers: means, deviations, ranks, bold and printed values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
import scipy

from ... import papers, stats
from ...protocols.experiment.masks import asked
from ...results.read import Results, in_panel
from ...stats.friedman import ranks_of
from ...stats.paired import t_statistic, t_tails
from ...types import Array
from .captions import basis, how_hidden, over_known, told
from .dependence import overlap, splits_of

LEVEL = 0.05  # significance level of every test
FEWEST_REPEATS = 5  # with fewer, a test finds next to nothing and all values would be bold
BOLD = (
    "bold: the best, and the next ones that a t-test over the repeats does not tell from it "
    "(corrected for overlapping training parts and by Holm, 5 %)"
)
By = Literal["dataset", "size"]


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

    @property
    def title(self) -> str:
        """The experiment, the metric and the share of labels to hide."""
        return self._head + (f", {asked(self.ratio)}" if self.ratio else "")

    @property
    def caption(self) -> str:
        """The title, how labels were hidden or are missing, and what values are means of."""
        return "; ".join([self._head if self.hidden else self.title, *self.about])

    @property
    def about(self) -> list[str]:
        """How labels were hidden, whether all are known, what values are means of, and bold."""
        return [text for text in (self.hidden, self.known, self.basis, self.bold) if text]

    @property
    def bold(self) -> str:
        """What bold values are; empty if none is bold."""
        return BOLD if self.entries.best.any() else ""

    @property
    def _head(self) -> str:
        better = "higher" if self.larger_is_better else "lower"
        metric = self.metric.replace("_", " ")
        place = f", {self.dataset}" if self.dataset else ""
        return f"{self.experiment}{place}{told(self.panel)}: {metric} ({better} is better)"

    @property
    def uneven(self) -> list[str]:
        """Rows whose methods have different repeats."""
        marked = set(self.entries.row[~self.entries.even])
        return [row for row in self.rows if row in marked]

    def means(self) -> pd.DataFrame:
        """Return the means of the ranked methods over the repeats that all of them have."""
        entries = self.entries
        known = dict(zip(zip(entries.row, entries.method), entries.compared))
        return pd.DataFrame(
            [[known.get((row, method), math.nan) for method in self.ranked] for row in self.rows],
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
    hidden: dict[tuple[float, str], str] = {}
    known: dict[str, str] = {}
    tables = []
    for part in _parts(results, metrics or experiment.metrics, by):
        metric, ratio, name = part.metric, part.ratio, part.dataset
        if (ratio, name) not in hidden:
            hidden[ratio, name] = how_hidden(results, ratio, name)
        if name not in known:
            known[name] = over_known(results, name)
        larger = experiment.measured[metric]
        entries = _summarise(part, larger, results)
        if printed is not None:
            near = printed[printed.metric == metric]
            entries = _with_printed(entries, near, ratio, results.printed)
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
                control=papers.control(experiment),
                heading="dataset" if by == "dataset" else str(axis).removeprefix("n_"),
                dataset=name,
                hidden=hidden[ratio, name],
                known=known[name],
                panel=part.panel,
            )
        )
    return tables


def means(results: Results, metrics: list[str]) -> Iterator[tuple[str, float, pd.DataFrame]]:
    """Yield for every metric and missing ratio the entries of its table, without any tests.

    The columns are row, dataset, method, and mean, std, count and points as in `Table.entries`.
    """
    for part in _parts(results, metrics, "dataset"):
        yield part.metric, part.ratio, part.means


def repeats_of(results: Results, metric: str) -> dict[tuple[str, float, str], dict[int, float]]:
    """Return the value of every repeat that a table averages, by dataset, ratio and heading."""
    found: dict[tuple[str, float, str], dict[int, float]] = {}
    for part in _parts(results, [metric], "dataset"):
        columns = (part.values[name] for name in ("dataset", "method", "repeat", "value"))
        for dataset, method, repeat, value in zip(*columns):
            place = (str(dataset), round(part.ratio, 6), str(method))
            found.setdefault(place, {})[int(repeat)] = float(value)
    return found


def average_ranks_of(results: Results, metric: str) -> dict[str, float]:
    """Return the average rank of each ranked method over all rows that have all of them.

    These are the rows of the tables of all missing ratios, and the means are those that the
    tables rank.
    """
    names = results.ranked
    rows = []
    for part in _parts(results, [metric], "dataset"):
        for _, methods, wide in _wide(part.values):
            if set(names) <= set(methods):
                mine = wide[:, [methods.index(name) for name in names]]
                shared = mine[~np.isnan(mine).any(axis=1)]
                rows += [shared.mean(axis=0)] if len(shared) else []
    larger = results.experiment.measured.get(metric, True)
    if not rows:
        return {}
    return dict(zip(names, ranks_of(np.array(rows), larger).mean(axis=0).tolist()))


@dataclass(frozen=True)
class _Part:
    """The results of one table: its rows of `Results.rows`, and a value for each repeat."""

    metric: str
    ratio: float
    dataset: str  # the only one of a table whose rows are sizes
    panel: dict[str, str]
    rows: pd.DataFrame
    values: pd.DataFrame

    @cached_property
    def means(self) -> pd.DataFrame:
        """For each row and method the mean and the deviation over repeats."""
        return _means(self.values)


def _parts(results: Results, metrics: list[str], by: By) -> Iterator[_Part]:
    """Yield the parts of some metrics; they are computed once, since a report needs them often."""
    known = results.computed.setdefault(("parts", by), {})
    for metric in metrics:
        if metric not in known:
            known[metric] = list(_parts_of(results, metric, by))
        yield from known[metric]


def _parts_of(results: Results, metric: str, by: By) -> Iterator[_Part]:
    if ("slices", by) not in results.computed:
        results.computed["slices", by] = _slices(results, by)
    if metric in results.rows:
        for (ratio, name, i), some in results.computed["slices", by].items():
            values = _per_repeat(some, metric)
            if not values.empty:
                panel = results.experiment.panels[i]
                yield _Part(metric, ratio, name, panel, some.rows, values)


def _slices(results: Results, by: By) -> dict[tuple[float, str, int], _Slice]:
    """Return the rows of every ratio, dataset (if its tables have sizes as rows) and panel."""
    experiment, axis = results.experiment, results.experiment.axis
    curves = axis is not None and axis in results.rows
    if by == "size" and not curves:
        return {}
    rows = results.rows.assign(row=_row_names(results, by))
    rows["point"] = rows[axis] if curves else 0.0
    names = [""] if by == "dataset" else list(dict.fromkeys(rows.dataset))
    return {
        (ratio, name, i): _slice(rows, ratio, name, panel)
        for ratio in experiment.ratios
        for name, (i, panel) in itertools.product(names, enumerate(experiment.panels))
    }


@dataclass(frozen=True)
class _Slice:
    """Rows of `Results.rows`, and for each row numbers that say which place of a table it has.

    Attributes
    ----------
    entry, place, at : array
        A number for each row and method of the table; for each of its repeats; for each of its
        points.
    point : array
        A number for each point.
    """

    rows: pd.DataFrame
    entry: Array
    place: Array
    at: Array
    point: Array


def _slice(rows: pd.DataFrame, ratio: float, dataset: str, panel: dict[str, str]) -> _Slice:
    part = rows[(rows.ratio == ratio) & (rows.dataset == dataset if dataset else True)]
    part = in_panel(part, panel)
    if dataset:
        part = part.sort_values("point", kind="stable")
    entry, point = _codes(part, "row", "dataset", "method"), _codes(part, "point")
    return _Slice(part, entry, _joined(entry, _codes(part, "repeat")), _joined(entry, point), point)


def _row_names(results: Results, by: By) -> pd.Series:
    rows, axis = results.rows, results.experiment.axis
    names = [f"{value:g}" for value in rows[axis]] if by == "size" else list(rows.dataset)
    for name in results.swept:
        swept = ("" if _absent(value) else f", {name}={value}" for value in rows[name])
        names = [before + after for before, after in zip(names, swept)]
    return pd.Series(names, index=rows.index, dtype=object)


def _absent(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _per_repeat(some: _Slice, metric: str) -> pd.DataFrame:
    """Return one value per row, method and repeat: the mean along the curve.

    A repeat that has no value at some point of the method's curve is left out: its mean would be
    over other points than that of the other repeats.
    """
    place, point, part = some.place, some.point, some.rows
    known = part[metric].notna().to_numpy()
    broken = _any(known, some.at)[some.at] & ~known
    used = known & ~_any(broken, place)[place]
    if not used.all():
        place, point, part = place[used], point[used], part[used]
    first = ~pd.Series(place).duplicated().to_numpy()
    distinct = ~pd.Series(_joined(place, point)).duplicated().to_numpy()
    values = part.loc[first, ["row", "dataset", "method", "repeat"]].reset_index(drop=True)
    means = part[metric].groupby(place, sort=False).mean()
    points = np.bincount(place[distinct], minlength=1)[place[first]]
    return values.assign(value=means.to_numpy(), points=points)


def _codes(part: pd.DataFrame, *names: str) -> Array:
    """Return a whole number for each row that says which values it has in these columns."""
    codes = np.zeros(len(part), dtype=np.int64)
    for name in names:
        codes = _joined(codes, pd.factorize(part[name])[0])  # far faster than grouping by columns
    return codes


def _joined(codes: Array, others: Array) -> Array:
    """Return one code for each pair of two codes, from 0 on."""
    joined: Array = pd.factorize(codes * (others.max(initial=0) + 2) + others)[0]
    return joined


def _any(marks: Array, codes: Array) -> Array:
    """Return for each code whether any of its rows is marked."""
    marked: Array = np.bincount(codes[marks], minlength=codes.max(initial=0) + 1) > 0
    return marked


def _means(values: pd.DataFrame) -> pd.DataFrame:
    """Return for each row and method the mean and the deviation over repeats."""
    entry = _codes(values, "row", "dataset", "method")
    names = values.loc[~pd.Series(entry).duplicated().to_numpy(), ["row", "dataset", "method"]]
    value = values.value.groupby(entry, sort=False)
    return names.reset_index(drop=True).assign(
        mean=value.mean().to_numpy(),
        std=value.std().to_numpy(),
        count=value.count().to_numpy(),
        points=values.points.groupby(entry, sort=False).max().to_numpy(),
    )


def _summarise(part: _Part, larger: bool, results: Results) -> pd.DataFrame:
    """Compute means and deviations over repeats, ranks, and which values are shown bold."""
    values, entries = part.values, part.means.copy()
    ranked, splits, shared_rows = results.ranked, splits_of(results), overlap(results)
    compared: dict[Any, float] = {}
    even: dict[str, bool] = {}
    best: dict[Any, bool] = {}
    for row, methods, wide in _wide(values):
        keys = [(row, method) for method in methods]
        shown = [method in ranked for method in methods]
        shared = wide[:, shown][~np.isnan(wide[:, shown]).any(axis=1)]
        if len(shared):
            compared |= zip([key for key, is_ in zip(keys, shown) if is_], shared.mean(axis=0))
        even[row] = not np.isnan(wide).any()
        best |= zip(keys, _best(wide, larger, [splits[name] for name in methods], shared_rows))
    keys = list(zip(entries.row, entries.method))
    entries["compared"] = [compared.get(key, math.nan) for key in keys]
    entries["even"] = [even[row] for row in entries.row]
    place: dict[Any, float] = {}
    rows: dict[str, list[str]] = {}
    for row, method in compared:
        rows.setdefault(row, []).append(method)
    for row, methods in rows.items():
        if len(methods) > 1:  # a single method has no rank
            means = np.array([[compared[row, method] for method in methods]])
            place |= zip([(row, method) for method in methods], ranks_of(means, larger)[0])
    entries["rank"] = [place.get(key, math.nan) for key in keys]
    entries["best"] = [best[key] for key in keys]
    return entries


def _wide(values: pd.DataFrame) -> Iterator[tuple[str, list[str], Array]]:
    """Yield for each row its name, its methods, and their values (repeats by methods)."""
    names, method = np.unique(values.method.to_numpy(str), return_inverse=True)
    repeats, repeat = np.unique(values.repeat, return_inverse=True)
    row, rows = pd.factorize(values.row)
    cube = np.full((len(rows), len(repeats), len(names)), np.nan)
    cube[row, repeat, method] = values.value
    for name, wide in zip(rows, cube):
        known = ~np.isnan(wide)
        yield name, list(names[known.any(axis=0)]), wide[known.any(axis=1)][:, known.any(axis=0)]


def _best(wide: Array, larger: bool, splits: list[str], overlap: float) -> list[bool]:
    """Return which methods are shown bold: the best, and those that a test does not tell from it.

    `wide` has repeats in rows and methods in columns. The best method is compared with each other
    one by a t-test over the repeats, corrected for overlapping training parts and, by Holm, for the
    number of methods. Bold values are the first ones by rank, without a gap. None is bold with
    fewer than `FEWEST_REPEATS` repeats, if the repeats differ, or if there is only one method.
    """
    bold = [False] * wide.shape[1]
    if wide.shape[1] < 2 or len(wide) < FEWEST_REPEATS or np.isnan(wide).any():
        return bold
    means = wide.mean(axis=0)
    first, *others = (int(i) for i in np.argsort(-means if larger else means, kind="stable"))
    bold[first] = True
    found = [_p(wide[:, first], wide[:, i], splits[first] == splits[i], overlap) for i in others]
    for i, p in zip(others, stats.holm(found)):
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


def _with_printed(
    entries: pd.DataFrame, printed: pd.DataFrame, ratio: float, columns: dict[str, str]
) -> pd.DataFrame:
    near = printed[(printed.missing_ratio - ratio).abs() < 1e-9]
    places = zip(near.dataset, near.method)
    on_paper = dict(zip(places, zip(near["mean"].tolist(), near["std"].tolist())))
    none = (math.nan, math.nan)
    both = [
        on_paper.get((dataset, columns.get(method)), none)
        for dataset, method in zip(entries.dataset, entries.method)
    ]
    entries["printed"] = [mean for mean, _ in both]
    entries["printed_std"] = [std for _, std in both]
    entries["gap"] = entries["mean"] - entries["printed"]
    return entries


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
