"""Read ARFF files, dense or sparse; every error names the line."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ...errors import UserError
from ...types import Array, Matrix

# Repetitions are possessive and a character can match in only one way, so the time is linear.
_QUOTED = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\""""
# one value of a row: quoted (commas and blanks inside belong to it) or without quotes
_VALUE = re.compile(rf"\s*+({_QUOTED}|(?!['\"])[^,]*+)\s*+(,|\Z)")
_PAIR = re.compile(rf"\s*+(\d++)\s++({_QUOTED}|(?!['\"])[^,\s]++)\s*+(,|\Z)")
_ESCAPED = re.compile(r"\\(.)")
_ATTRIBUTE = re.compile(
    rf"@attribute\s++(?P<name>{_QUOTED}|(?!['\"])[^\s{{]++)\s*+(?P<kind>.++)", re.I
)
_NUMBERS = ("numeric", "real", "integer")
_TEXTS = ("string", "date")
# what stands for a value that is missing; ARFF has only the first, other programs write the rest
UNKNOWN = frozenset({"?", "", "na", "nan", "null", "none", "<na>"})


class Arff(NamedTuple):
    """Hold the content of an ARFF file.

    Parameters
    ----------
    values : ndarray or csr_matrix of shape (n, attributes)
        The values; sparse if the rows are. A word is replaced by its position in `levels`, and a
        question mark (or NA, NaN, null, nothing) by nan. All other values are finite.
    names : list of str
        Names of the attributes, in the order of the file.
    levels : dict
        For each column of words, by its number: the list of its words.
    lines : list of int
        The line number of each row.
    relation : str
        The name of the relation.
    """

    values: Matrix
    names: list[str]
    levels: dict[int, list[str]]
    lines: list[int]
    relation: str


@dataclass
class _Header:
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


def read_arff(path: Path) -> Arff:
    """Read one ARFF file into a matrix with one column for each attribute."""
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = file.read().removeprefix("\ufeff").split("\n")
    header = _Header()
    relation = ""
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        word = line.partition(" ")[0].partition("\t")[0].lower()
        if word == "@data":
            rows = _Rows(path, header)
            values = rows.read(lines, number)
            levels = {column: list(codes) for column, codes in rows.codes.items()}
            return Arff(values, header.names, levels, rows.numbers, relation)
        if word == "@relation":
            relation = _unquote(line[9:])
        elif word == "@attribute":
            try:
                _attribute(line, header)
            except ValueError as error:
                raise damaged(path, number, str(error)) from error
        elif line and line[0] != "%":
            raise damaged(path, number, "only attributes and comments may come before @data")
    raise UserError(
        f"{path}, line {len(lines)}: the file is incomplete, it ends before @data; get it again."
    )


def _attribute(line: str, header: _Header) -> None:
    """Add the attribute of a line to the header; raise a ValueError if it cannot be read."""
    match = _ATTRIBUTE.match(line)
    if match is None:
        raise ValueError("the attribute cannot be read")
    column, kind = len(header.names), match["kind"].strip()
    word = kind.split()[0].lower()
    if kind[0] == "{":
        body, brace, rest = kind[1:].rpartition("}")
        if not brace or rest.strip()[:1] not in ("", "%"):
            raise ValueError("the list of an attribute's values has no closing brace")
        words = [_unquote(value) for value in _split(body)]
        if "" in words or len(set(words)) < len(words):
            raise ValueError("an attribute has an empty value, or the same value twice")
        header.nominal[column] = words
    elif word in _TEXTS:
        header.texts.add(column)
    elif word not in _NUMBERS:
        raise ValueError(f"'{word}' is not a known type of attribute")
    header.names.append(_unquote(match["name"]))


class _Rows:
    """Read the rows under @data.

    Parameters
    ----------
    path : Path
        Name of the file in messages.
    header : _Header
        The attributes.

    Attributes
    ----------
    numbers : list of int
        The line number of each row.
    codes : dict
        For each column of words, by its number: the code of each word.
    """

    def __init__(self, path: Path, header: _Header):
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
                values = _split(line)
                if len(values) != self.width:
                    raise ValueError(f"there are {len(values)} values instead of {self.width}")
                table.append(self._floats(line, range(self.width), values))
            except ValueError as error:
                raise damaged(self.path, number, str(error)) from error
        whole = np.array(table)
        for numbers, columns in self.allowed.items():
            given = whole[:, columns]
            wrong = np.argwhere(~np.isin(given, numbers) & ~np.isnan(given))
            if len(wrong):
                row, place = wrong[0]
                self._foreign(int(row), columns[place], given[row, place])
        return whole

    def _sparse(self, kept: list[tuple[int, str]]) -> sp.csr_matrix:
        lengths, columns, data = [], [], []
        for number, line in kept:
            try:
                if line[0] != "{" or line[-1] != "}":
                    raise ValueError("the row does not start and end with a brace")
                row_columns, values = self._pairs(line[1:-1].strip())
                data.append(self._floats(line, row_columns, values))
            except ValueError as error:
                raise damaged(self.path, number, str(error)) from error
            lengths.append(len(row_columns))
            columns += row_columns
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
        tokens, values = _split_pairs(body)
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
            numbers = None if "_" in line else np.array(plain, dtype=float)
        except ValueError:  # a question mark or a quote
            numbers = None
        if numbers is None or not np.isfinite(numbers).all():
            return np.array([self._number(c, value) for c, value in zip(columns, values)])
        for i in coded:
            numbers[i] = self._number(columns[i], values[i])
        return numbers

    def _number(self, column: int, value: str) -> float:
        if value == "?":
            return np.nan
        text, codes = _unquote(value), self.codes.get(column)
        if codes is None:
            if text.lower() in UNKNOWN:
                return np.nan
            if not is_number(text):
                raise ValueError(
                    f"{text[:40]!r} in column '{self.names[column]}' is not a finite number"
                )
            return float(text)
        if column in self.texts:
            return codes.setdefault(text, float(len(codes)))
        if text not in codes and text.lower() in UNKNOWN:
            return np.nan
        if text not in codes:
            raise ValueError(f"{text[:40]!r} is not a value of column '{self.names[column]}'")
        return codes[text]

    def _foreign(self, row: int, column: int, value: float) -> None:
        what = f"{value:g} is not a value of column '{self.names[column]}'"
        raise damaged(self.path, self.numbers[row], what)


def damaged(path: Path, number: int, what: str) -> UserError:
    """Return the error about a line that cannot be read."""
    return UserError(f"{path}, line {number}: {what}; correct the line, or get the file again.")


def _split(line: str) -> list[str]:
    """Return the values between the commas of a line, with quotes; raise ValueError if bad."""
    if "'" not in line and '"' not in line:
        return [value.strip() for value in line.split(",")]
    return [match[1].strip() for match in _walk(_VALUE, line)]


def _split_pairs(body: str) -> tuple[list[str], list[str]]:
    """Return the column numbers and values of a sparse row; raise ValueError if it is bad."""
    if not body:
        return [], []
    if "'" in body or '"' in body:
        matches = _walk(_PAIR, body)
        return [match[1] for match in matches], [match[2] for match in matches]
    tokens = body.replace(",", " ").split()
    if len(tokens) != 2 * (body.count(",") + 1):
        raise ValueError("a column number has no value")
    return tokens[::2], tokens[1::2]


def _unquote(text: str) -> str:
    """Return a value without the quotes around it."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return _ESCAPED.sub(r"\1", text[1:-1])
    return text


def is_number(text: str) -> bool:
    """Tell whether a text is a finite number, in a form that other programs also use."""
    try:
        return "_" not in text and math.isfinite(float(text))
    except ValueError:
        return False


def _walk(pattern: re.Pattern[str], line: str) -> list[re.Match[str]]:
    """Match a pattern again and again up to the end of a line; its last group is the comma."""
    matches = []
    place, more = 0, ","
    while more:
        match = pattern.match(line, place)
        if match is None:
            raise ValueError("a quote is not closed, or a quoted value is followed by other text")
        matches.append(match)
        place, more = match.end(), match[pattern.groups]
    return matches
