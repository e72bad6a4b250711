"""Drawings as shapes at fixed places: made once, then drawn as SVG or by matplotlib.

Places are in units of the page's pixels, from the upper left corner.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .looks import Look

Point = tuple[float, float]
StrokeKind = Literal["axis", "grid", "lead", "line", "bar", "thin", "cd", "join"]
TextKind = Literal["tick", "name", "method"]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Stroke:
    """Lines through points; those of one stroke look alike. The title is shown on hover."""

    lines: list[list[Point]]
    kind: StrokeKind
    look: Look | None = None
    title: str = ""


@dataclass(frozen=True)
class Area:
    """A filled polygon."""

    points: list[Point]
    look: Look
    opacity: float


@dataclass(frozen=True)
class Mark:
    """A value: filled if it is ours, hollow if it is printed. The title is shown on hover."""

    at: Point
    look: Look
    hollow: bool
    title: str


@dataclass(frozen=True)
class Text:
    """A text whose line stands at a place."""

    at: Point
    words: str
    kind: TextKind
    anchor: Anchor = "start"
    strong: bool = False


@dataclass(frozen=True)
class Drawing:
    """Shapes in the order in which they are drawn, with a description for screen readers."""

    width: float
    height: float
    title: str
    about: str
    shapes: list[Stroke | Area | Mark | Text] = field(default_factory=list)


def nice(low: float, high: float, count: int = 5) -> tuple[list[float], int]:
    """Return about `count` round numbers from low to high, and the decimals they need."""
    if not high > low:
        return [low], 2
    raw = (high - low) / count
    size = 10.0 ** math.floor(math.log10(raw))
    factor = next(factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= raw * 0.999)
    step = size * factor
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) + (factor == 2.5 and step < 10)
    return [round(i * step, 12) for i in range(first, last + 1)], decimals


def decades(low: float, high: float, most: int = 5) -> list[float]:
    """Return powers of ten between two numbers; if there are too many, every second or third.

    There may be none.
    """
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    return [10.0**i for i in range(first, last + 1, 1 + max(last - first, 0) // most)]


def scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    """Return a function that maps low..high to start..end; to the middle if low is high."""
    if high == low:
        return lambda value: (start + end) / 2
    return lambda value: start + (value - low) / (high - low) * (end - start)


def spread(places: Sequence[float], apart: float, low: float, high: float) -> list[float]:
    """Move ascending places as little as needed, until they are `apart` from each other.

    Neighbours that would touch become a group around the mean of their places.
    """
    groups: list[list[float]] = []  # the places of each group
    for place in places:
        groups.append([place])
        while len(groups) > 1 and _first(groups[-1], apart) - _last(groups[-2], apart) < apart:
            last = groups.pop()
            groups[-1] += last
    moved = [_first(group, apart) + apart * i for group in groups for i in range(len(group))]
    for i, place in enumerate(moved):  # keep places inside the frame
        moved[i] = max(place, low if i == 0 else moved[i - 1] + apart)
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], high if i + 1 == len(moved) else moved[i + 1] - apart)
    return moved


def _first(group: Sequence[float], apart: float) -> float:
    return sum(group) / len(group) - apart * (len(group) - 1) / 2


def _last(group: Sequence[float], apart: float) -> float:
    return sum(group) / len(group) + apart * (len(group) - 1) / 2
