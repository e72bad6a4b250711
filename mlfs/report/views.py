"""What curves show: which rows belong to which panel and line, and what they run along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from .. import papers
from ..protocols.choice import setting
from .results import Results

_PRINTED = ["dataset", "ratio", "line", "value"]
_NAMES = {
    "ratio": "share of labels hidden",
    "n_features": "features kept",
    "n_bought": "labels bought",
    "hamming_loss": "Hamming loss",
}


@dataclass(frozen=True)
class View:
    """One figure of curves.

    Attributes
    ----------
    name : str
        curve, ratio or sweep, and the swept parameter.
    metric : str
    x : str
        The column to draw along: the protocol's axis, the ratio, or a swept parameter.
    rows : DataFrame
        As in `Results`, and a column `line` that says which line they belong to; where a repeat
        has several rows at a point of a line, their mean comes first.
    lines : list of str
        In the order of the legend.
    keys : list of str
        The columns beyond the dataset that have a panel for each value.
    printed : DataFrame
        What the paper prints: dataset, ratio, line and value; each is compared with the mean
        along a curve.
    """

    name: str
    metric: str
    x: str
    rows: pd.DataFrame
    lines: list[str]
    keys: list[str]
    printed: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=_PRINTED))


def drawable(results: Results) -> Results:
    """Return the same results with swept values that are no numbers as texts."""
    swept = [name for name in results.swept if name in results.rows]
    columns = {name: results.rows[name].map(_plain) for name in swept}
    return replace(results, rows=results.rows.assign(**columns))


def views(results: Results, metric: str) -> Iterator[View]:
    """Every figure of curves that drawable results allow for a metric."""
    axis = results.experiment.axis
    known = results.rows.dropna(subset=metric)
    printed = _printed(results, metric)
    for swept, rows, lines, keys in _compared(results, known):
        suffix = f"_{swept}" if swept else ""
        if axis and axis in rows and rows.groupby(["dataset", "line"])[axis].nunique().max() > 2:
            yield View(f"curve{suffix}", metric, axis, rows, lines, ["ratio", *keys], printed)
        if rows.ratio.nunique() > 2:
            yield View(f"ratio{suffix}", metric, "ratio", rows, lines, keys, printed)
        if swept:
            by_method = rows.assign(line=rows.method)
            yield View(f"sweep{suffix}", metric, swept, by_method, results.methods, ["ratio"])


def _printed(results: Results, metric: str) -> pd.DataFrame:
    """Return what the paper prints of a metric in the tables that the results belong to."""
    experiment = results.experiment
    if not experiment.paper or not experiment.tables or results.swept:
        return pd.DataFrame(columns=_PRINTED)
    cells = papers.paper(experiment.paper).printed(experiment.tables)
    lines = {column: head for head, column in results.printed.items() if head in results.ranked}
    cells = cells[(cells.metric == metric) & cells.method.isin(list(lines))]
    found = {"dataset": cells.dataset, "ratio": cells.missing_ratio, "value": cells["mean"]}
    return pd.DataFrame(found | {"line": cells.method.map(lines)})


def _compared(
    results: Results, rows: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame, list[str], list[str]]]:
    """Return what curves compare: the methods, or in a sweep its values, for each swept parameter.

    Gives the swept parameter or an empty text, the rows with a column `line`, the lines in order,
    and the columns beyond dataset and ratio that need a panel for each value.
    """
    if not results.swept:
        yield "", rows.assign(line=rows.method), results.methods, []
    for name in results.swept:
        if name in rows:  # each is swept on its own: its rows have no value of the others
            order = [_plain(value) for value in results.experiment.vary[name]]
            place = rows[name].dropna().map(order.index).sort_values(kind="stable")
            part = rows.loc[place.index]
            part = part.assign(line=part[name].map(lambda value, name=name: setting(name, value)))
            keys = ["method"] if len(results.methods) > 1 else []
            yield name, part, list(dict.fromkeys(part.line)), keys


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float) else str(value)


def parts(rows: pd.DataFrame, keys: Sequence[str]) -> list[tuple[str, pd.DataFrame]]:
    """Split rows by dataset and `keys`, each part under a title that says which rows it holds.

    A figure takes everything that its experiment varies into `keys` or onto its x axis: what is
    in neither would be pooled without a word.
    """
    masked = bool((rows.ratio > 0).any())
    found = []
    for values, part in rows.groupby(["dataset", *keys], sort=False, dropna=False):
        texts = [_text(key, value, masked) for key, value in zip(["dataset", *keys], values)]
        found.append((", ".join(text for text in texts if text), part))
    return found


def _text(key: str, value: Any, masked: bool) -> str:
    if pd.isna(value):  # a parameter that is not swept in these rows
        return ""
    if key == "ratio":
        return f"{100 * value:g} % hidden" if masked else ""
    return str(value) if key in ("dataset", "method") else setting(key, value)


def is_number(value: Any) -> bool:
    """Whether a value has a place on an axis."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def line(rows: pd.DataFrame, x: str, metric: str) -> pd.DataFrame:
    """Mean, deviation and number of repeats at each `x`, of the rows of one line."""
    of_repeat = rows.groupby([x, "repeat"], sort=False)[metric].mean().reset_index()
    return of_repeat.groupby(x, sort=False)[metric].agg(["mean", "std", "count"])


def means(view: View) -> pd.DataFrame:
    """Mean, deviation and number of repeats of every point of a view, as `line` has them of one.

    The rows keep the columns by which `parts` splits them, and `line`.
    """
    point = list(dict.fromkeys(["dataset", *view.keys, "line", view.x]))
    grouped = view.rows.groupby([*point, "repeat"], sort=False, dropna=False)
    of_repeat = grouped[view.metric].mean().reset_index()
    found = of_repeat.groupby(point, sort=False, dropna=False)[view.metric]
    return found.agg(["mean", "std", "count"]).reset_index()


def caption(view: View, counts: Sequence[int]) -> str:
    """Return what the points of a figure are means of, given the numbers of repeats behind them."""
    columns = list(dict.fromkeys(["dataset", "repeat", "line", view.x, *view.keys]))
    averaged = int(view.rows.groupby(columns, dropna=False).size().max()) > 1
    low, high = min(counts), max(counts)
    if high == 1:
        return "one repeat" + (", the mean along its curve" if averaged else "")
    repeats = f"{high} repeats" if low == high else f"{low} to {high} repeats"
    curve = ", each the mean along its curve" if averaged else ""
    return f"mean of {repeats}{curve}"


def axis_name(column: str) -> str:
    """Return what a column of the rows is called beside an axis, in words."""
    return _NAMES.get(column, column.replace("_", " "))


def changes(results: Results) -> dict[str, list[list[float]]]:
    """Return the changes per iteration of cells, by dataset and ratio, a list per repeat.

    They are of interest where an experiment has but one method and sweeps nothing.
    """
    if len(results.methods) > 1 or results.swept:
        return {}
    cells = pd.DataFrame(
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
    return {title: list(part.change) for title, part in parts(cells, ["ratio"])}
