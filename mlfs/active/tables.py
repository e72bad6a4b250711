"""Read the csv files of an annotator; every error names its line and column."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..datasets.tabular import check_commas
from ..errors import UserError, nearest
from ..types import Array


@dataclass(frozen=True)
class Table:
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

    def in_order_of(self, other: Table) -> Table:
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


def read_features(path: Path, id_column: str | None = None) -> Table:
    """Read a csv of finite numbers; `id_column` has the names of rows and is not a feature."""
    wanted = "write a finite number"
    if id_column is None:
        wanted += ", or use --id for the column with the names of rows"
    table = _read(path, _finite, wanted, id_column=id_column, id_needed=True)
    if not table.names:
        raise UserError(f"{path} has only the column '{id_column}': add the features")
    return table


def read_labels(path: Path, id_column: str | None = None) -> Table:
    """Read a csv of labels: 1, 0, or nothing if unknown, which becomes nan.

    The id column is optional.
    """
    wanted = "write 1 for relevant, 0 for irrelevant, or nothing if unknown"
    table = _read(path, _label, wanted, id_column=id_column, blank_is_unknown=True)
    if not table.names:
        raise UserError(f"{path} has only the column '{id_column}': add the labels")
    return table


def id_like(table: Table) -> list[str]:
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
) -> Table:
    """Read a csv with a header; `parse` returns the value of a cell, or None for a bad one."""
    lines = _lines(path)
    if len(lines) < 2:
        raise UserError(f"{path} has no rows: write a header and one line per point")
    header = _header(path, lines[0][1])
    if id_needed and id_column is not None and id_column not in header:
        hint = nearest(id_column, header)
        raise UserError(f"{path} has no column '{id_column}'{hint} (--id names one of its columns)")
    # if the only column may be empty, a blank line is a row, too
    if blank_is_unknown and len(header) == 1:
        lines = [(number, cells or [""]) for number, cells in lines]
    else:
        while not lines[-1][1]:  # blank lines at the end of the file
            lines.pop()
    at = header.index(id_column) if id_column in header else None
    ids: list[str] = []
    seen: set[str] = set()
    values = np.empty((len(lines) - 1, len(header)))
    for row, (number, cells) in zip(values, lines[1:]):
        if not cells:
            raise UserError(f"{path}, line {number} is blank: remove it, or fill its cells")
        if len(cells) != len(header):
            raise UserError(
                f"{path}, line {number} has {len(cells)} cells where the header has "
                f"{len(header)}: make them equal"
            )
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
    if len(values) == 0:
        raise UserError(f"{path} has no rows: write a header and one line per point")
    if at is None:
        return Table(path, header, values)
    return Table(path, [*header[:at], *header[at + 1 :]], np.delete(values, at, axis=1), ids)


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            return [(reader.line_num, cells) for cells in reader]
    except OSError as error:
        raise UserError(f"cannot read {path} ({error.strerror}): name an existing csv") from None
    except (UnicodeDecodeError, csv.Error):
        raise UserError(f"{path} is not a csv in UTF-8: save it in this encoding") from None


def _header(path: Path, cells: list[str]) -> list[str]:
    names = [cell.strip() for cell in cells]
    if not names:
        raise UserError(f"{path} starts with a blank line: start with the column names")
    check_commas(path, names)
    if all(_finite(name) is not None for name in names):
        raise UserError(f"{path} starts with numbers: add a header line with the column names")
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise UserError(f"{path} has {count} columns named '{name}': give each its own name")
    return names


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
