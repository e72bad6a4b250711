"""Lay out curves: a panel for each dataset and missing ratio, a line for each thing compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

import pandas as pd

from ... import papers
from ...metrics import METRICS
from ...results.read import Results
from ..tables.metric_facts import directions
from ..tables.texts import number
from .axes import (
    BOTTOM,
    HEIGHT,
    LABEL,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axis,
    is_wide,
    with_air,
    x_axis,
    y_axis,
    y_between,
)
from .drawing import Area, Drawing, Mark, Point, Stroke, Text, decades, nice, spread
from .looks import Look, looks
from .views import (
    View,
    axis_name,
    caption,
    changes,
    drawable,
    is_number,
    known,
    means,
    parts,
    views,
)

NAMED = 10  # most lines whose names fit beside a panel
CROWDED = 400  # most lines of a figure that nobody asked for, over all its panels
LONGEST = 13  # most letters of such a name
_HONEST = 0.1  # the least that the y axis of a sweep spans, of a score between 0 and 1
Triple = tuple[float, float, float]  # x, mean and deviation of a point
_FEW = 7  # points: lines with more show deviations as a band, not as bars


@dataclass(frozen=True)
class Line:
    """One line of a panel.

    Attributes
    ----------
    x, mean, std : list of float
        The mean and its deviation (or nan) at every x.
    level : bool
        Whether the line has a single value, such as all features: a level to compare with.
    printed : list of (float, float)
        Values that the paper prints, at their x.
    slope : (float, float), optional
        Our mean along the curve, and the printed one.
    """

    name: str
    look: Look
    x: list[float]
    mean: list[float]
    std: list[float]
    level: bool = False
    printed: list[Point] = field(default_factory=list)
    slope: Point | None = None

    @property
    def around(self) -> str:
        """How deviations are drawn: as "bars", as a "band", or not at all."""
        if not any(std > 0 for std in self.std):
            return ""
        return "bars" if len(self.x) <= _FEW and not self.level else "band"

    @property
    def end(self) -> float:
        """The y at which the line ends, beside its name."""
        return self.slope[1] if self.slope else self.mean[-1]

    def span(self, place: int) -> Point:
        """Return the mean minus and plus one deviation."""
        std = self.std[place] if self.std[place] > 0 else 0.0
        return self.mean[place] - std, self.mean[place] + std


@dataclass(frozen=True)
class Panel:
    """One set of axes; the names of the lines are beside it if there are not too many."""

    title: str
    dataset: str
    x: Axis
    y: Axis
    lines: list[Line]
    named: bool = True

    @property
    def right(self) -> float:
        """Where the lines end."""
        return WIDTH - (LABEL if self.named else RIGHT)

    def drawing(self) -> Drawing:
        """Return the panel as shapes."""
        about = f"{self.y.name} by {self.x.name} of "
        about += ", ".join(dict.fromkeys(line.name for line in self.lines))
        return Drawing(WIDTH, HEIGHT, self.title or self.y.name, about, list(self._shapes()))

    def _shapes(self) -> Iterator[Stroke | Area | Mark | Text]:
        across = self.x.scale(LEFT, self.right)
        up = self.y.scale(HEIGHT - BOTTOM, TOP)
        yield from self._axes(across, up)
        for place, line in enumerate(self.lines):
            if line.level:
                yield from _level(line, up, self.right)
            else:
                aside = 1.2 * (place - (len(self.lines) - 1) / 2)  # so that all bars are seen
                yield from _line(line, across, up, aside, min(0.15, 0.5 / len(self.lines)))
        slopes = [line for line in self.lines if line.slope]
        if slopes:
            yield from self._slopes(slopes, across, up)
        if self.named:
            yield from self._names(up)

    def _axes(
        self, across: Callable[[float], float], up: Callable[[float], float]
    ) -> Iterator[Stroke | Text]:
        bottom = HEIGHT - BOTTOM
        for value, words in self.y.ticks:
            yield Stroke([[(LEFT, up(value)), (self.right, up(value))]], "grid")
            yield Text((LEFT - 6, up(value) + 3.5), words, "tick", "end")
        marks: list[list[Point]] = [
            [(across(at), bottom), (across(at), bottom + 4)] for at, _ in self.x.ticks
        ]
        yield Stroke([[(LEFT, bottom), (self.right, bottom)], *marks], "axis")
        for value, words in self.x.ticks:
            yield Text((across(value), bottom + 15), words, "tick", "middle")
        yield Text(((LEFT + self.right) / 2, HEIGHT - 5), self.x.name, "name", "middle")

    def _slopes(
        self, lines: Sequence[Line], across: Callable[[float], float], up: Callable[[float], float]
    ) -> Iterator[Stroke | Mark]:
        """Draw our mean and the printed value at the right, joined by a line."""
        mean, printed = (across(value) for value, _ in self.x.ticks[-2:])
        apart = mean - 0.4 * (printed - mean)
        yield Stroke([[(apart, TOP), (apart, HEIGHT - BOTTOM)]], "grid")
        for line in lines:
            ours, theirs = line.slope or (math.nan, math.nan)
            yield Stroke([[(mean, up(ours)), (printed, up(theirs))]], "thin", line.look)
            title = f"{line.name}, mean along the curve: {number(ours)}"
            yield Mark((mean, up(ours)), line.look, hollow=False, title=title)
            yield _printed(line, (printed, up(theirs)), theirs)

    def _names(self, up: Callable[[float], float]) -> Iterator[Stroke | Text]:
        """Write the names of lines beside their ends, moved apart so that none overlap."""
        across = self.x.scale(LEFT, self.right)
        ends = sorted(((up(line.end), line) for line in self.lines), key=lambda end: end[0])
        heights = spread([y for y, _ in ends], 12, TOP + 4, HEIGHT - BOTTOM)
        for (y, line), height in zip(ends, heights):
            start = self.right if line.level else across(line.x[-1]) + 4
            if line.slope:
                start = across(self.x.ticks[-1][0]) + 4
            yield Stroke([[(start, y), (self.right + 6, height)]], "lead", line.look)
            words = _shortened(line.name)
            at = (self.right + 8, height + 3.5)
            yield Text(at, words, "tick", strong=line.look.own)


@dataclass(frozen=True)
class CurveFigure:
    """Panels that share a legend.

    Attributes
    ----------
    name : str
        The name of its file.
    legend : list of (str, Look)
        The lines that are drawn.
    left_out : int
        The number of panels that are not laid out.
    """

    name: str
    title: str
    caption: str
    legend: list[tuple[str, Look]]
    panels: list[Panel]
    wide: int = 3  # panels beside each other in a plot
    left_out: int = 0

    @property
    def points(self) -> int:
        """The number of points that are drawn."""
        return sum(len(line.x) for panel in self.panels for line in panel.lines)

    @property
    def crowded(self) -> bool:
        """Whether there is too much of it to draw it for readers who did not ask for it."""
        return sum(len(panel.lines) for panel in self.panels) > CROWDED

    @property
    def named_in_full(self) -> bool:
        """Whether every line has its whole name beside the panels."""
        whole = all(_shortened(name) == name for name, _ in self.legend)
        return whole and all(panel.named for panel in self.panels)


@dataclass(frozen=True)
class Limits:
    """How much of a view is laid out; nothing is left out if a number is 0."""

    panels: int = 0
    points: int = 0  # of a line
    deviations: bool = True


ALL = Limits()


def figures(
    results: Results, metrics: Sequence[str] = (), limits: Limits = ALL
) -> Iterator[CurveFigure]:
    """Yield every figure of curves that the results have data for.

    Without `metrics`, those are the curves of all metrics of the config, and the convergence.
    """
    if results.rows.empty:
        return
    results = drawable(results)
    own = papers.own_method(results.experiment)
    for metric in metrics or results.experiment.metrics:
        if metric in results.rows and results.rows[metric].notna().any():
            sweeps = []
            for view in views(results, metric):
                laid_out = lay_out(view, own, limits)
                if view.name.startswith("sweep_"):
                    sweeps.append(laid_out)
                else:
                    yield laid_out
            if sweeps:
                yield _joined(sweeps, metric)
    if not metrics:
        yield from _convergence(changes(results))


def lay_out(view: View, own: str = "", limits: Limits = ALL) -> CurveFigure:
    """Lay out one view: the mean over repeats along x, with one deviation on either side.

    The line `own`, of the paper's own method, is highlighted. Values that the paper prints have
    hollow marks. Along the ratio they are at their ratio. For curves over sizes they are to the
    right of the panel, beside our mean along the curve, since the paper prints such means.
    """
    view = replace(view, rows=known(view.rows, view.x, view.metric))
    means_of_parts = parts(means(view), view.keys)
    shown = means_of_parts[: limits.panels or None]
    rows_of_parts = dict(parts(view.rows, view.keys)) if len(view.printed) else {}
    look = looks(view.lines, own)
    panels = []
    for title, part in shown:
        if not limits.deviations:
            part = part.assign(std=math.nan)
        lines, values = _lines(view, part, look, limits)
        if view.x != "ratio" and title in rows_of_parts:
            lines = _with_slopes(view, lines, rows_of_parts[title])
        x = x_axis(view, lines, values)
        panels.append(Panel(title, str(part.dataset.iloc[0]), x, y_axis(view.metric, lines), lines))
    named = len(view.lines) <= NAMED
    panels = [replace(panel, named=named) for panel in _same_height(panels)]
    drawn = {line.name for panel in panels for line in panel.lines}
    counts = [int(count) for _, part in shown for count in part["count"]]
    ratios = view.rows.ratio.nunique() if "ratio" in view.keys else 1
    return CurveFigure(
        name=f"{view.name}_{view.metric}",
        title=f"{axis_name(view.metric)} by {axis_name(view.x)}",
        caption=caption(view, counts) + _explained(view, panels),
        legend=[(name, look[name]) for name in view.lines if name in drawn],
        panels=panels,
        wide=ratios if 1 < ratios < 5 else 3,
        left_out=len(means_of_parts) - len(shown),
    )


def _joined(sweeps: Sequence[CurveFigure], metric: str) -> CurveFigure:
    """Return one figure with the panels of all swept parameters, on the same y axes."""
    panels = [panel for one in sweeps for panel in one.panels]
    if len(sweeps) > 1:  # the same dataset has a panel for each parameter
        panels = [replace(one, title=f"{one.title}, {one.x.name}") for one in panels]
    panels = _same_height(panels, _HONEST if _is_share(metric) else 0.0)
    legend = dict(entry for one in sweeps for entry in one.legend)
    captions = dict.fromkeys(one.caption for one in sweeps)
    honest = f"; every y axis spans at least {_HONEST:g}" if _is_share(metric) else ""
    return CurveFigure(
        name=f"sweep_{metric}",
        title=" and ".join(dict.fromkeys(one.title for one in sweeps)),
        caption="; ".join(captions) + honest,
        legend=list(legend.items()),
        panels=panels,
        wide=max(one.wide for one in sweeps),
        left_out=sum(one.left_out for one in sweeps),
    )


def _is_share(metric: str) -> bool:
    """Return whether a metric lies between 0 and 1, so that .1 is much on any data."""
    return metric in METRICS and metric != "coverage"


def _convergence(runs_of: dict[str, list[list[float]]]) -> Iterator[CurveFigure]:
    """Lay out the change of a method's solution by iteration, with a line for each repeat."""
    look = looks(list(runs_of))
    lines = []
    for name, runs in runs_of.items():
        for run in runs:
            x = [float(place) for place, value in enumerate(run, start=1) if value > 0]
            mean = [value for value in run if value > 0]
            if x:
                lines.append(Line(name, look[name], x, mean, [math.nan] * len(x)))
    if not lines:
        return
    low = min(min(line.mean) for line in lines) / 1.5
    high = max(max(line.mean) for line in lines) * 1.5
    y = Axis("change of the solution", low, high, [(at, f"{at:g}") for at in decades(low, high)])
    first, last = min(line.x[0] for line in lines), max(line.x[-1] for line in lines)
    ticks = [(at, f"{at:g}") for at in nice(first, last, 4)[0] if at == int(at)]
    x_axis = Axis("iteration", *with_air(first, last), ticks)
    panel = Panel("", "", x_axis, replace(y, log=True), lines, named=False)
    title = "change of the solution by iteration"
    legend = [(name, look[name]) for name in runs_of]
    yield CurveFigure("convergence", title, "a line for each repeat", legend, [panel])


def _explained(view: View, panels: Sequence[Panel]) -> str:
    """Explain the deviations and the hollow marks, and say which values are better."""
    lines = [line for panel in panels for line in panel.lines]
    around = sorted({line.around for line in lines} - {""})
    text = f", {' or '.join(around)} ± one standard deviation" if around else ""
    if any(line.printed or line.slope for line in lines):
        text += "; hollow: as printed"
        text += "" if view.x == "ratio" else ", beside our mean along the curve"
    better = directions().get(view.metric)
    return text if better is None else f"{text}; {'higher' if better else 'lower'} is better"


def _lines(
    view: View, part: pd.DataFrame, look: dict[str, Look], limits: Limits
) -> tuple[list[Line], list[object]]:
    """Return the lines of a panel, given the means of its points, and its values of x."""
    values = list(dict.fromkeys(part[view.x]))
    place = float if all(map(is_number, values)) else values.index
    of_line: dict[str, list[Triple]] = {}
    columns = (part[name].tolist() for name in ("line", view.x, "mean", "std"))
    for name, at, *point in zip(*columns):
        of_line.setdefault(name, []).append((float(place(at)), *point))
    longest = max(map(len, of_line.values()))
    lines = []
    for name in view.lines:
        if name not in of_line:
            continue
        points = _thinned(sorted(of_line[name], key=itemgetter(0)), limits.points)
        x, mean, std = (list(column) for column in zip(*points))
        level = len(x) == 1 < longest and len(values) > 2
        printed = []
        if view.x == "ratio":
            of_name = view.printed[
                (view.printed.dataset == part.dataset.iloc[0]) & (view.printed.line == name)
            ]
            drawn = {round(float(value), 9) for value in values}
            pairs = zip(map(float, of_name.ratio), map(float, of_name.value))
            printed = [(ratio, value) for ratio, value in pairs if round(ratio, 9) in drawn]
        lines.append(Line(name, look[name], x, mean, std, level, printed))
    return lines, values


def _with_slopes(view: View, lines: list[Line], rows: pd.DataFrame) -> list[Line]:
    """Add our mean along the curve and the printed one to the lines that have both."""
    printed = view.printed[view.printed.dataset == rows.dataset.iloc[0]]
    near = printed[(printed.ratio - rows.ratio.iloc[0]).abs() < 1e-9]
    values = dict(zip(near.line, near.value))
    numeric = all(map(is_number, rows[view.x]))
    if not values or not numeric or is_wide([x for line in lines for x in line.x]):
        return lines
    ours = rows.groupby(["line", "repeat"])[view.metric].mean().groupby("line").mean()
    return [
        replace(line, slope=(float(ours[line.name]), float(values[line.name])))
        if line.name in values
        else line
        for line in lines
    ]


def _same_height(panels: Sequence[Panel], least: float = 0.0) -> list[Panel]:
    """Use one y axis for the panels of a dataset, so that they can be compared.

    It spans at least `least`: a sensitivity should not look larger than it is.
    """
    made = []
    for panel in panels:
        axes = [other.y for other in panels if other.dataset == panel.dataset]
        low, high = min(axis.low for axis in axes), max(axis.high for axis in axes)
        more = max(0.0, least - (high - low)) / 2
        low, high = low - more, high + more
        made.append(replace(panel, y=y_between(panel.y.name, low, high)))
    return made


def _thinned(points: list[Triple], most: int) -> list[Triple]:
    if not most or len(points) <= most:
        return points
    step = math.ceil((len(points) - 1) / (most - 1))
    return [points[i] for i in sorted({*range(0, len(points), step), len(points) - 1})]


def _level(line: Line, up: Callable[[float], float], right: float) -> Iterator[Stroke | Area]:
    """Draw a horizontal line for a line with a single value."""
    if line.around:
        low, high = map(up, line.span(0))
        corners = [(LEFT, low), (right, low), (right, high), (LEFT, high)]
        yield Area([(float(x), y) for x, y in corners], line.look, 0.07)
    y = up(line.mean[0])
    yield Stroke([[(LEFT, y), (right, y)]], "line", line.look, _told(line, 0))


def _line(
    line: Line,
    across: Callable[[float], float],
    up: Callable[[float], float],
    aside: float,
    opacity: float,
) -> Iterator[Stroke | Area | Mark]:
    """Draw the deviations, a line, and points with their values as titles."""
    places = range(len(line.x))
    spans = [tuple(map(up, line.span(place))) for place in places]
    if line.around == "band":
        there = [(across(x), high) for x, (_, high) in zip(line.x, spans)]
        back = [(across(x), low) for x, (low, _) in zip(line.x, spans)]
        yield Area(there + back[::-1], line.look, opacity)
    elif line.around == "bars":
        at = [across(x) + aside for x in line.x]
        yield Stroke([[(x, low), (x, high)] for x, (low, high) in zip(at, spans)], "bar", line.look)
    points = [(across(x), up(mean)) for x, mean in zip(line.x, line.mean)]
    if len(points) > 1:
        yield Stroke([points], "line", line.look)
    for place, point in enumerate(points):
        yield Mark(point, line.look, hollow=False, title=_told(line, place))
    printed = [(across(x), up(y)) for x, y in line.printed]
    if len(printed) > 1:
        yield Stroke([printed], "thin", line.look)
    for point, (_, value) in zip(printed, line.printed):
        yield _printed(line, point, value)


def _printed(line: Line, at: Point, value: float) -> Mark:
    return Mark(at, line.look, hollow=True, title=f"{line.name}, printed: {number(value)}")


def _told(line: Line, place: int) -> str:
    std = line.std[place]
    around = "" if math.isnan(std) else f" ± {number(std)}"
    return f"{line.name}, {line.x[place]:g}: {number(line.mean[place])}{around}"


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
