"""Lay out critical-difference diagrams: average ranks on a line, with equal methods joined."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

from ..tables.significance import TableTests, groups
from .drawing import Anchor, Drawing, Point, Stroke, Text, TextKind, scale

WIDTH = 640
SIDE = 170  # width for the names on either side
AXIS = 62  # distance of the axis from the top
STEP = 21  # height between two names
BAR = 8  # height between two bars
NUMBER = 19  # least distance between the numbers of two ranks
_LETTER = 7.5  # width of a letter of a name
_SHORTEST = 110  # length of the axis


def ranks(comparison: TableTests, width: float = WIDTH) -> Drawing:
    """Lay out the average ranks of a table's methods, at least as wide as its names need.

    With a control, the methods that do not differ from it by Bonferroni and Dunn's test are
    joined. Without one, every group that does not differ by Nemenyi's test is joined. If
    Friedman's test finds no difference, no such test follows: the ranks are grey, nothing is
    joined, and the drawing says so.
    """
    average = comparison.friedman.ranks.sort_values(kind="stable")
    control, k = comparison.control, len(average)
    cd = comparison.dunn_cd if control else comparison.cd
    test = f"Bonferroni-Dunn, control {control}" if control else "Nemenyi"
    longest = max(len(str(name)) for name in average.index)
    side = SIDE if width >= WIDTH else min(SIDE, _LETTER * (longest + 6) + 16)
    width = max(width, 2 * side + _SHORTEST)
    at = scale(1, k, side, width - side)
    half = -(-k // 2)
    differ = comparison.friedman.significant
    spans = groups(average, cd, control) if differ else []
    first = AXIS + 18 + BAR * len(spans)  # the names are below the bars
    end = at(1 + cd)
    ticks = range(1, k + 1)
    told = range(1, k + 1, math.ceil(NUMBER / (at(2) - at(1))))  # so that numbers are apart
    marks: list[list[Point]] = [[(at(tick), AXIS), (at(tick), AXIS - 6)] for tick in ticks]
    drawing = Drawing(
        width,
        first + STEP * (half - 1) + 14,
        f"Average ranks, {comparison.table.title}",
        _about(average.items(), test, cd, spans)
        if differ
        else _nothing(average.items(), comparison.friedman.p),
        [
            Stroke([[(side, AXIS), (width - side, AXIS)], *marks], "axis" if differ else "grid"),
            *(Text((at(tick), AXIS - 10), str(tick), "tick", "middle") for tick in told),
        ],
    )
    if differ:
        ends: list[list[Point]] = [[(end, 22), (end, 30)], [(side, 22), (side, 30)]]
        drawing.shapes.append(Stroke([[(side, 26), (end, 26)], *ends], "cd"))
        drawing.shapes.append(Text((side, 15), f"{test}: critical difference {cd:.2f}", "name"))
    else:
        nothing = f"Friedman finds no difference (p = {comparison.friedman.p:.2g})"
        drawing.shapes.append(Text((side, 15), nothing, "tick"))
    for place, (name, rank) in enumerate(average.items()):
        left = place < half
        x, y = at(rank), first + STEP * (place if left else k - 1 - place)
        edge = side - 10 if left else width - side + 10
        line: list[Point] = [(x, AXIS), (x, y), (edge, y)]
        drawing.shapes.append(Stroke([line], "lead" if differ else "grid"))
        words = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        words_at = (edge - 6 if left else edge + 6, y + 4)
        anchor: Anchor = "end" if left else "start"
        looks: TextKind = "method" if differ else "tick"
        drawing.shapes.append(Text(words_at, words, looks, anchor, strong=name == control))
    for depth, (low, high) in enumerate(spans):
        y = AXIS + 9 + BAR * depth
        drawing.shapes.append(Stroke([[(at(low) - 4, y), (at(high) + 4, y)]], "join"))
    return drawing


def _nothing(average: Iterable[tuple[Hashable, float]], p: float) -> str:
    listed = ", ".join(f"{name} {rank:.2f}" for name, rank in average)
    return f"{listed}. Friedman's test finds no difference (p = {p:.2g}); no test of ranks follows."


def _about(
    average: Iterable[tuple[Hashable, float]],
    test: str,
    cd: float,
    spans: list[tuple[float, float]],
) -> str:
    listed = ", ".join(f"{name} {rank:.2f}" for name, rank in average)
    joined = "; ".join(f"{low:.2f} to {high:.2f}" for low, high in spans) or "none"
    return f"{listed}. {test}, critical difference {cd:.2f}; ranks that do not differ: {joined}."
