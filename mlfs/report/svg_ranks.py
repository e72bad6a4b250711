"""Draw critical-difference diagrams as SVG: average ranks, with equal methods joined."""

from __future__ import annotations

from markupsafe import Markup

from .significance import Comparison, groups
from .svg import frame, scale, short, text

WIDTH = 640
SIDE = 170  # width for the names on either side
AXIS = 62  # distance of the axis from the top
STEP = 21  # height between two names
BAR = 8  # height between two bars


def ranks(comparison: Comparison) -> Markup:
    """Draw the average ranks of a table's methods.

    With a control, the methods that do not differ from it by Bonferroni and Dunn's test are
    joined. Without one, every group that does not differ by Nemenyi's test is joined.
    """
    found = comparison.friedman.ranks.sort_values(kind="stable")
    control, k = comparison.control, len(found)
    cd = comparison.dunn_cd if control else comparison.cd
    test = f"Bonferroni-Dunn, control {control}" if control else "Nemenyi"
    at = scale(1, k, SIDE, WIDTH - SIDE)
    half = -(-k // 2)
    spans = groups(found, cd, control)
    first = AXIS + 18 + BAR * len(spans)  # the names are below the bars
    parts = [
        Markup(f'<path class="axis" d="M{SIDE} {AXIS}H{WIDTH - SIDE}"/>'),
        *(_tick(at(place), str(place)) for place in range(1, k + 1)),
        Markup(f'<path class="cd" d="M{SIDE} 26h{short(at(1 + cd) - at(1))}m0 -4v8M{SIDE} 22v8"/>'),
        text(SIDE, 15, f"{test}: critical difference {cd:.2f}", "name"),
    ]
    for place, (name, rank) in enumerate(found.items()):
        left = place < half
        y = first + STEP * (place if left else k - 1 - place)
        x = SIDE - 10 if left else WIDTH - SIDE + 10
        kind = "method strong" if name == control else "method"
        bend = f"M{short(at(rank))} {AXIS}V{short(y)}H{x}"
        parts.append(Markup(f'<path class="lead" d="{bend}"/>'))
        words = f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}"
        edge = x - 6 if left else x + 6
        parts.append(text(edge, y + 4, words, kind + (" end" if left else "")))
    for depth, (low, high) in enumerate(spans):
        y = AXIS + 9 + BAR * depth
        bar = f"M{short(at(low) - 4)} {y}H{short(at(high) + 4)}"
        parts.append(Markup(f'<path class="join" d="{bar}"/>'))
    listed = ", ".join(f"{name} {rank:.2f}" for name, rank in found.items())
    joined = "; ".join(f"{low:.2f} to {high:.2f}" for low, high in spans) or "none"
    about = f"{listed}. {test}, critical difference {cd:.2f}; ranks that do not differ: {joined}."
    height = first + STEP * (half - 1) + 14
    return frame(WIDTH, height, f"Average ranks, {comparison.table.title}", about, parts)


def _tick(x: float, words: str) -> Markup:
    mark = Markup(f'<path class="axis" d="M{short(x)} {AXIS}v-6"/>')
    return mark + text(x, AXIS - 10, words, "tick mid")
