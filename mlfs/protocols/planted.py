"""Planted features: how many relevant features, and which hidden labels, a selector finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from .. import datasets
from ..datasets.user.description import Listed
from ..methods import registry
from ..methods.labels import hidden_shares
from ..types import Array
from .cell import Cell, Frozen, Record
from .experiment.base import Mistake
from .experiment.dataset_choice import DatasetChoice
from .experiment.masked import Masked, MaskedSettings
from .experiment.repeated import Repeated
from .experiment.sizes import distinct
from .steps.apart import apart
from .steps.missing import treated
from .steps.preparation import Stopwatch
from .steps.returned import ChosenFeatures, choose
from .steps.seeds import generator, seed
from .steps.untouched import own_copy, read_only

_KINDS = ("selector",)
_MADE = DatasetChoice(name="planted")


class _Keys(Frozen):
    relevant: int = Field(10, ge=1, description="features that the labels depend on")
    redundant: int = Field(0, ge=0, description="noisy copies of relevant features")
    noise: int = Field(50, ge=0, description="features that are independent of the labels")


class PlantedSettings(_Keys, MaskedSettings):
    """The settings of a cell of a planted study."""

    protocol: Literal["planted"]


class PlantedExperiment(_Keys, Masked, Repeated):
    """An experiment on generated data whose relevant features and hidden labels are known.

    Every repeat generates new data.
    """

    kinds = _KINDS
    cell_settings = PlantedSettings
    scores = {"relevant_found": True, "informative_found": True, "hidden_auc": True}

    protocol: Literal["planted"] = Field(description="the kind of experiment")
    datasets: Annotated[list[DatasetChoice], Listed] = Field(
        [_MADE], description="always the generated set: leave this key out"
    )

    def _dataset_mistakes(self) -> Iterator[Mistake]:
        if self.datasets != [_MADE]:
            yield ("datasets",), "protocol planted generates its own data: leave 'datasets' out"


def run(cell: Cell) -> Record:
    """Run one cell: the share of relevant features at the top, and the AUC for hidden labels.

    With r relevant features, both shares look at the top r features. ``relevant_found`` counts
    only the relevant ones; ``informative_found`` also counts redundant ones. ``hidden_auc`` is nan
    for methods that do not estimate which labels are hidden.
    """
    settings = cell.settings
    assert isinstance(settings, PlantedSettings)
    made = datasets.planted(
        d_relevant=settings.relevant,
        d_redundant=settings.redundant,
        d_noise=settings.noise,
        seed=seed(cell, "toy"),
    )
    truth = made.data.Y.astype(float)
    Y = settings.mask(truth, generator(cell, "mask"))
    chosen, probability, notes = apart(
        lambda: _choose(cell, made.data.X, Y, len(made.relevant)), cell.foreign
    )
    [top] = chosen.checked(cell.method.name, made.data.X.shape[1])
    watch = Stopwatch()
    watch.add("fit", chosen.seconds)
    informative = np.union1d(made.relevant, made.redundant)
    row = {
        "relevant_found": float(np.isin(top, made.relevant).mean()),
        "informative_found": float(np.isin(top, informative).mean()),
        "hidden_auc": float("nan"),
    }
    if probability is not None:
        row["hidden_auc"] = _hidden_auc(truth, Y, probability)
    return Record(
        rows=[row],
        info={"hidden": hidden_shares(truth, Y)} if settings.ratio else {},
        notes=notes,
        seconds=watch.seconds,
        features=distinct([top]),
        n_features=made.data.X.shape[1],
    )


def _choose(
    cell: Cell, X: Array, Y: Array, size: int
) -> tuple[ChosenFeatures, Array | None, list[str]]:
    """Return the best features, the probability that a label is hidden if known, and notes."""
    selector = registry.build(cell.method.name, cell.params, _KINDS, seed(cell, "method"))
    notes = list[str]()
    selector, X, Y = treated(selector, read_only(X), read_only(Y), None, notes)
    if cell.foreign:
        X, Y = own_copy(X), own_copy(Y)
    chosen = choose(selector, X, Y, [size])
    return chosen, getattr(selector, "hidden_probability_", None), notes


def _hidden_auc(truth: Array, Y: Array, probability: Array) -> float:
    """Return the AUC of the probability of being hidden: hidden positives against true zeros."""
    from sklearn.metrics import roc_auc_score  # a table of results does not need it

    zero = Y == 0
    hidden = truth[zero] == 1
    if hidden.all() or not hidden.any():
        return float("nan")
    return float(roc_auc_score(hidden, probability[zero]))
