"""The axes of panels: their ends, and the texts at their ticks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from .drawing import Point, decades, nice, scale
from .views import View, axis_name, is_number

if TYPE_CHECKING:
    from .curves import Line

WIDTH, HEIGHT = 340, 230  # size of a panel
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 10, 38  # margins for the axes
LABEL = 92  # width for the names at the ends of lines
_LETTER = 6.5  # width of a letter


@dataclass(frozen=True)
class Axis:
    """The ends of an axis, and the texts at its ticks."""

    name: str
    low: float
    high: float
    ticks: list[tuple[float, str]]
    log: bool = False

    def scale(self, start: float, end: float) -> Callable[[float], float]:
        """Return a function that gives the place of a value."""
        if not self.log:
            return scale(self.low, self.high, start, end)
        along = scale(math.log10(self.low), math.log10(self.high), start, end)
        return lambda value: along(math.log10(value))


def x_axis(view: View, lines: Sequence[Line], values: Sequence[object]) -> Axis:
    """Return an axis for the values of x; it is logarithmic if they span more than 100 times."""
    xs = sorted({x for line in lines for x in line.x if not line.level})
    low, high, name = xs[0], xs[-1], axis_name(view.x)
    if not all(map(is_number, values)):
        ticks = [(float(place), str(value)) for place, value in enumerate(values)]
        return Axis(name, *with_air(0.0, len(values) - 1.0), ticks)
    if is_wide(xs):
        air = (high / low) ** 0.03
        ticks = [(at, f"{at:g}") for at in decades(low, high)]
        return Axis(name, low / air, high * air, ticks, log=True)
    span = high - low
    slopes = any(line.slope for line in lines)
    mean, printed = high + 0.27 * span, high + 0.62 * span  # so far apart that words do not touch
    end = printed if slopes else high
    ticks = _ticks(view, xs)
    width = _LETTER * max(len(text) for _, text in ticks) + 4
    unit = (WIDTH - LEFT - LABEL) / ((end - low) or 1.0)
    if any((after - before) * unit < width for before, after in pairwise(xs)):  # they would touch
        ticks = _ticks(view, nice(low, high, 4)[0])
    if slopes:
        ticks += [(mean, "mean"), (printed, "printed")]
    return Axis(name, *with_air(low, end), ticks)


def _ticks(view: View, xs: Sequence[float]) -> list[tuple[float, str]]:
    return [(x, f"{100 * x:g} %" if view.x == "ratio" else f"{x:g}") for x in xs]


def is_wide(xs: Sequence[float]) -> bool:
    """Return whether numbers need a logarithmic axis."""
    return min(xs) > 0 and max(xs) / min(xs) > 100


def with_air(low: float, high: float) -> Point:
    """Return the ends of an axis with a small margin."""
    air = 0.03 * (high - low) or 0.5
    return low - air, high + air


def y_axis(metric: str, lines: Sequence[Line]) -> Axis:
    """Return an axis that shows all lines, deviations and printed values, with a small margin."""
    values = [end for line in lines for place in range(len(line.x)) for end in line.span(place)]
    values += [y for line in lines for _, y in line.printed]
    values += [y for line in lines for y in line.slope or ()]
    low, high = min(values), max(values)
    air = 0.04 * (high - low) or 0.05 * (abs(high) or 1.0)
    return y_between(axis_name(metric), low - air, high + air)


def y_between(name: str, low: float, high: float) -> Axis:
    """Return an axis between two values, with round numbers at its ticks."""
    values, decimals = nice(low, high)
    return Axis(name, low, high, [(value, f"{value:.{decimals}f}") for value in values])
