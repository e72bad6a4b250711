"""A paper's bibliography, names and notes, and the faults that explain printed values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..datasets import catalog
from ..errors import UserError
from ..yamltext import where
from .claims import Claims, read_claims
from .files import mistake, read_table, read_yaml

DENSITY = "label_density"
# the statistics that a paper may compute from its tables
STATISTICS = ("average_rank", "mean", "friedman", "critical_value", "critical_difference")
_PLACE = ("table", "dataset", "method", "metric", "missing_ratio")


class Explained(BaseModel):
    """Printed cells that a fault of the paper explains.

    With `column`, a cell is explained if that column of ours, which repeats the fault, reproduces
    the printed value. With `equals`, it is explained if the printed value equals a number that the
    catalogue has for the dataset.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tables: list[str] = Field(description="numbers of the printed tables")
    method: str = Field(description="heading of the printed column")
    metric: str | None = Field(None, description="our name of the metric; all metrics, if left out")
    datasets: list[str] | None = Field(None, description="our names of datasets; all, if left out")
    ratios: list[float] | None = Field(None, description="missing ratios; all, if left out")
    column: str | None = Field(None, description="our column that repeats the fault")
    equals: Literal["label_density"] | None = Field(
        None, description="the number that was printed in place of a score"
    )
    within: float = Field(
        0.002, ge=0, description="largest difference of the printed value to `equals`"
    )
    reason: str

    @model_validator(mode="after")
    def _one_way(self) -> Explained:
        if (self.column is None) == (self.equals is None):
            raise ValueError("a rule of 'explained' needs either 'column' or 'equals'")
        return self

    def covers(self, table: str, dataset: str, method: str, metric: str, ratio: float) -> bool:
        """Return whether the rule covers a printed cell; dataset and metric have our names."""
        return (
            table in self.tables
            and method == self.method
            and self.metric in (None, metric)
            and (self.datasets is None or dataset in self.datasets)
            and (self.ratios is None or any(abs(ratio - one) < 1e-9 for one in self.ratios))
        )

    def is_printed(self, dataset: str, printed: float) -> bool:
        """Return whether `printed` equals the number of the dataset that `equals` names."""
        value = density(dataset) if self.equals == DENSITY else None
        return value is not None and abs(printed - value) <= self.within + 1e-9


class Paper(BaseModel):
    """One paper: bibliography, and how its names map to ours.

    Attributes
    ----------
    name : str
        The name of its folder.
    folder : Path
    datasets : dict
        For our name of a dataset the name in ``printed.csv``, if they differ.
    methods : dict
        For our name of a method the heading that the paper prints.
    metrics : dict
        For our name of a metric the name in ``printed.csv``, if they differ.
    tables, figures : dict
        For the number of a printed table or figure its caption.
    frequent_labels : dict
        For our name of a dataset, how many of its most frequent labels the paper seems to have
        used, if it did not use all.
    not_runnable : dict
        For our name of a dataset, why it cannot be run with public files.
    explained : list of Explained
        Printed cells that a fault of the paper explains.
    notes : list
        What a reader of the printed tables should know.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    folder: Path
    title: str
    authors: list[str]
    venue: str
    year: int
    datasets: dict[str, str] = {}
    methods: dict[str, str] = {}
    metrics: dict[str, str] = {}
    tables: dict[str, str] = {}
    figures: dict[str, str] = {}
    frequent_labels: dict[str, int] = {}
    not_runnable: dict[str, str] = {}
    explained: list[Explained] = []
    notes: list[str] = []

    def printed(self, tables: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the printed cells of some tables, or of all, with our names.

        The columns are those of `mlfs.papers.printed_cells`.
        """
        cells = self.cells()
        if tables is not None:
            cells = cells[cells.table.isin(list(tables))]
        return cells.assign(dataset=self._ours(cells.dataset), metric=self._ours(cells.metric))

    def cells(self) -> pd.DataFrame:
        """All printed cells, with the names of ``printed.csv``."""
        path = self.folder / "printed.csv"
        cells = read_table(path)
        self._check_tables(path, cells.table, cells.line)
        twice = cells[cells.duplicated([*_PLACE])]
        for line in twice.line:
            raise UserError(f"{path}, line {line}: this cell is already above: remove one")
        return cells.assign(paper=self.name)[["paper", *cells.columns.drop("line")]]

    def statistics(self) -> pd.DataFrame:
        """Return the statistics that the paper prints, with our names of metrics.

        The columns are place, statistic, tables (numbers separated by blanks), metric, method and
        value.
        """
        path = self.folder / "statistics.csv"
        found = read_table(path)
        for numbers, line in zip(found.tables.str.split(), found.line):
            self._check_tables(path, numbers, [line] * len(numbers))
        for name, line in zip(found.statistic, found.line):
            if name not in STATISTICS:
                known = ", ".join(STATISTICS)
                raise UserError(f"{path}, line {line}: unknown statistic '{name}' (known: {known})")
        return found.assign(metric=self._ours(found.metric)).drop(columns="line")

    def claims(self) -> Claims:
        """Return the numerical claims of its text."""
        return read_claims(self.folder)

    def _check_tables(self, path: Path, numbers: Iterable[str], lines: Iterable[int]) -> None:
        for number, line in zip(numbers, lines):
            if number not in self.tables:
                known = ", ".join(self.tables) or "none"
                raise UserError(
                    f"{path}, line {line}: paper.yaml has no table '{number}' (its tables: {known})"
                )

    def _ours(self, names: pd.Series) -> pd.Series:
        ours = {theirs: name for name, theirs in {**self.datasets, **self.metrics}.items()}
        return names.map(lambda name: ours.get(name, name))


def density(dataset: str) -> float | None:
    """Return the mean share of labels that an instance has; None if it is not known."""
    entry = catalog().get(dataset)
    if entry is None or entry.cardinality is None or not entry.l:
        return None
    return entry.cardinality / entry.l


@cache
def read_paper(folder: Path) -> Paper:
    """Read ``paper.yaml`` of a folder."""
    path = folder / "paper.yaml"
    content, lines = read_yaml(path)
    if not isinstance(content, dict):
        raise UserError(f"{path}: a paper is a mapping of keys such as title, authors, tables")
    for key in ("name", "folder"):
        if key in content:
            raise UserError(f"{where(str(path), lines, (key,))}: leave out '{key}'")
    try:
        return Paper.model_validate({**content, "name": folder.name, "folder": folder})
    except ValidationError as error:
        raise mistake(path, lines, error) from error
