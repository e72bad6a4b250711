"""Learning: fit on the training part with its labels hidden, score the test part."""

from __future__ import annotations

from typing import Literal

from .. import registry
from ..metrics import METRICS, evaluate
from . import supervised
from .cell import Cell, Record
from .preparation import Task, fill_missing
from .supervised import Findings, Supervised, SupervisedSettings
from .tuning import Params

_KINDS = ("classifier", "learner")


class Settings(SupervisedSettings):
    """What decides a cell of a learning experiment."""

    protocol: Literal["learning"]


class Config(Supervised):
    """An experiment that compares multi-label classifiers and learners."""

    kinds = _KINDS
    cell_settings = Settings

    protocol: Literal["learning"]


def run(cell: Cell) -> Record:
    """Run one cell."""
    return supervised.run(cell, _KINDS, _course)


def _course(cell: Cell, task: Task, params: Params, trial: bool) -> Findings:
    """Fit a learner and score it; a trial only needs the metric that tuning looks at."""
    learner = registry.build(cell.method.name, params, _KINDS, task.seed)
    with task.watch("fit"):
        learner.fit(task.X, fill_missing(learner, task.Y, task.notes))
    with task.watch("evaluate"):
        scores = learner.decision_function(task.X_test)
        metrics = [supervised.supervised(cell).tune.metric] if trial else list(METRICS)
        row = evaluate(task.Y_test, scores, learner.predict_from_scores(scores), metrics)
    info = {
        name: [float(value) for value in getattr(learner, f"{name}_")]
        for name in ("objective", "change")
        if hasattr(learner, f"{name}_")
    }
    return Findings([dict(row)], info)
