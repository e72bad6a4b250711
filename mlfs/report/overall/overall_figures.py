"""Pictures of a group of results: ranks, score against seconds, and the loss against the ratio."""

from __future__ import annotations

import math

from ..figures.axes import BOTTOM, LEFT, RIGHT, TOP, Axis
from ..figures.curves import Line, Panel
from ..figures.drawing import Area, Drawing, Mark, Point, Stroke, Text, decades, nice, scale
from ..figures.looks import Look, looks
from ..figures.views import axis_name
from ..tables.texts import number
from .cases import ARMS, CONTROL, ORACLE
from .contest import Contest

_WIDTH, _HEIGHT = 640, 320
_LETTER = 6.2  # width of a letter of a name
_WIDER = 7.4  # width of a letter of an entrant's name beside its rank
_STEP = 17  # height between two entrants, and between two lines of a legend
_HEAD = 56  # height above the first entrant
_GREY, _ALONE = Look(6, (), "o"), Look(0, (), "o")


def ranks(contest: Contest) -> Drawing:
    """Draw the average rank of every ranked entrant, and how far Nemenyi's test reaches.

    Entrants in the grey band are not distinguished from the best; all are if Friedman's test finds
    no difference.
    """
    test, level = contest.decisive, set(contest.level_with_best)
    arms = [arm for arm in ARMS if any(one.arm == arm for one in contest.order)]
    look = looks(list(ARMS)) if len(arms) > 1 else {arms[0]: _ALONE}
    names = {one: f"{one.name}  {test.ranks[one.name]:.2f}" for one in contest.order}
    left = 14 + _WIDER * max(map(len, names.values()))
    end = _HEAD + _STEP * len(names)
    at = scale(1, len(names), left + 8, _WIDTH - RIGHT - 8)
    best = float(test.ranks[contest.best.name])
    reach = min(best + contest.cd, len(names)) if test.significant else len(names)
    units = "families of datasets" if contest.of_families else "datasets"
    ticks = [tick for tick in nice(1, len(names))[0] if tick == round(tick)]
    band: list[Point] = [(at(best), 48), (at(reach), 48), (at(reach), end), (at(best), end)]
    told = (
        f"grey: not distinguished from the best (Nemenyi, critical difference {contest.cd:.2f})"
        if test.significant
        else f"Friedman finds no difference (p = {test.p:.2g})"
    )
    shapes: list[Stroke | Area | Mark | Text] = [
        Text((_WIDTH - RIGHT, 14), f"average rank over {test.n} {units}, 1 is best", "name", "end"),
        Text((_WIDTH - RIGHT, 30), told, "tick", "end"),
        Area(band, _GREY, 0.18),
        Stroke([[(at(tick), 48), (at(tick), end)] for tick in ticks], "grid"),
        *(Text((at(tick), 45), f"{tick:g}", "tick", "middle") for tick in ticks),
    ]
    for place, (one, words) in enumerate(names.items()):
        y = _HEAD + _STEP * (place + 0.5)
        shapes.append(Text((left, y + 4), words, "tick", "end", strong=one == contest.best))
        place_of = (at(float(test.ranks[one.name])), y)
        shapes.append(Mark(place_of, look[one.arm], hollow=one not in level, title=words))
    shapes += _legend(arms, look, left + 8, end + 14) if len(arms) > 1 else []
    about = ", ".join(names.values())
    height = end + 12 + (_STEP * len(arms) if len(arms) > 1 else 0)
    title = f"Average ranks, {contest.group.title}"
    return Drawing(_WIDTH, height, title, f"{about}; {told}", shapes)


def _legend(arms: list[str], look: dict[str, Look], x: float, y: float) -> list[Mark | Text]:
    """Return the mark of each arm with what it means, below each other."""
    entries: list[Mark | Text] = []
    for place, arm in enumerate(arms):
        at = y + _STEP * place
        entries.append(Mark((x, at - 4), look[arm], hollow=False, title=""))
        entries.append(Text((x + 10, at), f"{arm}: {ARMS[arm]}", "tick"))
    return entries


def front(contest: Contest) -> Drawing:
    """Draw the mean score of every ranked entrant against its seconds, with the Pareto front."""
    group = contest.group
    means = group.scores()[[one.name for one in contest.ranked]].mean()
    points = {
        one: (max(group.seconds[one.name], 1e-3), float(means[one.name]))
        for one in contest.ranked
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
    best = [one for one in contest.front if one in points]
    line = [(x(math.log(points[one][0])), y(points[one][1])) for one in best]
    if len(line) > 1:
        shapes.append(Stroke([line], "thin"))
    for one, (seconds, score) in points.items():
        at = (x(math.log(seconds)), y(score))
        title = f"{one.name}: {number(score)}, {seconds:.2g} s"
        shapes.append(Mark(at, look[one.arm], hollow=one not in best, title=title))
    shapes += _names({one.name: at for one, at in zip(best, line)})
    arms = [arm for arm in ARMS if any(one.arm == arm for one in points)]
    height = _HEIGHT
    if len(arms) > 1:
        shapes += _legend(arms, look, LEFT, _HEIGHT + 14)
        height += 6 + _STEP * len(arms)
    about = ", ".join(f"{one.name} {number(s)} at {t:.2g} s" for one, (t, s) in points.items())
    return Drawing(_WIDTH, height, f"Score against seconds, {group.title}", about, list(shapes))


def _names(marks: dict[str, Point]) -> list[Text]:
    """Return names beside marks: to the right and above, or where no other name is yet."""
    texts: list[Text] = []
    boxes: list[tuple[float, float, float]] = []  # left end, right end, height
    for name, (x, y) in marks.items():
        width = _LETTER * len(name)
        ways = [(8, -6), (8, 16), (-8, -6), (-8, 16), (8, -20), (8, 30)]
        for right, down in ways:
            left = x + right - (width if right < 0 else 0)
            apart = all(
                left > end or left + width < start or abs(y + down - height) > _STEP - 4
                for start, end, height in boxes
            )
            if apart and left > 0 and left + width < _WIDTH:
                break
        boxes.append((left, left + width, y + down))
        place = (x + right, y + down)
        texts.append(Text(place, name, "tick", "end" if right < 0 else "start"))
    return texts


def losses(contest: Contest) -> Drawing | None:
    """Draw the mean loss of each arm against the ratio of hidden labels; None without a ratio 0."""
    table, group = contest.losses, contest.group
    arms = [arm for arm in ARMS if arm != CONTROL and contest.of_arm(arm)]
    if not len(table) or not arms:
        return None
    look = looks(list(ARMS), own=ORACLE)
    ratios = [0.0, *group.hidden]
    lines = []
    for arm in arms:
        means = table.loc[[one.name for one in contest.of_arm(arm)]].mean()
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
