"""Load a dataset by name: from the parsed copy in the cache, or by reading its files."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..errors import UserError
from ..numerics.linalg import squared_norms
from .catalogue import find
from .checksums import checksum
from .dataset import Dataset, Parsed, cardinality
from .formats.lear import read_lear
from .formats.mat import read_parts, read_whole
from .formats.mulan import read_labels, read_last, read_mulan
from .formats.rda import read_rda
from .formats.skmultilearn_pickles import read_dump
from .formats.smiles import read_smiles
from .local_files import check, keep_digest, locate_all
from .made import toy
from .parsed_copies import SUFFIX, load_copy, save_copy
from .places import cache_dir
from .published.fetch import fetch
from .published.published_catalogue import DataSource, Entry, label_names
from .user.user_data import read_own

_ROUNDED = 6e-4  # the catalogue has cardinalities with three decimals


def load(
    name: str, clean: bool = False, *, mirror: Path | None = None, mapped: bool = False
) -> Dataset:
    """Load a dataset.

    Parameters
    ----------
    name : str
        A name of the catalogue.
    clean : bool, default=False
        Repair the known faults of the published files (see the notes of the dataset).
    mirror : Path, optional
        A directory of data files; by default ``$MLFS_MIRROR``.
    mapped : bool, default=False
        Share the arrays, which are then read-only, with other processes of this machine.

    Returns
    -------
    Dataset
        Features, labels, names and the official split.

    Examples
    --------
    >>> from mlfs.datasets import load
    >>> load("planted").X.shape
    (500, 60)
    """
    entry = find(name)
    if entry.own:
        return read_own(entry.own, name, mapped=mapped)
    if entry.classes and entry.reader != "images":
        raise UserError(f"dataset '{name}' has classes, not labels; use load_zero_shot.")
    if entry.drawn:
        return toy.draw(name)
    if entry.reader == "images":
        raise UserError(
            f"dataset '{name}' has images, not features: compute features first with "
            f"`mlfs data features {name}`."
        )
    published = checksum(name, mirror=mirror)
    stored = cache_dir() / "parsed" / f"{name}{SUFFIX}"
    parsed = load_copy(stored, published, mapped)
    if parsed is None:
        parsed = _read(entry, mirror)
        save_copy(stored, published, parsed)
        parsed = (load_copy(stored, published, mapped) if mapped else None) or parsed
    if clean:
        parsed = _repair(parsed, entry)
    notes = [*entry.notes, *parsed.notes]
    if clean and entry.clean:
        notes.append("cleaned: the fault above is repaired")
    rows = np.arange(len(parsed.Y))
    split = parsed.n_train
    return Dataset(
        name=name,
        X=parsed.X,
        Y=parsed.Y,
        feature_names=parsed.feature_names,
        label_names=parsed.label_names,
        train=rows[:split] if split is not None else None,
        test=rows[split:] if split is not None else None,
        checksum=checksum(name, clean, mirror=mirror),
        notes=notes,
    )


def _read(entry: Entry, mirror: Path | None) -> Parsed:
    at_hand = _at_hand(entry, mirror)
    if at_hand is None:
        fetch(entry.name, mirror)
        at_hand = _at_hand(entry, mirror)
        assert at_hand is not None  # otherwise fetch would have raised an error
    source, paths = at_hand
    for path, file in zip(paths, source.files):
        check(path, file)
    parsed = _READERS[source.reader](entry, source, paths)
    _compare(parsed, entry)
    for path, file in zip(paths, source.files):
        keep_digest(path, file)
    X = sp.csr_matrix(parsed.X) if entry.sparse else parsed.X
    return dataclasses.replace(parsed, X=X.toarray() if sp.issparse(X) and not entry.sparse else X)


def _compare(parsed: Parsed, entry: Entry) -> None:
    """Raise a UserError if the content of the files is not what the catalogue says."""
    shape, wanted = (*parsed.X.shape, parsed.Y.shape[1]), (entry.n, entry.d, entry.l)
    mean = cardinality(parsed.Y)
    wrong = ""
    if shape != wanted:
        wrong = f"the shape {shape[:2]} with {shape[2]} labels, not {wanted[:2]} with {wanted[2]}"
    elif entry.split is not None and parsed.n_train != entry.split[0]:
        wrong = f"a training part of {parsed.n_train} rows, not {entry.split[0]}"
    elif entry.cardinality is not None and abs(mean - entry.cardinality) > _ROUNDED:
        wrong = f"{mean:.3f} labels per row, not {entry.cardinality}"
    if wrong:
        raise UserError(
            f"the files of dataset '{entry.name}' have {wrong} as the catalogue says; get the "
            "right files, or report this."
        )


def _at_hand(entry: Entry, mirror: Path | None) -> tuple[DataSource, list[Path]] | None:
    for source in entry.sources:
        paths = locate_all(source, mirror)
        if paths is not None:
            return source, paths
    return None


def _mulan(entry: Entry, source: DataSource, paths: list[Path]) -> Parsed:
    return read_mulan([p for p in paths if p.suffix == ".arff"], paths[-1])


def _mat_whole(entry: Entry, source: DataSource, paths: list[Path]) -> Parsed:
    return read_whole(paths[0], read_labels(paths[1]) if len(paths) > 1 else None)


_READERS: dict[str, Callable[[Entry, DataSource, list[Path]], Parsed]] = {
    "mulan": _mulan,
    "arff_last": lambda entry, source, paths: read_last(paths[0], entry.l),
    "lear": lambda entry, source, paths: read_lear(paths),
    "mat_whole": _mat_whole,
    "mat_parts": lambda entry, source, paths: read_parts(paths[0]),
    "smiles": lambda entry, source, paths: read_smiles(paths[0], entry.recipe),
    "rda": lambda entry, source, paths: read_rda(paths[0]),
    "dump": lambda entry, source, paths: read_dump(
        paths[0], source.member, label_names(entry.name)
    ),
}


def _repair(parsed: Parsed, entry: Entry) -> Parsed:
    """Repair the faults in the catalogue: spurious values, or columns that leak a label."""
    if "spurious" in entry.clean:
        X = parsed.X.copy()
        norms = np.sqrt(squared_norms(X))
        # every row has norm 1 without its spurious values
        too_long = np.repeat(norms > 1.001, np.diff(X.indptr))
        X.data[too_long & (X.data == entry.clean["spurious"])] = 0
        X.eliminate_zeros()
        return dataclasses.replace(parsed, X=X)
    if "drop" in entry.clean:
        kept = np.setdiff1d(np.arange(parsed.X.shape[1]), entry.clean["drop"])
        names = [parsed.feature_names[i] for i in kept]
        return dataclasses.replace(parsed, X=parsed.X[:, kept], feature_names=names)
    return parsed
