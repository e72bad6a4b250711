"""What labels may be (1 relevant, 0 irrelevant, nan unobserved), and the ways to hide labels."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.dataclasses import dataclass

from .types import Array


def observed(Y: Array) -> Array:
    """Mark the labels that are known.

    Parameters
    ----------
    Y : ndarray of shape (n, l)
        Labels: 1, 0, or nan where unobserved.

    Returns
    -------
    ndarray of bool
        True where the label is known.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.labels import observed
    >>> observed(np.array([1.0, np.nan, 0.0])).tolist()
    [True, False, True]
    """
    return ~np.isnan(Y)


def signed(Y: Array) -> tuple[Array, Array]:
    """Code labels as +1, -1 and 0 where unobserved.

    Parameters
    ----------
    Y : ndarray of shape (n, l)
        Labels: 1, 0, or nan where unobserved.

    Returns
    -------
    Y : ndarray of shape (n, l)
        The coded labels.
    R : ndarray of shape (n, l)
        1.0 where a label is observed, else 0.0.
    """
    R = observed(Y).astype(float)
    return np.where(R > 0, 2.0 * np.nan_to_num(Y) - 1.0, 0.0), R


def most_frequent(Y: Array, count: int) -> Array:
    """Return the columns of the `count` most frequent labels, in ascending order.

    Among equally frequent labels the first ones are taken.
    """
    return np.sort(np.argsort(-Y.sum(axis=0, dtype=float), kind="stable")[:count])


def check_labels(Y: Array, *, n: int, missing: bool, real: bool = False) -> Array:
    """Return Y as a float n x l array, or raise a ValueError that says what is wrong.

    Parameters
    ----------
    Y : array of shape (n, l) or (n,)
        Entries 1, 0 or nan.
    n : int
        Number of instances that Y must have.
    missing : bool
        Whether nan is allowed.
    real : bool, default=False
        Whether any finite number is allowed, as attributes need.

    Returns
    -------
    ndarray of shape (n, l)
        The labels as floats.
    """
    Y = np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y)
    if Y.ndim == 1:
        Y = Y[:, None]
    if Y.ndim != 2 or len(Y) != n or Y.shape[1] == 0:
        raise ValueError(
            f"labels of shape {Y.shape} do not fit {n} instances: use one row for each instance"
        )
    Y = np.asarray(Y, dtype=float)
    unknown = np.isnan(Y)
    if not missing and unknown.any():
        raise ValueError(
            f"{int(unknown.sum())} labels are nan and this method cannot use unobserved labels: "
            "replace them first, for example with 0"
        )
    if real and not np.isfinite(Y[~unknown]).all():
        raise ValueError("attributes must be finite numbers: replace the infinite ones")
    if not real and not np.isin(Y[~unknown], (0.0, 1.0)).all():
        raise ValueError("labels must be 1 (relevant), 0 (irrelevant) or nan (unobserved)")
    return Y


def _share(ratio: float) -> float:
    if not 0 <= ratio < 1:
        raise ValueError(
            f"mask ratio {ratio:g} is not at least 0 and less than 1: write 0.4 for 40 %"
        )
    return ratio


Ratio = Annotated[float, AfterValidator(_share)]
_strict = dataclass(frozen=True, config=ConfigDict(extra="forbid"))


@_strict
class Mask:
    """Hide a share of the training labels; the subclass decides which ones.

    Parameters
    ----------
    ratio : float
        The share to hide: at least 0 and less than 1.
    """

    ratio: Ratio = 0.0

    def __call__(self, Y: Array, rng: np.random.Generator) -> Array:
        """Return a float copy of Y (0/1) with labels hidden."""
        hidden = np.array(Y, dtype=float)
        if self.ratio > 0:
            self._hide(hidden, rng)
        return hidden

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        """Hide entries of Y in place."""

    @model_serializer(mode="wrap")
    def _brief(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out options that are off, so that a new option does not invalidate old results."""
        return {name: value for name, value in handler(self).items() if value is not False}


@_strict
class NoMask(Mask):
    """Leave every label known.

    Parameters
    ----------
    ratio : float
        Must be 0; it can be left out.
    """

    kind: Literal["none"] = "none"

    def __post_init__(self) -> None:
        if self.ratio:
            raise ValueError("mask kind 'none' hides nothing: leave its ratio out")


@_strict
class HidePositives(Mask):
    """Turn round(ratio · positives) of all positive labels into plain zeros (GMFS).

    Parameters
    ----------
    ratio : float
        The share of the positive labels to hide.
    replace : bool, default=False
        Draw with replacement: a label may be drawn twice, so fewer are hidden.
    keep_one : bool, default=False
        Never hide the last positive label of an instance, even if fewer labels are hidden then.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.labels import HidePositives
    >>> Y = np.ones((4, 5))
    >>> float(HidePositives(ratio=0.4)(Y, np.random.default_rng(0)).sum())
    12.0
    """

    kind: Literal["hide_positives"] = "hide_positives"
    replace: bool = False
    keep_one: bool = False

    def __post_init__(self) -> None:
        if self.replace and self.keep_one:
            raise ValueError("a mask has either 'replace' or 'keep_one': leave one out")

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        positive = np.flatnonzero(Y == 1)
        count = round(self.ratio * len(positive))
        if not self.keep_one:
            Y.flat[rng.choice(positive, count, replace=self.replace)] = 0.0
            return
        left = Y.sum(axis=1)
        for entry in rng.permutation(positive):
            row = entry // Y.shape[1]
            if count and left[row] > 1:
                Y.flat[entry] = 0.0
                left[row] -= 1
                count -= 1


@_strict
class DropPerInstance(Mask):
    """Drop floor(ratio · l) labels of every instance, positive or negative (RMFL).

    Parameters
    ----------
    ratio : float
        The share of each instance's labels to drop.
    replace : bool, default=False
        Draw them with replacement: a label may be drawn twice, so fewer are dropped.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.labels import DropPerInstance
    >>> hidden = DropPerInstance(ratio=0.4)(np.ones((4, 5)), np.random.default_rng(0))
    >>> np.isnan(hidden).sum(axis=1).tolist()
    [2, 2, 2, 2]
    """

    kind: Literal["drop_per_instance"] = "drop_per_instance"
    replace: bool = False

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        # 1e-9: a ratio such as .6 is stored slightly below its value, but .6 · 5 must drop 3
        n, l = Y.shape  # noqa: E741
        count = int(self.ratio * l + 1e-9)
        if self.replace:
            chosen = rng.integers(l, size=(n, count))
        else:
            chosen = np.argsort(rng.random(Y.shape), axis=1)[:, :count]
        np.put_along_axis(Y, chosen, np.nan, axis=1)


@_strict
class DropEntries(Mask):
    """Drop round(ratio · n · l) entries, drawn over the whole matrix (MLMLFS).

    Parameters
    ----------
    ratio : float
        The share of all entries to drop.
    """

    kind: Literal["drop_entries"] = "drop_entries"

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        Y.flat[rng.choice(Y.size, round(self.ratio * Y.size), replace=False)] = np.nan


@_strict
class StratifiedPerLabel(Mask):
    """Keep ceil((1 - ratio) · count) of the positives and of the negatives per label (GLOCAL).

    Parameters
    ----------
    ratio : float
        The share of each label's positives and negatives to drop.
    """

    kind: Literal["stratified_per_label"] = "stratified_per_label"

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        for column in Y.T:
            for value in (1.0, 0.0):
                same = np.flatnonzero(column == value)
                keep = int(np.ceil((1 - self.ratio) * len(same) - 1e-9))
                column[rng.permutation(same)[keep:]] = np.nan


AnyMask = Annotated[
    NoMask | HidePositives | DropPerInstance | DropEntries | StratifiedPerLabel,
    Field(discriminator="kind"),
]
MASKS: dict[str, type[Mask]] = {
    "none": NoMask,
    "hide_positives": HidePositives,
    "drop_per_instance": DropPerInstance,
    "drop_entries": DropEntries,
    "stratified_per_label": StratifiedPerLabel,
}
