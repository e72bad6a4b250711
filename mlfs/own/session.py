"""Arrays and tables of a Python session as data of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import config
from ..datasets import UserData
from ..datasets.user.description import Impute
from ..engine.options import Options
from ..engine.runner import Work
from ..errors import UserError
from ..label_values import label_array
from ..methods.registry import Scope
from ..protocols.plan import plan
from ..results.store import Store
from ..types import Array
from .comparing import KINDS, content_of, dataset_of, kinds_of, protocol_of
from .objects import InProcess, columns_of, scope_of

_NAME = "compare"


def prepare(
    X: Any,
    Y: Any,
    methods: Sequence[Any],
    *,
    folder: Path,
    workers: int | None,
    impute: Impute | None,
    **settings: Any,
) -> tuple[Work, Options]:
    """Plan the comparison of methods on arrays or tables.

    Parameters
    ----------
    X, Y : array, sparse matrix or DataFrame
        Features and labels.
    methods : sequence of str, estimator or class
        The methods.
    folder : Path
        An empty folder for the data and the results.
    workers : int or None
        Number of worker processes, if there are any.
    impute : {"mean", "median"} or None
        How missing values of features are replaced.
    **settings : any
        The arguments of `content_of` that are left.

    Returns
    -------
    work : Work
        The planned cells.
    options : Options
        How to run them.
    """
    if isinstance(methods, str) or not isinstance(methods, Sequence) or not len(methods):
        raise UserError("methods must be a list such as ['fsnm', SelectKBest()]: name at least one")
    labels = _labels(Y)
    own = _saved(X, labels, folder, impute)
    scope = Scope(folder=Path.cwd())
    with scope:
        named = {name: kinds_of(name) for name in methods if isinstance(name, str)}
    columns = columns_of(methods, named)
    kinds = {column.name: column.kinds for column in columns}
    scope = scope_of(columns, KINDS[protocol_of(kinds)], scope)
    with scope:
        content = content_of(
            _NAME,
            {"name": "data", **dataset_of(own, folder)},
            kinds,
            labels={column.name: column.label for column in columns if column.made is not None},
            d=int(np.shape(X)[1]),
            unknown=bool(np.isnan(labels).any()),
            **settings,
        )
    content["datasets"][0] |= {"path": own.path, "labels": own.labels}
    experiment = config.parse(content, source="mlfs.compare", scope=scope)
    work = Work(experiment, Store(folder / _NAME), plan(experiment))
    if any(column.made is not None for column in columns):
        return work, InProcess(scope=scope)
    return work, Options(workers=workers)


def _labels(Y: Any) -> Array:
    """Return labels as floats, with nan where one is not known."""
    try:
        labels = np.asarray(label_array(Y), dtype=float)
    except (ValueError, TypeError) as error:
        raise UserError(str(error)) from error
    return labels[:, None] if labels.ndim == 1 else labels


def _saved(X: Any, labels: Array, folder: Path, impute: Impute | None) -> UserData:
    """Save features and labels as files that any process can read."""
    np.save(folder / "Y.npy", labels)
    path = folder / "X.npy"
    if sp.issparse(X):
        path = folder / "X.npz"
        sp.save_npz(path, sp.csr_matrix(X))
    elif hasattr(X, "columns") and not _numeric(X):
        path = folder / "X.csv"
        X.to_csv(path, index=False)
    else:
        np.save(path, _numbers(X))
    return UserData(path=str(path), labels=str(folder / "Y.npy"), impute=impute)


def _numeric(frame: Any) -> bool:
    return all(getattr(kind, "kind", "O") in "biuf" for kind in frame.dtypes)


def _numbers(X: Any) -> Array:
    try:
        numbers = X.to_numpy(dtype=float, na_value=np.nan) if hasattr(X, "columns") else X
        numbers = np.asarray(numbers, dtype=float)
    except (ValueError, TypeError) as error:
        raise UserError("X has words: pass a DataFrame, or numbers") from error
    if numbers.ndim != 2:
        raise UserError(f"X has {numbers.ndim} dimensions: pass rows and columns")
    return numbers
