"""Read the files of a paper's folder; every error names the file and the line."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import ValidationError

from ..errors import UserError, and_more, nearest, validation_mistakes
from ..yaml_lines import Lines, parse_yaml, where


@dataclass(frozen=True)
class Column:
    """A column of a CSV file."""

    number: bool = False
    filled: bool = False  # whether no field may be empty; otherwise the column is optional
    yes_no: bool = False  # 1, 0 or empty


PRINTED = {
    "table": Column(filled=True),
    "dataset": Column(filled=True),
    "method": Column(filled=True),
    "metric": Column(filled=True),
    "missing_ratio": Column(number=True, filled=True),
    "mean": Column(number=True, filled=True),
    "std": Column(number=True),
    "printed_rank": Column(number=True),
    "bold": Column(number=True, yes_no=True),
    "as_printed": Column(number=True),
    "note": Column(),
}
STATISTICS = {
    "place": Column(filled=True),
    "statistic": Column(filled=True),
    "tables": Column(filled=True),
    "metric": Column(),
    "method": Column(),
    "value": Column(number=True, filled=True),
}
LAYOUTS: Mapping[str, Mapping[str, Column]] = {
    "printed.csv": PRINTED,
    "statistics.csv": STATISTICS,
}


@cache
def read_table(path: Path) -> pd.DataFrame:
    """Read a CSV file of a paper; the table is empty if there is no file.

    An empty field is an empty text in a column of words, nan in one of numbers, and missing in one
    of marks. The column `line` is the last line of a row in the file. That of printed values has
    `unit`, too: one unit of the last digit that the table prints for a metric.
    """
    layout = LAYOUTS[path.name]
    rows = _rows(path, layout) if path.exists() else []
    table = pd.DataFrame(rows, columns=[*layout, "line", *(["unit"] if layout is PRINTED else [])])
    kinds = {
        name: "boolean" if column.yes_no else "float64" if column.number else "object"
        for name, column in layout.items()
    }
    table = table.astype(kinds)
    if layout is PRINTED:  # the smallest one: a spreadsheet may have cut zeros at the end
        table["unit"] = table.groupby(["table", "metric"])["unit"].transform("min").astype(float)
    return table


def _rows(path: Path, layout: Mapping[str, Column]) -> list[dict[str, Any]]:
    reader = csv.DictReader(read_text(path).splitlines(), strict=True)
    try:
        header = list(reader.fieldnames or [])
        for name in header:
            if name not in layout:
                hint = nearest(name, layout)
                raise UserError(f"{path}, line 1: unknown column '{name}'{hint}")
        for name, column in layout.items():
            if column.filled and name not in header:
                raise UserError(f"{path}, line 1: column '{name}' is missing")
        return [
            {
                name: _field(f"{path}, line {reader.line_num}", name, column, row)
                for name, column in layout.items()
            }
            | {"line": reader.line_num}
            | ({"unit": _unit(row["mean"])} if layout is PRINTED else {})
            for row in reader
        ]
    except csv.Error as error:
        line = reader.reader.line_num
        raise UserError(f"{path}, line {line}: {error}; correct the CSV there") from error


def _unit(text: str) -> float:
    """Return one unit of the last digit of a number: .001 for 0.720."""
    return 10.0 ** int(Decimal(text.strip()).as_tuple().exponent)


def _field(where: str, name: str, column: Column, row: dict[str, Any]) -> Any:
    if None in row:
        raise UserError(f"{where}: more fields than the first line has columns")
    text = (row.get(name) or "").strip()
    if not text:
        if column.filled:
            raise UserError(f"{where}: '{name}' is empty")
        return pd.NA if column.yes_no else math.nan if column.number else ""
    if not column.number:
        return text
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or (column.yes_no and value not in (0, 1)):
        wanted = "1 or 0" if column.yes_no else "a number"
        raise UserError(f"{where}: '{name}' must be {wanted} (got '{text}')")
    return bool(value) if column.yes_no else value


def read_yaml(path: Path) -> tuple[Any, Lines]:
    """Return the one document of a YAML file, and the line of every key."""
    documents = parse_yaml(read_text(path), str(path))
    if len(documents) > 1:
        raise UserError(f"{path}: it has {len(documents)} documents: remove the lines '---'")
    return documents[0] if documents else (None, {})


def read_text(path: Path) -> str:
    """Return the text of a file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a UTF-8 text file"
        raise UserError(f"cannot read {path}: {reason}") from error


def mistake(path: Path, lines: Lines, error: ValidationError) -> UserError:
    """Return the first mistake that pydantic found, in a sentence with file and line."""
    mistakes = validation_mistakes(error)
    place, text = mistakes[0]
    return UserError(f"{where(str(path), lines, place)}: {text}{and_more(mistakes)}")
