"""A table of numbers and words, as read from a user's file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import scipy.sparse as sp

from ..errors import UserError, nearest
from ..types import Array, Matrix

_UNSEEN = -1.0  # the code of a word that the training file lacks


@dataclass(frozen=True)
class Table:
    """Hold the rows of a file.

    Parameters
    ----------
    path : str
        Name of the file in messages.
    values : ndarray or csr_matrix of shape (n, columns)
        The numbers. A word is replaced by its position in `levels`; missing values are nan.
    names : list of str
        Names of the columns.
    levels : dict
        For each column of words, by its number: the list of its words.
    lines : sequence of int, optional
        The line number of each row in a text file.
    labels : Table, optional
        The labels, if the file has them separate from its columns.
    count : int, optional
        The number of label columns, if the file says it: positive for the first columns, negative
        for the last.
    notes : tuple of str
        What a user should know.
    """

    path: str
    values: Matrix
    names: list[str]
    levels: dict[int, list[str]]
    lines: Sequence[int] | None = None
    labels: Table | None = None
    count: int | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def place(self, row: int, column: int) -> str:
        """Return the file, row and column of a cell, for a message."""
        line = f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"
        return f"{self.path}, {line}, column '{self.names[column]}'"

    def shown(self, row: int, column: int) -> str:
        """Return the content of a cell, for a message."""
        value = float(self.values[row, column])
        if np.isnan(value):
            return "no value"
        if column in self.levels and value == _UNSEEN:
            return "a word that is not in the training file"
        return repr(self.levels[column][int(value)]) if column in self.levels else f"{value:g}"

    def texts(self, column: int) -> list[str]:
        """Return a column as texts."""
        values = self.values[:, [column]]
        values = (values.toarray() if sp.issparse(values) else values).ravel()
        words = self.levels.get(column)
        return [str(v) if words is None or np.isnan(v) else words[int(v)] for v in values]

    def find(self, name: str, what: str) -> int:
        """Return the number of a column; raise a UserError if there is no such column."""
        if name not in self.names:
            known = ", ".join(f"'{known}'" for known in self.names[:6])
            raise UserError(
                f"{self.path} has no column '{name}' for {what}{nearest(name, self.names)} "
                f"(its first columns: {known})"
            )
        return self.names.index(name)

    def take(self, columns: Sequence[int]) -> Table:
        """Return some of the columns, in this order."""
        return replace(
            self,
            values=self.values[:, list(columns)],
            names=[self.names[column] for column in columns],
            levels={new: self.levels[old] for new, old in enumerate(columns) if old in self.levels},
        )

    def like(self, first: Table) -> Table:
        """Return the same rows with the columns and words of another table."""
        lacking = [name for name in first.names if name not in self.names]
        beyond = [name for name in self.names if name not in first.names]
        if lacking or beyond:
            what = (
                f"lacks the column '{lacking[0]}' of"
                if lacking
                else (f"has a column '{beyond[0]}' that is not in")
            )
            raise UserError(f"{self.path} {what} {first.path}: use the same columns in both")
        table = self.take([self.names.index(name) for name in first.names])
        values, notes = table.values, list(self.notes)
        for column, name in enumerate(first.names):
            ours, theirs = table.levels.get(column), first.levels.get(column)
            if ours == theirs:
                continue
            if ours is None or theirs is None:
                kinds = ("numbers", "words") if ours is None else ("words", "numbers")
                raise UserError(
                    f"column '{name}' has {kinds[0]} in {self.path}, but {kinds[1]} in "
                    f"{first.path}: make it the same in both"
                )
            codes = [theirs.index(word) if word in theirs else _UNSEEN for word in ours]
            values = _recoded(values, column, codes)
            unseen = [word for word, code in zip(ours, codes) if code == _UNSEEN]
            if unseen:
                notes.append(
                    f"column '{name}': {', '.join(map(repr, unseen[:3]))} of the test file is in "
                    "no training row, so its row gets 0 for every word of the column"
                )
        labels = self.labels.like(first.labels) if self.labels and first.labels else self.labels
        return replace(table, values=values, levels=first.levels, labels=labels, notes=tuple(notes))


def check_names(path: str, names: Sequence[str]) -> None:
    """Check that every column has a name, and that no two have the same."""
    for i, name in enumerate(names):
        if not name:
            raise UserError(
                f"{path}: column {i + 1} has no name: add one, or save without row numbers"
            )
        if name in names[:i]:
            raise UserError(f"{path} has two columns '{name}': give each one a different name")


def from_frame(
    path: str,
    frame: pd.DataFrame,
    lines: Sequence[int] | None = None,
    words: Collection[str] = (),
) -> Table:
    """Make a table from a DataFrame; refuse a column that has mostly numbers and a few words.

    The columns `words` are read as words, even if they look like numbers.
    """
    names = [str(name).strip() for name in frame.columns]
    check_names(path, names)
    if frame.empty:
        raise UserError(f"{path} has no rows: add at least two")
    levels: dict[int, list[str]] = {}
    columns = []
    for j in range(len(names)):
        numbers, found, wrong = _column(frame.iloc[:, j], names[j] in words)
        if wrong is not None:
            line = f"row {wrong + 1}" if lines is None else f"line {lines[wrong]}"
            raise UserError(
                f"{path}, {line}, column '{names[j]}' has {str(frame.iloc[wrong, j])!r} among "
                "numbers: write a number, or nothing if it is missing"
            )
        if numbers is None:
            raise UserError(
                f"{path}: column '{names[j]}' has the type {frame.dtypes.iloc[j]}: turn it into "
                "numbers or words, or leave it out"
            )
        columns.append(numbers)
        if found:
            levels[j] = found
    return Table(path, np.column_stack(columns), names, levels, lines)


def _column(column: pd.Series, as_words: bool) -> tuple[Array | None, list[str], int | None]:
    """Return a column's numbers, its words if it has words, and the first wrong row if any."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if as_words:
        column = column.astype(object)
    elif pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return column.to_numpy(dtype=float, na_value=np.nan), [], None
    if not (pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column)):
        return None, [], None
    given = column.notna().to_numpy()
    texts = column.astype(object).map(lambda value: str(value).strip(), na_action="ignore")
    logical = texts.str.lower().map({"true": 1.0, "false": 0.0})
    as_numbers = pd.to_numeric(texts, errors="coerce")
    for numbers in () if as_words else (logical, as_numbers):
        values = numbers.to_numpy(dtype=float)
        bad = given & np.isnan(values)
        if not bad.any():
            return values, [], None
        if bad.sum() < given.sum() / 2:
            return values, [], int(np.flatnonzero(bad)[0])
    codes, words = pd.factorize(texts, sort=True)
    return np.where(codes < 0, np.nan, codes), [str(word) for word in words], None


def _recoded(values: Matrix, column: int, codes: Sequence[float]) -> Matrix:
    """Return the matrix with the codes of one column replaced; nan stays."""
    old = values[:, [column]]
    old = (old.toarray() if sp.issparse(old) else old).ravel()
    new = np.full(len(old), np.nan)
    known = ~np.isnan(old)
    new[known] = np.asarray(codes, dtype=float)[old[known].astype(int)]
    if sp.issparse(values):
        wide = values.tolil()
        wide[:, [column]] = new[:, None]
        return wide.tocsr()
    values = values.copy()
    values[:, column] = new
    return values
