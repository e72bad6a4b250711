"""Lay out scores against the seconds that methods need: a mark for each method."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pandas as pd

from ... import papers
from ...results.read import Results
from ..tables.metric_facts import directions
from .axes import Axis, y_axis
from .curves import ALL, CurveFigure, Limits, Line, Panel
from .drawing import decades
from .looks import looks
from .views import axis_name, parts


def figures(
    results: Results, metrics: Sequence[str] = (), limits: Limits = ALL
) -> Iterator[CurveFigure]:
    """Yield for each metric the scores of methods against the processor seconds of their cells.

    A mark is the mean over repeats. The score of a repeat is the mean along its curve.
    """
    rows = _with_seconds(results)
    own = papers.own_method(results.experiment)
    look = looks(results.methods, own)
    keys = ["ratio", *(name for name in results.experiment.panels[0] if name in rows)]
    for metric in metrics or results.experiment.metrics:
        if metric not in rows or rows[metric].isna().all():
            continue
        panels = []
        for title, part in parts(rows.dropna(subset=[metric, "cell_seconds"]), keys):
            lines = []
            for name in results.methods:
                mine = part[part.method == name].groupby("repeat")[[metric, "cell_seconds"]].mean()
                if len(mine):
                    std = float(mine[metric].std()) if limits.deviations else math.nan
                    x = [max(float(mine.cell_seconds.mean()), 1e-3)]
                    lines.append(Line(name, look[name], x, [float(mine[metric].mean())], [std]))
            if lines:
                axis = y_axis(metric, lines)
                panels.append(Panel(title, str(part.dataset.iloc[0]), _x_axis(lines), axis, lines))
        if panels:
            yield _figure(metric, panels[: limits.panels or None], results.methods)


def _figure(metric: str, panels: list[Panel], methods: Sequence[str]) -> CurveFigure:
    looks_of = {line.name: line.look for panel in panels for line in panel.lines}
    better = directions().get(metric)
    text = "mean of all repeats; seconds of one processor for a cell, with tuning"
    if better is not None:
        text += f"; {'higher' if better else 'lower'} is better, and left is faster"
    return CurveFigure(
        name=f"seconds_{metric}",
        title=f"{axis_name(metric)} by seconds",
        caption=text,
        legend=[(name, looks_of[name]) for name in methods if name in looks_of],
        panels=panels,
    )


def _x_axis(lines: Sequence[Line]) -> Axis:
    times = [line.x[0] for line in lines]
    low, high = min(times) / 1.6, max(times) * 1.6
    ticks = decades(low, high)
    if len(ticks) < 2:  # a narrow range: name its ends
        ticks = [float(f"{time:.2g}") for time in (min(times), max(times))]
    shown = [(at, f"{at:g}") for at in dict.fromkeys(ticks)]
    return Axis("seconds", low, high, shown, log=True)


def _with_seconds(results: Results) -> pd.DataFrame:
    """Return the rows of results with the seconds of their cells, as `cell_seconds`."""
    headings = results.methods
    spent = [
        {
            "dataset": planned.series.cell.data.name,
            "ratio": planned.series.cell.settings.ratio,
            "repeat": planned.repeat,
            "method": headings[planned.column],
            "cell_seconds": sum(record.seconds.values()),
        }
        for planned, record in results.records
        if record.seconds
    ]
    keys = ["dataset", "ratio", "repeat", "method"]
    frame = pd.DataFrame(spent, columns=[*keys, "cell_seconds"])
    means = frame.groupby(keys, as_index=False)["cell_seconds"].mean()
    return results.rows.merge(means, on=keys, how="inner")
