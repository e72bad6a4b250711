"""Figures readable in black and white: curves, sweeps, critical differences, waterfalls."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # files only: no screen is needed

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import stats
from ..datasets import gaussian_toy
from ..errors import UserError
from ..types import Array
from .results import Results
from .tables import LEVEL, Table, make_tables

_MARKERS = "osD^vP*X<>h"
_DASHES = ["-", "--", "-.", ":"]
_GREYS = ["black", "0.35", "0.55"]


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw every figure that the results allow; give the files, svg and png of each."""
    experiment = results.experiment
    if results.rows.empty:
        raise UserError(f"{experiment.name} has no finished cells to draw: run its config first")
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for metric in experiment.metrics:
        for name, figure in _figures(results, metric).items():
            files += save(figure, folder / f"{name}_{metric}")
    for name, figure in _once(results).items():
        files += save(figure, folder / name)
    if not files:
        raise UserError(
            f"{experiment.name} has neither a curve, a sweep, several ratios nor three datasets "
            "and methods to draw: 'mlfs table' shows it best"
        )
    return files


def _figures(results: Results, metric: str) -> dict[str, Figure]:
    experiment, rows = results.experiment, results.rows
    found = {}
    axis = experiment.axis
    if axis and axis in rows and rows.groupby(["dataset", "method"])[axis].nunique().max() > 2:
        found["curve"] = curves(rows, axis, metric, results.methods)
    if len(experiment.mask.ratio) > 2:
        found["ratio"] = curves(rows, "ratio", metric, results.methods)
    for name in results.swept:
        found[f"sweep_{name}"] = curves(rows.dropna(subset=name), name, metric, results.methods)
    for table in make_tables(results, [metric]):
        if len(table.methods) > 2 and len(table.means().dropna()) > 2 and not results.swept:
            suffix = f"_{table.ratio:g}" if len(experiment.mask.ratio) > 1 else ""
            found[f"cd{suffix}"] = critical_difference(table, control=experiment.control)
    return found


def _once(results: Results) -> dict[str, Figure]:
    """Figures that do not belong to one metric."""
    found = {}
    single = len(results.methods) == 1 and not results.swept
    if single and any("change" in info for _, info in results.info):
        found["convergence"] = convergence(results)
    if "mean_ml_oss" in results.rows:
        found["means"] = agreement(results.rows, "mean")
        found["variances"] = agreement(results.rows, "variance")
    if set(results.rows.dataset) == {"toy_gaussian"}:
        found["toy"] = toy()
    return found


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write a figure as svg and png."""
    files = [stem.with_name(f"{stem.name}.{kind}") for kind in ("svg", "png")]
    for file in files:
        figure.savefig(file, dpi=150, bbox_inches="tight")
    plt.close(figure)
    return files


def curves(rows: pd.DataFrame, x: str, metric: str, methods: list[str]) -> Figure:
    """One panel per dataset: the mean of a metric along `x`, a band of one deviation."""
    names = list(dict.fromkeys(rows.dataset))
    wide = min(3, len(names))
    tall = -(-len(names) // wide)
    figure, panels = plt.subplots(
        tall, wide, figsize=(4.6 * wide, 3.4 * tall), squeeze=False, layout="constrained"
    )
    for panel in panels.flat[len(names) :]:
        panel.set_visible(False)
    for name, panel in zip(names, panels.flat):
        part = rows[rows.dataset == name]
        _curve_panel(panel, part, x, metric, methods)
        panel.set_title(name)
        panel.set_xlabel(x.replace("_", " "))
        panel.set_ylabel(metric.replace("_", " "))
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)))
    return figure


def _curve_panel(panel: Axes, part: pd.DataFrame, x: str, metric: str, methods: list[str]) -> None:
    values = part[x].dropna().unique()
    numeric = all(isinstance(value, int | float | np.number) for value in values)
    if numeric and min(values) > 0 and max(values) / min(values) > 100:
        panel.set_xscale("log")
    styles = zip(methods, cycle(_MARKERS), cycle(_DASHES), cycle(_GREYS))
    for method, marker, dash, grey in styles:
        mine = part[part.method == method]
        if mine.empty:
            continue
        line = mine.groupby(x)[metric].agg(["mean", "std"])
        if len(line) == 1 and len(values) > 2:  # all features: a level to compare with
            panel.axhline(line["mean"].iloc[0], color=grey, linestyle=dash, label=method)
            continue
        at = line.index.to_numpy() if numeric else np.arange(len(line))
        panel.plot(at, line["mean"], color=grey, marker=marker, linestyle=dash, label=method, ms=4)
        spread = line["std"].fillna(0.0)
        if mine.repeat.nunique() > 1:
            low, high = line["mean"] - spread, line["mean"] + spread
            panel.fill_between(at, low, high, color=grey, alpha=0.12, linewidth=0)
        if not numeric:
            panel.set_xticks(at, [str(value) for value in line.index])


def critical_difference(table: Table, control: str | None = None) -> Figure:
    """Average ranks on a line; methods within one critical difference are joined.

    With a `control` method, only its own critical difference is drawn, as the papers that test
    against one method do; otherwise every group that does not differ is joined.
    """
    result = stats.friedman(table.means(), larger_is_better=table.larger_is_better)
    ranks = result.ranks.sort_values()
    k = len(ranks)
    cd = stats.nemenyi_cd(k, result.n, LEVEL)
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
    panel.text(1 + cd / 2, 1.6, f"CD = {cd:.2f}", ha="center", va="bottom", fontsize=8)
    for place, (name, rank) in enumerate(ranks.items()):
        left = place < half
        level = -(place if left else k - 1 - place) - 1.0
        side = 0.9 if left else k + 0.1
        panel.plot([rank, rank, side], [0, level, level], color="black", linewidth=0.8)
        text = f"{name} ({rank:.2f})"
        weight = "bold" if name == control else "normal"
        panel.text(
            side,
            level,
            text,
            ha="right" if left else "left",
            va="center",
            fontsize=8,
            weight=weight,
        )
    for depth, (low, high) in enumerate(_groups(ranks, cd, control)):
        panel.hlines(-0.18 - 0.16 * depth, low - 0.04, high + 0.04, color="black", linewidth=3)
    panel.set_title(table.caption, fontsize=9)
    return figure


def _groups(ranks: pd.Series, cd: float, control: str | None) -> list[tuple[float, float]]:
    """Spans of ranks that do not differ: around the control, or all that no other one contains."""
    values = list(ranks)
    if control is not None and control in ranks.index:
        near = [rank for rank in values if abs(rank - ranks[control]) <= cd]
        return [(min(near), max(near))] if len(near) > 1 else []
    spans: list[tuple[float, float]] = []
    for low in values:
        high = max(rank for rank in values if rank - low <= cd)
        if high > low and not (spans and high <= spans[-1][1]):
            spans.append((low, high))
    return spans


def convergence(results: Results) -> Figure:
    """Change of a method's solution from one iteration to the next, a line per dataset."""
    figure, panel = plt.subplots(figsize=(5, 3.5), layout="constrained")
    changes = {cell.spec["dataset"]: info["change"] for cell, info in results.info}
    for (name, values), marker, dash in zip(changes.items(), cycle(_MARKERS), cycle(_DASHES)):
        panel.semilogy(
            range(1, len(values) + 1), values, dash, marker=marker, color="black", label=name
        )
    panel.set_xlabel("iteration")
    panel.set_ylabel("change of the solution")
    panel.legend()
    return figure


def agreement(rows: pd.DataFrame, what: str) -> Figure:
    """Means or variances of labels by the older inference against those by the newer one."""
    names = list(dict.fromkeys(rows.dataset))
    figure, panels = plt.subplots(
        1, len(names), figsize=(3.8 * len(names), 3.6), squeeze=False, layout="constrained"
    )
    for name, panel in zip(names, panels.flat):
        part = rows[rows.dataset == name]
        panel.plot(part[f"{what}_ml_oss"], part[f"{what}_bml_cs"], "o", color="black", ms=2.5)
        panel.axline((0, 0), slope=1, color="0.6", linewidth=0.8)
        panel.set_title(name)
        panel.set_xlabel(f"{what}, ML-OSS")
        panel.set_ylabel(f"{what}, BML-CS")
    return figure


def toy() -> Figure:
    """A toy set of five Gaussians: how many labels each point has."""
    data = gaussian_toy(seed=0, n=300, l=5, cardinality=1.5)
    figure, panel = plt.subplots(figsize=(4.5, 4), layout="constrained")
    counts = data.Y.sum(axis=1)
    for count in np.unique(counts):
        some = data.X[counts == count]
        marker = _MARKERS[int(count) % len(_MARKERS)]
        panel.plot(
            some[:, 0], some[:, 1], marker, color="black", ms=4, mfc="none", label=f"{count} labels"
        )
    panel.legend(fontsize=8)
    panel.set_title("toy set, five Gaussians")
    return figure


def waterfall(X: Array, name: str, rows: tuple[int, int]) -> Figure:
    """Scaled values of all features: two instances above, all instances below."""
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = (X - low) / np.where(high > low, high - low, 1.0)
    figure, (pair, whole) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    for row, dash, grey in zip(rows, _DASHES, _GREYS):
        pair.plot(scaled[row], dash, color=grey, linewidth=0.8, label=f"instance {row + 1}")
    pair.set_ylabel("scaled value")
    pair.legend(fontsize=8)
    pair.set_title(f"{name}: feature values")
    image = whole.imshow(scaled, aspect="auto", cmap="Greys", interpolation="nearest")
    whole.set_xlabel("feature")
    whole.set_ylabel("instance")
    figure.colorbar(image, ax=whole, label="scaled value")
    return figure
