"""Read the csv files of an annotator; every error names its line and column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..datasets.formats.file_table import csv_rows, find_ids
from ..errors import UserError
from ..types import Array


@dataclass(frozen=True)
class AnnotatorTable:
    """Hold numbers with a name for each column and, if there is an id column, for each row.

    Parameters
    ----------
    path : Path
        The file.
    names : list of str
        The header, without the id column.
    values : ndarray of shape (rows, columns)
        The numbers.
    ids : list of str or None
        The names of the rows.
    """

    path: Path
    names: list[str]
    values: Array
    ids: list[str] | None = None

    def in_order_of(self, other: AnnotatorTable) -> AnnotatorTable:
        """Return the rows in the order of another table, matched by id if both have ids."""
        if self.ids is None or other.ids is None:
            return self
        for one, two in ((self, other), (other, self)):
            strange = sorted(set(one.ids or ()) - set(two.ids or ()))
            if strange:
                raise UserError(
                    f"{one.path} has the id {strange[0]!r}, but {two.path} does not: use the same "
                    "ids in both files"
                )
        place = {name: row for row, name in enumerate(self.ids)}
        order = [place[name] for name in other.ids]
        return replace(self, values=self.values[order], ids=other.ids)


def read_features(path: Path, id_column: str | None = None) -> AnnotatorTable:
    """Read a csv of finite numbers; `id_column` has the names of rows and is not a feature."""
    wanted = "write a finite number"
    if id_column is None:
        wanted += ", or use --id for the column with the names of rows"
    table = _read(path, _finite, wanted, id_column=id_column, id_needed=True)
    if not table.names:
        raise UserError(f"{path} has only the column '{id_column}': add the features")
    return table


def read_labels(path: Path, id_column: str | None = None) -> AnnotatorTable:
    """Read a csv of labels: 1, 0, or nothing if unknown, which becomes nan.

    The id column is optional.
    """
    wanted = "write 1 for relevant, 0 for irrelevant, or nothing if unknown"
    table = _read(path, _label, wanted, id_column=id_column, blank_is_unknown=True)
    if not table.names:
        raise UserError(f"{path} has only the column '{id_column}': add the labels")
    return table


def id_like(table: AnnotatorTable) -> list[str]:
    """List columns with a different whole number in every row, as in an id column."""
    values = table.values
    whole = (values == np.round(values)).all(axis=0)
    return [
        name
        for name, column, is_whole in zip(table.names, values.T, whole)
        if is_whole and len(column) > 1 and len(np.unique(column)) == len(column)
    ]


def _read(
    path: Path,
    parse: Callable[[str], float | None],
    wanted: str,
    *,
    id_column: str | None,
    id_needed: bool = False,
    blank_is_unknown: bool = False,
) -> AnnotatorTable:
    """Read a csv with a header; `parse` returns the value of a cell, or None for a bad one."""
    (_, header), *rows = csv_rows(Path(path))
    at = find_ids(str(path), header, id_column, "--id", id_needed)
    # if the only column may be empty, a blank line is a row, too
    if blank_is_unknown and len(header) == 1:
        rows = [(number, cells or [""]) for number, cells in rows]
    while rows and not rows[-1][1]:  # blank lines at the end of the file
        rows.pop()
    if not rows:
        raise UserError(f"{path} has no rows: write a header and one line per point")
    ids: list[str] = []
    seen: set[str] = set()
    values = np.empty((len(rows), len(header)))
    for row, (number, cells) in zip(values, rows):
        if not cells:
            raise UserError(f"{path}, line {number} is blank: remove it, or fill its cells")
        for j, cell in enumerate(cells):
            value = 0.0 if j == at else parse(cell.strip())
            if value is None:
                raise UserError(
                    f"{path}, line {number}, column '{header[j]}' has {cell.strip()!r}: {wanted}"
                )
            row[j] = value
        if at is not None:
            ids.append(_id(path, number, header[at], cells[at].strip(), seen))
            seen.add(ids[-1])
    if at is None:
        return AnnotatorTable(path, header, values)
    names = [*header[:at], *header[at + 1 :]]
    return AnnotatorTable(path, names, np.delete(values, at, axis=1), ids)


def _id(path: Path, number: int, column: str, name: str, seen: set[str]) -> str:
    if not name:
        raise UserError(f"{path}, line {number}, column '{column}' is empty: give the row an id")
    if name in seen:
        raise UserError(
            f"{path}, line {number}, column '{column}' has {name!r} a second time: "
            "give every row its own id"
        )
    return name


def _finite(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _label(cell: str) -> float | None:
    if cell.lower() in ("", "nan"):
        return np.nan
    value = _finite(cell)
    return value if value in (0.0, 1.0) else None
