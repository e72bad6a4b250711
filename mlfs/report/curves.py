"""Curves: a panel for each dataset and missing ratio, a line for each thing compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from ..types import Array
from .facts import directions
from .style import grid, head, looks, styled
from .svg import spread
from .views import View, axis_name, caption, is_number, line, parts

NAMED = 10  # most lines whose names fit beside a panel
_LONGEST = 24  # letters of such a name
_FEW = 7  # points: lines with more show deviations as a band, not as bars
_LETTER = 0.15  # height of a name, in inches
HEIGHT = 3.4  # of a panel, in inches


@styled
def curves(view: View, own: str = "", bands: bool = True) -> Figure:
    """Draw the mean of a metric over repeats along x, with one deviation on either side.

    The line `own`, of the paper's own method, is drawn thick and black. Without `bands`, no
    deviations are drawn.

    Values that the paper prints have hollow marks. Along the ratio they are drawn at their ratio.
    For curves over sizes they are drawn to the right of the panel, beside our mean along the
    curve, since the paper prints such means.
    """
    x, metric = view.x, view.metric
    view = replace(view, rows=view.rows.dropna(subset=[x, metric]))
    shown = parts(view.rows, view.keys)
    ratios = view.rows.ratio.nunique() if "ratio" in view.keys else 1
    beside = len(view.lines) <= NAMED and max(map(len, view.lines)) <= _LONGEST
    figure, panels = grid(
        len(shown), ratios if 1 < ratios < 5 else 3, 4.8 if beside else 4.4, HEIGHT
    )
    counts: list[int] = []
    drawn = []
    for (title, part), panel in zip(shown, panels):
        drawn.append(_Panel(panel, view, part, own, bands))
        counts += drawn[-1].draw()
        panel.set_title(title)
        panel.set_xlabel(axis_name(x))
        panel.set_ylabel(axis_name(metric))
    _same_height([part.dataset.iloc[0] for _, part in shown], panels)
    if beside:
        for one in drawn:
            one.names()
    else:
        _legend(figure, panels, view.lines)
    around = {one.around for one in drawn if one.around}
    text = f", {' or '.join(sorted(around))} ± one standard deviation" if around else ""
    head(figure, _head(view, counts, text, any(one.printed for one in drawn)))
    return figure


def _head(view: View, counts: list[int], around: str, printed: bool) -> str:
    """Return a line that explains the points, the deviations and the hollow marks."""
    text = caption(view, counts) + around
    if printed:
        text += "; hollow: as printed"
        text += "" if view.x == "ratio" else ", beside our mean along the curve"
    better = directions().get(view.metric)
    return text if better is None else f"{text}; {'higher' if better else 'lower'} is better"


def _legend(figure: Figure, panels: list[Axes], lines: list[str]) -> None:
    drawn = {
        label: handle
        for panel in panels
        for handle, label in zip(*panel.get_legend_handles_labels())
    }
    handles = [drawn[name] for name in lines if name in drawn]
    columns = min(4, 2 + len(panels), len(handles))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, handlelength=4)


class _Panel:
    """One set of axes."""

    def __init__(self, axes: Axes, view: View, part: pd.DataFrame, own: str, bands: bool):
        self.axes, self.view, self.part, self.own, self.bands = axes, view, part, own, bands
        self.looks = looks(view.lines, own)
        self.values = list(dict.fromkeys(part[view.x]))
        self.numeric = all(is_number(value) for value in self.values)
        self.ends: dict[str, float] = {}  # the y at which each line ends
        self.printed = False
        self.around = ""  # how deviations are drawn: "bars", "band" or not at all

    def draw(self) -> list[int]:
        """Draw all lines; return the number of repeats behind each point."""
        self._axis()
        counts: list[int] = []
        for place, name in enumerate(self.view.lines):
            mine = line(self.part[self.part.line == name], self.view.x, self.view.metric)
            if not mine.empty:
                counts += list(mine["count"])
                aside = place - (len(self.view.lines) - 1) / 2
                self._line(name, mine, aside)
        self._printed()
        return counts

    def _axis(self) -> None:
        if not self.numeric:
            self.axes.set_xticks(range(len(self.values)), [str(value) for value in self.values])
            return
        self.values.sort()
        if self.values[0] > 0 and self.values[-1] / self.values[0] > 100:
            self.axes.set_xscale("log")
        elif len(self.values) <= _FEW:
            self.axes.set_xticks(self.values)
        if self.view.x == "ratio":
            self.axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))

    def _line(self, name: str, mine: pd.DataFrame, aside: float) -> None:
        """Draw one line; `aside`, its place among the lines, shifts bars so that all are seen."""
        mine = mine.reindex([value for value in self.values if value in mine.index])
        mean, deviation = mine["mean"].to_numpy(), mine["std"].fillna(0.0).to_numpy()
        style = self.looks[name]
        colour = style["color"]
        self.ends[name] = float(mean[-1])
        low, high = mean - deviation, mean + deviation
        if len(mine) == 1 and len(self.values) > 2:  # such as all features: a level to compare with
            self.axes.axhline(mean[0], label=name, **{**style, "marker": None})
            if self.bands and deviation.any():
                self.around = self.around or "band"
                self.axes.axhspan(low[0], high[0], color=colour, alpha=0.07, linewidth=0)
            return
        at = mine.index.to_numpy(float) if self.numeric else self._places(mine)
        self.axes.plot(at, mean, label=name, **style)
        if not self.bands or not deviation.any():
            return
        self.around = "bars" if len(mine) <= _FEW else "band"
        if len(mine) <= _FEW:
            step = 0.0 if self.axes.get_xscale() == "log" else 0.006 * (at.max() - at.min())
            self.axes.vlines(at + aside * step, low, high, color=colour, linewidth=0.8, alpha=0.6)
        else:
            alpha = min(0.15, 0.5 / len(self.view.lines))  # many bands must not hide the lines
            self.axes.fill_between(at, low, high, color=colour, alpha=alpha, linewidth=0)

    def _places(self, mine: pd.DataFrame) -> Array:
        return np.array([float(self.values.index(value)) for value in mine.index])

    def _printed(self) -> None:
        """Draw the paper's values beside ours, with hollow marks."""
        printed = self.view.printed
        printed = printed[printed.dataset == self.part.dataset.iloc[0]]
        if self.view.x == "ratio":
            for name, some in printed[printed.ratio.isin(self.values)].groupby("line"):
                x, y = list(some.ratio), list(some.value)
                self.axes.plot(x, y, color=self.looks[name]["color"], linewidth=0.6, alpha=0.6)
                self._mark(name, x, y, hollow=True)
        elif self.numeric:
            near = printed[(printed.ratio - self.part.ratio.iloc[0]).abs() < 1e-9]
            self._slopes(dict(zip(near.line, near.value)))

    def _slopes(self, printed: dict[str, float]) -> None:
        """Draw our mean and the printed value at the right, joined by a line."""
        ours = self.part.groupby(["line", "repeat"])[self.view.metric].mean().groupby("line").mean()
        both = [name for name in self.ends if name in printed]
        if not both or self.axes.get_xscale() == "log":
            return
        span = self.values[-1] - self.values[0]
        places = [self.values[-1] + share * span for share in (0.2, 0.45)]
        self.axes.axvline(self.values[-1] + 0.1 * span, color="0.8", linewidth=0.8)
        for name in both:
            pair = [float(ours[name]), printed[name]]
            colour = self.looks[name]["color"]
            self.axes.plot(places, pair, color=colour, linewidth=0.7, alpha=0.7)
            self._mark(name, places[:1], pair[:1], hollow=False)
            self._mark(name, places[1:], pair[1:], hollow=True)
            self.ends[name] = printed[name]
        start = self.axes.get_xlim()[0]  # a tick before it would widen the panel
        ticks = [tick for tick in self.axes.get_xticks() if start <= tick <= self.values[-1]]
        texts = [f"{tick:g}" for tick in ticks] + ["mean", "printed"]
        self.axes.set_xticks([*ticks, *places], texts)

    def _mark(self, name: str, x: list[float], y: list[float], *, hollow: bool) -> None:
        style = self.looks[name]
        face = "white" if hollow else style["color"]
        mark = {"marker": style["marker"], "markeredgecolor": style["color"], "linestyle": "none"}
        self.axes.plot(x, y, markerfacecolor=face, markersize=5.5, zorder=4, **mark)
        self.printed = True

    def names(self) -> None:
        """Write the names of the lines beside their ends, in their colours."""
        low, high = self.axes.get_ylim()
        apart = (high - low) * _LETTER / (0.75 * HEIGHT)  # titles take a quarter of the height
        order = sorted(self.ends, key=lambda name: self.ends[name])
        places = spread([self.ends[name] for name in order], apart, low, high)
        for name, place in zip(order, places):
            colour = self.looks[name]["color"]
            self.axes.annotate(
                name,
                xy=(1.0, self.ends[name]),
                xytext=(1.06, place),
                xycoords=("axes fraction", "data"),
                textcoords=("axes fraction", "data"),
                fontsize=8,
                color=colour,
                va="center",
                weight="bold" if name == self.own else "normal",
                annotation_clip=False,
                arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 0},
            )


def _same_height(names: list[str], panels: list[Axes]) -> None:
    """Use one y axis for the panels of a dataset, so that the eye may compare its ratios."""
    for name in set(names):
        mine = [panel for other, panel in zip(names, panels) if other == name]
        limits = np.array([panel.get_ylim() for panel in mine])
        for panel in mine:
            panel.set_ylim(limits[:, 0].min(), limits[:, 1].max())
