"""Feature selection: rank on the training part, classify with the best k, score the test part."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

import numpy as np
from pydantic import Field, field_validator

from ..classifiers import CLASSIFIERS
from ..metrics import METRICS, evaluate
from ..selectors import MFSEF, SELECTORS, AllFeatures
from ..types import Array, Matrix
from .common import (
    Choice,
    Experiment,
    Record,
    Scale,
    Spec,
    Task,
    begin,
    build,
    check_method,
    fill_missing,
    generator,
)
from .tuning import Params, Tune, choose_params, search_space, tune


class Config(Experiment):
    """An experiment that compares feature selectors through a classifier."""

    registry = SELECTORS
    cell_keys = ("scale", "sizes", "classifier", "tune")
    axis = "n_features"
    scores = {name: metric.larger_is_better for name, metric in METRICS.items()}

    protocol: Literal["selection"]
    scale: Scale = "none"
    sizes: list[str] = Field(
        ["1"],
        min_length=1,
        description="numbers of features: counts, shares such as 1/6, or 'mfsef'",
    )
    classifier: Choice = Choice(name="mlknn")
    tune: Tune = Tune()

    @field_validator("sizes", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        sizes = value if isinstance(value, list) else [value]
        for size in map(str, sizes):
            resolve_size(size, 100)
        return [str(size) for size in sizes]

    @field_validator("classifier")
    @classmethod
    def _classifier_exists(cls, choice: Choice) -> Choice:
        check_method(CLASSIFIERS, choice.name, choice.params)
        return choice

    def method_version(self, spec: Spec) -> list[int]:
        return [*super().method_version(spec), CLASSIFIERS[self.classifier.name].version]


def resolve_size(size: str, d: int) -> int:
    """Turn a size from a config into a number of features out of `d`.

    A whole number above 1 is a count; a fraction or decimal up to 1 is a share, rounded to the
    nearest count; ``mfsef`` is what that method keeps.
    """
    if size == "mfsef":
        return MFSEF.n_output(d)
    try:
        value = Fraction(size)
    except (ValueError, ZeroDivisionError) as error:
        raise ValueError(
            f"size '{size}' is neither a count, a share such as 1/6, nor 'mfsef'"
        ) from error
    if value <= 0 or (value > 1 and value.denominator != 1):
        raise ValueError(f"size '{size}' must be a whole number or a share in (0, 1]")
    return min(d, max(1, round(value * d if value <= 1 else value)))


def run(spec: Spec) -> Record:
    """Run one cell: one fit serves all sizes."""
    task = begin(spec)
    record, notes = task.record, task.notes
    with task.watch("tune"):
        params, tuned = choose_params(spec, SELECTORS, lambda: _tune(spec, task))
    if tuned:
        record["tuned"] = tuned
    if spec.get("stage") == "tune":
        return record
    selector = build(SELECTORS, spec["method"], params, task.seed)
    with task.watch("fit"):
        sizes = _sizes(spec, selector, task.X.shape[1])
        subsets = selector.subsets(task.X, fill_missing(selector, task.Y, notes), sizes)
    with task.watch("evaluate"):
        parts = (task.X, task.Y, task.X_test, task.Y_test)
        record["rows"] = [
            {"n_features": len(columns)} | _classify(spec, columns, *parts, notes)
            for columns in subsets
        ]
    record["notes"] = sorted(set(notes))
    return record


def _sizes(spec: Spec, selector: Any, d: int) -> list[int]:
    if isinstance(selector, AllFeatures):
        return [d]
    return sorted({resolve_size(size, d) for size in spec["sizes"]})


def _classify(
    spec: Spec,
    columns: Array,
    X: Matrix,
    Y: Array,
    X_test: Matrix,
    Y_test: Array,
    notes: list[str],
) -> dict[str, float]:
    columns = np.sort(columns)
    choice = spec["classifier"]
    classifier = build(CLASSIFIERS, choice["name"], choice["params"], seed=0)
    classifier.fit(X[:, columns], fill_missing(classifier, Y, notes))
    scores = classifier.decision_function(X_test[:, columns])
    return evaluate(Y_test, scores, classifier.predict_from_scores(scores), METRICS)


def _tune(spec: Spec, task: Task) -> dict[str, Any]:
    """Tune on folds of the training part, at the middle one of the sizes."""
    settings, X, Y = Tune(**spec["tune"]), task.X, task.Y
    fixed, sizes = spec["params"], spec["sizes"]
    size = resolve_size(sizes[len(sizes) // 2], X.shape[1])

    def trial(params: Params, fit: Array, score: Array) -> float:
        selector = build(SELECTORS, spec["method"], fixed | params, task.seed)
        (columns,) = selector.subsets(X[fit], fill_missing(selector, Y[fit], []), [size])
        known = np.nan_to_num(Y[score], nan=0.0)
        results = _classify(spec, columns, X[fit], Y[fit], X[score], known, [])
        return results[settings.metric]

    space = search_space(spec, SELECTORS)
    return tune(trial, space, settings, X.shape[0], generator(spec, "tune"))
