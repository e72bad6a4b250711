"""Learning: fit on the training part with hidden labels, and score the test part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np
from pydantic import Field

from ..methods import registry
from ..metrics import evaluate
from ..types import Array
from . import supervised
from .cell import Cell, Frozen, Record
from .experiment.base import Mistake
from .steps.apart import apart
from .steps.missing import treated
from .steps.preparation import Task
from .steps.returned import check_scores
from .steps.seeds import generator
from .steps.tuning import Params
from .steps.untouched import own_copy
from .supervised import Findings, Supervised, SupervisedSettings

_KINDS = ("classifier", "learner")


class _Keys(Frozen):
    hide_test: bool = Field(
        False,
        description="hide labels of the test part, too, and score against what is left (a fault of "
        "a paper); instances left without a label are dropped",
    )


class LearningSettings(_Keys, SupervisedSettings):
    """The settings of a cell of a learning experiment."""

    protocol: Literal["learning"]


class LearningExperiment(_Keys, Supervised):
    """An experiment that compares multi-label classifiers and learners."""

    kinds = _KINDS
    cell_settings = LearningSettings

    protocol: Literal["learning"] = Field(description="the kind of experiment")

    def _setting_mistakes(self, settings: Any) -> Iterator[Mistake]:
        yield from super()._setting_mistakes(settings)
        if settings.tune.classifier is not None:
            text = "learners are tuned by their own scores: leave out 'classifier'"
            yield ("tune", "classifier"), text


def run(cell: Cell) -> Record:
    """Run one cell."""
    return supervised.run(cell, _KINDS, _fit_and_score)


def _fit_and_score(cell: Cell, task: Task, params: Params, trial: bool) -> Findings:
    """Fit a learner and score it; a trial computes only the metric of tuning."""
    settings = cell.settings
    assert isinstance(settings, LearningSettings)
    if settings.hide_test and not trial:
        task = _with_hidden_test(cell, settings, task)
    learnt = apart(lambda: _learn(cell, task, params), cell.is_foreign(cell.method.name))
    task.watch.add("fit", learnt.seconds)
    task.notes.extend(learnt.notes)
    with task.watch("evaluate"):
        check_scores(cell.method.name, learnt.scores, learnt.predicted, task.Y_test.shape)
        metrics = supervised.metrics_of(settings, trial)
        row = evaluate(task.Y_test, learnt.scores, learnt.predicted, metrics)
    task.watch.add("evaluate", learnt.scoring)
    return Findings([supervised.rounded(dict(row), settings)], learnt.info)


@dataclass(frozen=True)
class _Learnt:
    """What a learner has found, as plain data."""

    scores: Array
    predicted: Array
    seconds: float
    scoring: float  # seconds to score the test part
    notes: list[str]
    info: dict[str, Any]


def _learn(cell: Cell, task: Task, params: Params) -> _Learnt:
    """Fit a learner, and score the labels of the test part."""
    assert isinstance(cell.settings, LearningSettings)
    learner, notes = registry.build(cell.method.name, params, _KINDS, task.seed), list[str]()
    began, X_test = perf_counter(), task.X_test
    learner, X, Y = treated(learner, task.X, task.Y, cell.settings.missing, notes)
    if cell.is_foreign(cell.method.name):
        X, Y, X_test = own_copy(X), own_copy(Y), own_copy(X_test)
    learner.fit(X, Y)
    fitted = perf_counter()
    scores = learner.decision_function(X_test)
    predicted = learner.predict_from_scores(scores)
    info = {
        name: [float(value) for value in getattr(learner, f"{name}_")]
        for name in ("objective", "change")
        if hasattr(learner, f"{name}_")
    }
    ended = perf_counter()
    return _Learnt(scores, predicted, fitted - began, ended - fitted, notes, info)


def _with_hidden_test(cell: Cell, settings: LearningSettings, task: Task) -> Task:
    """Return the task with test labels hidden: a hidden label counts as irrelevant."""
    hidden = settings.mask(task.Y_test, generator(cell, "mask of the test part"))
    Y = np.where(np.isnan(task.Y_test), np.nan, np.nan_to_num(hidden, nan=0.0))
    kept = (Y == 1).any(axis=1)
    left = "no instance was left without a label"
    if not kept.all():
        left = "instances left without a label were dropped"
    task.notes.append(f"{cell.method.name} was scored against hidden test labels; {left}")
    return replace(task, X_test=task.X_test[kept], Y_test=Y[kept])
