"""Draw a panel of curves as SVG: axes, lines with bands, points with values, and names."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from .formats import number
from .svg import decades, frame, nice, scale, short, spread, text

WIDTH, HEIGHT = 340, 230  # size of a panel, in its own units
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 10, 38  # margins for the axes
LABEL = 92  # width for the names at the ends of lines
COLOURS = 8  # number of line colours in the style
DASHES = ("", "6 3", "2 2", "8 3 2 3")
NAMED = 9  # most lines whose names fit beside them
_LONGEST = 13  # most letters of such a name


@dataclass(frozen=True)
class Line:
    """One line of a panel: a mean and a deviation (or nan) at every x."""

    name: str
    x: list[float]
    mean: list[float]
    std: list[float]
    number: int = 0  # its place in the legend, which decides its colour and dash
    own: bool = False  # whether it is the paper's own method, which is highlighted
    printed: tuple[tuple[float, float], ...] = ()  # x and the value that the paper prints


@dataclass(frozen=True)
class Panel:
    """One set of axes.

    Attributes
    ----------
    low, high : float
        The ends of the y axis, where several panels share it.
    ticks : list of str
        The texts at x = 0, 1, 2... if x is not a number.
    decades : bool
        Whether the y axis is logarithmic; then all values must be positive.
    """

    title: str
    x: str
    y: str
    lines: list[Line]
    low: float = math.nan
    high: float = math.nan
    ticks: tuple[str, ...] = ()
    decades: bool = False


@dataclass(frozen=True)
class Axes:
    """The positions of values in a panel."""

    across: Callable[[float], float]
    up: Callable[[float], float]
    right: float  # where the lines end
    log: bool


def curves(panel: Panel) -> Markup:
    """Draw the lines of a panel, with a band of one deviation, and their names at the ends."""
    lines = [line for line in panel.lines if line.x]
    longest = max((len(line.x) for line in lines), default=0)
    levels = {line.name for line in lines if len(line.x) == 1 and longest > 1}
    xs = [x for line in lines for x in line.x if line.name not in levels]
    if not xs:
        return Markup("")
    named = 1 < len(lines) <= NAMED
    right = WIDTH - (LABEL if named else RIGHT)
    log = not panel.ticks and min(xs) > 0 and max(xs) / min(xs) > 100
    place = math.log10 if log else float
    along = scale(place(min(xs)), place(max(xs)), LEFT + 6, right - 6)
    low, high = extent(lines) if math.isnan(panel.low) else (panel.low, panel.high)
    if panel.decades:
        low, high = _in_decades(lines)
    level = math.log10 if panel.decades else float
    height = scale(level(low), level(high), HEIGHT - BOTTOM, TOP)
    axes = Axes(lambda x: along(place(x)), lambda y: height(level(y)), right, log)
    parts = [_axes(panel, axes, xs, (low, high))]
    for line in lines:
        flat = line.name in levels
        parts.append(_level(line, axes) if flat else _line(line, axes, banded(len(lines))))
    if named:
        parts.append(_names(lines, axes, levels))
    about = f"{panel.y} by {panel.x} of {', '.join(line.name for line in lines)}"
    return frame(WIDTH, HEIGHT, panel.title or panel.y, about, parts)


def banded(lines: int) -> bool:
    """Return whether there are few enough lines to draw a band around each."""
    return lines <= 5


def extent(lines: Sequence[Line]) -> tuple[float, float]:
    """Return the ends of a y axis that shows all lines and bands, with a small margin."""
    spans = [(m, 0.0 if math.isnan(s) else s) for one in lines for m, s in zip(one.mean, one.std)]
    spans += [(y, 0.0) for one in lines for _, y in one.printed]
    low = min(mean - spread for mean, spread in spans)
    high = max(mean + spread for mean, spread in spans)
    air = 0.04 * (high - low) or 0.05 * (abs(high) or 1.0)
    return low - air, high + air


def _axes(panel: Panel, axes: Axes, xs: Sequence[float], ends: tuple[float, float]) -> Markup:
    bottom = HEIGHT - BOTTOM
    parts = []
    values, decimals = (decades(*ends), 6) if panel.decades else nice(*ends)
    for value in values:
        y = short(axes.up(value))
        parts.append(Markup(f'<path class="grid" d="M{LEFT} {y}H{short(axes.right)}"/>'))
        words = f"{value:.{decimals}f}" if decimals < 6 else f"{value:g}"
        parts.append(text(LEFT - 6, axes.up(value) + 3.5, words, "tick end"))
    ticks = [float(i) for i in range(len(panel.ticks))] or nice(min(xs), max(xs), 4)[0]
    for value in decades(min(xs), max(xs)) if axes.log else ticks:
        words = panel.ticks[int(value)] if panel.ticks else f"{value:g}"
        at = axes.across(value)
        parts.append(Markup(f'<path class="axis" d="M{short(at)} {bottom}v4"/>'))
        parts.append(text(at, bottom + 15, words, "tick mid"))
    parts.append(Markup(f'<path class="axis" d="M{LEFT} {bottom}H{short(axes.right)}"/>'))
    parts.append(text((LEFT + axes.right) / 2, HEIGHT - 5, panel.x, "name mid"))
    return Markup("").join(parts)


def _in_decades(lines: Sequence[Line]) -> tuple[float, float]:
    """Return the ends of a logarithmic y axis, with a small margin."""
    values = [value for line in lines for value in line.mean]
    return min(values) / 1.5, max(values) * 1.5


def _level(line: Line, axes: Axes) -> Markup:
    """Draw a horizontal line for a method with a single value, such as all features."""
    y = short(axes.up(line.mean[0]))
    drawn = (
        f'<path class="line {_colour(line)}" stroke-dasharray="2 3" '
        f'd="M{LEFT} {y}H{short(axes.right)}"><title>'
    )
    return Markup(drawn) + escape(_told(line, 0)) + Markup("</title></path>")


def _line(line: Line, axes: Axes, band: bool) -> Markup:
    """Draw a band, a line, and points with their values as titles."""
    known = [
        (short(axes.across(x)), mean, 0.0 if math.isnan(spread) else spread)
        for x, mean, spread in zip(line.x, line.mean, line.std)
    ]
    dash = DASHES[line.number // COLOURS % len(DASHES)]
    style = f' stroke-dasharray="{dash}"' if dash else ""
    parts = []
    if band and any(spread for *_, spread in known):
        there = " ".join(f"{x},{short(axes.up(m + s))}" for x, m, s in known)
        back = " ".join(f"{x},{short(axes.up(m - s))}" for x, m, s in reversed(known))
        parts.append(Markup(f'<polygon class="band {_colour(line)}" points="{there} {back}"/>'))
    d = "L".join(f"{x} {short(axes.up(m))}" for x, m, _ in known)
    parts.append(Markup(f'<path class="line {_colour(line)}"{style} d="M{d}"/>'))
    for place, (x, mean, _) in enumerate(known):
        at = f'cx="{x}" cy="{short(axes.up(mean))}"'
        dot = Markup(f'<circle class="dot {_colour(line)}" {at} r="2.6"><title>')
        parts.append(dot + escape(_told(line, place)) + Markup("</title></circle>"))
    for x_printed, y_printed in line.printed:
        at = f'x="{short(axes.across(x_printed) - 3.5)}" y="{short(axes.up(y_printed) - 3.5)}"'
        box = Markup(f'<rect class="printed {_colour(line)}" {at} width="7" height="7"><title>')
        told = f"{line.name}, printed: {number(y_printed)}"
        parts.append(box + escape(told) + Markup("</title></rect>"))
    return Markup("").join(parts)


def _colour(line: Line) -> str:
    return f"l{line.number % COLOURS}" + (" own" if line.own else "")


def _told(line: Line, place: int) -> str:
    spread = line.std[place]
    around = "" if math.isnan(spread) else f" ± {number(spread)}"
    return f"{line.name}, {line.x[place]:g}: {number(line.mean[place])}{around}"


def _names(lines: Sequence[Line], axes: Axes, levels: set[str]) -> Markup:
    """Write the names of lines beside their ends, moved apart so that none overlap."""
    ends = sorted(((axes.up(line.mean[-1]), line) for line in lines), key=lambda end: end[0])
    places = spread([y for y, _ in ends], 12, TOP + 4, HEIGHT - BOTTOM)
    parts = []
    for (y, line), place in zip(ends, places):
        name = line.name
        name = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
        start = axes.right if line.name in levels else axes.across(line.x[-1]) + 4
        lead = f"M{short(start)} {short(y)}L{short(axes.right + 6)} {short(place)}"
        parts.append(Markup(f'<path class="lead {_colour(line)}" d="{lead}"/>'))
        kind = "tick strong" if line.own else "tick"
        parts.append(text(axes.right + 8, place + 3.5, name, kind))
    return Markup("").join(parts)
