"""Learning: fit on the training part with its labels hidden, score the test part."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..classifiers import CLASSIFIERS, MultiLabelClassifier
from ..learners import LEARNERS
from ..metrics import METRICS, evaluate
from ..types import Array
from .common import (
    Experiment,
    Record,
    Scale,
    Spec,
    Task,
    begin,
    build,
    fill_missing,
    generator,
)
from .tuning import Params, Tune, choose_params, search_space, tune

_METHODS: dict[str, type[MultiLabelClassifier]] = {**CLASSIFIERS, **LEARNERS}


class Config(Experiment):
    """An experiment that compares multi-label classifiers and learners."""

    registry = _METHODS
    cell_keys = ("scale", "tune")
    scores = {name: metric.larger_is_better for name, metric in METRICS.items()}

    protocol: Literal["learning"]
    scale: Scale = "none"
    tune: Tune = Tune()


def run(spec: Spec) -> Record:
    """Run one cell."""
    task = begin(spec)
    record, notes = task.record, task.notes
    with task.watch("tune"):
        params, tuned = choose_params(spec, _METHODS, lambda: _tune(spec, task))
    if tuned:
        record["tuned"] = tuned
    if spec.get("stage") == "tune":
        return record
    learner = build(_METHODS, spec["method"], params, task.seed)
    with task.watch("fit"):
        learner.fit(task.X, fill_missing(learner, task.Y, notes))
    with task.watch("evaluate"):
        scores = learner.decision_function(task.X_test)
        record["rows"] = [
            evaluate(task.Y_test, scores, learner.predict_from_scores(scores), METRICS)
        ]
    record["info"] = {
        name: [float(value) for value in getattr(learner, f"{name}_")]
        for name in ("objective", "change")
        if hasattr(learner, f"{name}_")
    }
    return record


def _tune(spec: Spec, task: Task) -> dict[str, Any]:
    """Tune on folds of the training part.

    An unobserved label of a validation row counts as irrelevant: it stays in the way of the
    observed ones alike for all candidates, whereas leaving it out would make every ranking of a
    row with one observed label perfect.
    """
    settings, X, Y = Tune(**spec["tune"]), task.X, task.Y

    def trial(params: Params, fit: Array, score: Array) -> float:
        learner = build(_METHODS, spec["method"], spec["params"] | params, task.seed)
        learner.fit(X[fit], fill_missing(learner, Y[fit], []))
        scores = learner.decision_function(X[score])
        known = np.nan_to_num(Y[score], nan=0.0)
        found = evaluate(known, scores, learner.predict_from_scores(scores), [settings.metric])
        return found[settings.metric]

    space = search_space(spec, _METHODS)
    return tune(trial, space, settings, X.shape[0], generator(spec, "tune"))
