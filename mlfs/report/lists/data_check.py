"""Describe in words how a user's own data were read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
import yaml

from ...datasets import Dataset, UserData
from ...datasets.user.own_table import id_like
from ...types import Array, Matrix

_RARE = 10  # rows: with fewer, a test part of 20 % may have no row with the label
_SHOWN = 5  # names that are listed


def checked(data: Dataset) -> str:
    """Describe a dataset's sizes, labels and possible problems, one per line."""
    n, d = data.X.shape
    Y = data.Y
    positive = np.nansum(Y, axis=1)
    missing = _missing(data.X)
    constant = _constant(data.X)
    lines = [
        f"{data.name}: {n} rows, {d} features, {Y.shape[1]} labels",
        f"features:          {_list(data.feature_names)}",
        f"labels:            {_list(data.label_names)}",
        f"cardinality:       {data.cardinality:.3f} labels per row; rows without a label: "
        f"{int((positive == 0).sum())}",
        f"unknown labels:    {_unknown(data)}",
        f"official split:    {_split(data)}",
        f"missing values:    {_counted(data.feature_names, missing)}",
        f"constant features: {_list([data.feature_names[i] for i in constant])}",
        f"rare labels:       {_rare(data)}",
    ]
    lines += [f"note: {note}" for note in data.notes]
    one_sided = _never_negative(data)
    if one_sided:
        lines.append(
            f"note: never seen negative: {_list(one_sided)}; if your files name positives only, "
            "'unknown: negative' (--unknown negative) reads the missing labels as 0"
        )
    if missing.any():
        lines.append("note: a config needs 'impute: mean' or 'impute: median' for missing values")
    for name in id_like(data.X, data.feature_names):
        lines.append(
            f"note: '{name}' has a different whole number in every row: if it is not a feature, "
            f"leave it out with 'id: {name}'"
        )
    return "\n".join(lines)


def _unknown(data: Dataset) -> str:
    """Count the labels that are not known: over all, by label, and the rows with none known."""
    holes = np.isnan(data.Y)
    if not holes.any():
        return "none"
    each = _list([f"{data.label_names[j]} ({k})" for j, k in enumerate(holes.sum(axis=0)) if k])
    dark = int(holes.all(axis=1).sum())
    return (
        f"{int(holes.sum())} of {holes.size} ({100 * data.unknown:.3g} %): {each}; rows with none "
        f"known: {dark}"
    )


def _never_negative(data: Dataset) -> list[str]:
    """Name the labels that have holes, and are relevant wherever they are known."""
    holes, zeros = np.isnan(data.Y).any(axis=0), (data.Y == 0).any(axis=0)
    return [data.label_names[j] for j in np.flatnonzero(holes & ~zeros)]


def in_config(own: UserData, data: Dataset) -> str:
    """Return the line of YAML by which a config reads these data in the same way."""
    impute = "mean" if _missing(data.X).any() else None
    content = own.model_copy(update={"impute": impute}).model_dump(
        mode="json", exclude_defaults=True
    )
    text = yaml.safe_dump(
        content, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6
    )
    return str(text).strip()


def _missing(X: Matrix) -> Array:
    """Return the number of missing values of each feature."""
    if sp.issparse(X):
        coo = X.tocoo()
        return np.bincount(coo.col[np.isnan(coo.data)], minlength=X.shape[1])
    return np.asarray(np.isnan(X).sum(axis=0))


def _constant(X: Matrix) -> Array:
    """Return the features with a single value in all rows, ignoring missing values."""
    if sp.issparse(X):
        filled = sp.csc_matrix(X, copy=True)
        filled.data = np.nan_to_num(filled.data)
        low, high = filled.min(axis=0).toarray().ravel(), filled.max(axis=0).toarray().ravel()
    else:
        low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    return np.flatnonzero(low == high)


def _rare(data: Dataset) -> str:
    """Name the labels that the training or test part may have in no row, or in all rows."""
    Y = data.Y
    if data.train is not None and data.test is not None:
        fewest = np.minimum(_fewest(Y[data.train]), _fewest(Y[data.test]))
        rare = np.flatnonzero(fewest == 0)
        why = "the training or test part has them in no row or in all rows"
    else:
        fewest = _fewest(Y)
        rare = np.flatnonzero(fewest < _RARE)
        why = f"fewer than {_RARE} rows with or without them: a part of a split may get none"
    if not len(rare):
        return "none"
    return f"{_list([f'{data.label_names[j]} ({fewest[j]})' for j in rare])}; {why}"


def _fewest(Y: Array) -> Array:
    return np.asarray(np.minimum((Y == 1).sum(axis=0), (Y == 0).sum(axis=0)))


def _split(data: Dataset) -> str:
    if data.train is None or data.test is None:
        return "none; a config can draw one"
    return f"{len(data.train)} training and {len(data.test)} test rows"


def _counted(names: Sequence[str], counts: Array) -> str:
    where = np.flatnonzero(counts)
    if not len(where):
        return "none"
    return f"{int(counts.sum())}, in {_list([f'{names[int(i)]} ({counts[i]})' for i in where])}"


def _list(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    if not names:
        return "none"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
