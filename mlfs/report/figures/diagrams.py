"""Diagrams of data that only plots show: scatters, points, waterfalls."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from ...datasets import Dataset
from ...types import Array
from .looks import COLOURS
from .style import Print, grid, head, styled
from .views import parts

_NARROW = 2.3  # inches that a panel of a scatter needs at least


@styled
def scatter(
    rows: pd.DataFrame, x: str, y: str, keys: list[str], printed: Print | None = None
) -> Figure:
    """Plot one column of results against another, with the line where both are equal.

    There is a panel for each dataset and for each value of the columns `keys`.
    """
    printed = printed or Print()
    rows = rows.dropna(subset=[x, y])
    shown = parts(rows, keys)
    wide = min(len(shown), 3, max(1, int(printed.width / _NARROW)) if printed.width else 3)
    width = printed.width / wide if printed.width else 3.8
    figure, panels = grid(len(shown), wide, width, 0.95 * width)
    for (title, part), panel in zip(shown, panels):
        panel.plot(part[x], part[y], "o", color="black", ms=2.5)
        panel.axline((0, 0), slope=1, color="0.6", linewidth=0.8)
        panel.set_title(title)
        panel.set_xlabel(x.replace("_", " "))
        panel.set_ylabel(y.replace("_", " "))
    repeats = rows.repeat.nunique()
    of = "one repeat" if repeats == 1 else f"{repeats} repeats"
    if printed.caption:
        head(figure, f"all values of {of}; on the line both are equal")
    return figure


@styled
def dots(
    entries: pd.DataFrame,
    methods: list[str],
    metric: str,
    caption: str,
    printed: Print | None = None,
) -> Figure:
    """Plot the mean of each method on one dataset as a dot, with the deviation over repeats."""
    printed = printed or Print()
    height = (1.0 if printed.caption else 0.6) + 0.3 * len(methods)
    figure, [panel] = grid(1, 1, printed.width or 5.0, height)
    shown = entries.set_index("method").reindex(methods)
    places = np.arange(len(methods))
    panel.errorbar(
        shown["mean"], places, xerr=shown["std"].fillna(0.0), fmt="o", color="black", capsize=2
    )
    panel.set_yticks(places, methods)
    panel.invert_yaxis()  # the first method is at the top
    panel.set_xlabel(metric.replace("_", " "))
    panel.grid(axis="x")
    if printed.caption:
        head(figure, caption)
    return figure


@styled
def points(data: Dataset, printed: Print | None = None) -> Figure:
    """Draw a dataset of two features as points; darker points have more labels."""
    printed = printed or Print()
    width = printed.width or 5.0
    figure, panel = plt.subplots(figsize=(width, 0.8 * width), layout="constrained")
    counts = np.nansum(data.Y, axis=1).astype(int)
    order = np.argsort(counts, kind="stable")  # draw points with many labels last: they are few
    x, y = data.X[order].T
    dots = panel.scatter(
        x, y, c=counts[order], s=16, cmap="Greys", edgecolors="black", linewidths=0.4
    )
    figure.colorbar(dots, label="number of labels", ticks=MaxNLocator(integer=True))
    panel.set_xlabel(data.feature_names[0])
    panel.set_ylabel(data.feature_names[1])
    if printed.caption:
        panel.set_title(f"{data.name}: {len(counts)} points")
    return figure


@styled
def waterfall(X: Array, name: str, rows: tuple[int, int]) -> Figure:
    """Draw the scaled values of all features: two instances above, all instances below."""
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = (X - low) / np.where(high > low, high - low, 1.0)
    figure, (pair, whole) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    for row, dash, (colour, _) in zip(rows, ("-", "--"), COLOURS):
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
