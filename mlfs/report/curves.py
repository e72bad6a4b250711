"""Curves: a panel for each dataset and missing ratio, lines with a band for what is compared."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from itertools import cycle
from typing import Any

import matplotlib

matplotlib.use("Agg")  # files only: no screen is needed

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .views import View, caption, is_number, line, parts

MARKERS = "osD^vP*X<>h"
DASHES = ["-", "--", "-.", ":"]
GREYS = ["black", "0.35", "0.55"]


def grid(count: int, wide: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Give a figure of `count` panels, `wide` of them beside each other."""
    wide = min(wide, count)
    tall = -(-count // wide)
    size = (width * wide, height * tall)
    figure, panels = plt.subplots(tall, wide, figsize=size, squeeze=False, layout="constrained")
    for panel in panels.flat[count:]:
        panel.set_visible(False)
    return figure, list(panels.flat[:count])


def head(figure: Figure, text: str) -> None:
    """Put a small line over a figure that says what it shows."""
    width = int(15 * figure.get_figwidth())  # letters of this size that an inch holds
    figure.suptitle(textwrap.fill(text, width), fontsize=8)


def curves(view: View) -> Figure:
    """Draw the mean of a metric over repeats along x, with a band of one deviation."""
    x, metric, lines = view.x, view.metric, view.lines
    view = replace(view, rows=view.rows.dropna(subset=[x, metric]))
    shown = parts(view.rows, view.keys)
    ratios = view.rows.ratio.nunique() if "ratio" in view.keys else 1
    figure, panels = grid(len(shown), ratios if 1 < ratios < 5 else 3, 4.6, 3.4)
    counts = []
    for (title, part), panel in zip(shown, panels):
        counts += _draw(panel, part, x, metric, lines)
        panel.set_title(title)
        panel.set_xlabel("share hidden" if x == "ratio" else x.replace("_", " "))
        panel.set_ylabel(metric.replace("_", " "))
    _same_height([part.dataset.iloc[0] for _, part in shown], panels)
    drawn = {
        label: handle
        for panel in panels
        for handle, label in zip(*panel.get_legend_handles_labels())
    }
    handles = [drawn[name] for name in lines if name in drawn]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=min(4, 2 + len(panels), len(handles)),
        handlelength=3,
    )
    head(figure, caption(view, counts))
    return figure


def _draw(panel: Axes, part: pd.DataFrame, x: str, metric: str, lines: list[str]) -> list[int]:
    """Draw one panel; give the numbers of repeats behind its points."""
    values = list(dict.fromkeys(part[x]))
    numeric = all(is_number(value) for value in values)
    if numeric:
        values.sort()
        if values[0] > 0 and values[-1] / values[0] > 100:
            panel.set_xscale("log")
    else:
        panel.set_xticks(range(len(values)), [str(value) for value in values])
    counts: list[int] = []
    alpha = min(0.12, 0.4 / len(lines))  # many bands over each other must not hide the lines
    for name, marker, dash, grey in zip(lines, cycle(MARKERS), cycle(DASHES), cycle(GREYS)):
        mine = line(part[part.line == name], x, metric)
        if mine.empty:
            continue
        counts += list(mine["count"])
        mine = mine.reindex([value for value in values if value in mine.index])
        mean, spread = mine["mean"].to_numpy(), mine["std"].fillna(0.0).to_numpy()
        style: dict[str, Any] = {"color": grey, "linestyle": dash, "label": name}
        band: dict[str, Any] = {"color": grey, "alpha": alpha, "linewidth": 0}
        if len(mine) == 1 and len(values) > 2:  # all features: a level to compare with
            panel.axhline(mean[0], **style)
            panel.axhspan(mean[0] - spread[0], mean[0] + spread[0], **band)
            continue
        at = mine.index.to_numpy() if numeric else [values.index(value) for value in mine.index]
        panel.plot(at, mean, marker=marker, ms=4, **style)
        panel.fill_between(at, mean - spread, mean + spread, **band)
    return counts


def _same_height(names: list[str], panels: list[Axes]) -> None:
    """Give the panels of a dataset one y axis, so that the eye may compare its ratios."""
    for name in set(names):
        mine = [panel for other, panel in zip(names, panels) if other == name]
        limits = np.array([panel.get_ylim() for panel in mine])
        for panel in mine:
            panel.set_ylim(limits[:, 0].min(), limits[:, 1].max())
