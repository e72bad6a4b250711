"""The ways to split a dataset into a training and a test part, one class for each way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Annotated, Any, Literal, Protocol, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ...errors import UserError
from ...types import Array

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

    @abstractmethod
    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        """Return the row numbers of the training part and of the test part."""


class Holdout(_Split):
    """Train on a random share of the rows and test on the rest."""

    kind: Literal["holdout"] = "holdout"
    train: float = Field(0.8, gt=0, lt=1, description="share of the rows to train on")

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
    """Split so that both parts get each label, and each pair of labels, in proportion.

    This is iterative stratification as scikit-multilearn implements it: Sechidis, Tsoumakas and
    Vlahavas, ECML PKDD 2011, https://doi.org/10.1007/978-3-642-23808-6_10.
    """

    kind: Literal["stratified"]
    train: float = Field(0.8, gt=0, lt=1, description="share of the rows to train on")

    def indices(self, data: Splittable, repeat: int, rounds: Rounds) -> tuple[Array, Array]:
        """Draw the rows of one repeat."""
        from skmultilearn.model_selection import IterativeStratification

        shares = [1 - self.train, self.train]
        rng = rounds(repeat)
        order = rng.permutation(len(data.Y))  # among equally good rows the first ones are taken
        state = np.random.get_state()  # noqa: NPY002
        np.random.seed(rng.integers(2**32))  # noqa: NPY002 the library breaks ties with this one
        try:
            cutter = IterativeStratification(
                n_splits=2, order=2, sample_distribution_per_fold=shares
            )
            train, test = next(cutter.split(order[:, None], data.Y[order].astype(int)))
        finally:
            np.random.set_state(state)  # noqa: NPY002
        return np.sort(order[train]), np.sort(order[test])


def _by_kind(value: Any) -> Any:
    """Read ``split: official`` as ``split: {kind: official}``."""
    return {"kind": value} if isinstance(value, str) else value


Split = Annotated[
    Holdout | Official | KFold | Stratified,
    Field(discriminator="kind"),
    BeforeValidator(_by_kind),
]
