"""Load a dataset by name: from the parsed copy in the cache, or by reading its files."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from ..errors import UserError
from ..linalg import squared_norms
from . import toy
from .catalog import Entry, Source, find, known_digest, label_names
from .copies import SUFFIX, recall, remember
from .dataset import Dataset, Parsed
from .digits import digits_checksum
from .dump import read_dump
from .fetch import fetch
from .files import check, digest_of, locate_all
from .mat import read_parts, read_whole
from .mulan import read_labels, read_mulan
from .own import own_checksum, read_own
from .places import cache_dir
from .rda import read_rda


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
    parsed = recall(stored, published, mapped)
    if parsed is None:
        parsed = _read(entry, mirror)
        remember(stored, published, parsed)
        parsed = (recall(stored, published, mapped) if mapped else None) or parsed
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


def checksum(name: str, clean: bool = False, *, mirror: Path | None = None) -> str:
    """Return a checksum that identifies the content of a dataset.

    Usually it is computed from the catalogue, without reading data. Files are only read for the
    user's own data, and for datasets whose published files have no known checksum.

    Parameters
    ----------
    name : str
        A name of the catalogue.
    clean : bool, default=False
        Whether the known faults are repaired.
    mirror : Path, optional
        A directory of data files; by default ``$MLFS_MIRROR``.

    Returns
    -------
    str
        The checksum.
    """
    if name == "digits":
        return digits_checksum()
    entry = find(name)
    if entry.own:
        return own_checksum(entry.own)
    if entry.drawn:
        return toy.draw(name).checksum
    known = known_digest(name, clean)
    if known:
        return known
    (source,) = entry.sources
    paths = locate_all(source, mirror) or fetch(name, mirror, progress=False)
    return hashlib.sha256("|".join([name, *map(digest_of, paths)]).encode()).hexdigest()


def _read(entry: Entry, mirror: Path | None) -> Parsed:
    found = _at_hand(entry, mirror)
    if found is None:
        fetch(entry.name, mirror)
        found = _at_hand(entry, mirror)
        assert found is not None  # otherwise fetch would have raised an error
    source, paths = found
    for path, file in zip(paths, source.files):
        check(path, file)
    parsed = _READERS[source.reader](entry, source, paths)
    if entry.available and parsed.Y.shape + parsed.X.shape[1:] != (entry.n, entry.l, entry.d):
        raise UserError(
            f"dataset '{entry.name}' was read as {parsed.X.shape} with {parsed.Y.shape[1]} "
            f"labels, but the catalogue says {(entry.n, entry.d)} with {entry.l}; report this."
        )
    X = sp.csr_matrix(parsed.X) if entry.sparse else parsed.X
    return dataclasses.replace(parsed, X=X.toarray() if sp.issparse(X) and not entry.sparse else X)


def _at_hand(entry: Entry, mirror: Path | None) -> tuple[Source, list[Path]] | None:
    for source in entry.sources:
        paths = locate_all(source, mirror)
        if paths is not None:
            return source, paths
    return None


def _mulan(entry: Entry, source: Source, paths: list[Path]) -> Parsed:
    return read_mulan([p for p in paths if p.suffix == ".arff"], paths[-1])


def _mat_whole(entry: Entry, source: Source, paths: list[Path]) -> Parsed:
    return read_whole(paths[0], read_labels(paths[1]) if len(paths) > 1 else None)


_READERS: dict[str, Callable[[Entry, Source, list[Path]], Parsed]] = {
    "mulan": _mulan,
    "mat_whole": _mat_whole,
    "mat_parts": lambda entry, source, paths: read_parts(paths[0]),
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
