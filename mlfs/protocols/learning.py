"""Learning: fit on the training part with its labels hidden, score the test part."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..classifiers import CLASSIFIERS, MultiLabelClassifier
from ..learners import LEARNERS
from ..linalg import Array, Matrix
from ..metrics import METRICS, evaluate
from .common import (
    Experiment,
    Record,
    Scale,
    Spec,
    Stopwatch,
    build,
    fill_missing,
    generator,
    scale_features,
    split_and_mask,
)
from .tuning import Params, Tune, search_space, tune, wants_tuning

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
    X, Y, X_test, Y_test, _ = split_and_mask(spec)
    X, X_test = scale_features(spec["scale"], X, X_test)
    seed = int(generator(spec, "method").integers(2**31))
    watch, notes = Stopwatch(), list[str]()
    record: Record = {"notes": notes, "seconds": watch.seconds}
    params = spec["params"] | spec.get("tuned", {})
    if wants_tuning(spec, _METHODS):
        with watch("tune"):
            record["tuned"] = _tune(spec, X, Y, seed)
        params |= record["tuned"]["chosen"]
    if spec.get("stage") == "tune":
        return record
    learner = build(_METHODS, spec["method"], params, seed)
    with watch("fit"):
        learner.fit(X, fill_missing(learner, Y, notes))
    with watch("evaluate"):
        scores = learner.decision_function(X_test)
        record["rows"] = [evaluate(Y_test, scores, learner.predict_from_scores(scores), METRICS)]
    if hasattr(learner, "objective_"):
        record["info"] = {"objective": [float(value) for value in learner.objective_]}
    return record


def _tune(spec: Spec, X: Matrix, Y: Array, seed: int) -> dict[str, Any]:
    """Tune on folds of the training part, scoring only labels that are observed there."""
    settings = Tune(**spec["tune"])

    def trial(params: Params, fit: Array, score: Array) -> float:
        learner = build(_METHODS, spec["method"], spec["params"] | params, seed)
        learner.fit(X[fit], fill_missing(learner, Y[fit], []))
        scores = learner.decision_function(X[score])
        unknown = np.isnan(Y[score])
        # below every other score and irrelevant, an unobserved label moves no relevant one
        scores = np.where(unknown, scores.min() - 1, scores)
        known = np.nan_to_num(Y[score], nan=0.0)
        return evaluate(known, scores, learner.predict_from_scores(scores), [settings.metric])[
            settings.metric
        ]

    space = search_space(spec, _METHODS)
    return tune(trial, space, settings, X.shape[0], generator(spec, "tune"))
