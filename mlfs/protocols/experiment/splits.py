"""The ways to split a dataset into a training and a test part, one class for each way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Annotated, Any, Literal, Protocol, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ...errors import UserError
from ...types import Array
from .stratification import stratify

# A function that returns the random generator of a round; it is always the same for a round
Rounds = Callable[[int], np.random.Generator]

MOST_REPEATS = 1_000_000  # more repeats are surely a mistake, and planning them takes too long


class Splittable(Protocol):
    """Describe what a split needs to know of a dataset."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    @property
    def Y(self) -> Array:
        """Its labels."""

    @property
    def train(self) -> Array | None:
        """Rows of the official training part, if there is one."""

    @property
    def test(self) -> Array | None:
        """Rows of the official test part, if there is one."""


class _Split(BaseModel, ABC):
    model_config = ConfigDict(extra="forbid", frozen=True)

    repeats: int = Field(1, ge=1, le=MOST_REPEATS, description="how many times the rows are split")

    def once(self) -> Self:
        """Return the same split with one repeat; a cell must not depend on the number of them."""
        return self.model_copy(update={"repeats": 1})

    @property
    def count(self) -> int:
        """The number of splits, which is the number of cells for each method and dataset."""
        return self.repeats

    @property
    @abstractmethod
    def share(self) -> float:
        """The share of the rows to train on; 1 if the parts are always the same."""

    @abstractmethod
    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        """Return the row numbers of the training part and of the test part."""


class Holdout(_Split):
    """Train on a random share of the rows and test on the rest."""

    kind: Literal["holdout"] = "holdout"
    train: float = Field(0.8, gt=0, lt=1, description="share of the rows to train on")

    @property
    def share(self) -> float:
        """The share of the rows to train on."""
        return self.train

    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        """Draw the rows of one repeat."""
        order = rounds(repeat).permutation(len(data.Y))
        cut = round(self.train * len(order))
        return np.sort(order[:cut]), np.sort(order[cut:])


class Official(_Split):
    """Use the split that the dataset was published with."""

    kind: Literal["official"]
    repeats: int = Field(
        1, ge=1, le=MOST_REPEATS, description="more than 1 makes sense only for random methods"
    )

    @property
    def share(self) -> float:
        """1: no other rows are ever trained on or tested."""
        return 1.0

    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        """Return the published rows, the same for every repeat."""
        if data.train is None or data.test is None:
            raise UserError(f"{data.name} has no official split: use 'split: {{kind: holdout}}'")
        return data.train, data.test


class KFold(_Split):
    """Divide the rows into k parts, each of which is the test part once; repeats shuffle again."""

    kind: Literal["kfold"]
    folds: int = Field(5, ge=2, description="number of parts")

    @property
    def share(self) -> float:
        """The share of the rows to train on."""
        return 1 - 1 / self.folds

    @property
    def count(self) -> int:
        """The number of folds times the number of repeats."""
        return self.folds * self.repeats

    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        """Return the rows of one fold of one shuffle."""
        turn, fold = divmod(repeat, self.folds)
        parts = np.array_split(rounds(turn).permutation(len(data.Y)), self.folds)
        test = parts.pop(fold)
        return np.sort(np.concatenate(parts)), np.sort(test)


class Stratified(_Split):
    """Split so that every part gets each label in proportion: iterative stratification.

    The rarest label is dealt out first: each of its rows goes to the part that still wants most
    rows of this label. Among equals the part that wants most rows of any kind takes it, then
    chance. Only known labels count. Sechidis, Tsoumakas and Vlahavas, ECML PKDD 2011,
    https://doi.org/10.1007/978-3-642-23808-6_10.
    """

    kind: Literal["stratified"]
    train: float | None = Field(
        None, gt=0, lt=1, description="share of the rows to train on; 0.8 without 'folds'"
    )
    folds: int | None = Field(
        None, ge=2, description="number of parts, each of which is the test part once"
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.folds is not None and self.train is not None:
            raise ValueError("a stratified split has either 'folds' or 'train': leave one out")
        return self

    @property
    def share(self) -> float:
        """The share of the rows to train on."""
        if self.folds is not None:
            return 1 - 1 / self.folds
        return 0.8 if self.train is None else self.train

    @property
    def count(self) -> int:
        """The number of repeats, times the number of folds."""
        return self.repeats * (self.folds or 1)

    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        """Draw the rows of one repeat, or return those of one fold of one draw."""
        if self.folds is None:
            part = stratify(data.Y, [1 - self.share, self.share], rounds(repeat))
            return np.flatnonzero(part == 1), np.flatnonzero(part == 0)
        turn, fold = divmod(repeat, self.folds)
        part = stratify(data.Y, [1 / self.folds] * self.folds, rounds(turn))
        return np.flatnonzero(part != fold), np.flatnonzero(part == fold)


def _by_kind(value: Any) -> Any:
    """Read ``split: official`` as ``split: {kind: official}``."""
    return {"kind": value} if isinstance(value, str) else value


Split = Annotated[
    Holdout | Official | KFold | Stratified,
    Field(discriminator="kind"),
    BeforeValidator(_by_kind),
]
