"""Read the rows of an ARFF file into a matrix; every error names the line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..errors import UserError
from ..types import Array, Matrix
from .arfftext import is_number, split, split_pairs, unquote


@dataclass
class Header:
    """Hold the attributes of a file.

    Parameters
    ----------
    names : list of str
        Names of the attributes.
    nominal : dict
        For each nominal column, by its number: the values that it may have.
    texts : set of int
        Numbers of the columns that may have any text.
    """

    names: list[str] = field(default_factory=list)
    nominal: dict[int, list[str]] = field(default_factory=dict)
    texts: set[int] = field(default_factory=set)


class Rows:
    """Read the rows under @data.

    Parameters
    ----------
    path : Path
        Name of the file in messages.
    header : Header
        The attributes.

    Attributes
    ----------
    numbers : list of int
        The line number of each row.
    codes : dict
        For each column of words, by its number: the code of each word.
    """

    def __init__(self, path: Path, header: Header):
        self.path, self.names, self.width = path, header.names, len(header.names)
        self.numbers: list[int] = []
        # each text of a text column gets a code; 0 is the empty text, which sparse rows leave out
        self.texts = header.texts
        self.codes: dict[int, dict[str, float]] = {column: {"": 0.0} for column in self.texts}
        self.allowed: dict[tuple[float, ...], list[int]] = {}  # nominal columns of numbers
        self.defaults: dict[int, float] = {}
        for column, values in header.nominal.items():
            if all(is_number(value) for value in values):
                numbers = tuple(float(value) for value in values)
                self.allowed.setdefault(numbers, []).append(column)
                if numbers[0] != 0:
                    self.defaults[column] = numbers[0]
            else:
                self.codes[column] = {value: float(i) for i, value in enumerate(values)}

    def read(self, lines: list[str], start: int) -> Matrix:
        """Read all lines from number `start` on."""
        rows = ((i, line.strip()) for i, line in enumerate(lines[start:], start=start + 1))
        kept = [(i, line) for i, line in rows if line and line[0] != "%"]
        if not kept:
            raise damaged(self.path, start, "no rows follow @data")
        self.numbers = [number for number, _ in kept]
        if kept[0][1].startswith("{"):
            return self._sparse(kept)
        table = []
        for number, line in kept:
            try:
                values = split(line)
                if len(values) != self.width:
                    raise ValueError(f"there are {len(values)} values instead of {self.width}")
                table.append(self._floats(line, range(self.width), values))
            except ValueError as error:
                raise damaged(self.path, number, str(error)) from error
        whole = np.array(table)
        for numbers, columns in self.allowed.items():
            found = whole[:, columns]
            wrong = np.argwhere(~np.isin(found, numbers) & ~np.isnan(found))
            if len(wrong):
                row, place = wrong[0]
                self._foreign(int(row), columns[place], found[row, place])
        return whole

    def _sparse(self, kept: list[tuple[int, str]]) -> sp.csr_matrix:
        lengths, columns, data = [], [], []
        for number, line in kept:
            try:
                if line[0] != "{" or line[-1] != "}":
                    raise ValueError("the row does not start and end with a brace")
                found, values = self._pairs(line[1:-1].strip())
                data.append(self._floats(line, found, values))
            except ValueError as error:
                raise damaged(self.path, number, str(error)) from error
            lengths.append(len(found))
            columns += found
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        shape = (len(kept), self.width)
        places, given = np.asarray(columns, dtype=int), np.concatenate(data)
        owners = np.repeat(np.arange(shape[0]), lengths)
        wrong = (np.diff(places) <= 0) & (np.diff(owners) == 0)
        if wrong.any():
            number = self.numbers[int(owners[np.argmax(wrong)])]
            raise damaged(self.path, number, "the column numbers are not in ascending order")
        for numbers, members in self.allowed.items():
            inside = np.zeros(self.width, dtype=bool)
            inside[members] = True
            wrong = inside[places] & ~np.isin(given, numbers) & ~np.isnan(given)
            if wrong.any():
                first = int(np.argmax(wrong))
                self._foreign(int(owners[first]), columns[first], given[first])
        table = sp.csr_matrix((given, places, indptr), shape=shape)
        for column, value in self.defaults.items():
            # a sparse row leaves out the first nominal value, even if it is not 0
            absent = np.setdiff1d(np.arange(shape[0]), owners[places == column])
            filled = (np.full(len(absent), value), (absent, np.full(len(absent), column)))
            table = table + sp.csr_matrix(filled, shape=shape)
        table.eliminate_zeros()
        return table

    def _pairs(self, body: str) -> tuple[list[int], list[str]]:
        """Return the columns and values of a sparse row, and check the columns."""
        tokens, values = split_pairs(body)
        try:
            columns = list(map(int, tokens))
        except ValueError:
            raise ValueError("a column number is not a number") from None
        if columns and not 0 <= min(columns) <= max(columns) < self.width:
            raise ValueError(f"a column number is not in 0 to {self.width - 1}")
        return columns, values

    def _floats(self, line: str, columns: Sequence[int], values: list[str]) -> Array:
        """Return the values of a row as numbers; raise a ValueError if one is not a number."""
        coded = [i for i, c in enumerate(columns) if c in self.codes] if self.codes else []
        plain = values.copy() if coded else values
        for i in coded:
            plain[i] = "0"
        try:
            # Python reads 1_0 as 10, but other programs do not
            found = None if "_" in line else np.array(plain, dtype=float)
        except ValueError:  # a question mark or a quote
            found = None
        if found is None or not np.isfinite(found).all():
            return np.array([self._number(c, value) for c, value in zip(columns, values)])
        for i in coded:
            found[i] = self._number(columns[i], values[i])
        return found

    def _number(self, column: int, value: str) -> float:
        if value == "?":
            return np.nan
        text, codes = unquote(value), self.codes.get(column)
        if codes is None:
            if not is_number(text):
                raise ValueError(
                    f"{text[:40]!r} in column '{self.names[column]}' is not a finite number"
                )
            return float(text)
        if column in self.texts:
            return codes.setdefault(text, float(len(codes)))
        if text not in codes:
            raise ValueError(f"{text[:40]!r} is not a value of column '{self.names[column]}'")
        return codes[text]

    def _foreign(self, row: int, column: int, value: float) -> None:
        what = f"{value:g} is not a value of column '{self.names[column]}'"
        raise damaged(self.path, self.numbers[row], what)


def damaged(path: Path, number: int, what: str) -> UserError:
    """Return the error about a line that cannot be read."""
    return UserError(f"{path}, line {number}: {what}; correct the line, or get the file again.")
