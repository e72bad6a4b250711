"""A paper's readings: ways to understand what the paper left open, and what speaks for them.

``readings.yaml`` has a list `readings`. A config names one of them in its key `reading`; its
results are then counted *as read*. The paper's own words need no entry: a config that follows them
has ``reading: stated``. A reading has a list of columns of the printed tables. Each says what is
known from outside, what was chosen by printed values, and what was ruled out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..errors import KeyPath, UserError, nearest
from ..yaml_lines import Lines, where
from .files import mistake, read_yaml

STATED = "stated"  # what a config writes that follows the words of its paper


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Covers(_Strict):
    """The printed values that a reading is about; names of datasets and metrics are ours."""

    tables: list[str] = Field(min_length=1, description="numbers of printed tables")
    columns: list[str] = Field(min_length=1, description="headings of printed columns")
    metrics: list[str] | None = Field(None, description="all metrics, if left out")
    datasets: list[str] | None = Field(None, description="all datasets, if left out")


class ReadColumn(_Strict):
    """How columns of printed tables are read.

    An entry without `configs` reports that no reading was found that fits.
    """

    covers: Covers
    summary: str = Field(min_length=1, description="the reading in a sentence")
    configs: list[str] = Field([], description="names of the configs that run it")
    column: str | None = Field(
        None, description="heading of our column in these configs; that of `covers`, if left out"
    )
    known: str = Field("", description="what of it is known from outside, such as a release")
    chosen: str = Field("", description="what of it was chosen by printed values")
    tried: int | None = Field(
        None, ge=1, description="how many readings were tried, if they were counted"
    )
    ruled_out: list[str] = Field([], description="readings that do not fit, a sentence each")

    @model_validator(mode="after")
    def _runs(self) -> ReadColumn:
        if self.column is not None and not self.configs:
            raise ValueError("'column' is a column of a config: add the key 'configs'")
        return self

    @property
    def headings(self) -> list[str]:
        """Headings of our columns that are run as this says."""
        return [self.column] if self.column else self.covers.columns

    @property
    def lines(self) -> list[str]:
        """The reading in sentences: what it is, what speaks for it, what was ruled out."""
        runs = f"Run by {', '.join(self.configs)}" if self.configs else "No config runs it"
        told = [
            self.summary,
            f"{runs}{f', column {self.column}' if self.column else ''}.",
            f"Known from outside: {self.known}" if self.known else "",
            f"Chosen by printed values: {self.chosen}" if self.chosen else "",
            f"Readings that were tried: {self.tried}." if self.tried else "",
            *(f"Ruled out: {text}" for text in self.ruled_out),
        ]
        return [line for line in told if line]


class Reading(_Strict):
    """A reading: the name that configs give, and the columns that it covers."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="what a config's `reading` says")
    summary: str = Field(min_length=1)
    columns: list[ReadColumn] = Field(min_length=1)


class _File(_Strict):
    readings: list[Reading] = []

    @model_validator(mode="after")
    def _names(self) -> _File:
        names = [reading.name for reading in self.readings]
        if STATED in names:
            raise ValueError(f"'{STATED}' is what the paper says: give the reading another name")
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice:
            raise ValueError(f"two readings are called '{twice}': rename one")
        return self


@cache
def _read(path: Path) -> tuple[list[Reading], Lines]:
    content, lines = read_yaml(path)
    if not isinstance(content, dict):
        raise UserError(f"{path}: it must have the key 'readings', with a list")
    try:
        return _File.model_validate(content).readings, lines
    except ValidationError as error:
        raise mistake(path, lines, error) from error


def read_readings(folder: Path, printed: pd.DataFrame) -> list[Reading]:
    """Read ``readings.yaml`` of a paper's folder; without the file there are no readings.

    What a reading covers must be among the `printed` values, which have our names.
    """
    path = folder / "readings.yaml"
    if not path.exists():
        return []
    readings, lines = _read(path)
    for i, reading in enumerate(readings):
        for j, column in enumerate(reading.columns):
            inside: KeyPath = ("readings", i, "columns", j, "covers")
            for place, text in _not_printed(column.covers, printed):
                raise UserError(f"{where(str(path), lines, (*inside, *place))}: {text}")
    return readings


def _not_printed(covers: Covers, printed: pd.DataFrame) -> Iterator[tuple[KeyPath, str]]:
    """Yield what a reading covers but the paper does not print."""
    keys = {"tables": "table", "columns": "method", "metrics": "metric", "datasets": "dataset"}
    values = printed
    for key, kind in keys.items():
        wanted = getattr(covers, key)
        names = list(dict.fromkeys(values[kind]))
        for i, name in enumerate(wanted or []):
            if name not in names:
                hint = nearest(name, names)
                told = ", ".join(names) or "none"
                yield (key, i), f"'{key}': nothing is printed for '{name}'{hint} (printed: {told})"
        if wanted is not None:
            values = values[values[kind].isin(wanted)]
