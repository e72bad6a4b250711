"""The classes of datasets that have been read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array, Matrix


@dataclass(frozen=True)
class Dataset:
    """Hold a multi-label dataset.

    Parameters
    ----------
    name : str
        Its name in tables.
    X : ndarray or csr_matrix of shape (n, d)
        Features, float64; sparse if the catalogue says so.
    Y : ndarray of shape (n, l)
        Labels: 1 is relevant, 0 is not, nan is not known. Floats if some are not known, else uint8.
    feature_names, label_names : list of str
        Names of the columns of X and of Y.
    train, test : ndarray of int or None
        Rows of the official split, if there is one.
    checksum : str
        Identifies the content.
    notes : list of str
        Known faults and what was done about them.
    ids : list of str or None
        Names of the rows, if the user's own files have a column of them.

    Examples
    --------
    >>> from mlfs.datasets import load
    >>> data = load("toy_gaussian")
    >>> data.X.shape, data.Y.shape, data.train is None
    ((1000, 2), (1000, 35), True)
    >>> data.unknown
    0.0
    >>> data
    Dataset('toy_gaussian': 1000 instances, 2 features, 35 labels)
    """

    name: str
    X: Matrix
    Y: Array
    feature_names: list[str]
    label_names: list[str]
    train: Array | None
    test: Array | None
    checksum: str
    notes: list[str]
    ids: list[str] | None = None

    @property
    def cardinality(self) -> float:
        """The mean number of labels that are known to be relevant, over the rows."""
        return cardinality(self.Y)

    @property
    def density(self) -> float:
        """The share of relevant labels among the known ones."""
        known = int((~np.isnan(self.Y)).sum())
        return float(np.nansum(self.Y, dtype=float) / known) if known else float("nan")

    @property
    def unknown(self) -> float:
        """The share of labels that are not known."""
        return float(np.isnan(self.Y).mean())

    def __repr__(self) -> str:
        """Return the name and the sizes: all values would fill the screen."""
        (n, d), labels = self.X.shape, self.Y.shape[1]
        return f"Dataset({self.name!r}: {n} instances, {d} features, {labels} labels)"


@dataclass(frozen=True)
class Parsed:
    """Hold the content of files as read; the first `n_train` rows are the training part.

    Parsed copies in the cache do not have the `ids`.
    """

    X: Matrix
    Y: Array
    feature_names: list[str]
    label_names: list[str]
    n_train: int | None = None
    notes: tuple[str, ...] = ()
    ids: list[str] | None = None


def cardinality(Y: Array) -> float:
    """Return the mean number of labels that are known to be relevant."""
    return float(np.nansum(Y, axis=1, dtype=float).mean())


def numbered(stem: str, count: int) -> list[str]:
    """Make names for columns that the file leaves unnamed: Att1, Att2, ..."""
    return [f"{stem}{i}" for i in range(1, count + 1)]
