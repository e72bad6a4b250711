"""Decide what curves show: the rows of each panel and line, and the x axis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ... import papers
from ...protocols.experiment.masks import asked
from ...protocols.experiment.method_choice import setting
from ...results.read import Results
from ...results.repeat_values import codes_of, in_order
from ...types import Array

_PRINTED = ["dataset", "ratio", "line", "value"]
_NAMES = {
    "ratio": "share of labels hidden",
    "n_features": "features kept",
    "n_bought": "labels bought",
    "hamming_loss": "Hamming loss",
    "n_neighbors": "number of neighbours",
}
_SYMBOLS = {
    "lam": "λ",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "eps": "ε",
    "eta": "η",
    "theta": "θ",
    "mu": "μ",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
}


@dataclass(frozen=True)
class View:
    """One figure of curves.

    Attributes
    ----------
    name : str
        "curve", "ratio", or "sweep" with the swept parameter.
    metric : str
    x : str
        The column to draw along: the protocol's axis, the ratio, or a swept parameter.
    rows : DataFrame
        The rows of `Results`, with a column `line` that says which line they belong to. If a
        repeat has several rows at a point of a line, they are averaged first.
    lines : list of str
        The lines, in the order of the legend.
    keys : list of str
        The columns that, like the dataset, have a panel for each value.
    printed : DataFrame
        The printed values: dataset, ratio, line and value. Each is compared with the mean along
        a curve.
    """

    name: str
    metric: str
    x: str
    rows: pd.DataFrame
    lines: list[str]
    keys: list[str]
    printed: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=_PRINTED))


def drawable(results: Results) -> Results:
    """Return the same results, with swept values that are not numbers turned into texts."""
    swept = [name for name in results.swept if name in results.rows]
    columns = {name: results.rows[name].map(_plain) for name in swept}
    return results.with_rows(results.rows.assign(**columns))


def views(results: Results, metric: str) -> Iterator[View]:
    """Yield every figure of curves that drawable results have data for, for one metric."""
    axis = results.experiment.axis
    scored = known(results.rows, metric)
    printed = _printed(results, metric)
    shared = [name for name in results.experiment.panels[0] if name in scored]
    for swept, rows, lines, own in _compared(results, scored):
        keys = [*own, *shared]
        suffix = f"_{swept}" if swept else ""
        if axis and axis in rows and _points(rows, axis) > 2:
            yield View(f"curve{suffix}", metric, axis, rows, lines, ["ratio", *keys], printed)
        if rows.ratio.nunique() > 1:
            yield View(f"ratio{suffix}", metric, "ratio", rows, lines, keys, printed)
        if swept:
            by_method = rows.assign(line=rows.method)
            yield View(
                f"sweep{suffix}", metric, swept, by_method, results.methods, ["ratio", *shared]
            )


def known(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Return the rows that have a value in all these columns."""
    there = np.logical_and.reduce([rows[name].notna().to_numpy() for name in columns])
    return rows if there.all() else rows[there]


def _points(rows: pd.DataFrame, axis: str) -> int:
    """Return the largest number of points that a line of a dataset has."""
    rows = known(rows, axis)
    if rows.empty:
        return 0
    first = in_order(_codes(rows, ["dataset", "line", axis]))[1]
    return int(np.bincount(_codes(rows, ["dataset", "line"])[first]).max())


def _codes(rows: pd.DataFrame, names: Sequence[str]) -> Array:
    return codes_of(*(rows[name].to_numpy() for name in names))


def _printed(results: Results, metric: str) -> pd.DataFrame:
    """Return the values of a metric in the printed tables that the results belong to."""
    experiment = results.experiment
    if not experiment.paper or not experiment.tables or results.swept:
        return pd.DataFrame(columns=_PRINTED)
    printed = papers.paper(experiment.paper).printed(experiment.tables)
    lines = {column: head for head, column in results.printed.items() if head in results.ranked}
    printed = printed[(printed.metric == metric) & printed.method.isin(list(lines))]
    columns = {"dataset": printed.dataset, "ratio": printed.missing_ratio, "value": printed["mean"]}
    return pd.DataFrame(columns | {"line": printed.method.map(lines)})


def _compared(
    results: Results, rows: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame, list[str], list[str]]]:
    """Yield what the lines of curves are: the methods or, for each swept parameter, its values.

    Yields the swept parameter or an empty text, the rows with a column `line`, the lines in order,
    and the columns (without dataset and ratio) that need a panel for each value.
    """
    if not results.swept:
        yield "", rows.assign(line=rows.method), results.methods, []
    for name in results.swept:
        if name in rows:  # parameters are swept one at a time: rows of others have no value
            order = [_plain(value) for value in results.experiment.vary[name]]
            place = rows[name].dropna().map(order.index).sort_values(kind="stable")
            part = rows.loc[place.index]
            part = part.assign(line=part[name].map(lambda value, name=name: _setting(name, value)))
            keys = ["method"] if len(results.methods) > 1 else []
            yield name, part, list(dict.fromkeys(part.line)), keys


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float) else str(value)


def parts(rows: pd.DataFrame, keys: Sequence[str]) -> list[tuple[str, pd.DataFrame]]:
    """Split rows by dataset and `keys`, each part under a title that says which rows it holds.

    Everything that an experiment varies must be in `keys` or on the x axis of the figure:
    otherwise different results would be averaged silently.
    """
    masked = bool((rows.ratio > 0).any())
    names = ["dataset", *keys]
    code, first = in_order(_codes(rows, names))
    split = []
    for place, values in enumerate(zip(*(rows[name].iloc[first] for name in names))):
        texts = [_text(key, value, masked) for key, value in zip(names, values)]
        split.append((", ".join(text for text in texts if text), rows[code == place]))
    return split


def _text(key: str, value: Any, masked: bool) -> str:
    if pd.isna(value):  # a parameter that is not swept in these rows
        return ""
    if key == "ratio":
        return asked(value) if masked else ""
    if key == "train_on":
        return f"trained on {value} labels"
    return str(value) if key in ("dataset", "method", "classifier") else _setting(key, value)


def _setting(name: str, value: Any) -> str:
    """Return a swept parameter and its value, with the symbol of the parameter."""
    symbol = axis_name(name)
    return setting(name if symbol.isascii() else symbol, value)


def is_number(value: Any) -> bool:
    """Return whether a value is a number that can be drawn on an axis."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def means(view: View) -> pd.DataFrame:
    """Return mean, deviation and number of repeats at every point of all lines of a view.

    The rows keep the columns by which `parts` splits them, and `line`.
    """
    names = list(dict.fromkeys(["dataset", *view.keys, "line", view.x]))
    rows, scores = view.rows, view.rows[view.metric].to_numpy(float)
    point, first = in_order(_codes(rows, names))
    repeat, of_repeat = in_order(_codes(rows, [*names, "repeat"]))
    if len(of_repeat) < len(scores):
        scores = pd.Series(scores).groupby(repeat).mean().to_numpy()
    of_point = pd.Series(scores).groupby(point[of_repeat])
    return (
        rows[names]
        .iloc[first]
        .assign(
            mean=of_point.mean().to_numpy(),
            std=of_point.std().to_numpy(),
            count=of_point.count().to_numpy(),
        )
    )


def caption(view: View, counts: Sequence[int]) -> str:
    """Say what the points of a figure are means of, given their numbers of repeats."""
    columns = list(dict.fromkeys(["dataset", "repeat", "line", view.x, *view.keys]))
    averaged = len(in_order(_codes(view.rows, columns))[1]) < len(view.rows)
    low, high = min(counts), max(counts)
    if high == 1:
        return "one repeat" + (", the mean along its curve" if averaged else "")
    repeats = f"{high} repeats" if low == high else f"{low} to {high} repeats"
    curve = ", each the mean along its curve" if averaged else ""
    return f"mean of {repeats}{curve}"


def axis_name(column: str) -> str:
    """Return the name of a column in words or symbols, for an axis: "λ1", not "lam1"."""
    if column in _NAMES:
        return _NAMES[column]
    stem, number = re.fullmatch(r"(.*?)(\d*)", column).groups()  # type: ignore[union-attr]
    if stem in _SYMBOLS:
        return _SYMBOLS[stem] + number
    words = column.removeprefix("n_").replace("_", " ")
    return f"number of {words}" if column.startswith("n_") else words


def changes(results: Results) -> dict[str, list[list[float]]]:
    """Return the changes per iteration, by dataset and ratio, with a list for each repeat.

    There are none if the experiment has several methods or sweeps a parameter.
    """
    if len(results.methods) > 1 or results.swept:
        return {}
    rows = pd.DataFrame(
        [
            {
                "dataset": planned.series.cell.data.name,
                "ratio": planned.series.cell.settings.ratio,
                "change": record.info["change"],
            }
            for planned, record in results.records
            if "change" in record.info
        ],
        columns=["dataset", "ratio", "change"],
    )
    return {title: list(part.change) for title, part in parts(rows, ["ratio"])}
