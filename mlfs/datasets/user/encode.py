"""Turn tables into numbers for the methods: features as floats, labels as 0, 1 and unknown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from ...errors import UserError
from ...numerics.linalg import dense
from ...types import Array, Matrix
from ..formats.arff import UNKNOWN
from ..formats.file_table import FileTable

_LOGICAL = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0}
_OTHER = -2.0  # stands for a word that is no label
_MANY = 10  # with more rows, a column in which all words differ is probably an id


def binary(table: FileTable) -> Array:
    """Return labels as uint8 or, if some are not known, as floats with nan.

    The error for a value other than 0, 1, true, false or a missing one says where it is.
    """
    values = dense(table.values).astype(float)
    wrong = ~np.isin(values, (0.0, 1.0)) & ~np.isnan(values)
    for column, words in table.levels.items():
        codes = np.array([_code(word) for word in words])
        given = values[:, column] >= 0  # not missing, and a word of the training file
        wrong[:, column] = ~(given | np.isnan(values[:, column]))
        values[given, column] = codes[values[given, column].astype(int)]
        wrong[:, column] |= values[:, column] == _OTHER
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        advice = ""
        if column in table.levels:
            advice = (
                "; scikit-learn's MultiLabelBinarizer turns words into columns of 0 and 1, one for "
                "each word"
            )
        raise UserError(
            f"{table.place(row, column)} contains {table.shown(row, column)}: "
            f"a label must be 1 (relevant), 0, or empty if it is not known{advice}"
        )
    return values if np.isnan(values).any() else values.astype(np.uint8)


def _code(word: str) -> float:
    return np.nan if word.lower() in UNKNOWN else _LOGICAL.get(word.lower(), _OTHER)


def numbers(
    tables: Sequence[FileTable], missing: bool
) -> tuple[list[Matrix], list[str], list[str]]:
    """Return the features of the training file, and of the test file if there is one, as numbers.

    A column of words becomes one column of 0 and 1 for each word of the training file. If a row
    has no word, its value is missing in all these columns.

    Parameters
    ----------
    tables : sequence of FileTable
        The files.
    missing : bool
        Whether missing values are allowed, because they are replaced later.

    Returns
    -------
    parts : list of ndarray or csr_matrix
        The features of each file.
    names : list of str
        Names of the columns.
    notes : list of str
        What a user should know.
    """
    first = tables[0]
    used = {column: _used(first, column) for column in sorted(first.levels)}
    notes = [
        f"column '{first.names[column]}' of words became {len(codes)} columns of 0 and 1"
        for column, codes in used.items()
    ]
    _check(first, missing)
    for table in tables[1:]:
        _check(table, missing, empty_columns=True)
        notes += table.notes
    plain = [column for column in range(len(first.names)) if column not in used]
    names = [first.names[column] for column in plain]
    for column, codes in used.items():
        names += [f"{first.names[column]}={first.levels[column][int(code)]}" for code in codes]
    return [_whole(table, plain, used) for table in tables], names, notes


def _whole(table: FileTable, plain: list[int], used: dict[int, Array]) -> Matrix:
    blocks = [table.values[:, plain]]
    for column, codes in used.items():
        given = dense(table.values[:, [column]])
        block = (given == codes).astype(float)
        block[np.isnan(given).ravel()] = np.nan
        blocks.append(block)
    if sp.issparse(table.values):
        return sp.csr_matrix(sp.hstack(blocks)) if used else sp.csr_matrix(blocks[0])
    return np.hstack(blocks)


def _used(table: FileTable, column: int) -> Array:
    """Return the codes of the words that occur, each once."""
    values = dense(table.values[:, [column]]).ravel()
    codes = np.unique(values[~np.isnan(values)])
    if len(codes) == len(table) > _MANY:
        name = table.names[column]
        raise UserError(
            f"{table.path}: column '{name}' has a different word in every row: leave it out with "
            f"'id: {name}', or remove it"
        )
    return codes


def _check(table: FileTable, missing: bool, empty_columns: bool = False) -> None:
    """Refuse infinite values, empty columns and, unless `missing`, missing values."""
    values = table.values
    stored = values.tocoo() if sp.issparse(values) else None
    numbers = values if stored is None else stored.data

    def place(wrong: Array) -> tuple[int, int]:
        first = np.argwhere(wrong)[0]
        if stored is None:
            return int(first[0]), int(first[1])
        return int(stored.row[first[0]]), int(stored.col[first[0]])

    endless = np.isinf(numbers)
    if endless.any():
        raise UserError(f"{table.place(*place(endless))} is infinite: write a finite number")
    absent = np.isnan(numbers)
    if not absent.any():
        return
    rows = absent.sum(axis=0) if stored is None else np.bincount(stored.col[absent])
    empty = np.flatnonzero(rows == len(table))
    if len(empty) and not empty_columns:
        raise UserError(
            f"{table.path}: column '{table.names[int(empty[0])]}' has no values: remove it"
        )
    if not missing:
        more = f" (and {absent.sum() - 1} more)" if absent.sum() > 1 else ""
        raise UserError(
            f"{table.place(*place(absent))} has no value{more}: fill it in, or add "
            "'impute: mean' or 'impute: median'"
        )
