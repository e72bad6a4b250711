"""Diagrams other than curves: critical differences, convergence, scatters, points, waterfalls."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .. import stats
from ..datasets import Dataset
from ..types import Array
from .significance import groups
from .style import COLOURS, grid, head, looks, styled
from .tables import LEVEL, Table
from .views import parts


@styled
def critical_difference(table: Table, control: str | None = None) -> Figure:
    """Draw average ranks on a line, and join methods within one critical difference.

    With a `control` method, the methods that do not differ from it by Bonferroni and Dunn's test
    are joined. Without one, every group that does not differ by Nemenyi's test is joined.
    """
    result = stats.friedman(table.means(), larger_is_better=table.larger_is_better)
    ranks = result.ranks.sort_values()
    k = len(ranks)
    if control in ranks.index:
        cd = stats.bonferroni_dunn_cd(k, result.n, LEVEL)
        test = f"Bonferroni-Dunn, control {control}"
    else:
        control, cd, test = None, stats.nemenyi_cd(k, result.n, LEVEL), "Nemenyi"
    figure, panel = plt.subplots(figsize=(7, 1.0 + 0.28 * k), layout="constrained")
    panel.set_xlim(0.2, k + 0.8)
    half = -(-k // 2)
    panel.set_ylim(-half - 0.6, 2.2)
    panel.axis("off")
    panel.hlines(0, 1, k, color="black")
    for tick in range(1, k + 1):
        panel.vlines(tick, 0, 0.15, color="black")
        panel.text(tick, 0.25, str(tick), ha="center", va="bottom", fontsize=8)
    panel.hlines(1.5, 1, 1 + cd, color="black", linewidth=2)
    panel.text(1, 1.6, f"{test}, CD = {cd:.2f}", ha="left", va="bottom", fontsize=8)
    for place, (name, rank) in enumerate(ranks.items()):
        left = place < half
        level = -(place if left else k - 1 - place) - 1.0
        side, align = (0.9, "right") if left else (k + 0.1, "left")
        weight = "bold" if name == control else "normal"
        panel.plot([rank, rank, side], [0, level, level], color="black", linewidth=0.8)
        text: dict[str, Any] = {"ha": align, "va": "center", "fontsize": 8, "weight": weight}
        panel.text(side + (-0.03 if left else 0.03), level, f"{name} ({rank:.2f})", **text)
    for depth, (low, high) in enumerate(groups(ranks, cd, control)):
        panel.hlines(-0.18 - 0.16 * depth, low - 0.04, high + 0.04, color="black", linewidth=3)
    panel.set_title(table.caption, fontsize=9)
    return figure


@styled
def convergence(changes: dict[str, list[list[float]]]) -> Figure:
    """Draw how much a method's solution changes from one iteration to the next.

    Parameters
    ----------
    changes : dict of str to list of list of float
        For each name, one list of changes per repeat; the lines of a name look alike.
    """
    figure, panel = plt.subplots(figsize=(5, 3.5), layout="constrained")
    styles = looks(list(changes))
    for name, runs in changes.items():
        for run, values in enumerate(runs):
            label = None if run else name
            panel.semilogy(range(1, len(values) + 1), values, label=label, **styles[name])
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    panel.set_xlabel("iteration")
    panel.set_ylabel("change of the solution")
    panel.legend(fontsize=8)
    head(figure, "a line for each repeat")
    return figure


@styled
def scatter(rows: pd.DataFrame, x: str, y: str, keys: list[str]) -> Figure:
    """Plot one column of results against another, with the line where both are equal.

    There is a panel for each dataset and for each value of the columns `keys`.
    """
    rows = rows.dropna(subset=[x, y])
    shown = parts(rows, keys)
    figure, panels = grid(len(shown), 3, 3.8, 3.6)
    for (title, part), panel in zip(shown, panels):
        panel.plot(part[x], part[y], "o", color="black", ms=2.5)
        panel.axline((0, 0), slope=1, color="0.6", linewidth=0.8)
        panel.set_title(title)
        panel.set_xlabel(x.replace("_", " "))
        panel.set_ylabel(y.replace("_", " "))
    repeats = rows.repeat.nunique()
    of = "one repeat" if repeats == 1 else f"{repeats} repeats"
    head(figure, f"all values of {of}; on the line both are equal")
    return figure


@styled
def points(data: Dataset) -> Figure:
    """Draw a dataset of two features as points; darker points have more labels."""
    figure, panel = plt.subplots(figsize=(5, 4), layout="constrained")
    counts = data.Y.sum(axis=1).astype(int)
    order = np.argsort(counts, kind="stable")  # draw points with many labels last: they are few
    x, y = data.X[order].T
    dots = panel.scatter(
        x, y, c=counts[order], s=16, cmap="Greys", edgecolors="black", linewidths=0.4
    )
    figure.colorbar(dots, label="number of labels", ticks=MaxNLocator(integer=True))
    panel.set_xlabel(data.feature_names[0])
    panel.set_ylabel(data.feature_names[1])
    panel.set_title(f"{data.name}: {len(counts)} points")
    return figure


@styled
def waterfall(X: Array, name: str, rows: tuple[int, int]) -> Figure:
    """Draw the scaled values of all features: two instances above, all instances below."""
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = (X - low) / np.where(high > low, high - low, 1.0)
    figure, (pair, whole) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    for row, dash, colour in zip(rows, ("-", "--"), COLOURS):
        style = {"color": colour, "linestyle": dash, "linewidth": 0.8}
        pair.plot(scaled[row], label=f"instance {row + 1}", **style)
    pair.set_ylabel("scaled value")
    pair.legend(fontsize=8)
    pair.set_title(f"{name}: feature values")
    image = whole.imshow(scaled, aspect="auto", cmap="Greys", interpolation="nearest")
    whole.set_xlabel("feature")
    whole.set_ylabel("instance")
    figure.colorbar(image, ax=whole, label="scaled value")
    return figure
