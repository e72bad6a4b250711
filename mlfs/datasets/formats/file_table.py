"""Tables of numbers and words, and the readers of csv and parquet files; errors name the line."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ...errors import UserError, nearest
from ...types import Array, Matrix
from .arff import UNKNOWN, is_number

if TYPE_CHECKING:
    import pandas as pd

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}  # those that some programs write
_UNSEEN = -1.0  # the code of a word that the training file lacks


@dataclass(frozen=True)
class FileTable:
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
    labels : FileTable, optional
        The labels, if the file has them separate from its columns.
    count : int, optional
        The number of label columns, if the file says it: positive for the first columns, negative
        for the last.
    notes : tuple of str
        What a user should know.
    ids : sequence of str, optional
        The names of the rows, which an id column had.
    """

    path: str
    values: Matrix
    names: list[str]
    levels: dict[int, list[str]]
    lines: Sequence[int] | None = None
    labels: FileTable | None = None
    count: int | None = None
    notes: tuple[str, ...] = ()
    ids: Sequence[str] | None = None

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
        return _find_column(self.path, self.names, name, what)

    def without_id(self, column: str | None, must: bool) -> FileTable:
        """Return the table with its id column as `ids`.

        If not `must`, a table without such a column is returned as it is.
        """
        if not column or (not must and column not in self.names):
            return self
        place = self.find(column, "'id'")
        kept = self.take([i for i in range(len(self.names)) if i != place])
        return replace(kept, ids=self.texts(place))

    def in_order_of(self, other: FileTable) -> FileTable:
        """Return the rows in the order of another table; they are matched if both have ids."""
        if self.ids is None or other.ids is None or list(self.ids) == list(other.ids):
            return self
        for one, two in ((self, other), (other, self)):
            mine, theirs = list(one.ids or ()), set(two.ids or ())
            twice = next((name for name, count in Counter(mine).items() if count > 1), None)
            if twice is not None:
                raise UserError(
                    f"{one.path} has the id {twice!r} twice, so its rows cannot be matched with "
                    f"{two.path}: give every row its own id"
                )
            strange = next((name for name in mine if name not in theirs), None)
            if strange is not None:
                raise UserError(
                    f"{one.path} has the id {strange!r}, but {two.path} does not: use the same "
                    "ids in both files"
                )
        place = {name: row for row, name in enumerate(self.ids)}
        order = [place[name] for name in other.ids]
        lines = None if self.lines is None else [self.lines[row] for row in order]
        return replace(self, values=self.values[order], lines=lines, ids=other.ids)

    def take(self, columns: Sequence[int]) -> FileTable:
        """Return some of the columns, in this order."""
        return replace(
            self,
            values=self.values[:, list(columns)],
            names=[self.names[column] for column in columns],
            levels={new: self.levels[old] for new, old in enumerate(columns) if old in self.levels},
        )

    def like(self, first: FileTable) -> FileTable:
        """Return the same rows with the columns and words of another table."""
        places = {name: column for column, name in enumerate(self.names)}
        theirs_too = set(first.names)
        lacking = [name for name in first.names if name not in places]
        beyond = [name for name in self.names if name not in theirs_too]
        if lacking or beyond:
            what = (
                f"lacks the column '{lacking[0]}' of"
                if lacking
                else (f"has a column '{beyond[0]}' that is not in")
            )
            raise UserError(f"{self.path} {what} {first.path}: use the same columns in both")
        table = self.take([places[name] for name in first.names])
        changed, notes = dict[int, list[float]](), list(self.notes)
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
            codes = {word: float(code) for code, word in enumerate(theirs)}
            changed[column] = [codes.get(word, _UNSEEN) for word in ours]
            unseen = [word for word in ours if word not in codes]
            if unseen:
                notes.append(
                    f"column '{name}': {', '.join(map(repr, unseen[:3]))} of the test file is in "
                    "no training row, so its row gets 0 for every word of the column"
                )
        labels = self.labels.like(first.labels) if self.labels and first.labels else self.labels
        values = _recoded(table.values, changed) if changed else table.values
        return replace(table, values=values, levels=first.levels, labels=labels, notes=tuple(notes))


def read_csv(path: Path, words: Collection[str] = (), *, blank_rows: bool = False) -> FileTable:
    """Read a csv file with a header.

    Parameters
    ----------
    path : Path
        The file.
    words : collection of str
        Columns to read as words, even if they look like numbers.
    blank_rows : bool, default=False
        Whether a blank line after the header is a row, whose only cell is empty.

    Returns
    -------
    FileTable
        The rows of the file.
    """
    import pandas as pd  # slow to import

    rows = csv_rows(path)
    _, header = next(rows)
    lines = [number for number, cells in rows if cells or blank_rows]
    if not lines:
        raise UserError(f"{path} has a header, but no rows: write one line for each row")
    # before 3.1, pandas rounded long numbers wrongly in the last bit unless it was told not to
    old = tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1)
    exact: dict[str, Any] = {"float_precision": "round_trip"} if old else {}
    try:
        frame = pd.read_csv(
            path,
            encoding="utf-8-sig",
            header=0,
            names=header,
            index_col=False,
            skipinitialspace=True,
            skip_blank_lines=not blank_rows,
            dtype={name: str for name in header if name in words},
            low_memory=False,  # otherwise parts of a column may get different types
            **exact,
        )
    except ValueError as error:  # for example, a quote that is not closed
        told = " ".join(str(error).split())
        raise UserError(f"{path} is not a csv file ({told}): correct it") from error
    counted = lines if len(lines) == len(frame) else None
    return from_frame(str(path), frame, counted, words)


def read_parquet(path: Path, words: Collection[str] = ()) -> FileTable:
    """Read a parquet file; see `read_csv` for `words`."""
    import pandas as pd  # slow to import

    try:
        frame = pd.read_parquet(path)
    except ImportError as error:
        raise UserError(
            f"{path}: parquet needs an extra: pip install 'mlfs-bench[parquet]'"
        ) from error
    except (OSError, ValueError, NotImplementedError) as error:  # the base classes of pyarrow's
        raise UserError(f"{path} cannot be read as a parquet file: save it again") from error
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()  # an index that the user has set becomes a column, often an id
    return from_frame(str(path), frame, words=words)


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of the header and of every row of a csv file.

    A blank line after the header has no cells; every row has as many cells as the header.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    number : int
        The number of the line.
    cells : list of str
        Its cells, without blanks around the names of the header.
    """
    header: list[str] = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, skipinitialspace=True)
            for cells in reader:
                if len(cells) == 1 and not cells[0].strip():
                    cells = []  # a blank line
                if not header:
                    header = [cell.strip() for cell in cells]
                    if header:
                        _check_header(path, header)
                        yield reader.line_num, header
                    continue
                if cells and len(cells) != len(header):
                    raise UserError(
                        f"{path}, line {reader.line_num} has {len(cells)} cells, but the header "
                        f"has {len(header)}: make them equal"
                    )
                yield reader.line_num, cells
    except OSError as error:
        raise UserError(f"cannot read {path} ({error.strerror}): name an existing csv") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}{_bad_line(path)} is not UTF-8: save the file as UTF-8") from None
    except csv.Error as error:
        raise UserError(f"{path} is not a csv file ({error}): save it as one") from error
    if not header:
        raise UserError(f"{path} is empty: write a header and one line for each row")


def _check_header(path: Path, header: list[str]) -> None:
    """Refuse other separators than commas, numbers in place of names, and bad names."""
    for sign, name in _SEPARATORS.items():
        if len(header) == 1 and sign in header[0]:
            raise UserError(f"{path} has {name} between its columns: save it with commas")
    counted = [str(i) for i in range(len(header))]  # the header that pandas writes without names
    if header != counted and all(is_number(name) for name in header):
        raise UserError(f"{path} starts with numbers: add a header line with the column names")
    check_names(str(path), header)


def _bad_line(path: Path) -> str:
    content = path.read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        return f", line {number}"
    return ""


def check_names(path: str, names: Sequence[str]) -> None:
    """Check that every column has a name, and that no two have the same."""
    seen = set[str]()
    for i, name in enumerate(names):
        if not name:
            raise UserError(
                f"{path}: column {i + 1} has no name: add one, or save without row numbers"
            )
        if name in seen:
            raise UserError(f"{path} has two columns '{name}': give each one a different name")
        seen.add(name)


def _find_column(path: str, names: Sequence[str], name: str, what: str) -> int:
    if name not in names:
        first = ", ".join(f"'{other}'" for other in names[:6])
        raise UserError(
            f"{path} has no column '{name}' for {what}{nearest(name, names)} "
            f"(its first columns: {first})"
        )
    return list(names).index(name)


def from_frame(
    path: str,
    frame: pd.DataFrame,
    lines: Sequence[int] | None = None,
    words: Collection[str] = (),
) -> FileTable:
    """Make a table from a DataFrame; refuse a column that has mostly numbers and a few words.

    The columns `words` are read as words, even if they look like numbers.
    """
    names = [str(name).strip() for name in frame.columns]
    check_names(path, names)
    if frame.empty:
        raise UserError(f"{path} has no rows: add at least two")
    levels: dict[int, list[str]] = {}
    values = np.empty(frame.shape)
    # columns of numbers all at once: one by one they take a second for each thousand
    plain = np.array([_is_plain(kind) for kind in frame.dtypes])
    plain &= np.array([name not in words for name in names])
    values[:, plain] = frame.loc[:, plain].to_numpy(dtype=float)
    for j in np.flatnonzero(~plain).tolist():
        numbers, column_words, wrong = _column(frame.iloc[:, j], names[j] in words)
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
        values[:, j] = numbers
        if column_words:
            levels[j] = column_words
    return FileTable(path, values, names, levels, lines)


def _is_plain(kind: Any) -> bool:
    """Tell whether a type of columns is one of numpy's for numbers, without missing values."""
    return isinstance(kind, np.dtype) and kind.kind in "biuf"


def _column(column: pd.Series, as_words: bool) -> tuple[Array | None, list[str], int | None]:
    """Return a column's numbers, its words if it has words, and the first wrong row if any."""
    import pandas as pd  # slow to import

    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if as_words:
        column = column.astype(object)
    elif pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return column.to_numpy(dtype=float, na_value=np.nan), [], None
    if not (pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column)):
        return None, [], None
    texts = column.astype(object).map(lambda value: str(value).strip(), na_action="ignore")
    # among numbers a question mark is a missing value; among words it may be a word
    given = texts.notna().to_numpy() & ~texts.str.lower().isin(UNKNOWN).to_numpy()
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


def _recoded(values: Matrix, changed: Mapping[int, Sequence[float]]) -> Matrix:
    """Return the matrix with the codes of some columns replaced; nan stays."""
    wide = values.tolil() if sp.issparse(values) else values.copy()
    for column, codes in changed.items():
        old = values[:, [column]]
        old = (old.toarray() if sp.issparse(old) else old).ravel()
        new = np.full(len(old), np.nan)
        given = ~np.isnan(old)
        new[given] = np.asarray(codes, dtype=float)[old[given].astype(int)]
        wide[:, [column]] = new[:, None]
    return wide.tocsr() if sp.issparse(values) else wide
