"""Read ARFF files, dense or sparse; every error names the line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from ..errors import UserError
from ..types import Matrix
from .arffrows import Header, Rows, damaged
from .arfftext import QUOTED, split, unquote

_ATTRIBUTE = re.compile(
    rf"@attribute\s++(?P<name>{QUOTED}|(?!['\"])[^\s{{]++)\s*+(?P<kind>.++)", re.I
)
_NUMBERS = ("numeric", "real", "integer")
_TEXTS = ("string", "date")


class Arff(NamedTuple):
    """Hold the content of an ARFF file.

    Parameters
    ----------
    values : ndarray or csr_matrix of shape (n, attributes)
        The values; sparse if the rows are. A word is replaced by its position in `levels`, and a
        question mark by nan. All other values are finite.
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


def read_arff(path: Path) -> Arff:
    """Read one ARFF file into a matrix with one column for each attribute."""
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = file.read().removeprefix("\ufeff").split("\n")
    header = Header()
    relation = ""
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        word = line.partition(" ")[0].partition("\t")[0].lower()
        if word == "@data":
            rows = Rows(path, header)
            values = rows.read(lines, number)
            levels = {column: list(codes) for column, codes in rows.codes.items()}
            return Arff(values, header.names, levels, rows.numbers, relation)
        if word == "@relation":
            relation = unquote(line[9:])
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


def _attribute(line: str, header: Header) -> None:
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
        words = [unquote(value) for value in split(body)]
        if "" in words or len(set(words)) < len(words):
            raise ValueError("an attribute has an empty value, or the same value twice")
        header.nominal[column] = words
    elif word in _TEXTS:
        header.texts.add(column)
    elif word not in _NUMBERS:
        raise ValueError(f"'{word}' is not a known type of attribute")
    header.names.append(unquote(match["name"]))
