"""Pictures of a group of results: score against seconds, and the loss against the ratio."""

from __future__ import annotations

import math

from ..figures.axes import BOTTOM, LEFT, RIGHT, TOP, Axis
from ..figures.curves import Line, Panel
from ..figures.drawing import Drawing, Mark, Stroke, Text, decades, nice, scale
from ..figures.looks import looks
from ..figures.views import axis_name
from ..tables.texts import number
from .cases import ARMS, CONTROL, ORACLE
from .standing import Standing

_WIDTH, _HEIGHT = 640, 320
_LETTER = 6.2  # width of a letter of a name


def front(standing: Standing) -> Drawing:
    """Draw the mean score of every ranked entrant against its seconds, with the Pareto front."""
    group = standing.group
    means = group.scores()[[one.name for one in standing.ranked]].mean()
    points = {
        one: (max(group.seconds[one.name], 1e-3), float(means[one.name]))
        for one in standing.ranked
        if math.isfinite(group.seconds[one.name]) and math.isfinite(means[one.name])
    }
    times, scores = [t for t, _ in points.values()], [s for _, s in points.values()]
    low, high = min(times) / 1.5, max(times) * 1.5
    x = scale(math.log(low), math.log(high), LEFT, _WIDTH - RIGHT)
    air = 0.06 * (max(scores) - min(scores)) or 0.01
    bottom, top = min(scores) - air, max(scores) + air
    y = scale(bottom, top, _HEIGHT - BOTTOM, TOP)
    look = looks(list(ARMS))
    marks, decimals = nice(bottom, top)
    edge = _HEIGHT - BOTTOM
    shapes: list[Stroke | Mark | Text] = [
        Stroke([[(LEFT, y(at)), (_WIDTH - RIGHT, y(at))] for at in marks], "grid"),
        Stroke([[(LEFT, edge), (_WIDTH - RIGHT, edge)]], "axis"),
        *(Text((LEFT - 6, y(at) + 4), f"{at:.{decimals}f}", "tick", "end") for at in marks),
        *(
            Text((x(math.log(at)), edge + 16), f"{at:g}", "tick", "middle")
            for at in decades(low, high)
        ),
        Text((_WIDTH - RIGHT, edge + 32), "median seconds of a fit", "name", "end"),
        Text((LEFT, edge + 32), axis_name(group.metric), "name"),
    ]
    best = [one for one in standing.front if one in points]
    line = [(x(math.log(points[one][0])), y(points[one][1])) for one in best]
    if len(line) > 1:
        shapes.append(Stroke([line], "thin"))
    for one, (seconds, score) in points.items():
        at = (x(math.log(seconds)), y(score))
        title = f"{one.name}: {number(score)}, {seconds:.2g} s"
        shapes.append(Mark(at, look[one.arm], hollow=one not in best, title=title))
    for one, (at_x, at_y) in zip(best, line):
        left = at_x + 8 + _LETTER * len(one.name) > _WIDTH
        place = (at_x - 8 if left else at_x + 8, at_y - 6)
        shapes.append(Text(place, one.name, "tick", "end" if left else "start"))
    about = ", ".join(f"{one.name} {number(s)} at {t:.2g} s" for one, (t, s) in points.items())
    return Drawing(_WIDTH, _HEIGHT, f"Score against seconds, {group.title}", about, list(shapes))


def losses(standing: Standing) -> Drawing | None:
    """Draw the mean loss of each arm against the ratio of hidden labels; None without a ratio 0."""
    table, group = standing.losses, standing.group
    arms = [arm for arm in ARMS if arm != CONTROL and standing.of_arm(arm)]
    if not len(table) or not arms:
        return None
    look = looks(list(ARMS), own=ORACLE)
    ratios = [0.0, *group.hidden]
    lines = []
    for arm in arms:
        means = table.loc[[one.name for one in standing.of_arm(arm)]].mean()
        values = [0.0, *(float(means[ratio]) for ratio in group.hidden)]
        blank = [math.nan] * len(values)
        lines.append(Line(arm, look[arm], [100 * r for r in ratios], values, blank))
    every = [value for line in lines for value in line.mean]
    air = 0.06 * (max(every) - min(every)) or 0.01
    low, high = min(every) - air, max(every) + air
    ticks, decimals = nice(low, high)
    y = Axis(
        f"loss of {axis_name(group.metric)}",
        low,
        high,
        [(at, f"{at:.{decimals}f}") for at in ticks],
    )
    x = Axis("% hidden", 0.0, 100 * max(ratios), [(100 * r, f"{100 * r:g}") for r in ratios])
    return Panel(f"Loss against the ratio, {group.title}", "", x, y, lines).drawing()
