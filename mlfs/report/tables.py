"""Make tables like those of the papers: means, deviations, ranks, bold and printed values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from .. import papers, stats
from ..types import Array
from .basis import describe
from .results import Results

LEVEL = 0.05  # significance level of every test
By = Literal["dataset", "size"]


@dataclass(frozen=True)
class Table:
    """One metric at one missing ratio.

    Attributes
    ----------
    cells : DataFrame
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
    """

    experiment: str
    metric: str
    ratio: float
    cells: pd.DataFrame
    rows: list[str]
    methods: list[str]
    ranked: list[str]
    larger_is_better: bool
    basis: str = ""
    control: str | None = None
    heading: str = "dataset"
    dataset: str = ""

    @property
    def title(self) -> str:
        """The experiment, the metric and the share of hidden labels."""
        better = "higher" if self.larger_is_better else "lower"
        hidden = f", {self.ratio:.0%} of the labels hidden" if self.ratio else ""
        metric = self.metric.replace("_", " ")
        place = f", {self.dataset}" if self.dataset else ""
        return f"{self.experiment}{place}: {metric} ({better} is better){hidden}"

    @property
    def caption(self) -> str:
        """The title, and what the values are means of."""
        return f"{self.title}; {self.basis}" if self.basis else self.title

    @property
    def uneven(self) -> list[str]:
        """Rows whose methods have different repeats."""
        marked = set(self.cells.row[~self.cells.even])
        return [row for row in self.rows if row in marked]

    def means(self) -> pd.DataFrame:
        """Return the means of the ranked methods over the repeats that all of them have."""
        wide = self.cells.pivot(index="row", columns="method", values="compared")
        return wide.reindex(index=self.rows, columns=self.ranked)


def make_tables(
    results: Results, metrics: list[str] | None = None, by: By = "dataset"
) -> list[Table]:
    """Build one table for every metric and missing ratio of an experiment.

    With ``by="size"`` there is a table for every dataset, too, and its rows are the points of the
    curves. An experiment without curves has no such table.
    """
    experiment, axis = results.experiment, results.experiment.axis
    curves = axis is not None and axis in results.rows
    if by == "size" and not curves:
        return []
    rows = results.rows.assign(row=_row_names(results, by))
    printed = None
    if experiment.paper and experiment.tables and by == "dataset":
        printed = papers.paper(experiment.paper).printed(experiment.tables)
    names = [""] if by == "dataset" else list(dict.fromkeys(rows.dataset))
    tables = []
    for metric in metrics or experiment.metrics:
        for ratio in experiment.ratios:
            for name in names:
                if metric not in rows:
                    continue
                part = rows[(rows.ratio == ratio) & (rows.dataset == name if name else True)]
                part = part.assign(point=part[axis] if curves else 0.0)
                if name:
                    part = part.sort_values("point", kind="stable")
                values = _per_repeat(part, metric)
                if values.empty:
                    continue
                larger = experiment.scores[metric]
                cells = _summarise(values, larger, results.ranked)
                if printed is not None:
                    near = printed[printed.metric == metric]
                    cells = _with_printed(cells, near, ratio, results.printed)
                tables.append(
                    Table(
                        experiment.name,
                        metric,
                        ratio,
                        cells,
                        rows=list(dict.fromkeys(cells.row)),
                        methods=results.methods,
                        ranked=results.ranked,
                        larger_is_better=larger,
                        basis=describe(experiment, part[part[metric].notna()], cells, by),
                        control=papers.control(experiment),
                        heading="dataset" if by == "dataset" else str(axis).removeprefix("n_"),
                        dataset=name,
                    )
                )
    return tables


def _row_names(results: Results, by: By) -> pd.Series:
    rows, axis = results.rows, results.experiment.axis
    if by == "size":
        names = rows[axis].map(lambda value: f"{value:g}")
    else:
        names = rows.dataset.astype(str)
    for name in results.swept:
        swept = rows[name].map(
            lambda value, name=name: "" if _absent(value) else f", {name}={value}"
        )
        names = names + swept
    return names


def _absent(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _per_repeat(part: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Return one value per row, method and repeat: the mean along the curve.

    A repeat that has no value at some point of the method's curve is left out: its mean would be
    over other points than that of the other repeats.
    """
    cell, known = ["row", "dataset", "method"], part[metric].notna()
    point = [part[name] for name in (*cell, "point")]
    elsewhere = known.groupby(point, dropna=False).transform("any")
    broken = elsewhere & ~known
    repeat = [part[name] for name in (*cell, "repeat")]
    used = part[known & ~broken.groupby(repeat).transform("any").astype(bool)]
    grouped = used.groupby([*cell, "repeat"], sort=False)
    return grouped.agg(value=(metric, "mean"), points=("point", "nunique")).reset_index()


def _summarise(values: pd.DataFrame, larger: bool, ranked: list[str]) -> pd.DataFrame:
    """Compute means and deviations over repeats, ranks, and which values are shown bold."""
    grouped = values.groupby(["row", "dataset", "method"], sort=False)
    cells = grouped.agg(
        mean=("value", "mean"),
        std=("value", "std"),
        count=("value", "count"),
        points=("points", "max"),
    ).reset_index()
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
        best |= zip(keys, _best(wide, larger))
    keys = list(zip(cells.row, cells.method))
    cells["compared"] = [compared.get(key, math.nan) for key in keys]
    cells["even"] = [even[row] for row in cells.row]
    ranks = stats.rank_rows(cells.pivot(index="row", columns="method", values="compared"), larger)
    ranks = ranks[ranks.notna().sum(axis=1) > 1]  # a single method has no rank
    place = ranks.stack().to_dict()
    cells["rank"] = [place.get(key, math.nan) for key in keys]
    cells["best"] = [best[key] for key in keys]
    return cells


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


def _best(wide: Array, larger: bool) -> list[bool]:
    """Return whether each method is the best or not significantly worse than the best.

    `wide` has repeats in rows and methods in columns. No method is best if the repeats differ, or
    if there is only one method.
    """
    if wide.shape[1] < 2 or np.isnan(wide).any():
        return [False] * wide.shape[1]
    means = wide.mean(axis=0)
    top = wide[:, means.argmax() if larger else means.argmin()]
    return [not _worse(ours, top) for ours in wide.T]


def _worse(ours: Array, best: Array) -> bool:
    """Return whether a paired t-test over the repeats finds a difference."""
    if np.array_equal(ours, best):
        return False
    return len(ours) < 2 or stats.paired_t(ours, best).p < LEVEL


def _with_printed(
    cells: pd.DataFrame, printed: pd.DataFrame, ratio: float, columns: dict[str, str]
) -> pd.DataFrame:
    near = printed[(printed.missing_ratio - ratio).abs() < 1e-9]
    near = near[["dataset", "method", "mean", "std"]]
    near = near.rename(columns={"mean": "printed", "std": "printed_std", "method": "column"})
    cells = cells.assign(column=cells.method.map(columns))
    cells = cells.merge(near, on=["dataset", "column"], how="left").drop(columns="column")
    cells["gap"] = cells["mean"] - cells["printed"]
    return cells


def flat(tables: list[Table]) -> pd.DataFrame:
    """Return all cells of several tables in one long frame."""
    parts = [
        table.cells.assign(experiment=table.experiment, metric=table.metric, ratio=table.ratio)
        for table in tables
    ]
    first = ["experiment", "metric", "ratio", "row", "dataset", "method"]
    whole = pd.concat(parts, ignore_index=True)
    return whole[first + [column for column in whole if column not in first]]
