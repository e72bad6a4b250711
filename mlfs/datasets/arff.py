"""Read ARFF files, dense or sparse; Mulan's have their labels named in an XML file beside them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, NoReturn
from xml.etree import ElementTree

import numpy as np
import scipy.sparse as sp

from ..errors import UserError
from ..types import Array, Matrix
from .dataset import Parsed

_ATTRIBUTE = re.compile(
    r"@attribute\s+(?P<name>'(?:\\.|[^'])*'|\"(?:\\.|[^\"])*\"|[^\s{]+)\s*(?P<kind>.+)", re.I
)
# one value of a row: quoted (a comma or blank inside does not count) or bare
_VALUE = re.compile(r"\s*('(?:\\.|[^'])*'|\"(?:\\.|[^\"])*\"|[^,]*?)\s*(?:,|$)")
_PAIR = re.compile(r"\s*(\d+)\s+('(?:\\.|[^'])*'|\"(?:\\.|[^\"])*\"|[^,\s]+)\s*(?:,|$)")


class Arff(NamedTuple):
    """What an ARFF file holds.

    Parameters
    ----------
    values : ndarray or csr_matrix of shape (n, attributes)
        Sparse when the rows are; words become their position in `levels`, a question mark nan.
    names : list of str
        The attributes in the order of the file.
    levels : dict
        The words of each column of words, by its number.
    lines : list of int
        The line that each row stands in.
    relation : str
    """

    values: Matrix
    names: list[str]
    levels: dict[int, list[str]]
    lines: list[int]
    relation: str


def read_arff(path: Path) -> Arff:
    """Read one ARFF file into a matrix with a column for every attribute."""
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = file.read().split("\n")
    names: list[str] = []
    nominal: dict[int, list[str]] = {}
    texts: set[int] = set()
    relation = ""
    for number, line in enumerate(lines, start=1):
        line = line.strip()
        if line[:5].lower() == "@data":
            rows = _Rows(path, names, nominal, texts)
            values = rows.read(lines, number)
            levels = {column: list(codes) for column, codes in rows.codes.items()}
            return Arff(values, names, levels, rows.numbers, relation)
        if line[:9].lower() == "@relation":
            relation = _unquote(line[9:])
        if line[:10].lower() == "@attribute":
            match = _ATTRIBUTE.match(line)
            if match is None:
                raise UserError(
                    f"{path}, line {number}: the attribute cannot be read; "
                    "mend it, or get the file again."
                )
            kind = match["kind"].strip()
            if kind.startswith("{"):
                values_text = kind.strip("{} ")
                nominal[len(names)] = [_unquote(v) for v in _split(values_text)]
            elif kind.lower().startswith(("string", "date")):
                texts.add(len(names))
            names.append(_unquote(match["name"]))
    raise UserError(
        f"{path}, line {len(lines)}: the file ends before @data; it is truncated, get it again."
    )


def read_labels(path: Path) -> list[str]:
    """Read the label names of a Mulan XML file, nested ones included."""
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise UserError(f"{path} is not a label file in XML ({error}); get it again.") from error
    found = [node.get("name") for node in root.iter() if str(node.tag).endswith("label")]
    names = [name for name in found if name is not None]
    if len(names) < len(found):
        raise UserError(f"{path} has a label without a name; get it again.")
    return names


def read_mulan(parts: list[Path], labels: Path) -> Parsed:
    """Read a set made of one or several ARFF parts (training before test), labels by name.

    The labels keep the order of the ARFF columns, which is that of every other copy.
    """
    tables, names = [], None
    for part in parts:
        table, found, *_ = read_arff(part)
        if names is not None and found != names:
            raise UserError(f"{part} has other attributes than {parts[0]}; get both again.")
        tables.append(table)
        names = found
    assert names is not None
    wanted = set(read_labels(labels))
    missing = sorted(wanted - set(names))
    if missing or not wanted:
        raise UserError(f"{labels} names labels that {parts[0]} lacks: {missing[:3]}; get both.")
    is_label = np.array([name in wanted for name in names])
    whole = sp.vstack(tables, format="csc") if sp.issparse(tables[0]) else np.vstack(tables)
    X: Matrix = whole[:, np.flatnonzero(~is_label)]
    Y: Matrix = whole[:, np.flatnonzero(is_label)]
    if sp.issparse(whole):
        X, Y = X.tocsr(), Y.toarray()
    return Parsed(
        X=X,
        Y=(Y > 0).astype(np.uint8),
        feature_names=[n for n, is_one in zip(names, is_label) if not is_one],
        label_names=[n for n, is_one in zip(names, is_label) if is_one],
        n_train=tables[0].shape[0] if len(parts) > 1 else None,
    )


class _Rows:
    """The rows under @data: each is checked, so that a damaged one is named by its line."""

    def __init__(
        self, path: Path, names: list[str], nominal: dict[int, list[str]], texts: set[int]
    ):
        self.path, self.width = path, len(names)
        self.numbers: list[int] = []  # the line of each row
        # any text is a level of its column; a sparse row leaves out the empty one
        self.texts = texts
        self.codes: dict[int, dict[str, float]] = {column: {"": 0.0} for column in texts}
        self.defaults: dict[int, float] = {}
        for column, values in nominal.items():
            codes = {value: float(i) for i, value in enumerate(values)}
            if all(_is_number(value) for value in values):
                codes = {value: float(value) for value in values}
            else:
                self.codes[column] = codes
            if codes[values[0]] != 0:
                self.defaults[column] = codes[values[0]]

    def read(self, lines: list[str], start: int) -> Matrix:
        rows = ((i, line.strip()) for i, line in enumerate(lines[start:], start=start + 1))
        kept = [(i, line) for i, line in rows if line and line[0] != "%"]
        if not kept:
            raise UserError(f"{self.path}, line {start}: no rows follow @data; get the file again.")
        self.numbers = [number for number, _ in kept]
        if kept[0][1].startswith("{"):
            return self._sparse(kept)
        table = np.empty((len(kept), self.width))
        for row, (number, line) in enumerate(kept):
            values = _split(line)
            if len(values) != self.width:
                self._damaged(number, f"{len(values)} values where {self.width} are expected")
            table[row] = self._numbers(range(self.width), values, number)
        return table

    def _sparse(self, kept: list[tuple[int, str]]) -> sp.csr_matrix:
        lengths, columns, data = [], [], []
        for number, line in kept:
            if line[0] != "{" or line[-1] != "}":
                self._damaged(number, "the row has no closing brace")
            found, values = self._pairs(line[1:-1].strip(), number)
            if found and not 0 <= min(found) <= max(found) < self.width:
                self._damaged(number, f"column {max(found)} of {self.width}")
            lengths.append(len(found))
            columns += found
            data.append(self._numbers(found, values, number))
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        shape = (len(kept), self.width)
        table = sp.csr_matrix((np.concatenate(data), columns, indptr), shape=shape)
        for column, value in self.defaults.items():
            # a sparse row leaves out the first nominal value, whatever it stands for
            given = np.repeat(np.arange(shape[0]), lengths)[np.asarray(columns) == column]
            absent = np.setdiff1d(np.arange(shape[0]), given)
            filled = (np.full(len(absent), value), (absent, np.full(len(absent), column)))
            table = table + sp.csr_matrix(filled, shape=shape)
        table.eliminate_zeros()
        table.sort_indices()
        return table

    def _pairs(self, body: str, number: int) -> tuple[list[int], list[str]]:
        if "'" in body or '"' in body:
            tokens = [token for pair in _PAIR.findall(body) for token in pair]
            if len(_PAIR.sub("", body)):
                self._damaged(number, "a value cannot be read")
        else:
            tokens = body.replace(",", " ").split()
            if len(tokens) != 2 * (body.count(",") + 1) and body:
                self._damaged(number, "a column number stands without a value")
        try:
            return [int(token) for token in tokens[::2]], tokens[1::2]
        except ValueError:
            self._damaged(number, "a column number is not a number")

    def _numbers(self, columns: list[int] | range, values: list[str], number: int) -> Array:
        if self.codes:
            values = [self._code(c, v) if c in self.codes else v for c, v in zip(columns, values)]
        try:
            return np.array(values, dtype=float)
        except ValueError:
            pass
        try:
            known = ["nan" if value == "?" else _unquote(value) for value in values]
            return np.array(known, dtype=float)
        except ValueError as error:
            self._damaged(number, str(error))

    def _code(self, column: int, value: str) -> str:
        """The position of a word in its column; what is none stays as it is."""
        codes = self.codes[column]
        if column in self.texts and value != "?":
            return str(codes.setdefault(_unquote(value), float(len(codes))))
        return str(codes.get(_unquote(value), value))

    def _damaged(self, number: int, what: str) -> NoReturn:
        raise UserError(
            f"{self.path}, line {number}: {what}; mend the line, or get the file again."
        )


def _split(line: str) -> list[str]:
    if "'" not in line and '"' not in line:
        return [value.strip() for value in line.split(",")]
    return [match[1] for match in _VALUE.finditer(line) if match.end() > match.start()]


def _unquote(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
