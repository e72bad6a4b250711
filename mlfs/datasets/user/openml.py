"""Get datasets of OpenML with scikit-learn; they are downloaded once and kept as parsed copies."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import scipy.sparse as sp

from ...errors import UserError
from ..dataset import Parsed
from ..formats.file_table import FileTable, from_frame
from ..parsed_copies import SUFFIX, copy_digest, load_copy, save_copy
from ..places import cache_dir
from .description import UserData

# A function that makes one dataset from tables of features and tables of labels
Join = Callable[[list[FileTable], list[FileTable], UserData], Parsed]


def read(own: UserData, join: Join, mapped: bool = False) -> Parsed:
    """Read the parsed copy of a dataset, or download the dataset and keep a parsed copy."""
    path = _copy(own)
    digest = copy_digest(path)
    parsed = load_copy(path, digest, mapped) if digest else None
    return parsed or _keep(own, join)[0]


def digest(own: UserData, join: Join) -> str:
    """Return a checksum of a dataset; it is downloaded if there is no parsed copy."""
    return copy_digest(_copy(own)) or _keep(own, join)[1]


def is_here(own: UserData) -> bool:
    """Tell whether there is a parsed copy."""
    return copy_digest(_copy(own)) is not None


def _copy(own: UserData) -> Path:
    told = (own.unknown,) if own.unknown else ()  # so that other copies keep their names
    how = repr((own.labels, own.id, own.impute is not None, *told))
    name = f"openml-{own.openml}-{hashlib.sha256(how.encode()).hexdigest()[:12]}{SUFFIX}"
    return cache_dir() / "parsed" / name


def _keep(own: UserData, join: Join) -> tuple[Parsed, str]:
    parsed = join(*_tables(own), own)
    content = hashlib.sha256()
    X = parsed.X
    arrays = [X.data, X.indices, X.indptr] if sp.issparse(X) else [np.ascontiguousarray(X)]
    for array in [*arrays, parsed.Y]:
        content.update(f"{array.shape}{array.dtype}".encode())
        content.update(array.tobytes())
    content.update(repr((parsed.feature_names, parsed.label_names)).encode())
    save_copy(_copy(own), content.hexdigest(), parsed)
    return parsed, content.hexdigest()


def _tables(own: UserData) -> tuple[list[FileTable], list[FileTable]]:
    """Return the features and the labels, which OpenML or the user names."""
    import pandas as pd  # slow to import

    bunch = _fetch(own)
    title = f"dataset {own.openml} of OpenML"
    target = bunch.target
    if target is None or len(bunch.target_names) == 0:
        raise UserError(f"{title} does not say what its labels are: add 'labels', a list of names")
    frame = target if hasattr(target, "columns") else pd.DataFrame(target)
    labels = from_frame(title, frame.set_axis(list(bunch.target_names), axis=1))
    if isinstance(bunch.data, pd.DataFrame):
        table = from_frame(title, bunch.data)
    else:
        table = FileTable(title, sp.csr_matrix(bunch.data), list(bunch.feature_names), {})
    return [table.without_id(own.id, must=True)], [labels]


def _fetch(own: UserData) -> Any:
    from sklearn.datasets import fetch_openml

    targets = list(own.labels) if isinstance(own.labels, tuple) else "default-target"
    try:
        with warnings.catch_warnings(action="ignore"):  # every failed attempt gives a warning
            return fetch_openml(
                data_id=own.openml,
                data_home=cache_dir(),
                target_column=targets,
                as_frame="auto",
                parser="liac-arff",  # the other parser fails on labels TRUE and FALSE
                n_retries=1,
            )
    except KeyError as error:
        raise UserError(
            f"dataset {own.openml} of OpenML lacks a label ({error.args[0]}): correct 'labels'"
        ) from error
    except URLError as error:  # also an error that the server reports
        raise UserError(
            f"dataset {own.openml} of OpenML cannot be fetched ({error.reason}): connect to the "
            "network, or correct the number"
        ) from error
    except (OSError, ValueError) as error:
        told = " ".join(str(error).split())
        raise UserError(
            f"dataset {own.openml} of OpenML cannot be read ({told}): choose another one"
        ) from error
