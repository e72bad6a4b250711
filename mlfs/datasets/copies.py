"""Parsed copies of datasets in the cache: read once, then loaded in a moment."""

from __future__ import annotations

import contextlib
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..errors import UserError
from .dataset import Parsed
from .files import scratch

_FORMAT = 1  # raise it when a reader's result changes
_SPOILT = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)


def recall(path: Path, digest: str) -> Parsed | None:
    """Read a parsed copy; None when there is none, or it is stale or damaged."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            if stored["format"] != _FORMAT or stored["checksum"] != digest:
                return None
            X = stored["X"] if "X" in stored else _csr(stored)
            return Parsed(
                X=X,
                Y=stored["Y"],
                feature_names=stored["feature_names"].tolist(),
                label_names=stored["label_names"].tolist(),
                n_train=int(stored["n_train"]) if "n_train" in stored else None,
                notes=tuple(stored["notes"].tolist()),
            )
    except _SPOILT:
        return None


def known(path: Path) -> str | None:
    """The checksum that a parsed copy was kept under, without reading the rest of it."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            return str(stored["checksum"]) if stored["format"] == _FORMAT else None
    except _SPOILT:
        return None


def _csr(stored: np.lib.npyio.NpzFile) -> sp.csr_matrix:
    parts = (stored["data"], stored["indices"], stored["indptr"])
    return sp.csr_matrix(parts, shape=tuple(stored["shape"]))


def remember(path: Path, digest: str, parsed: Parsed) -> None:
    """Keep a parsed copy for next time; a cache that cannot be written is no reason to stop."""
    X = parsed.X
    arrays: dict[str, Any] = {
        "format": np.array(_FORMAT),
        "checksum": np.array(digest),
        "Y": parsed.Y,
        "feature_names": np.array(parsed.feature_names, dtype=str),
        "label_names": np.array(parsed.label_names, dtype=str),
        "notes": np.array(parsed.notes, dtype=str),
    }
    if parsed.n_train is not None:
        arrays["n_train"] = np.array(parsed.n_train)
    if sp.issparse(X):
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        arrays["shape"] = np.array(X.shape)
    else:
        arrays["X"] = X
    with contextlib.suppress(OSError, UserError), scratch(path.name) as temporary:
        with temporary.open("wb") as out:
            np.savez(out, **arrays)
        path.parent.mkdir(exist_ok=True)
        temporary.replace(path)
