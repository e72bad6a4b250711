"""Feature selection: rank features on the training part, classify with the best k, and score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from ..methods import registry
from ..metrics import METRICS, evaluate
from ..types import Array
from . import supervised
from .cell import Cell, Frozen, Method, Record
from .experiment.base import Mistake
from .experiment.method_choice import why_not
from .experiment.sizes import (
    Sizes,
    distinct,
    mistakes,
    of_dataset,
    resolve,
    resolve_all,
    without_other_sizes,
)
from .steps.preparation import Task, fill_missing
from .steps.tuning import Params
from .supervised import Findings, Supervised, SupervisedSettings

_KINDS = ("selector",)
_CLASSIFIERS = ("classifier",)


class _Keys(Frozen):
    sizes: Sizes = Field(
        ["1"],
        description="numbers of features: counts, shares such as 1/6, or a selector that decides "
        "how many it keeps, such as 'mfsef'; or a list for each dataset, by name or as 'default'",
    )
    classifier: Method = Field(
        Method(name="mlknn"), description="the classifier that is trained on the selected features"
    )
    train_on: Literal["given", "completed"] = Field(
        "given",
        description="the labels that the classifier is trained on: those of the training part, or "
        "those that the selector has completed, if it does",
    )


class Settings(_Keys, SupervisedSettings):
    """The settings of a cell of a selection experiment."""

    protocol: Literal["selection"]

    @model_serializer(mode="wrap")
    def _without_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = handler(self)
        if self.train_on == "given":  # so that cells that were run before keep their keys
            del content["train_on"]
        return content


class Config(_Keys, Supervised):
    """An experiment that compares feature selectors through a classifier."""

    kinds = _KINDS
    cell_settings = Settings
    axis = "n_features"

    protocol: Literal["selection"] = Field(description="the kind of experiment")

    def versions(self, name: str, settings: Any) -> dict[str, int | str]:
        """Return the versions that results depend on, including that of the classifier."""
        used = [choice.name for choice in _classifiers(settings).values()]
        return super().versions(name, settings) | {
            one: registry.version(one, _CLASSIFIERS) for one in used
        }

    def quick_version(self) -> Self:
        """Return a quick version of the experiment, with the sizes of its only dataset."""
        return without_other_sizes(super().quick_version())

    def _setting_mistakes(self, settings: Any) -> Iterator[Mistake]:
        yield from super()._setting_mistakes(settings)
        for place, choice in _classifiers(settings).items():
            wrong = why_not(choice.name, _CLASSIFIERS)
            if wrong:
                yield place, wrong
                continue
            for parameter, text in registry.mistakes(choice.name, choice.params, _CLASSIFIERS):
                yield (*place, choice.name, parameter), text
        yield from mistakes(settings.sizes, self.datasets)


def _classifiers(settings: Settings) -> dict[tuple[str, ...], Method]:
    """Return the classifiers in use, by their place in a config."""
    found: dict[tuple[str, ...], Method] = {("classifier",): settings.classifier}
    if settings.tune.classifier is not None and settings.tune.strategy != "none":
        found["tune", "classifier"] = settings.tune.classifier
    return found


def run(cell: Cell) -> Record:
    """Run one cell: one fit is used for all sizes."""
    return supervised.run(cell, _KINDS, _fit_and_score)


def _fit_and_score(cell: Cell, task: Task, params: Params, trial: bool) -> Findings:
    """Rank the features and classify with the best; a trial uses only the middle size."""
    settings, d = cell.settings, task.X.shape[1]
    assert isinstance(settings, Settings)
    given = of_dataset(settings.sizes, cell.data.name)
    selector = registry.build(cell.method.name, params, _KINDS, task.seed)
    classifier = settings.classifier
    if trial:
        classifier = settings.tune.classifier or classifier
        sizes = [resolve(given[len(given) // 2], d)]
    else:
        sizes = selector.sizes(resolve_all(given, d), d)
    with task.watch("fit"):
        subsets = selector.subsets(task.X, fill_missing(selector, task.Y, task.notes), sizes)
    if settings.train_on == "completed":
        task = replace(task, Y=_completed(selector, task.Y, task.notes))
    with task.watch("evaluate"):
        metrics = [settings.tune.metric] if trial else list(METRICS)
        rows = [
            {"n_features": len(columns)} | _classify(classifier, task, columns, metrics)
            for columns in subsets
        ]
    return Findings(rows, features=distinct(subsets))


def _completed(selector: Any, Y: Array, notes: list[str]) -> Array:
    """Return the training labels with those that a fitted selector has completed.

    A zero becomes 1 if it is more likely a hidden positive than not (``hidden_probability_``). An
    unobserved label becomes 1 if its recovered value in [-1, 1] is positive, else 0 (``Y_``).
    """
    name = type(selector).__name__
    hidden, recovered = (getattr(selector, key, None) for key in ("hidden_probability_", "Y_"))
    if hidden is not None:
        found = np.where((Y != 1) & (hidden > 0.5), 1.0, np.nan_to_num(Y, nan=0.0))
    elif recovered is not None:
        found = np.where(np.isnan(Y), (recovered > 0).astype(float), Y)
    else:
        notes.append(f"{name} does not complete labels: the classifier gets the given ones")
        return Y
    added = int(np.sum((found == 1) & (Y != 1)))
    notes.append(f"the classifier gets labels that {name} has completed: {added} more positives")
    return found


def _classify(choice: Method, task: Task, columns: Array, metrics: list[str]) -> dict[str, float]:
    classifier = registry.build(choice.name, choice.params, _CLASSIFIERS, seed=0)
    if not classifier.order_matters:  # otherwise the features are in the order of selection
        columns = np.sort(columns)
    classifier.fit(task.X[:, columns], fill_missing(classifier, task.Y, task.notes))
    scores = classifier.decision_function(task.X_test[:, columns])
    return evaluate(task.Y_test, scores, classifier.predict_from_scores(scores), metrics)
