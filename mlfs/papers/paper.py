"""A paper's bibliography, names and notes; its other files are read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..datasets import catalog
from ..errors import UserError
from ..yaml_lines import where
from .files import mistake, read_table, read_yaml
from .readings import Reading, read_readings

if TYPE_CHECKING:
    from .claims import Claims

# the statistics that a paper may compute from its tables
STATISTICS = ("average_rank", "mean", "friedman", "critical_value", "critical_difference")
_PLACE = ("table", "dataset", "method", "metric", "missing_ratio")


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
    not_fetched : dict
        For our name of a dataset that mlfs does not fetch, the reason.
    repeats : int, optional
        How many repeats the printed values are means of, if the paper says it.
    substitutes : dict
        For our name of a dataset, what stands in for features of the paper that are not public.
    fitted : list
        What of the runs as stated was chosen by printed values, a sentence each.
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
    not_fetched: dict[str, str] = {}
    repeats: int | None = Field(None, ge=1)
    substitutes: dict[str, str] = {}
    fitted: list[str] = []
    notes: list[str] = []

    @property
    def own_method(self) -> str:
        """The heading of the paper's own method, which has the name of the paper; may be empty."""
        return self.methods.get(self.name, "")

    def printed(self, tables: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the printed values of some tables, or of all, with our names.

        The columns are those of `mlfs.papers.printed_values`.
        """
        return _printed(self.folder) if tables is None else _of_tables(self.folder, tuple(tables))

    def printed_values(self) -> pd.DataFrame:
        """All printed values, with the names of ``printed.csv``."""
        path = self.folder / "printed.csv"
        values = read_table(path)
        self._check_tables(path, values.table, values.line)
        twice = values[values.duplicated([*_PLACE])]
        for line in twice.line:
            raise UserError(f"{path}, line {line}: this value is already above: remove one")
        return values.assign(paper=self.name)[["paper", *values.columns.drop("line")]]

    def statistics(self) -> pd.DataFrame:
        """Return the statistics that the paper prints, with our names of metrics.

        The columns are place, statistic, tables (numbers separated by blanks), metric, method and
        value.
        """
        path = self.folder / "statistics.csv"
        content = read_table(path)
        for numbers, line in zip(content.tables.str.split(), content.line):
            self._check_tables(path, numbers, [line] * len(numbers))
        for name, line in zip(content.statistic, content.line):
            if name not in STATISTICS:
                offered = ", ".join(STATISTICS)
                raise UserError(
                    f"{path}, line {line}: unknown statistic '{name}' (known: {offered})"
                )
        return content.assign(metric=self.ours(content.metric)).drop(columns="line")

    def claims(self) -> Claims:
        """Return the numerical claims of its text."""
        from .claims import read_claims  # a table needs none of them

        return read_claims(self.folder)

    def readings(self) -> list[Reading]:
        """Return the ways to understand what it left open."""
        given = (self.folder / "readings.yaml").exists()
        return list(_readings(self.folder)) if given else []

    def _check_tables(self, path: Path, numbers: Iterable[str], lines: Iterable[int]) -> None:
        for number, line in zip(numbers, lines):
            if number not in self.tables:
                tables = ", ".join(self.tables) or "none"
                raise UserError(
                    f"{path}, line {line}: paper.yaml has no table '{number}' "
                    f"(its tables: {tables})"
                )

    def ours(self, names: pd.Series) -> pd.Series:
        """Return our names for names of datasets or metrics in ``printed.csv``."""
        ours = {theirs: name for name, theirs in {**self.datasets, **self.metrics}.items()}
        # plain objects: pandas' own type of texts is far slower to read one by one
        return pd.Series([ours.get(name, name) for name in names], names.index, dtype=object)


def density(dataset: str) -> float | None:
    """Return the share of relevant labels among the known ones; None if it is not known."""
    entry = catalog().get(dataset)
    if entry is None or entry.cardinality is None or not entry.l:
        return None
    return entry.cardinality / entry.l / (1 - entry.unknown_share)


@cache  # every table asks for them
def _printed(folder: Path) -> pd.DataFrame:
    """Return the printed values of a paper with our names."""
    paper = read_paper(folder)
    values = paper.printed_values()
    return values.assign(dataset=paper.ours(values.dataset), metric=paper.ours(values.metric))


@cache  # tables, figures and comparisons of an experiment ask for them
def _of_tables(folder: Path, tables: tuple[str, ...]) -> pd.DataFrame:
    values = _printed(folder)
    return values[values.table.isin(list(tables))]


@cache  # every experiment of a paper asks for them
def _readings(folder: Path) -> tuple[Reading, ...]:
    return tuple(read_readings(folder, read_paper(folder).printed()))


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
