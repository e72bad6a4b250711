"""Feature selection: rank features on the training part, classify with the best k, and score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field

from ..methods import registry
from ..methods.docstrings import Size
from ..types import Array
from . import supervised
from .cell import Cell, Fits, Frozen, Method, Record, Settings
from .experiment.base import Mistake
from .experiment.method_choice import why_not
from .experiment.sizes import (
    Sizes,
    distinct,
    expected,
    mistakes,
    of_dataset,
    resolve,
    resolve_all,
    without_other_sizes,
)
from .steps.apart import apart
from .steps.evaluations import (
    CLASSIFIERS,
    TRAIN_ON,
    Evaluation,
    Judge,
    TrainOn,
    evaluation_mistakes,
)
from .steps.missing import treated
from .steps.preparation import Task
from .steps.returned import ChosenFeatures, choose
from .steps.tuning import Params
from .steps.untouched import own_copy, read_only
from .supervised import Findings, Supervised, SupervisedSettings

_KINDS = ("selector",)


class _Keys(Frozen):
    sizes: Sizes = Field(
        ["1"],
        description="numbers of features: counts, shares such as 1/6, 'all', or a selector that "
        "decides how many it keeps, such as 'mfsef'; or a list for each dataset, by name or as "
        "'default'",
    )
    select_on: Literal["given", "full"] = Field(
        "given",
        description="the labels that the selector sees: those of the training part after the mask, "
        "or all of them, as if nothing had been hidden",
    )
    classifier: Method = Field(
        Method(name="mlknn"), description="the classifier that is trained on the selected features"
    )
    train_on: TrainOn = Field("given", description=TRAIN_ON)
    evaluations: list[Evaluation] = Field(
        [],
        description="several ways to judge the same selections, instead of 'classifier' and "
        "'train_on'; each has its own tables",
    )


class SelectionSettings(_Keys, SupervisedSettings):
    """The settings of a cell of a selection experiment."""

    later = (*SupervisedSettings.later, "select_on", "train_on", "evaluations")
    protocol: Literal["selection"]

    def one_fit(self, cell: Cell, size: Size, trial: bool) -> Iterator[Fits]:
        """Yield the fit of a selector, and those of classifiers on each number of features."""
        yield Fits(cell.method.name, size)
        given = of_dataset(self.sizes, cell.data.name)
        given = [given[len(given) // 2]] if trial else given
        for way in _ways(self, trial):
            for one in given:
                yield Fits(way.classifier.name, replace(size, d=expected(one, size.d)))


class SelectionExperiment(_Keys, Supervised):
    """An experiment that compares feature selectors through a classifier."""

    kinds = _KINDS
    cell_settings = SelectionSettings
    axis = "n_features"

    protocol: Literal["selection"] = Field(description="the kind of experiment")

    def versions(self, name: str, settings: Any) -> dict[str, int | str]:
        """Return the versions that results depend on, including that of the classifier."""
        used = [choice.name for choice in _classifiers(settings).values()]
        return super().versions(name, settings) | {
            one: registry.version(one, CLASSIFIERS) for one in used
        }

    @property
    def panels(self) -> list[dict[str, str]]:
        """Return what the rows of each table have in common: one for each evaluation."""
        return [one.row for one in self.evaluations] or [{}]

    def settings(self, changes: Mapping[str, Any]) -> list[Settings]:
        """Return the settings of this config's cells, one per mask.

        Without a mask all labels are given, so that such cells are the same work.
        """
        return [_shared(settings) for settings in super().settings(changes)]

    def quick_version(self) -> Self:
        """Return a quick version of the experiment, with the sizes of its only dataset."""
        return without_other_sizes(super().quick_version())

    def _setting_mistakes(self, settings: Any) -> Iterator[Mistake]:
        yield from super()._setting_mistakes(settings)
        yield from evaluation_mistakes(settings)
        for place, choice in _classifiers(settings).items():
            wrong = why_not(choice.name, CLASSIFIERS)
            if wrong:
                yield place, wrong
                continue
            for parameter, text in registry.mistakes(choice.name, choice.params, CLASSIFIERS):
                yield (*place, choice.name, parameter), text
        yield from mistakes(settings.sizes, self.datasets)


def _shared(settings: Any) -> Any:
    """Return settings in which full labels are the given ones if there is no mask."""
    if settings.ratio:
        return settings
    alike = [one.model_copy(update={"train_on": one.given}) for one in settings.evaluations]
    train_on = "given" if settings.train_on == "full" else settings.train_on
    changes = {
        "select_on": "given",
        "train_on": train_on,
        "evaluations": list(dict.fromkeys(alike)),
    }
    return settings.model_copy(update=changes)


def _classifiers(settings: SelectionSettings) -> dict[tuple[str | int, ...], Method]:
    """Return the classifiers in use, by their place in a config."""
    classifiers: dict[tuple[str | int, ...], Method] = {}
    for i, one in enumerate(settings.evaluations):
        classifiers["evaluations", i, "classifier"] = one.classifier
    if not classifiers:
        classifiers[("classifier",)] = settings.classifier
    if settings.tune.classifier is not None and settings.tune.strategy != "none":
        classifiers["tune", "classifier"] = settings.tune.classifier
    return classifiers


def run(cell: Cell) -> Record:
    """Run one cell: one fit is used for all sizes and evaluations."""
    return supervised.run(cell, _KINDS, _fit_and_score)


def _fit_and_score(cell: Cell, task: Task, params: Params, trial: bool) -> Findings:
    """Rank features and score each size; a trial uses only the middle size."""
    settings = cell.settings
    assert isinstance(settings, SelectionSettings)
    foreign = cell.is_foreign(cell.method.name)
    chosen, notes, completed = apart(lambda: _choose(cell, task, params, trial), foreign)
    task.watch.add("fit", chosen.seconds)
    task.notes.extend(notes)
    subsets = chosen.checked(cell.method.name, task.X.shape[1])
    labels = {"given": task.Y, "full": task.Y_full}
    if completed is not None:
        labels["completed"] = read_only(completed)
    ways = _ways(settings, trial)
    with task.watch("evaluate"):
        judge = Judge(task, ways, labels, settings.missing, cell.is_foreign)
        metrics = supervised.metrics_of(settings, trial)
        rows = [
            {"n_features": len(columns)} | supervised.rounded(row, settings)
            for columns in subsets
            for row in judge(columns, metrics, named=bool(settings.evaluations) and not trial)
        ]
    return Findings(rows, features=distinct(subsets))


def _ways(settings: SelectionSettings, trial: bool) -> list[Evaluation]:
    """Return how the features are judged; a trial may use a cheaper classifier."""
    ways = settings.evaluations or [
        Evaluation(classifier=settings.classifier, train_on=settings.train_on)
    ]
    if not trial:
        return ways
    cheaper = settings.tune.classifier or ways[0].classifier
    return [ways[0].model_copy(update={"classifier": cheaper})]


def _choose(
    cell: Cell, task: Task, params: Params, trial: bool
) -> tuple[ChosenFeatures, list[str], Array | None]:
    """Return the features for all sizes or the middle one, notes, and labels if completed."""
    settings, d, notes = cell.settings, task.X.shape[1], list[str]()
    assert isinstance(settings, SelectionSettings)
    given = of_dataset(settings.sizes, cell.data.name)
    selector = registry.build(cell.method.name, params, _KINDS, task.seed)
    if trial:
        sizes = [resolve(given[len(given) // 2], d)]
    else:
        sizes = selector.sizes(resolve_all(given, d), d)
    seen = task.Y_full if settings.select_on == "full" else task.Y
    selector, X, Y = treated(selector, task.X, seen, settings.missing, notes)
    if cell.is_foreign(cell.method.name):
        X, Y = own_copy(X), own_copy(Y)
    chosen, completed = choose(selector, X, Y, sizes), None
    if any(way.train_on == "completed" for way in _ways(settings, trial)):
        completed = _completed(selector, task.Y, notes)
    return chosen, notes, completed


def _completed(selector: Any, Y: Array, notes: list[str]) -> Array:
    """Return the training labels with those that a fitted selector has completed.

    A zero becomes 1 if it is more likely a hidden positive than not (``hidden_probability_``). An
    unobserved label becomes 1 if its recovered value in [-1, 1] is positive, else 0 (``Y_``).
    """
    name = type(selector).__name__
    hidden, recovered = (getattr(selector, key, None) for key in ("hidden_probability_", "Y_"))
    if hidden is not None:
        completed = np.where((Y != 1) & (hidden > 0.5), 1.0, np.nan_to_num(Y, nan=0.0))
    elif recovered is not None:
        completed = np.where(np.isnan(Y), (recovered > 0).astype(float), Y)
    else:
        notes.append(f"{name} does not complete labels: the classifier gets the given ones")
        return Y
    added = int(np.sum((completed == 1) & (Y != 1)))
    notes.append(f"the classifier gets labels that {name} has completed: {added} more positives")
    return completed
