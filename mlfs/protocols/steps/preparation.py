"""Load, split, mask and scale data before a method runs, without using the test part."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from time import perf_counter
from typing import Literal

import numpy as np
import scipy

from ... import datasets
from ...errors import UserError
from ...methods.labels import most_frequent
from ...types import Array, Matrix
from ..cell import Data
from .untouched import read_only

Scale = Literal["none", "standard", "minmax", "unit"]


@lru_cache(maxsize=2)  # neighbouring cells share a dataset
def load_dataset(data: Data) -> datasets.Dataset:
    """Load a dataset once for all the cells that a worker runs on it; workers share its arrays."""
    dataset = _whole_dataset(data)
    if data.frequent_labels is None:
        return dataset
    kept = most_frequent(dataset.Y, data.frequent_labels)
    names = [dataset.label_names[int(j)] for j in kept]
    return replace(dataset, Y=np.ascontiguousarray(dataset.Y[:, kept]), label_names=names)


def _whole_dataset(data: Data) -> datasets.Dataset:
    if data.own is None:
        return datasets.load(data.name, clean=data.clean, mapped=True)
    own = datasets.nearby(data.own)
    if own.path and not datasets.is_here(own):
        raise UserError(
            f"the files of '{data.name}' are not on this machine: copy them to {own.path} "
            f"or into {datasets.cache_dir()}"
        )
    if datasets.own_checksum(own) != data.checksum:
        raise UserError(
            f"the files of '{data.name}' are not what they were when the run was planned: run "
            "the config again"
        )
    return datasets.read_own(own, data.name, mapped=True)


def notes_of(data: Data, dataset: datasets.Dataset) -> list[str]:
    """Return notes for readers of the scores: on own data, or on the labels that are used."""
    notes = [f"{data.name}: {note}" for note in dataset.notes] if data.own else []
    if data.frequent_labels is not None:
        notes.append(f"{data.name}: only its {data.frequent_labels} most frequent labels")
    return notes


def impute_features(
    data: Data, X_train: Matrix, X_test: Matrix, notes: list[str]
) -> tuple[Matrix, Matrix]:
    """Fill in missing values of both parts from the training part, and add a note."""
    kind = data.own.impute if data.own else None
    if kind is None or not (_missing(X_train).any() or _missing(X_test).any()):
        return X_train, X_test
    from sklearn.impute import SimpleImputer

    # a column without any training value becomes 0, so that the number of features stays
    imputer = SimpleImputer(strategy=kind, keep_empty_features=True)
    parts = imputer.fit_transform(X_train), imputer.transform(X_test)
    notes.append(f"{data.name}: missing values were filled in with the training rows' {kind}")
    X, X_filled = (
        scipy.sparse.csr_matrix(part) if scipy.sparse.issparse(part) else part for part in parts
    )
    return X, X_filled


def _missing(X: Matrix) -> Array:
    return np.asarray(np.isnan(X.data if scipy.sparse.issparse(X) else X))


def scale_features(kind: Scale, X_train: Matrix, X_test: Matrix) -> tuple[Matrix, Matrix]:
    """Scale both parts, fitted on the training part; sparse data stay sparse."""
    if kind == "none":
        return X_train, X_test
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

    sparse = scipy.sparse.issparse(X_train)
    scaler = {
        "unit": Normalizer(),  # every row to length 1
        "standard": StandardScaler(with_mean=not sparse),
        "minmax": MaxAbsScaler() if sparse else MinMaxScaler(),
    }[kind]
    return scaler.fit_transform(X_train), scaler.transform(X_test)


class Stopwatch:
    """Measure the seconds of named phases: ``with watch("fit"): ...``."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, name: str) -> Stopwatch:
        """Name the phase that starts now."""
        self._name = name
        return self

    def __enter__(self) -> None:
        self._start = perf_counter()

    def __exit__(self, *_: object) -> None:
        self.add(self._name, perf_counter() - self._start)

    def add(self, name: str, seconds: float) -> None:
        """Add the seconds of a phase that were measured in another process."""
        self.seconds[name] = round(self.seconds.get(name, 0.0) + seconds, 6)


@dataclass(frozen=True)
class Task:
    """Rows to fit on, rows to score on, and notes; no method can write into the data.

    Parameters
    ----------
    X, Y : Matrix, Array
        The training part, with labels hidden by the cell's mask.
    X_test, Y_test : Matrix, Array
        The part to score on, with its known labels.
    seed : int
        The seed for methods that draw random numbers.
    Y_full : Array
        The labels of the training part before the mask.
    hidden : dict
        The shares of the training labels that the mask has hidden; empty without a mask.
    """

    X: Matrix
    Y: Array
    X_test: Matrix
    Y_test: Array
    seed: int
    Y_full: Array
    notes: list[str] = field(default_factory=list)
    watch: Stopwatch = field(default_factory=Stopwatch)
    hidden: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("X", "Y", "X_test", "Y_test", "Y_full"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def fold(self, fit: Array, score: Array, on_known: bool = False) -> Task:
        """Return the task of one fold: both parts are rows of the training part.

        What is unknown in the data is left out of the scores. A label that the mask has hidden
        counts as irrelevant, for all candidates alike, unless only known ones are asked for.
        """
        truth, Y = self.Y[score], self.Y_full
        if not on_known:
            truth = np.where(np.isnan(truth) & ~np.isnan(Y[score]), 0.0, truth)
        return Task(self.X[fit], self.Y[fit], self.X[score], truth, self.seed, Y[fit])
