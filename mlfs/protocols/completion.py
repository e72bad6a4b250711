"""Completion: hide known labels of some rows, fit on the rest, and score the hidden ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from ..methods import registry
from ..methods.calibration import HeldOut, entry_folds
from ..methods.docstrings import Size
from ..methods.labels import hidden_shares, observed
from ..metrics import brier_score, evaluate, expected_calibration_error
from ..types import Array, Matrix
from .cell import Cell, Fits, Frozen, Record
from .experiment.base import Mistake
from .experiment.masked import Masked, MaskedSettings
from .experiment.repeated import Repeated
from .steps.apart import apart
from .steps.missing import Missing, cannot, treated
from .steps.preparation import (
    Scale,
    Stopwatch,
    impute_features,
    load_dataset,
    notes_of,
    scale_features,
)
from .steps.seeds import generator, seed
from .steps.untouched import own_copy

_KINDS = ("classifier", "learner")
_METRICS = {
    "macro_auc": True,
    "micro_auc": True,
    "macro_average_precision": True,
    "macro_f1": True,
    "micro_f1": True,
}


class _Keys(Frozen):
    scale: Scale = Field("standard", description="how to scale features, fitted on all rows")
    rows: float = Field(1.0, gt=0, le=1, description="share of the rows that labels are hidden of")
    folds: int = Field(
        5, ge=2, description="folds of the known labels, for the scores that calibrate"
    )
    missing: Missing | None = Field(
        None,
        description="how a learner that does not accept unknown labels is fitted: as 0, available "
        "(each label on the rows where it is known), or complete (only complete rows)",
    )


class CompletionSettings(_Keys, MaskedSettings):
    """The settings of a cell of a completion experiment."""

    protocol: Literal["completion"]

    def fits(self, cell: Cell, size: Size) -> Iterator[Fits]:
        """Yield the fits that a cell makes: one for each fold of the known labels."""
        yield Fits(cell.method.name, size, self.folds)


class CompletionExperiment(_Keys, Masked, Repeated):
    """An experiment that compares how well learners recover hidden labels.

    The mask hides known labels of some rows. Probabilities are calibrated on known labels that were
    held out; only the hidden labels are scored.
    """

    kinds = _KINDS
    cell_settings = CompletionSettings
    scores = {**_METRICS, "brier_score": False, "calibration_error": False}

    protocol: Literal["completion"] = Field(description="the kind of experiment")

    def _method_mistakes(self) -> Iterator[Mistake]:
        wrong = list(super()._method_mistakes())
        yield from wrong
        for i, choice in enumerate(self.methods if not wrong else ()):
            missing = choice.settings.get("missing", self.missing)
            yield from ((("methods", i), text) for text in cannot(choice.name, self.kinds, missing))

    def _setting_mistakes(self, settings: Any) -> Iterator[Mistake]:
        if settings.mask.hides != "labels" or not settings.ratio:
            text = "there is nothing to recover: use a mask that drops labels, such as"
            yield ("mask",), f"{text} {{kind: drop_entries, ratio: 0.3}}"


@dataclass(frozen=True)
class _Scored:
    """Scores of all labels by models that did not see them, as plain data."""

    held_out: HeldOut
    notes: list[str]


def run(cell: Cell) -> Record:
    """Run one cell: hide labels, fit without each fold of the rest, calibrate, and score."""
    settings, watch = cell.settings, Stopwatch()
    assert isinstance(settings, CompletionSettings)
    data = load_dataset(cell.data)
    full = np.asarray(data.Y, dtype=float)
    Y = _hidden(full, settings, generator(cell, "mask"))
    notes = notes_of(cell.data, data)
    X, _ = impute_features(cell.data, data.X, data.X[:1], notes)
    X, _ = scale_features(settings.scale, X, X[:1])
    with watch("fit"):
        fitted = apart(lambda: _fit(cell, settings, X, Y), cell.is_foreign(cell.method.name))
    with watch("evaluate"):
        P = fitted.held_out.probabilities(Y)
        truth = np.where(observed(Y), np.nan, full)  # only what the mask has hidden is scored
        row: dict[str, Any] = dict(evaluate(truth, P, (P >= 0.5).astype(float), list(_METRICS)))
        row["brier_score"] = brier_score(truth, P)
        row["calibration_error"] = expected_calibration_error(truth, P)
    return Record(
        rows=[row],
        info={"hidden": hidden_shares(full, Y)},
        notes=sorted({*notes, *fitted.notes}),
        seconds=watch.seconds,
        n_features=X.shape[1],
    )


def _hidden(Y: Array, settings: CompletionSettings, rng: np.random.Generator) -> Array:
    """Return the labels with those hidden that are to be recovered."""
    chosen = np.sort(rng.choice(len(Y), max(1, round(settings.rows * len(Y))), replace=False))
    masked = Y.copy()
    masked[chosen] = settings.mask(Y[chosen], rng)
    return masked


def _fit(cell: Cell, settings: CompletionSettings, X: Matrix, Y: Array) -> _Scored:
    """Score every label by models that did not see it: one model for each fold."""
    place = entry_folds(Y, settings.folds, seed(cell, "folds"))
    scores, total, notes = np.empty(Y.shape), np.zeros(Y.shape), list[str]()
    for fold in range(settings.folds):
        held = place == fold
        made = registry.build(cell.method.name, cell.params, _KINDS, seed(cell, "method"))
        seen = np.where(held, np.nan, Y)
        learner, rows, labels = treated(made, X, seen, settings.missing, notes)
        if cell.is_foreign(cell.method.name):
            rows, labels = own_copy(rows), own_copy(labels)
        given = np.asarray(learner.fit(rows, labels).decision_function(X))
        scores[held] = given[held]
        total += given
    unknown = place < 0
    scores[unknown] = total[unknown] / settings.folds
    return _Scored(HeldOut(scores, place), notes)
