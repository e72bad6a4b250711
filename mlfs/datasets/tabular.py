"""Read csv and parquet files; whatever is wrong in one is said with its line and column."""

from __future__ import annotations

import csv
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from ..errors import UserError
from .table import Table, check_names, from_frame

_SIGNS = {";": "semicolons", "\t": "tabs", "|": "bars"}  # what other programs write for a comma


def read_csv(path: Path, words: Collection[str] = ()) -> Table:
    """Read a csv file with a header.

    Parameters
    ----------
    path : Path
        The file.
    words : collection of str
        Columns that hold words even where they look like numbers.

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
            low_memory=False,  # else the type of a column may differ from one part to the next
        )
    except ValueError as error:  # such as a quote that is never closed
        told = " ".join(str(error).split())
        raise UserError(f"{path} is not a csv file ({told}): mend it") from error
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
    except (OSError, ValueError, NotImplementedError) as error:  # which those of pyarrow are
        raise UserError(f"{path} is not a parquet file that can be read: save it again") from error
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()  # an index that was given on purpose is a column, often an id
    return from_frame(str(path), frame, words=words)


def _scan(path: Path) -> tuple[list[str], list[int]]:
    """Return the header, and the line of every row; all rows must be as long as the header."""
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
                        f"{path}, line {reader.line_num} has {len(cells)} cells where the header "
                        f"has {len(header)}: make them equal"
                    )
                lines.append(reader.line_num)
    except UnicodeDecodeError:
        raise UserError(f"{path}{_bad_line(path)} is not UTF-8: save the file as UTF-8") from None
    except csv.Error as error:
        raise UserError(f"{path} is not a csv file ({error}): save it as one") from error
    if not header:
        raise UserError(f"{path} is empty: give a header and one line per row")
    counted = [str(i) for i in range(len(header))]  # what pandas writes for columns without names
    if header != counted and all(_is_number(cell) for cell in header):
        raise UserError(f"{path} starts with numbers: add a header line with the column names")
    if not lines:
        raise UserError(f"{path} has a header and no rows: give one line per row")
    return header, lines


def check_commas(path: Path, header: list[str]) -> None:
    """Refuse a file whose columns are told apart by something else than commas."""
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
