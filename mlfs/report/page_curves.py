"""The curves of the page: every view of an experiment as panels of lines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pandas as pd
from markupsafe import Markup

from .. import papers
from . import svg_curves as svg
from .results import Results
from .views import View, axis_name, caption, changes, drawable, is_number, means, parts, views

PANELS = 24  # most panels of one figure: readers cannot compare more
_POINTS = 60  # most points of one line: of more, only some are drawn


@dataclass(frozen=True)
class Figure:
    """Panels that share a legend.

    Attributes
    ----------
    legend : list of (int, str)
        Number and name of each line.
    left_out : int
        The number of panels that are not drawn.
    points : int
        The number of points that are drawn.
    """

    title: str
    caption: str
    legend: list[tuple[int, str]]
    panels: list[tuple[str, Markup]]
    left_out: int
    points: int


def figures(results: Results) -> Iterator[Figure]:
    """Yield every figure of curves that the results have data for."""
    if results.rows.empty:
        return
    results = drawable(results)
    own = papers.own_method(results.experiment)
    for metric in results.experiment.metrics:
        if metric in results.rows and results.rows[metric].notna().any():
            for view in views(results, metric):
                yield figure(replace(view, rows=view.rows.dropna(subset=[view.x, metric])), own)
    found = {
        name: [[value for value in run if value > 0] for run in runs]
        for name, runs in changes(results).items()
    }
    if any(run for runs in found.values() for run in runs):
        yield _convergence(found)


def _convergence(found: dict[str, list[list[float]]]) -> Figure:
    """Draw the change of a method's solution by iteration, with a line for each repeat."""
    lines = [
        svg.Line(name, [float(i + 1) for i in range(len(run))], run, [math.nan] * len(run), place)
        for place, (name, runs) in enumerate(found.items())
        for run in runs
    ]
    panel = svg.Panel("", "iteration", "change of the solution", lines, decades=True)
    points = sum(len(line.x) for line in lines)
    legend = list(enumerate(found))
    title = "change of the solution by iteration"
    return Figure(title, "a line for each repeat", legend, [("", svg.curves(panel))], 0, points)


def figure(view: View, own: str = "") -> Figure:
    """Draw one view; the line `own` is highlighted."""
    shown = parts(means(view), view.keys)
    made = [
        (str(part.dataset.iloc[0]), _panel(view, own, title, part))
        for title, part in shown[:PANELS]
    ]
    panels = _same_height(made)
    counts = [int(count) for _, part in shown[:PANELS] for count in part["count"]]
    drawn = {one.number: one.name for panel in panels for one in panel.lines}
    x, y = axis_name(view.x), axis_name(view.metric)
    return Figure(
        title=f"{y} by {x}",
        caption=caption(view, counts) + _spread(view, counts) + _squares(panels),
        legend=sorted(drawn.items()),
        panels=[(panel.title, svg.curves(panel)) for panel in panels],
        left_out=len(shown) - len(panels),
        points=sum(len(one.x) for panel in panels for one in panel.lines),
    )


def _squares(panels: list[svg.Panel]) -> str:
    shown = any(one.printed for panel in panels for one in panel.lines)
    return "; squares: the printed values" if shown else ""


def _spread(view: View, counts: list[int]) -> str:
    """Say how the deviation over repeats is shown."""
    if max(counts) == 1:
        return ""
    few = svg.banded(len(view.lines))
    return f", {'band' if few else 'at each point'} ± one standard deviation"


def _panel(view: View, own: str, title: str, part: pd.DataFrame) -> svg.Panel:
    """Return one panel, given the means of its points."""
    values = list(dict.fromkeys(part[view.x]))
    numeric = all(is_number(value) for value in values)
    ticks = () if numeric else tuple(str(value) for value in values)
    place = float if numeric else values.index
    part = part.assign(at=[place(value) for value in part[view.x]])
    of = dict(list(part.groupby("line", sort=False)))
    lines = []
    for number, name in enumerate(view.lines):
        if name in of:
            mine = _thinned(of[name].sort_values("at"))
            x = [float(value) for value in mine["at"]]
            mean, std = list(mine["mean"]), list(mine["std"])
            there = _printed(view, str(part.dataset.iloc[0]), name)
            lines.append(svg.Line(name, x, mean, std, number, name == own, there))
    return svg.Panel(title, axis_name(view.x), axis_name(view.metric), lines, ticks=ticks)


def _printed(view: View, dataset: str, name: str) -> tuple[tuple[float, float], ...]:
    """Return the printed values along the ratio; a printed mean over sizes cannot be drawn."""
    if view.x != "ratio":
        return ()
    cells = view.printed[(view.printed.dataset == dataset) & (view.printed.line == name)]
    return tuple(zip(map(float, cells.ratio), map(float, cells.value)))


def _thinned(line: pd.DataFrame) -> pd.DataFrame:
    step = math.ceil((len(line) - 1) / (_POINTS - 1)) if len(line) > _POINTS else 1
    keep = sorted({*range(0, len(line), step), len(line) - 1})
    return line.iloc[keep]


def _same_height(panels: list[tuple[str, svg.Panel]]) -> list[svg.Panel]:
    """Use one y axis for the panels of a dataset, so that they can be compared."""
    made = []
    for name, panel in panels:
        ends = [svg.extent(other.lines) for its, other in panels if its == name]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        made.append(replace(panel, low=low, high=high))
    return made
