"""The five papers as data: what each one is, and every figure its tables print."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd
import yaml

from ..protocols import Experiment

NAMES = ("gmfs", "rmfl", "mfsef", "semfs", "miml")


@dataclass(frozen=True)
class Paper:
    """One paper: bibliography, and how its names map to ours.

    Attributes
    ----------
    datasets : dict
        Our name of a dataset to the name in ``tables.csv``, where they differ.
    methods : dict
        Our name of a method to the heading that the paper prints.
    metrics : dict
        Our name of a metric to the name in ``tables.csv``, where they differ.
    tables : dict
        Number of a printed table to its caption.
    notes : list
        What a reader of the printed tables should know.
    """

    name: str
    title: str
    authors: list[str]
    venue: str
    year: int
    datasets: dict[str, str] = field(default_factory=dict)
    methods: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, str] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    figures: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def printed(self, tables: list[str]) -> pd.DataFrame:
        """The printed cells of some tables, in our names of datasets and metrics."""
        cells = printed_cells()
        cells = cells[(cells.paper == self.name) & cells.table.isin(tables)]
        ours = {theirs: name for name, theirs in {**self.datasets, **self.metrics}.items()}
        return cells.assign(dataset=cells.dataset.replace(ours), metric=cells.metric.replace(ours))


def headings(experiment: Experiment) -> list[str]:
    """Headings of an experiment's columns: a label as given, a name as its paper prints it."""
    if experiment.paper is None:
        return experiment.labels
    printed = paper(experiment.paper).methods
    return [
        label
        if choice.label
        else label.replace(choice.name, printed.get(choice.name, choice.name), 1)
        for choice, label in zip(experiment.methods, experiment.labels)
    ]


def control(experiment: Experiment) -> str | None:
    """Heading of the column that all others are tested against."""
    heads = headings(experiment)
    named = dict(zip(experiment.labels, heads)) | dict(zip(heads, heads))
    return named.get(experiment.control or "")


@cache
def paper(name: str) -> Paper:
    """Read one paper's YAML."""
    content: dict[str, Any] = yaml.safe_load(_read(f"{name}.yaml"))
    return Paper(name=name, **content)


@cache
def printed_cells() -> pd.DataFrame:
    """All printed figures: paper, table, dataset, method, metric, missing_ratio, mean, std, ..."""
    with (files(__package__) / "tables.csv").open(encoding="utf-8") as stream:
        return pd.read_csv(stream, dtype={"table": str, "note": str}, keep_default_na=True)


def _read(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
