"""Captions of tables: what values are means of, how labels were hidden, and what was fitted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ... import papers
from ...papers.readings import STATED
from ...protocols import Experiment
from ...protocols.experiment.masks import Mask
from ...results.read import Results
from .texts import listed

_DONE = {"labels": "labels really missing", "positives": "positives really hidden"}


def told(panel: Mapping[str, str]) -> str:
    """Return what the rows of a table have in common: ", mlknn trained on full labels"."""
    if not panel:
        return ""
    return f", {panel['classifier']} trained on {panel['train_on']} labels"


def basis(experiment: Experiment, part: pd.DataFrame, entries: pd.DataFrame, by: str) -> str:
    """Say what values are means of: "mean of 5 sizes (17 to 86 features), ± over 5 repeats".

    Parameters
    ----------
    experiment : Experiment
        The experiment of the table.
    part : DataFrame
        The rows that have a value: row, method and the point of the curve.
    entries : DataFrame
        The entries of the table, with the number of repeats of each as count.
    by : str
        What the rows of the table are: datasets, or the points themselves.
    """
    parts = []
    if by == "dataset" and experiment.axis in part:
        parts.append(_points(str(experiment.axis).removeprefix("n_"), part))
    folds = getattr(getattr(experiment, "split", None), "folds", None)
    word = "fold" if folds else "repeat"
    low, high = entries["count"].min(), entries["count"].max()
    parts.append(f"one {word}" if high == 1 else f"± over {_span(low, high)} {word}s")
    return ", ".join(parts)


def _points(unit: str, part: pd.DataFrame) -> str:
    """Say how many points each value averages, their range, and which methods have fewer."""
    noun = "size" if unit == "features" else "point"
    points: dict[str, dict[str, set[float]]] = {}  # by row and method; grouping by pandas is slow
    for row, method, point in zip(part.row, part.method, part.point.tolist()):
        points.setdefault(row, {}).setdefault(method, set()).add(point)
    most = {row: max(map(len, some.values())) for row, some in points.items()}
    if max(most.values()) == 1:
        low, high = part.point.min(), part.point.max()
        return (
            f"at {low:g} {unit}" if low == high else f"at one {noun} ({low:g} to {high:g} {unit})"
        )
    fewer: dict[str, list[int]] = {}  # such as a method that always takes all features
    ends = set[tuple[float, float]]()
    for row, some in points.items():
        usual = set[float]().union(*(here for here in some.values() if len(here) == most[row]))
        ends.add((min(usual), max(usual)))
        for method, here in some.items():
            if len(here) < most[row]:
                fewer.setdefault(method, []).append(len(here))
    span = f"{min(low for low, _ in ends):g} to {max(high for _, high in ends):g} {unit}"
    span += " depending on the dataset" if len(ends) > 1 else ""
    for method, counts in fewer.items():
        nouns = noun if max(counts) == 1 else f"{noun}s"
        span += f"; {_span(min(counts), max(counts))} {nouns} for {method}"
    span = f" ({span})" if noun == "size" else f", {span}"
    return f"mean of {_span(min(most.values()), max(most.values()))} {noun}s{span}"


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def how_hidden(results: Results, ratio: float, dataset: str = "") -> str:
    """Return a sentence about the masks of a table: what the config asks, and what was done.

    The share that really was hidden is measured where cells have stored it, and told where it
    differs from the ratio. Columns with a mask of their own are named.

    Parameters
    ----------
    results : Results
        The results of the table.
    ratio : float
        The share of labels that the table asks to hide.
    dataset : str
        The only dataset of the table; all, if empty.

    Returns
    -------
    str
        The sentence; empty if no labels are hidden.
    """
    shares: dict[Mask, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    columns: dict[Mask, dict[str, None]] = defaultdict(dict)
    headings = results.methods
    for planned, record in results.records if ratio else ():
        cell = planned.series.cell
        mask = getattr(cell.settings, "mask", None)
        if mask is None or cell.settings.ratio != ratio or dataset not in ("", cell.data.name):
            continue
        columns[mask][headings[planned.column]] = None
        if "hidden" in record.info:
            shares[mask][cell.data.name].append(record.info["hidden"][mask.hides])
    usual = _usual(results, ratio)
    texts = [_told(usual, shares[usual])] if usual in columns else []
    for mask, names in columns.items():
        if mask != usual:
            texts.append(f"{', '.join(names)}: {_told(mask, shares[mask])}")
    return "; ".join(texts)


def over_known(results: Results, dataset: str = "") -> str:
    """Say that scores are over known labels, if test labels are unknown: "17 % are not known".

    Parameters
    ----------
    results : Results
        The results of the table.
    dataset : str
        The only dataset of the table; all, if empty.

    Returns
    -------
    str
        The sentence; empty if all test labels are known.
    """
    shares: dict[str, list[float]] = defaultdict(list)
    for planned, record in results.records:
        name = planned.series.cell.data.name
        if "unknown" in record.info and dataset in ("", name):
            shares[name].append(record.info["unknown"])
    if not shares:
        return ""
    each = [f"{100 * float(np.mean(share)):.2g} % of {name}" for name, share in shares.items()]
    return f"scored on the known labels ({', '.join(each)} not known)"


def fitted(results: Results) -> str:
    """Say which columns have settings that were chosen by printed values; empty if none has."""
    experiment = results.experiment
    if experiment.paper is None or not (experiment.tables or experiment.figures):
        return ""
    paper = papers.paper(experiment.paper)
    parts = ["some settings fitted to printed values"] if paper.fitted else []
    if experiment.reading not in (None, STATED):
        chosen = [
            column
            for reading in paper.readings()
            for entry in reading.columns
            if entry.chosen and experiment.name in entry.configs
            for column in ([entry.column] if entry.column else entry.covers.columns)
        ]
        if names := [name for name in results.methods if name in chosen]:
            parts.append(f"settings of {listed(names)} fitted to printed values")
    return "; ".join(parts)


def _usual(results: Results, ratio: float) -> Mask | None:
    """Return the mask of columns that have none of their own."""
    masks = [getattr(settings, "mask", None) for settings in results.experiment.settings({})]
    return next((mask for mask in masks if mask is not None and mask.ratio == ratio), None)


def _told(mask: Mask, shares: Mapping[str, Sequence[float]]) -> str:
    """Return the words of a mask, and the range of its shares where it is not the ratio."""
    percent = sorted(round(100 * float(np.mean(one))) for one in shares.values())
    if not percent or percent[0] == percent[-1] == round(100 * mask.ratio):
        return mask.words
    span = f"{percent[0]}" if percent[0] == percent[-1] else f"{percent[0]} to {percent[-1]}"
    return f"{mask.words}: {span} % of the {_DONE[mask.hides]}"
