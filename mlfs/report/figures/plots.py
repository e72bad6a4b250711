"""Draw drawings with matplotlib, for the files of ``mlfs plot``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from .axes import HEIGHT, LEFT, WIDTH
from .curves import CurveFigure
from .drawing import Area, Drawing, Mark, Point, Stroke, StrokeKind, Text, TextKind
from .looks import COLOURS, Look
from .style import Print, styled

UNITS = 80.0  # of a drawing in an inch, if no width is asked for
_SMALL = 100.0  # units in an inch of a print: letters of about 7 points
_STROKES: dict[StrokeKind, tuple[str, float, float]] = {  # colour, width, opacity
    "axis": ("0.35", 1.0, 1.0),
    "grid": ("0.88", 1.0, 1.0),
    "lead": ("0.65", 1.0, 0.8),
    "line": ("black", 1.5, 1.0),
    "bar": ("black", 1.0, 0.6),
    "thin": ("black", 0.8, 0.7),
    "cd": ("black", 1.5, 1.0),
    "join": ("black", 4.0, 1.0),
}
_TEXTS: dict[TextKind, tuple[float, str]] = {  # size, colour
    "tick": (11, "0.3"),
    "name": (11.5, "0.3"),
    "method": (13, "black"),
}
_TITLE = 24  # height of a panel's title, above the name of its y axis
_HEAD = 14  # height of a line above all panels
_GAP = 14  # between panels
_EDGE = 8  # around a figure, if no width is asked for
_SIZES = {
    "s": 4.4,
    "P": 5.6,
    "X": 5.6,
    "*": 7.0,
    "D": 4.2,
}  # of markers that look larger or smaller


@styled
def curves(laid_out: CurveFigure, printed: Print | None = None) -> Figure:
    """Draw the panels of a figure of curves, with its caption above and its legend below.

    For a print of some inches, as many panels are beside each other as can be read there.
    """
    printed = printed or Print()
    count = len(laid_out.panels)
    room = int((printed.width * _SMALL + _GAP) / (WIDTH + _GAP)) if printed.width else count
    wide = max(1, min(laid_out.wide, count, room))
    tall = -(-count // wide)
    width = wide * WIDTH + (wide - 1) * _GAP
    head = textwrap.wrap(laid_out.caption, int(width / 6.2)) if printed.caption else []
    entries = [] if laid_out.named_in_full else laid_out.legend
    columns = max(1, min(4, int(width / (60 + 7 * max((len(n) for n, _ in entries), default=1)))))
    start = _HEAD * len(head) + 8
    panel_height = HEIGHT + _TITLE + _GAP
    bottom = start + tall * panel_height
    height = bottom + 16 * -(-len(entries) // columns)
    figure, axes = _sheet(width, height, printed.width)
    for place, words in enumerate(head):
        _text(axes, Text((0, _HEAD * (place + 0.8)), words, "tick"))
    for place, panel in enumerate(laid_out.panels):
        x = (place % wide) * (WIDTH + _GAP)
        y = start + (place // wide) * panel_height
        _text(axes, Text((x, y + 13), panel.title, "tick", strong=True), colour="black")
        _text(axes, Text((x + LEFT, y + _TITLE + 4), panel.y.name, "tick"))
        draw(axes, panel.drawing(), (x, y + _TITLE))
    for place, (name, look) in enumerate(entries):
        sample = Drawing(
            42,
            16,
            name,
            "",
            [
                Stroke([[(0, 8), (36, 8)]], "line", look),
                Mark((18, 8), look, hollow=False, title=""),
                Text((42, 12), name, "tick"),
            ],
        )
        left = place % columns * width / columns
        draw(axes, sample, (left, bottom + 16 * (place // columns)))
    return figure


@styled
def ranks(drawing: Drawing, caption: str, printed: Print | None = None) -> Figure:
    """Draw a diagram of critical differences under the title of its table."""
    printed = printed or Print()
    head = textwrap.wrap(caption, int(drawing.width / 6.4)) if printed.caption else []
    start = _HEAD * len(head) + 6
    figure, axes = _sheet(drawing.width, start + drawing.height, printed.width)
    for place, words in enumerate(head):
        _text(axes, Text((0, _HEAD * (place + 0.8)), words, "tick", strong=True), colour="black")
    draw(axes, drawing, (0, start))
    return figure


def draw(axes: Axes, drawing: Drawing, origin: Point = (0, 0)) -> None:
    """Draw all shapes, with the drawing's upper left corner at `origin`."""
    marks: dict[tuple[Look, bool], list[Point]] = {}
    for shape in drawing.shapes:
        if isinstance(shape, Mark):
            marks.setdefault((shape.look, shape.hollow), []).append(shape.at)
        elif isinstance(shape, Text):
            _text(axes, shape, origin)
        elif isinstance(shape, Area):
            corners = _moved(shape.points, origin)
            fill = colour(shape.look)
            axes.add_patch(Polygon(corners, facecolor=fill, alpha=shape.opacity, linewidth=0))
        else:
            _stroke(axes, shape, origin)
    for (look, hollow), places in marks.items():
        x, y = zip(*_moved(places, origin))
        face = "white" if hollow else colour(look)
        size = _SIZES.get(look.marker, 5.0) * _point(axes) * (1.2 if hollow else 1.0)
        edge: dict[str, Any] = {
            "markeredgecolor": colour(look),
            "markeredgewidth": 0.9,
            "linestyle": "none",
        }
        about = {"marker": look.marker, "markersize": size, "markerfacecolor": face, **edge}
        axes.add_artist(Line2D(x, y, **about))  # it finds no limits, which are known


def colour(look: Look) -> str:
    """Return the colour of a line on white."""
    return "black" if look.own else COLOURS[look.colour][0]


def _sheet(width: float, height: float, inches: float = 0.0) -> tuple[Figure, Axes]:
    """Make a figure whose only axes are the whole sheet, in the units of drawings."""
    units = width / inches if inches else UNITS
    edge = 0.0 if inches else _EDGE
    figure = plt.figure(figsize=((width + 2 * edge) / units, (height + 2 * edge) / units))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-edge, width + edge), ylim=(height + edge, -edge))
    axes.axis("off")
    return figure, axes


def _point(axes: Axes) -> float:
    """Return a unit of the sheet in points."""
    low, high = axes.get_xlim()
    return 72 * axes.figure.get_figwidth() / (high - low)  # type: ignore[union-attr]


def _moved(points: Iterable[Point], origin: Point) -> list[Point]:
    return [(x + origin[0], y + origin[1]) for x, y in points]


def _stroke(axes: Axes, stroke: Stroke, origin: Point) -> None:
    paint, width, opacity = _STROKES[stroke.kind]
    dash: str | tuple[float, tuple[float, ...]] = "-"
    if stroke.look:
        paint = colour(stroke.look)
        if stroke.kind == "line":
            width = stroke.look.width
            dash = (0, stroke.look.dash) if stroke.look.dash else "-"
    x: list[float] = []
    y: list[float] = []
    for points in stroke.lines:  # nan lifts the pen
        moved = _moved(points, origin)
        x += [*(at for at, _ in moved), float("nan")]
        y += [*(at for _, at in moved), float("nan")]
    look: dict[str, Any] = {"color": paint, "linestyle": dash, "alpha": opacity}
    look |= {"linewidth": width * _point(axes), "clip_on": False}
    axes.add_artist(Line2D(x[:-1], y[:-1], **look))


def _text(axes: Axes, text: Text, origin: Point = (0, 0), colour: str = "") -> None:
    size, paint = _TEXTS[text.kind]
    align = {"start": "left", "middle": "center", "end": "right"}[text.anchor]
    weight = "bold" if text.strong else "normal"
    [(x, y)] = _moved([text.at], origin)
    look: dict[str, Any] = {
        "fontsize": size * _point(axes) * 0.92,
        "color": colour or paint,
        "weight": weight,
    }
    axes.text(x, y, text.words, ha=align, va="baseline", parse_math=False, **look)
