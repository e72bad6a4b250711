"""Read csv and parquet files; errors name the line and the column."""

from __future__ import annotations

import csv
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from ..errors import UserError
from .table import Table, check_names, from_frame

_SIGNS = {";": "semicolons", "\t": "tabs", "|": "bars"}  # separators that some programs write


def read_csv(path: Path, words: Collection[str] = ()) -> Table:
    """Read a csv file with a header.

    Parameters
    ----------
    path : Path
        The file.
    words : collection of str
        Columns to read as words, even if they look like numbers.

    Returns
    -------
    Table
        The rows of the file.
    """
    header, lines = _scan(path)
    check_names(str(path), header)
    try:
        frame = pd.read_csv(
            path,
            encoding="utf-8-sig",
            header=0,
            names=header,
            index_col=False,
            skipinitialspace=True,
            dtype={name: str for name in header if name in words},
            low_memory=False,  # otherwise parts of a column may get different types
        )
    except ValueError as error:  # for example, a quote that is not closed
        told = " ".join(str(error).split())
        raise UserError(f"{path} is not a csv file ({told}): correct it") from error
    counted = lines if len(lines) == len(frame) else None
    return from_frame(str(path), frame, counted, words)


def read_parquet(path: Path, words: Collection[str] = ()) -> Table:
    """Read a parquet file; see `read_csv` for `words`."""
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


def _scan(path: Path) -> tuple[list[str], list[int]]:
    """Return the header and the line number of every row; check that all rows have equal length."""
    header: list[str] = []
    lines: list[int] = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, skipinitialspace=True)
            for cells in reader:
                if not cells or (len(cells) == 1 and not cells[0].strip()):
                    continue  # a blank line
                if not header:
                    header = [cell.strip() for cell in cells]
                    check_commas(path, header)
                    continue
                if len(cells) != len(header):
                    raise UserError(
                        f"{path}, line {reader.line_num} has {len(cells)} cells, but the header "
                        f"has {len(header)}: make them equal"
                    )
                lines.append(reader.line_num)
    except UnicodeDecodeError:
        raise UserError(f"{path}{_bad_line(path)} is not UTF-8: save the file as UTF-8") from None
    except csv.Error as error:
        raise UserError(f"{path} is not a csv file ({error}): save it as one") from error
    if not header:
        raise UserError(f"{path} is empty: write a header and one line for each row")
    counted = [str(i) for i in range(len(header))]  # the header that pandas writes without names
    if header != counted and all(_is_number(cell) for cell in header):
        raise UserError(f"{path} starts with numbers: add a header line with the column names")
    if not lines:
        raise UserError(f"{path} has a header, but no rows: write one line for each row")
    return header, lines


def check_commas(path: Path, header: list[str]) -> None:
    """Refuse a file whose columns are not separated by commas."""
    for sign, name in _SIGNS.items():
        if len(header) == 1 and sign in header[0]:
            raise UserError(f"{path} has {name} between its columns: save it with commas")


def _bad_line(path: Path) -> str:
    content = path.read_bytes()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        return f", line {number}"
    return ""


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
