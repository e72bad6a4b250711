"""Say in words what the values of a table are means of: points of a curve, and repeats."""

from __future__ import annotations

import pandas as pd

from ..protocols import Experiment


def describe(experiment: Experiment, part: pd.DataFrame, cells: pd.DataFrame, by: str) -> str:
    """Return a phrase such as "mean of 5 sizes (17 to 86 features), ± over 5 repeats".

    Parameters
    ----------
    experiment : Experiment
        The experiment of the table.
    part : DataFrame
        The rows that have a value: row, method and the point of the curve.
    cells : DataFrame
        The cells of the table, with the number of repeats of each as count.
    by : str
        What the rows of the table are: datasets, or the points themselves.
    """
    parts = []
    if by == "dataset" and experiment.axis in part:
        parts.append(_points(str(experiment.axis).removeprefix("n_"), part))
    kind = getattr(getattr(experiment, "split", None), "kind", "")
    word = "fold" if kind == "kfold" else "repeat"
    low, high = cells["count"].min(), cells["count"].max()
    parts.append(f"one {word}" if high == 1 else f"± over {_span(low, high)} {word}s")
    return ", ".join(parts)


def _points(unit: str, part: pd.DataFrame) -> str:
    """Say how many points each value averages, their range, and which methods have fewer."""
    noun = "size" if unit == "features" else "point"
    known = part.groupby(["row", "method"], sort=False)["point"].nunique()
    most = known.groupby("row").transform("max")
    low, high = part.point.min(), part.point.max()
    if most.max() == 1:
        return (
            f"at {low:g} {unit}" if low == high else f"at one {noun} ({low:g} to {high:g} {unit})"
        )
    fewer = known[known < most]  # such as a method that always takes all features
    usual = part.set_index(["row", "method"]).drop(index=fewer.index)["point"]
    ends = usual.groupby("row").agg(["min", "max"])
    span = f"{ends['min'].min():g} to {ends['max'].max():g} {unit}"
    span += " depending on the row" if len(ends.drop_duplicates()) > 1 else ""
    for method, counts in fewer.groupby("method", sort=False):
        nouns = noun if counts.max() == 1 else f"{noun}s"
        span += f"; {_span(counts.min(), counts.max())} {nouns} for {method}"
    span = f" ({span})" if noun == "size" else f", {span}"
    return f"mean of {_span(most.min(), most.max())} {noun}s{span}"


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"
