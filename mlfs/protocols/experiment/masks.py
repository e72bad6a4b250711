"""The ways to hide training labels, one class for each way."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.dataclasses import dataclass

from ...methods.labels import observed
from ...types import Array


def asked(ratio: float) -> str:
    """Return the share of hidden labels that a config asks for, in words: "40 % to hide"."""
    return "all positives but one to hide" if ratio == 1 else f"{percent(ratio)} to hide"


def percent(share: float) -> str:
    """Return a share in percent: "40 %"."""
    return f"{100 * share:g} %"


def _share(ratio: float) -> float:
    if not 0 <= ratio < 1:
        raise ValueError(
            f"mask ratio {ratio:g} is not at least 0 and less than 1: write 0.4 for 40 %"
        )
    return ratio


Ratio = Annotated[float, AfterValidator(_share)]
_REPLACED = ", drawn with replacement"
_strict = dataclass(frozen=True, config=ConfigDict(extra="forbid"))


@_strict
class Mask:
    """Hide a share of the training labels; the subclass decides which ones.

    Parameters
    ----------
    ratio : float
        The share to hide: at least 0 and less than 1.
    """

    hides: ClassVar[Literal["labels", "positives"]] = "labels"  # what the ratio is a share of

    ratio: Ratio = 0.0

    @property
    def words(self) -> str:
        """What the mask does, in plain words."""
        return "no labels hidden"

    def __call__(self, Y: Array, rng: np.random.Generator) -> Array:
        """Return a float copy of Y (1, 0, or nan where unknown) with known labels hidden."""
        hidden = np.array(Y, dtype=float)
        if self.ratio > 0:
            self._hide(hidden, rng)
        return hidden

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        """Hide entries of Y in place."""

    @model_serializer(mode="wrap")
    def _brief(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out options that are off, so that a new option does not invalidate old results."""
        return {
            name: value
            for name, value in handler(self).items()
            if name in ("kind", "ratio") or value != getattr(type(self), name)
        }


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
            raise ValueError(
                f"a mask with 'ratio: {self.ratio:g}' needs a kind that says which labels to hide, "
                f"such as 'kind: hide_positives' (or {', '.join([*MASKS][2:])})"
            )


def _some_of_each_row(marked: Array, ratio: float, rng: np.random.Generator) -> Array:
    """Return, as booleans, floor(ratio · count) of the marked entries of every row at random."""
    count = _floor(ratio * marked.sum(axis=1))
    # the marked entries come first, in random order: the others are larger than any draw
    order = np.argsort(np.where(marked, rng.random(marked.shape), 2.0), axis=1)
    hit = np.zeros(marked.shape, dtype=bool)
    np.put_along_axis(hit, order, np.arange(marked.shape[1]) < count[:, None], axis=1)
    return hit


def _floor(values: Any) -> Array:
    """Round down, but not a product such as .6 · 5 that falls slightly below its value of 3."""
    return np.floor(np.asarray(values) + 1e-9).astype(int)


def _some(rows: float) -> float:
    if not 0 < rows <= 1:
        raise ValueError(f"mask rows {rows:g} is not more than 0 and at most 1: write 0.8 for 80 %")
    return rows


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
    >>> from mlfs.protocols.experiment.masks import HidePositives
    >>> Y = np.ones((4, 5))
    >>> float(HidePositives(ratio=0.4)(Y, np.random.default_rng(0)).sum())
    12.0
    """

    hides = "positives"

    kind: Literal["hide_positives"] = "hide_positives"
    replace: bool = False
    keep_one: bool = False

    @property
    def words(self) -> str:
        """What the mask does, in plain words."""
        text = f"{percent(self.ratio)} of the positive labels hidden"
        last = ", but never the last one of an instance" if self.keep_one else ""
        return text + (_REPLACED if self.replace else last)

    def __post_init__(self) -> None:
        if self.replace and self.keep_one:
            raise ValueError("a mask has either 'replace' or 'keep_one': leave one out")

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        positive = np.flatnonzero(Y == 1)
        count = round(self.ratio * len(positive))
        if not self.keep_one:
            Y.flat[rng.choice(positive, count, replace=self.replace)] = 0.0
            return
        left = np.nansum(Y, axis=1)
        for entry in rng.permutation(positive):
            row = entry // Y.shape[1]
            if count and left[row] > 1:
                Y.flat[entry] = 0.0
                left[row] -= 1
                count -= 1


@_strict
class HidePerInstance(Mask):
    """Turn floor(ratio · positives) of the positive labels of an instance into plain zeros.

    No instance loses all of its labels.

    Parameters
    ----------
    ratio : float
        The share of each instance's positive labels to hide.
    rows : float, default=1.0
        The share of the instances whose labels are hidden: round(rows · n), drawn at random.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.protocols.experiment.masks import HidePerInstance
    >>> hidden = HidePerInstance(ratio=0.4)(np.ones((4, 5)), np.random.default_rng(0))
    >>> hidden.sum(axis=1).tolist()
    [3.0, 3.0, 3.0, 3.0]
    """

    hides = "positives"

    kind: Literal["hide_per_instance"] = "hide_per_instance"
    rows: Annotated[float, AfterValidator(_some)] = 1.0

    @property
    def words(self) -> str:
        """What the mask does, in plain words."""
        rows = "every instance" if self.rows == 1 else f"{percent(self.rows)} of the instances"
        return f"{percent(self.ratio)} of the positive labels of {rows} hidden, rounded down"

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        chosen = rng.choice(len(Y), round(self.rows * len(Y)), replace=False)
        hit = np.zeros(Y.shape, dtype=bool)
        hit[chosen] = _some_of_each_row(Y[chosen] == 1, self.ratio, rng)
        Y[hit] = 0.0


@_strict
class OnePositive(Mask):
    """Keep one positive label of every instance, and turn all its others into plain zeros.

    This is what single-positive learning starts from. It has no ratio to choose: how much is hidden
    follows from the data. In a config it is written without one.

    Parameters
    ----------
    ratio : float
        Always 1, which no other mask has; leave it out.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.protocols.experiment.masks import OnePositive
    >>> OnePositive()(np.ones((4, 5)), np.random.default_rng(0)).sum(axis=1).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    hides = "positives"

    kind: Literal["one_positive"] = "one_positive"
    ratio: float = 1.0

    @property
    def words(self) -> str:
        """What the mask does, in plain words."""
        return "all positive labels of every instance but one hidden"

    def __post_init__(self) -> None:
        if self.ratio != 1:
            raise ValueError("mask kind 'one_positive' keeps one label: leave its ratio out")

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        positive = Y == 1
        kept = np.argmax(np.where(positive, rng.random(Y.shape), -1.0), axis=1)
        hit = positive.copy()
        hit[np.arange(len(Y)), kept] = False
        Y[hit] = 0.0


@_strict
class DropPerInstance(Mask):
    """Drop floor(ratio · known) of the known labels of every instance, of either value (RMFL).

    Parameters
    ----------
    ratio : float
        The share of each instance's labels to drop.
    replace : bool, default=False
        Draw them with replacement: a label may be drawn twice, so fewer are dropped.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.protocols.experiment.masks import DropPerInstance
    >>> hidden = DropPerInstance(ratio=0.4)(np.ones((4, 5)), np.random.default_rng(0))
    >>> np.isnan(hidden).sum(axis=1).tolist()
    [2, 2, 2, 2]
    """

    kind: Literal["drop_per_instance"] = "drop_per_instance"
    replace: bool = False

    @property
    def words(self) -> str:
        """What the mask does, in plain words."""
        text = f"{percent(self.ratio)} of the labels of every instance dropped"
        return text + (_REPLACED if self.replace else ", rounded down")

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        known = observed(Y)
        if not self.replace:
            Y[_some_of_each_row(known, self.ratio, rng)] = np.nan
        elif known.all():
            n, l = Y.shape  # noqa: E741
            chosen = rng.integers(l, size=(n, int(_floor(self.ratio * l))))
            np.put_along_axis(Y, chosen, np.nan, axis=1)
        else:
            for row, marked in zip(Y, known):
                there = np.flatnonzero(marked)
                if len(there):
                    drawn = rng.integers(len(there), size=int(_floor(self.ratio * len(there))))
                    row[there[drawn]] = np.nan


@_strict
class DropEntries(Mask):
    """Drop round(ratio · known) of the known entries, drawn over the whole matrix (MLMLFS).

    Parameters
    ----------
    ratio : float
        The share of all entries to drop.
    """

    kind: Literal["drop_entries"] = "drop_entries"

    @property
    def words(self) -> str:
        """What the mask does, in plain words."""
        return f"{percent(self.ratio)} of all labels dropped"

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        known = np.flatnonzero(observed(Y))
        chosen = rng.choice(len(known), round(self.ratio * len(known)), replace=False)
        Y.flat[known[chosen]] = np.nan


@_strict
class StratifiedPerLabel(Mask):
    """Keep ceil((1 - ratio) · count) of the positives and of the negatives per label (GLOCAL).

    Parameters
    ----------
    ratio : float
        The share of each label's positives and negatives to drop.
    """

    kind: Literal["stratified_per_label"] = "stratified_per_label"

    @property
    def words(self) -> str:
        """What the mask does, in plain words."""
        share = percent(self.ratio)
        return f"{share} of the positives and of the negatives of every label dropped, rounded down"

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        for column in Y.T:
            for value in (1.0, 0.0):
                same = np.flatnonzero(column == value)
                keep = int(np.ceil((1 - self.ratio) * len(same) - 1e-9))
                column[rng.permutation(same)[keep:]] = np.nan


@_strict
class StratifiedPerInstance(Mask):
    """Drop floor(ratio · count) of the positives and of the negatives of every instance.

    An instance with one positive label keeps it.

    Parameters
    ----------
    ratio : float
        The share of each instance's positives and negatives to drop.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.protocols.experiment.masks import StratifiedPerInstance
    >>> Y = np.array([[1.0, 1.0, 0.0, 0.0, 0.0]])
    >>> hidden = StratifiedPerInstance(ratio=0.5)(Y, np.random.default_rng(0))
    >>> int((hidden == 1).sum()), int((hidden == 0).sum())
    (1, 2)
    """

    kind: Literal["stratified_per_instance"] = "stratified_per_instance"

    @property
    def words(self) -> str:
        """What the mask does, in plain words."""
        share = percent(self.ratio)
        which = "of the positives and of the negatives of every instance"
        return f"{share} {which} dropped, rounded down"

    def _hide(self, Y: Array, rng: np.random.Generator) -> None:
        positive = Y == 1
        hit = _some_of_each_row(positive, self.ratio, rng)
        hit |= _some_of_each_row(Y == 0, self.ratio, rng)
        Y[hit] = np.nan


AnyMask = Annotated[
    NoMask
    | HidePositives
    | HidePerInstance
    | OnePositive
    | DropPerInstance
    | DropEntries
    | StratifiedPerLabel
    | StratifiedPerInstance,
    Field(discriminator="kind"),
]
MASKS: dict[str, type[Mask]] = {
    "none": NoMask,
    "hide_positives": HidePositives,
    "hide_per_instance": HidePerInstance,
    "one_positive": OnePositive,
    "drop_per_instance": DropPerInstance,
    "drop_entries": DropEntries,
    "stratified_per_label": StratifiedPerLabel,
    "stratified_per_instance": StratifiedPerInstance,
}
