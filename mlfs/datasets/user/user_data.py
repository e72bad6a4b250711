"""Read the user's own data into a dataset, or report in one sentence what is wrong with them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from pydantic import ValidationError

from ...errors import UserError, validation_reason
from ...methods.labels import observed
from ...numerics.linalg import dense
from ...types import Array
from ..dataset import Dataset, Parsed, numbered
from ..formats.file_table import FileTable, read_csv
from ..formats.mulan import read_labels
from ..local_files import digest_of
from ..parsed_copies import SUFFIX, load_copy, save_copy, sweep, touch
from ..places import cache_dir, mirror_dir
from . import openml
from .description import Impute, Unknown, UserData, title
from .encode import binary, numbers
from .readers import check_file, read_tables

_VERSION = 2  # increase it when the readers read other numbers from the same file
_UNUSED = 30 * 24 * 3600.0  # seconds without use after which a parsed copy is removed


def read_own(own: UserData, name: str = "", *, mapped: bool = False) -> Dataset:
    """Read the user's own data; missing values stay nan if they are imputed later.

    Parameters
    ----------
    own : UserData
        Where the data are and how to read them.
    name : str, optional
        Name of the dataset; by default the name of the file.
    mapped : bool, default=False
        Share the arrays, which are then read-only, with other processes of this machine.

    Returns
    -------
    Dataset
        Features, labels, names and the official split.
    """
    digest = own_checksum(own)
    if own.openml:
        parsed = openml.read(own, _parsed, mapped)
    else:
        parsed = _shared(own, digest) if mapped else _parsed(*_parts(own), own)
    rows, split = np.arange(len(parsed.Y)), parsed.n_train
    return Dataset(
        name=name or title(own.path, own.openml),
        X=parsed.X,
        Y=parsed.Y,
        feature_names=parsed.feature_names,
        label_names=parsed.label_names,
        train=rows[:split] if split is not None else None,
        test=rows[split:] if split is not None else None,
        checksum=digest,
        notes=list(parsed.notes),
        ids=parsed.ids,
    )


def _shared(own: UserData, digest: str) -> Parsed:
    """Return the content of the files from a parsed copy in the cache; make it if necessary."""
    copy = cache_dir() / "parsed" / f"own-{digest}{SUFFIX}"
    parsed = load_copy(copy, digest, mapped=True)
    if parsed is None:
        sweep(copy.parent, f"own-*{SUFFIX}", time.time() - _UNUSED)
        parsed = _parsed(*_parts(own), own)
        save_copy(copy, digest, parsed)
        parsed = load_copy(copy, digest, mapped=True) or parsed
    touch(copy)
    return parsed


def read(
    path: str | Path,
    labels: Sequence[str] | int | str | Path | None = None,
    *,
    test: str | Path | Sequence[str | Path] = (),
    id: str | None = None,
    impute: Impute | None = None,
    unknown: Unknown | None = None,
    name: str = "",
) -> Dataset:
    r"""Read your own files.

    Parameters
    ----------
    path : str or Path
        An arff, csv, parquet, npz, npy or libsvm file.
    labels : list of str, int, str or Path, optional
        Names of the label columns; or the number of label columns (6: the first six, -6: the last
        six); or a file of labels. Not needed for files that name their labels, such as MEKA's.
    test : str, Path or a list of them
        File of the official test part, and the file of its labels if these are separate.
    id : str, optional
        A column to leave out.
    impute : {"mean", "median"}, optional
        Allow missing values: they stay nan, and each cell of an experiment replaces them.
    unknown : {"negative"}, optional
        Read labels that are not known (empty, ?, NA, NaN or null) as 0; otherwise they are nan.
    name : str, optional
        Name of the dataset; by default the name of the file without its ending.

    Returns
    -------
    Dataset
        Features, labels, names and the official split.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from mlfs.datasets import read
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "flowers.csv").write_text("width,height,red,blue\n1,2,1,0\n3,4,0,1\n")
    >>> read(folder / "flowers.csv", ["red", "blue"]).label_names
    ['red', 'blue']
    """
    parts = [test] if isinstance(test, str | Path) else test
    try:
        own = UserData(
            path=str(path),
            labels=str(labels) if isinstance(labels, Path) else labels,
            test=tuple(str(part) for part in parts),
            id=id,
            impute=impute,
            unknown=unknown,
        )
    except ValidationError as error:
        raise UserError(validation_reason(error)) from error
    return read_own(own, name)


def own_checksum(own: UserData) -> str:
    """Return a checksum of the content and of how it is read, but not of the files' places.

    Parameters
    ----------
    own : UserData
        Where the data are and how to read them.

    Returns
    -------
    str
        The checksum.
    """
    if own.openml:
        parts = [openml.digest(own, _parsed)]
    else:
        how = own.labels if not isinstance(own.labels, str) else "file"
        parts = [repr(how), own.id or ""]
        for file in own.files:
            check_file(file)
            try:
                parts += [Path(file).suffix.lower(), digest_of(Path(file))]
            except OSError as error:
                raise UserError(
                    f"{file} cannot be read ({error.strerror}): check its permissions"
                ) from error
    told = [f"unknown: {own.unknown}"] if own.unknown else []  # so that other data keep their keys
    text = "|".join([str(_VERSION), own.impute or "", *parts, *told])
    return hashlib.sha256(text.encode()).hexdigest()


def is_here(own: UserData) -> bool:
    """Tell whether the user's own data can be read without the network.

    Parameters
    ----------
    own : UserData
        Where the data are.

    Returns
    -------
    bool
        Whether all files, or a copy of the OpenML dataset, are on this machine.
    """
    if own.openml:
        return openml.is_here(own)
    return all(Path(file).is_file() for file in own.files)


def nearby(own: UserData) -> UserData:
    """Replace missing files by files of the same name in the cache or mirror.

    So a worker on another machine finds them in its own cache or mirror. Their checksum is
    checked later.

    Parameters
    ----------
    own : UserData
        Where the data are.

    Returns
    -------
    UserData
        The same with the paths of the found files.
    """

    def found(file: str) -> str:
        folders = [folder for folder in (cache_dir(), mirror_dir()) if folder is not None]
        places = [Path(file), *(folder / Path(file).name for folder in folders)]
        return next((str(place) for place in places if place.is_file()), file)

    labels = found(own.labels) if isinstance(own.labels, str) else own.labels
    path = found(own.path) if own.path else None
    test = tuple(found(file) for file in own.test)
    return own.model_copy(update={"path": path, "labels": labels, "test": test})


def _parts(own: UserData) -> tuple[list[FileTable], list[FileTable]]:
    """Return tables of features and tables of labels: for the training file and any test file."""
    assert own.path is not None
    tables = read_tables([own.path, *own.test[:1]], own.id, must=True)
    inside = [table.labels for table in tables if table.labels is not None]
    if inside:
        if own.labels is not None:
            raise UserError(f"{own.path} already has its labels: leave 'labels' out")
        if len(inside) < len(tables):
            raise UserError(
                f"only one of {own.path} and {own.test[0]} has labels: add labels to the other"
            )
        return tables, inside
    if own.label_file is None:
        columns = _label_columns(tables[0], own)
        rest = [i for i in range(len(tables[0].names)) if i not in set(columns)]
        return [t.take(rest) for t in tables], [t.take(columns) for t in tables]
    labels = read_tables([own.label_file, *own.test[1:]], own.id, must=False)
    if labels[0].lines is None and labels[0].names == numbered("Att", len(labels[0].names)):
        named = numbered("Class", len(labels[0].names))  # arrays have no names
        labels = [replace(table, names=named) for table in labels]
    labels = [_with_blank_lines(told, table) for table, told in zip(tables, labels)]
    return tables, [told.in_order_of(table) for table, told in zip(tables, labels)]


def _with_blank_lines(labels: FileTable, table: FileTable) -> FileTable:
    """Return a single label with its blank lines as unknown labels, if rows are lacking."""
    one = len(labels.names) == 1 and labels.ids is None and labels.path.lower().endswith(".csv")
    return (
        read_csv(Path(labels.path), blank_rows=True) if one and len(labels) < len(table) else labels
    )


def _label_columns(table: FileTable, own: UserData) -> list[int]:
    """Return the numbers of the label columns, in the order of the file."""
    labels = table.count if own.labels is None else own.labels
    if labels is None:
        raise UserError(
            f"{table.path} does not say which columns are labels: add 'labels', which is a list of "
            "names, their number (6: the first six, -6: the last six) or a file"
        )
    if isinstance(labels, int):
        d = len(table.names)
        if not 1 <= abs(labels) < d:
            raise UserError(
                f"{table.path} has {d} columns, of which {abs(labels)} cannot be labels: correct "
                "'labels'"
            )
        return list(range(labels)) if labels > 0 else list(range(d + labels, d))
    names = read_labels(Path(labels)) if isinstance(labels, str) else list(labels)
    if not names:
        raise UserError(f"{labels} names no labels: name at least one")
    return sorted(table.find(name, "the labels") for name in names)


def _parsed(tables: list[FileTable], labels: list[FileTable], own: UserData) -> Parsed:
    """Return features and labels as numbers, the training rows before those of the test file."""
    if not labels[0].names:
        raise UserError(f"{labels[0].path} has no labels: add at least one")
    if not tables[0].names:
        raise UserError(f"{tables[0].path} has no features beside the labels: add at least one")
    if len(tables[0]) < 2:
        raise UserError(f"{tables[0].path} has fewer than two rows: add more")
    for table, told in zip(tables, labels):
        if len(table) != len(told):
            raise UserError(
                f"{table.path} has {len(table)} rows, but {told.path} has {len(told)}: use one row "
                "of labels for every row of data"
            )
    Y = np.vstack([binary(table) for table in labels])
    holes = _of_unknown(Y, labels[0])
    if holes and own.unknown == "negative":
        Y, holes = np.nan_to_num(Y).astype(np.uint8), f"{holes}, and read as 0"
    X, names, notes = numbers(tables, missing=own.impute is not None)
    sparse = sp.issparse(X[0])
    whole = sp.csr_matrix(sp.vstack(X)) if sparse else np.vstack([dense(part) for part in X])
    return Parsed(
        X=whole,
        Y=Y,
        feature_names=names,
        label_names=labels[0].names,
        n_train=len(tables[0]) if len(tables) > 1 else None,
        notes=(*notes, *([holes] if holes else [])),
        ids=_ids(tables),
    )


def _of_unknown(Y: Array, table: FileTable) -> str:
    """Say how many labels are not known; refuse a label of which nothing is known."""
    known = observed(Y)
    if known.all():
        return ""
    if not known.any():
        raise UserError(f"{table.path}: no label is known: write 1 or 0 where you know it")
    empty = np.flatnonzero(~known.any(axis=0))
    if len(empty):
        raise UserError(
            f"{table.path}: label '{table.names[int(empty[0])]}' is known in no row: write 1 or 0 "
            "where you know it, or remove the label"
        )
    count = int((~known).sum())
    return f"{count} of {Y.size} labels ({100 * count / Y.size:.3g} %) are not known"


def _ids(tables: list[FileTable]) -> list[str] | None:
    """Return the names of all rows, if there is an id column."""
    named = [table.ids for table in tables if table.ids is not None]
    return [name for ids in named for name in ids] if len(named) == len(tables) else None
