"""Choose the reader for each of the user's own files, and read files that belong together."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path

from ...errors import UserError
from ..formats.arff import read_arff
from ..formats.arrays import read_arrays, read_libsvm
from ..formats.file_table import FileTable, check_names, read_csv, read_parquet

_MEKA = re.compile(r"-C\s+(-?\d{1,9})\b")  # the number of labels, in the name of the relation


def read_tables(paths: list[str], id_column: str | None, must: bool) -> list[FileTable]:
    """Read files that belong together; all get the columns of the first file.

    Parameters
    ----------
    paths : list of str
        The files.
    id_column : str or None
        The id column, which becomes the ids of the tables.
    must : bool
        Whether every file must have the id column.

    Returns
    -------
    list of FileTable
        The files without the id column.
    """
    for path in paths:
        check_file(path)
    if Path(paths[0]).suffix.lower() in _LIBSVM:
        if id_column:
            raise UserError(f"{paths[0]} has no named columns: leave 'id' out")
        return list(read_libsvm([Path(path) for path in paths]))
    tables = list[FileTable]()
    for path in paths:
        words = {tables[0].names[column] for column in tables[0].levels} if tables else set()
        table = _table(path, words | ({id_column} if id_column else set()))
        check_names(path, table.names)
        table = table.without_id(id_column, must)
        tables.append(table.like(tables[0]) if tables else table)
    return tables


def check_file(path: str) -> None:
    """Raise an error if there is no such file."""
    try:
        there = Path(path).exists()
    except OSError:  # for example, the name is too long
        there = False
    if not there:
        raise UserError(f"there is no file {path}: correct the path")
    if not Path(path).is_file():
        raise UserError(f"{path} is a folder: name a file in it")


def _table(path: str, words: Collection[str]) -> FileTable:
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        endings = ", ".join([*_READERS, *_LIBSVM])
        raise UserError(f"{path}: files that end in '{suffix}' cannot be read: use {endings}")
    return _READERS[suffix](Path(path), words)


def _arff(path: Path, words: Collection[str]) -> FileTable:
    arff = read_arff(path)
    meka = _MEKA.search(arff.relation)
    return FileTable(
        str(path),
        arff.values,
        arff.names,
        arff.levels,
        arff.lines,
        count=int(meka[1]) if meka else None,
    )


_READERS: dict[str, Callable[[Path, Collection[str]], FileTable]] = {
    ".arff": _arff,
    ".csv": read_csv,
    ".parquet": read_parquet,
    ".npz": lambda path, words: read_arrays(path),
    ".npy": lambda path, words: read_arrays(path),
}
_LIBSVM = (".libsvm", ".svm", ".svmlight", ".txt")
