"""Draw the scorecard: our value against the printed one, wherever there are both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ...errors import UserError
from ..figures.style import KINDS, grid, save, styled
from .comparison import Comparison
from .judgement import Status
from .scorecard import Scorecard

# in the colours of the page, and in this order, so that points that differ are not hidden
LOOKS: dict[Status, tuple[str, str]] = {
    "reproduced": ("o", "#1d5fa8"),
    "explained": ("D", "#1f7a70"),
    "within chance": ("s", "#a9cdf0"),
    "not comparable": (".", "#5d6470"),
    "better": ("^", "#c98a12"),
    "worse": ("v", "#c4472c"),
}


def write(card: Scorecard, file: Path, description: str = "") -> Path:
    """Draw the picture into a file; the end of its name decides the format."""
    kind = file.suffix.removeprefix(".")
    if kind not in KINDS:
        raise UserError(f"'{file}' should end in one of {', '.join(f'.{kind}' for kind in KINDS)}")
    if not card.total.experiments:
        raise UserError(f"no result in {card.source} belongs to a printed table: nothing to draw")
    [written] = save(picture(card), file.with_suffix(""), [kind], description)
    return written


@styled
def picture(card: Scorecard) -> Figure:
    """Draw a panel for each paper, a point for each value, and the line of equal values."""
    scores = [score for score in card.papers if score.experiments]
    wide = 2 if len(scores) in (2, 4) else 3  # no place stays empty
    figure, panels = grid(len(scores), wide, 3.1, 3.2)
    for score, panel in zip(scores, panels):
        mine = [one for one in card.comparisons if one.paper == score.paper and one.repeats]
        _draw(panel, mine)
        panel.set_title(f"{score.paper}: {len(mine):,} of {score.printed:,} values")
    counts = card.total.counts
    handles = [
        Line2D(
            [], [], marker=marker, color=colour, linestyle="none", label=f"{counts[name]:,} {name}"
        )
        for name, (marker, colour) in LOOKS.items()
        if counts[name]
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(4, 2 * len(scores)))
    return figure


def _draw(panel: Axes, comparisons: list[Comparison]) -> None:
    for status, (marker, colour) in LOOKS.items():
        mine = [one for one in comparisons if one.status == status]
        printed, ours = [one.printed for one in mine], [one.ours for one in mine]
        style: dict[str, Any] = {"marker": marker, "color": colour, "markersize": 3}
        panel.plot(printed, ours, linestyle="none", alpha=0.8, **style)
    values = [value for one in comparisons for value in (one.printed, one.ours)]
    low, high = min(values), max(values)
    unit = ""
    if high > 2:
        unit = ", seconds"
        panel.set_xscale("log")
        panel.set_yscale("log")
        limits = (low / 1.5, high * 1.5)
    else:
        air = 0.05 * (high - low) or 0.05
        limits = (low - air, high + air)
        panel.xaxis.set_major_locator(MaxNLocator(5))
        panel.yaxis.set_major_locator(MaxNLocator(5))
    panel.set(
        xlim=limits, ylim=limits, xlabel=f"printed{unit}", ylabel=f"ours{unit}", aspect="equal"
    )
    panel.plot(limits, limits, color="0.6", linewidth=0.8, zorder=0.5)
