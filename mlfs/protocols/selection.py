"""Feature selection: rank features on the training part, classify with the best k, and score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from pydantic import Field

from .. import registry
from ..metrics import METRICS, evaluate
from ..types import Array
from . import supervised
from .cell import Cell, Frozen, Method, Record
from .choice import why_not
from .experiment import Mistake
from .preparation import Task, fill_missing
from .sizes import Sizes, distinct, mistakes, resolve, resolve_all
from .supervised import Findings, Supervised, SupervisedSettings
from .tuning import Params

_KINDS = ("selector",)
_CLASSIFIERS = ("classifier",)


class _Keys(Frozen):
    sizes: Sizes = Field(
        ["1"],
        description="numbers of features: counts, shares such as 1/6, or a selector that decides "
        "how many it keeps, such as 'mfsef'",
    )
    classifier: Method = Field(
        Method(name="mlknn"), description="the classifier that is trained on the selected features"
    )


class Settings(_Keys, SupervisedSettings):
    """The settings of a cell of a selection experiment."""

    protocol: Literal["selection"]


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

    def _setting_mistakes(self, settings: Any) -> Iterator[Mistake]:
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
    return supervised.run(cell, _KINDS, _course)


def _course(cell: Cell, task: Task, params: Params, trial: bool) -> Findings:
    """Rank the features and classify with the best; a trial uses only the middle size."""
    settings, d = cell.settings, task.X.shape[1]
    assert isinstance(settings, Settings)
    selector = registry.build(cell.method.name, params, _KINDS, task.seed)
    classifier = settings.classifier
    if trial:
        classifier = settings.tune.classifier or classifier
        sizes = [resolve(settings.sizes[len(settings.sizes) // 2], d)]
    else:
        sizes = selector.sizes(resolve_all(settings.sizes, d), d)
    with task.watch("fit"):
        subsets = selector.subsets(task.X, fill_missing(selector, task.Y, task.notes), sizes)
    with task.watch("evaluate"):
        metrics = [settings.tune.metric] if trial else list(METRICS)
        rows = [
            {"n_features": len(columns)} | _classify(classifier, task, columns, metrics)
            for columns in subsets
        ]
    return Findings(rows, features=distinct(subsets))


def _classify(choice: Method, task: Task, columns: Array, metrics: list[str]) -> dict[str, float]:
    columns = np.sort(columns)
    classifier = registry.build(choice.name, choice.params, _CLASSIFIERS, seed=0)
    classifier.fit(task.X[:, columns], fill_missing(classifier, task.Y, task.notes))
    scores = classifier.decision_function(task.X_test[:, columns])
    return evaluate(task.Y_test, scores, classifier.predict_from_scores(scores), metrics)
