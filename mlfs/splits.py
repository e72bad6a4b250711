"""How a dataset is cut into a training and a test part, one small class per way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Annotated, Any, Literal, Protocol, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from .errors import UserError
from .types import Array

# Gives the generator of one round of splitting; equal rounds give equal generators
Rounds = Callable[[int], np.random.Generator]


class Splittable(Protocol):
    """What a split needs to know of a dataset."""

    @property
    def name(self) -> str: ...

    @property
    def Y(self) -> Array: ...

    @property
    def train(self) -> Array | None: ...

    @property
    def test(self) -> Array | None: ...


class _Split(BaseModel, ABC):
    model_config = ConfigDict(extra="forbid", frozen=True)

    repeats: int = Field(1, ge=1)

    def once(self) -> Self:
        """The same way to split, of which one cell knows its repeat and not their number."""
        return self.model_copy(update={"repeats": 1})

    @property
    def count(self) -> int:
        """Number of different splits, and so of cells for each method and dataset."""
        return self.repeats

    @abstractmethod
    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        """Row numbers of the training and of the test part."""


class Holdout(_Split):
    """A random share of the rows for training, the rest for testing."""

    kind: Literal["holdout"] = "holdout"
    train: float = Field(0.8, gt=0, lt=1, description="share of the rows to train on")

    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        order = rounds(repeat).permutation(len(data.Y))
        cut = round(self.train * len(order))
        return np.sort(order[:cut]), np.sort(order[cut:])


class Official(_Split):
    """The split the dataset was published with."""

    kind: Literal["official"]
    repeats: int = Field(1, ge=1, description="more than one only matters to random methods")

    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        if data.train is None or data.test is None:
            raise UserError(f"{data.name} has no official split: use 'split: {{kind: holdout}}'")
        return data.train, data.test


class KFold(_Split):
    """k parts, each the test part once; a repeat shuffles anew."""

    kind: Literal["kfold"]
    folds: int = Field(5, ge=2)

    @property
    def count(self) -> int:
        return self.folds * self.repeats

    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        turn, fold = divmod(repeat, self.folds)
        parts = np.array_split(rounds(turn).permutation(len(data.Y)), self.folds)
        test = parts.pop(fold)
        return np.sort(np.concatenate(parts)), np.sort(test)


class Stratified(_Split):
    """Iterative stratification: both parts get each label, and each pair of labels, in proportion.

    Sechidis, Tsoumakas and Vlahavas, ECML PKDD 2011, as scikit-multilearn implements it.
    """

    kind: Literal["stratified"]
    train: float = Field(0.8, gt=0, lt=1, description="share of the rows to train on")

    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        from skmultilearn.model_selection import IterativeStratification

        shares = [1 - self.train, self.train]
        rng = rounds(repeat)
        order = rng.permutation(len(data.Y))  # it takes rows in order where it has a choice
        state = np.random.get_state()  # noqa: NPY002
        np.random.seed(rng.integers(2**32))  # noqa: NPY002 its ties are broken by this generator
        try:
            cutter = IterativeStratification(
                n_splits=2, order=2, sample_distribution_per_fold=shares
            )
            train, test = next(cutter.split(order[:, None], data.Y[order].astype(int)))
        finally:
            np.random.set_state(state)  # noqa: NPY002
        return np.sort(order[train]), np.sort(order[test])


def _by_kind(value: Any) -> Any:
    """Let ``split: official`` stand for ``split: {kind: official}``."""
    return {"kind": value} if isinstance(value, str) else value


Split = Annotated[
    Holdout | Official | KFold | Stratified,
    Field(discriminator="kind"),
    BeforeValidator(_by_kind),
]
