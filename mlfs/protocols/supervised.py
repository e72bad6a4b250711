"""The keys that selection and learning share, and the steps of one of their cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    field_validator,
    model_serializer,
)

from ..errors import KeyPath, count_of, nearest
from ..methods import registry
from ..methods.docstrings import Size
from ..methods.labels import hidden_shares
from ..metrics import METRICS, Metric
from ..types import Array
from .cell import Cell, Fits, Frozen, Record, Row, Settings
from .experiment.base import Mistake
from .experiment.dataset_choice import DatasetChoice
from .experiment.masked import Masked, MaskedSettings
from .experiment.method_choice import MethodChoice
from .experiment.splits import Holdout, Official, Split
from .steps.apart import apart
from .steps.missing import Missing, cannot
from .steps.preparation import Scale, Task, impute_features, load_dataset, notes_of, scale_features
from .steps.seeds import generator, seed
from .steps.tuning import Params, Space, Tune, is_tuned, n_points, search_space, tune

_SPLIT: TypeAdapter[Split] = TypeAdapter(Split)
_POINTS = 16  # of a grid that is not known without importing its method


class SupervisedKeys(Frozen):
    """Keys that are copied from a config to its cells."""

    scale: Scale = Field(
        "none",
        description="how to scale features, fitted on the training part; unit: rows of length 1",
    )
    tune: Tune = Field(Tune(), description="how parameters are chosen inside the training part")
    missing: Missing | None = Field(
        None,
        description="how unknown training labels are treated: as 0; available: each label on the "
        "rows where it is known; complete: only rows that are known completely. By default methods "
        "that accept unknown labels get them, and for the others they become 0",
    )

    only_metrics: list[str] = Field(
        [],
        description="compute and store only these metrics, with six decimals, so that thousands of "
        "cells stay small; by default all metrics, with all digits",
    )

    @field_validator("only_metrics")
    @classmethod
    def _known_metrics(cls, names: list[str]) -> list[str]:
        for name in names:
            if name not in METRICS:
                offered = ", ".join(METRICS)
                text = f"unknown metric '{name}'{nearest(name, METRICS)} (known: {offered})"
                raise ValueError(text)
        return names


class SupervisedSettings(SupervisedKeys, MaskedSettings):
    """The settings of a cell of supervised learning."""

    version = 2  # the method's default is among the candidates of tuning
    # keys that are left out of a cell where they have their defaults, so that older cells keep
    # their keys
    later: ClassVar[tuple[str, ...]] = ("missing", "only_metrics", "own_metrics")
    split: Split
    own_metrics: list[str] = []  # metrics of the config that are not part of mlfs

    @model_serializer(mode="wrap")
    def _without_defaults(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = handler(self)
        for name in self.later:
            if getattr(self, name) == type(self).model_fields[name].default:
                del content[name]
        return content

    def fits(self, cell: Cell, size: Size) -> Iterator[Fits]:
        """Yield the fits that a cell makes: those of tuning, on parts of the rows, and its own."""
        part = size.times("n", self.split.share)
        tune = self.tune
        # a method without parameters to tune is fitted once
        if tune.strategy != "none" and cell.tuned_by is None and is_tuned(cell, registry.KINDS):
            points = tune.most_candidates or (n_points(cell.search) if cell.search else _POINTS)
            rows = min(part.n, tune.rows or part.n) * (1 - 1 / tune.folds)
            for fit in self.one_fit(cell, replace(part, n=rows), trial=True):
                yield fit._replace(times=points * tune.folds * fit.times)
        if cell.stage == "whole":
            yield from self.one_fit(cell, part, trial=False)

    def one_fit(self, cell: Cell, size: Size, trial: bool) -> Iterator[Fits]:
        """Yield what one fit of a cell's method needs, in a trial or for the scores."""
        yield Fits(cell.method.name, size)


class Supervised(SupervisedKeys, Masked):
    """An experiment with a training part, whose labels may be hidden, and a test part."""

    scores = {name: metric.larger_is_better for name, metric in METRICS.items()}
    own_metrics_fit = True

    split: Split = Field(
        default_factory=Holdout, description="how rows are split into a training and a test part"
    )

    @property
    def offered(self) -> set[str]:
        """Return the metrics that cells with these settings have."""
        return {*self.only_metrics, *self.own_metrics} if self.only_metrics else super().offered

    @property
    def count(self) -> int:
        """Return the number of different splits."""
        return self.split.count

    def settings(self, changes: Mapping[str, Any]) -> list[Settings]:
        """Return the settings of this config's cells, including the split.

        Another split among the changes has as many repeats as the config's.
        """
        split = self.split
        if "split" in changes:
            split = _SPLIT.validate_python(changes["split"])
            limited = split.count > split.repeats or "repeats" in split.model_fields_set
            if limited and split.count < self.count:
                raise ValueError(
                    f"this split has {split.count} parts for {self.count} repeats of the config: "
                    "use more parts or fewer repeats"
                )
        own = {"own_metrics": self.own_metrics}
        return super().settings({**changes, **own, "split": split.once()})

    def versions(self, name: str, settings: Any) -> dict[str, int | str]:
        """Return the versions that results depend on, also those of the user's own metrics."""
        own = {one: registry.foreign_version(one) for one in settings.own_metrics}
        return super().versions(name, settings) | own

    def quick_version(self) -> Self:
        """Return a quick version of the experiment, also with one split and no tuning."""
        less = super().quick_version()
        changes = {
            "split": self.split.once(),
            "tune": Tune(),
            "methods": [choice.untuned() for choice in less.methods],
        }
        return less.model_copy(update=changes)

    def mistakes(self) -> Iterator[Mistake]:
        """Yield mistakes that the types of the keys cannot show, also in splits and tuning."""
        yield from super().mistakes()
        if isinstance(self.split, Official):
            for i, choice in enumerate(self.datasets):
                yield from ((("datasets", i), text) for text in _no_official_split(choice))

    def _method_mistakes(self) -> Iterator[Mistake]:
        wrong = list(super()._method_mistakes())
        yield from wrong
        for i, choice in enumerate(self.methods if not wrong else ()):
            missing = choice.settings.get("missing", self.missing)
            own: KeyPath = ("settings", "missing") if "missing" in choice.settings else ()
            for text in cannot(choice.name, self.kinds, missing):
                yield ("methods", i, *own), text

    def _setting_mistakes(self, settings: Any) -> Iterator[Mistake]:
        for name in settings.tune.names:
            yield from ((("tune", "per", name), text) for text in self._no_dataset(name))
        if isinstance(settings.split, Official) and settings.split != self.split.once():
            for choice in self.datasets:
                yield from ((("split",), text) for text in _no_official_split(choice))

    def _start_mistakes(self, choice: MethodChoice, place: KeyPath) -> Iterator[Mistake]:
        if not choice.starts or registry.was_checked():
            return
        try:
            tune: Tune = self.settings(choice.settings)[0].tune  # type: ignore[attr-defined]
        except ValueError:  # a mistake in the settings, which is told elsewhere
            return
        if tune.strategy == "none":
            yield place, "'starts' are points for tuning: add a 'tune' with a strategy"
        elif tune.most_candidates is not None and len(choice.starts) >= tune.most_candidates:
            yield (
                place,
                f"a budget of {tune.most_candidates} has no room for the default and "
                f"{len(choice.starts)} starts: raise 'budget'",
            )
        grid = choice.search or registry.method(choice.name, self.kinds).tags.search_space
        for i, start in enumerate(choice.starts):
            for parameter, value in start.items():
                here: KeyPath = (*place, i, parameter)
                wrong = list(choice.wrong(parameter, value, self.kinds))
                yield from ((here, text) for text in wrong)
                if wrong:
                    continue
                if parameter in choice.params:
                    yield here, f"'{parameter}' has one value in this column: leave it out here"
                elif parameter not in grid:
                    tuned = ", ".join(grid) or "none"
                    yield here, f"'{parameter}' is not tuned (tuned: {tuned}): add it to 'search'"


def _no_official_split(choice: DatasetChoice) -> Iterator[str]:
    """Yield a sentence if a dataset has no official split."""
    if not choice.splits:
        yield f"{choice.name} has no official split: use 'split: {{kind: holdout}}'"


@dataclass(frozen=True)
class Findings:
    """The results of a method on one task; `Record` explains the fields."""

    rows: list[Row]
    info: dict[str, Any] = field(default_factory=dict)
    features: list[list[int]] = field(default_factory=list)


# a function that fits and scores a method on a task, for the cell itself or for tuning
FitAndScore = Callable[[Cell, Task, Params, bool], Findings]


def run(cell: Cell, kinds: Sequence[str], fit_and_score: FitAndScore) -> Record:
    """Run one cell: prepare, tune inside the training part, then fit and score."""
    task = prepare(cell)
    params, tuned = cell.params, None
    if cell.tuned_by:
        task.notes.append(
            "parameters were tuned once per dataset, in the training part of repeat 0; that part "
            "shares rows with the test parts of other repeats"
        )
    space: Space = {}
    if supervised(cell).tune.strategy != "none" and cell.tuned_by is None:
        space = apart(lambda: search_space(cell, kinds), cell.is_foreign(cell.method.name))
    if space:
        with task.watch("tune"):
            tuned = _tune(cell, task, space, kinds, fit_and_score)
        params = params | tuned["chosen"]
    findings = Findings([]) if cell.stage == "tune" else fit_and_score(cell, task, params, False)
    return Record(
        rows=findings.rows,
        info=findings.info | ({"hidden": task.hidden} if task.hidden else {}) | _unknown(task),
        features=findings.features,
        n_features=task.X.shape[1],
        tuned=tuned,
        notes=sorted(set(task.notes)),
        seconds=task.watch.seconds,
    )


def _unknown(task: Task) -> dict[str, float]:
    """Return the share of the test labels that are not known, if there are such."""
    share = float(np.isnan(task.Y_test).mean())
    return {"unknown": share} if share else {}


def metrics_of(settings: SupervisedSettings, trial: bool) -> list[str | Metric]:
    """Return the metrics that a cell computes; a trial needs only that of tuning."""
    if trial:
        return [settings.tune.metric]
    own = [registry.metric(name) for name in settings.own_metrics]
    return [*(settings.only_metrics or METRICS), *own]


def rounded(row: Row, settings: SupervisedSettings) -> Row:
    """Return a row as it is stored."""
    if not settings.only_metrics:
        return row
    return {name: round(x, 6) if isinstance(x, float) else x for name, x in row.items()}


def supervised(cell: Cell) -> SupervisedSettings:
    """Return the cell's settings, checked to be those of supervised learning."""
    assert isinstance(cell.settings, SupervisedSettings)
    return cell.settings


def prepare(cell: Cell) -> Task:
    """Load, split, mask and scale a cell's data."""
    settings = supervised(cell)
    data = load_dataset(cell.data)
    train, test = settings.split.indices(
        data, cell.repeat, lambda turn: generator(cell, "split", repeat=turn)
    )
    Y = settings.mask(data.Y[train], generator(cell, "mask"))
    notes = notes_of(cell.data, data)
    X, X_test = impute_features(cell.data, data.X[train], data.X[test], notes)
    X, X_test = scale_features(settings.scale, X, X_test)
    hidden = hidden_shares(data.Y[train], Y) if settings.ratio else {}
    full = np.asarray(data.Y[train], dtype=float)
    return Task(X, Y, X_test, data.Y[test], seed(cell, "method"), full, notes, hidden=hidden)


def _tune(
    cell: Cell, task: Task, space: Space, kinds: Sequence[str], fit_and_score: FitAndScore
) -> dict[str, Any]:
    settings = supervised(cell).tune
    tried, total = settings.tried(n_points(space)), n_points(space)
    if tried < total:
        how = "drawn at random, and around the best" if settings.refine else "drawn at random"
        task.notes.append(
            f"{cell.method.name}: tuning tried at most {tried} of the {total} points of its grid, "
            f"{how}"
        )

    starts = _distinct({k: v for k, v in start.items() if k in space} for start in cell.starts)
    if starts:
        points = count_of(len(starts), "given point")
        task.notes.append(f"{cell.method.name}: tuning tried {points} first")
    if settings.classifier is not None:
        task.notes.append(f"selectors were tuned with {settings.classifier.name} as classifier")

    def trial(params: Params, fit: Array, score: Array) -> float:
        fold = task.fold(fit, score, settings.on_known)
        findings = fit_and_score(cell, fold, cell.method.params | params, True)
        return float(findings.rows[0][settings.metric])

    foreign = cell.is_foreign(cell.method.name)
    default = apart(lambda: _defaults(cell.method.name, space, kinds), foreign)
    return tune(
        trial,
        space,
        default,
        settings,
        task.X.shape[0],
        generator(cell, "tune"),
        starts=[default | start for start in starts],
    )


def _defaults(name: str, space: Space, kinds: Sequence[str]) -> Params:
    """Return a method's own values of the parameters of a search space."""
    own = registry.method(name, kinds)().get_params()
    return {parameter: own[parameter] for parameter in space}


def _distinct(points: Iterable[Params]) -> list[Params]:
    """Return the points that are not empty, each once."""
    distinct: list[Params] = []
    for point in points:
        if point and point not in distinct:
            distinct.append(point)
    return distinct
