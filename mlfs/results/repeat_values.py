"""The value of every repeat in the tables of results: the mean along its curve.

They are in arrays, and are computed once: a report needs them for tables, comparisons with papers
and claims.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..types import Array
from .read import Results, in_panel

By = Literal["dataset", "size"]  # what the rows of tables are
_NAMES = ("row", "dataset", "method")


@dataclass(frozen=True)
class RepeatValues:
    """One value per row, method and repeat, in arrays: frames of few rows take far longer.

    Attributes
    ----------
    row, dataset, method : array of str
        The row and the method of the table, and the dataset.
    repeat : array of int
        The repeat.
    value : array of float
        The mean of its curve.
    points : array of int
        Over how many points.
    """

    row: Array
    dataset: Array
    method: Array
    repeat: Array
    value: Array
    points: Array


@dataclass(frozen=True)
class TablePart:
    """The results of one table: its rows of `Results.rows`, and a value for each repeat."""

    metric: str
    ratio: float
    dataset: str  # the only one of a table whose rows are sizes
    panel: dict[str, str]
    rows: pd.DataFrame
    values: RepeatValues

    @cached_property
    def means(self) -> pd.DataFrame:
        """For each row and method the mean and the deviation over repeats."""
        return _means(self.values)


def table_parts(results: Results, metrics: list[str], by: By) -> Iterator[TablePart]:
    """Yield the parts of some metrics; they are computed once, since a report needs them often."""
    kept = results.computed.setdefault(("parts", by), {})
    for metric in metrics:
        if metric not in kept:
            kept[metric] = list(_parts_of(results, metric, by))
        yield from kept[metric]


def _parts_of(results: Results, metric: str, by: By) -> Iterator[TablePart]:
    if ("slices", by) not in results.computed:
        results.computed["slices", by] = _slices(results, by)
    if metric in results.rows:
        for (ratio, name, i), some in results.computed["slices", by].items():
            values = _per_repeat(some, metric)
            if len(values.value):
                panel = results.experiment.panels[i]
                yield TablePart(metric, ratio, name, panel, some.rows, values)


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
    columns = {name: part[name].to_numpy() for name in (*_NAMES, "repeat", "point")}
    entry, point = codes_of(*(columns[name] for name in _NAMES)), codes_of(columns["point"])
    place = _joined(entry, codes_of(columns["repeat"]))
    return _Slice(part, entry, place, _joined(entry, point), point)


def _row_names(results: Results, by: By) -> pd.Series:
    rows, axis = results.rows, results.experiment.axis
    names = [f"{value:g}" for value in rows[axis]] if by == "size" else list(rows.dataset)
    for name in results.swept:
        swept = ("" if _absent(value) else f", {name}={value}" for value in rows[name])
        names = [before + after for before, after in zip(names, swept)]
    return pd.Series(names, index=rows.index, dtype=object)


def _absent(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _per_repeat(some: _Slice, metric: str) -> RepeatValues:
    """Return one value per row, method and repeat: the mean along the curve.

    A repeat that has no value at some point of the method's curve is left out: its mean would be
    over other points than that of the other repeats.
    """
    place, point, scores = some.place, some.point, some.rows[metric].to_numpy(float)
    known = ~np.isnan(scores)
    rows = slice(None)
    if not known.all():
        broken = _any(known, some.at)[some.at] & ~known
        rows = known & ~_any(broken, place)[place]
        place, point, scores = place[rows], point[rows], scores[rows]
    place, first = in_order(place)
    _, apart = in_order(_joined(place, point))
    row, dataset, method, repeat = (
        some.rows[name].to_numpy()[rows][first] for name in (*_NAMES, "repeat")
    )
    means = scores
    if len(first) < len(scores):
        means = pd.Series(scores).groupby(place).mean().to_numpy()
    return RepeatValues(
        row, dataset, method, repeat, means, np.bincount(place[apart], minlength=len(first))
    )


def in_order(codes: Array) -> tuple[Array, Array]:
    """Return codes that count from 0 in the order of their first places, and these places."""
    _, first, codes = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[codes], first[order]


def codes_of(*columns: Array) -> Array:
    """Return a whole number for each place that says which values it has in these columns."""
    codes = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        codes = _joined(codes, pd.factorize(column)[0])  # far faster than grouping by columns
    return codes


def _joined(codes: Array, others: Array) -> Array:
    """Return one code for each pair of two codes, from 0 on."""
    joined: Array = pd.factorize(codes * (others.max(initial=0) + 2) + others)[0]
    return joined


def _any(marks: Array, codes: Array) -> Array:
    """Return for each code whether any of its rows is marked."""
    marked: Array = np.bincount(codes[marks], minlength=codes.max(initial=0) + 1) > 0
    return marked


def _means(values: RepeatValues) -> pd.DataFrame:
    """Return for each row and method the mean and the deviation over repeats."""
    names = (values.row, values.dataset, values.method)
    entry, first = in_order(codes_of(*names))
    value = pd.Series(values.value).groupby(entry)
    points = np.zeros(len(first), dtype=np.int64)
    np.maximum.at(points, entry, values.points)
    return _frame(
        dict(zip(_NAMES, (name[first] for name in names))),
        mean=value.mean().to_numpy(),
        std=value.std().to_numpy(),
        count=np.bincount(entry),
        points=points,
    )


def _frame(names: dict[str, Array], **columns: Any) -> pd.DataFrame:
    """Return a frame whose names stay plain objects: pandas' own type of texts is far slower."""
    texts = {name: pd.Series(column, dtype=object) for name, column in names.items()}
    return pd.DataFrame({**texts, **columns})


def wide_rows(values: RepeatValues) -> Iterator[tuple[str, list[str], Array]]:
    """Yield for each row its name, its methods, and their values (repeats by methods)."""
    names, method = np.unique(values.method.astype(str), return_inverse=True)
    repeats, repeat = np.unique(values.repeat, return_inverse=True)
    row, rows = pd.factorize(values.row)
    cube = np.full((len(rows), len(repeats), len(names)), np.nan)
    cube[row, repeat, method] = values.value
    for name, wide in zip(rows, cube):
        known = ~np.isnan(wide)
        here = known.any(axis=0)
        yield name, names[here].tolist(), wide[known.any(axis=1)][:, here]
