"""The keys that selection and learning share, and the steps of one of their cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from pydantic import Field

from .. import registry
from ..metrics import METRICS
from ..splits import Holdout, Official, Split
from ..types import Array
from .cell import Cell, Frozen, Record, Row, Settings
from .experiment import Mistake
from .masking import Masked, MaskedSettings
from .preparation import Scale, Task, impute_features, load_dataset, notes_of, scale_features
from .seeds import generator, seed
from .tuning import Params, Space, Tune, n_points, search_space, tune


class SupervisedKeys(Frozen):
    """Keys that are copied from a config to its cells."""

    scale: Scale = Field(
        "none",
        description="how to scale features, fitted on the training part; unit: rows of length 1",
    )
    tune: Tune = Field(Tune(), description="how parameters are chosen inside the training part")


class SupervisedSettings(SupervisedKeys, MaskedSettings):
    """The settings of a cell of supervised learning."""

    version = 2  # the method's default is among the candidates of tuning
    split: Split


class Supervised(SupervisedKeys, Masked):
    """An experiment with a training part, whose labels may be hidden, and a test part."""

    scores = {name: metric.larger_is_better for name, metric in METRICS.items()}

    split: Split = Field(
        default_factory=Holdout, description="how rows are split into a training and a test part"
    )

    @property
    def count(self) -> int:
        """Return the number of different splits."""
        return self.split.count

    def settings(self, changes: Mapping[str, Any]) -> list[Settings]:
        """Return the settings of this config's cells, including the split."""
        return super().settings({"split": self.split.once(), **changes})

    def slice(self) -> Self:
        """Return a quick version of the experiment, also with one split and no tuning."""
        return super().slice().model_copy(update={"split": self.split.once(), "tune": Tune()})

    def mistakes(self) -> Iterator[Mistake]:
        """Yield mistakes that the types of the keys cannot show, also in splits and tuning."""
        yield from super().mistakes()
        if isinstance(self.split, Official):
            for i, choice in enumerate(self.datasets):
                if not choice.splits:
                    yield (
                        ("datasets", i),
                        f"{choice.name} has no official split: use 'split: {{kind: holdout}}'",
                    )


@dataclass(frozen=True)
class Findings:
    """The results of a method on one task; `Record` explains the fields."""

    rows: list[Row]
    info: dict[str, Any] = field(default_factory=dict)
    features: list[list[int]] = field(default_factory=list)


# a function that fits and scores a method on a task, for the cell itself or for tuning
Course = Callable[[Cell, Task, Params, bool], Findings]


def run(cell: Cell, kinds: Sequence[str], course: Course) -> Record:
    """Run one cell: prepare, tune inside the training part, then fit and score."""
    task = prepare(cell)
    params, tuned = cell.params, None
    if cell.tuned_by:
        task.notes.append(
            "parameters were tuned once per dataset, in the training part of repeat 0; that part "
            "shares rows with the test parts of other repeats"
        )
    space = search_space(cell, kinds)
    if supervised(cell).tune.strategy != "none" and cell.tuned_by is None and space:
        with task.watch("tune"):
            tuned = _tune(cell, task, space, kinds, course)
        params = params | tuned["chosen"]
    found = Findings([]) if cell.stage == "tune" else course(cell, task, params, False)
    return Record(
        rows=found.rows,
        info=found.info,
        features=found.features,
        n_features=task.X.shape[1],
        tuned=tuned,
        notes=sorted(set(task.notes)),
        seconds=task.watch.seconds,
    )


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
    return Task(X, Y, X_test, data.Y[test], seed(cell, "method"), notes)


def _tune(
    cell: Cell, task: Task, space: Space, kinds: Sequence[str], course: Course
) -> dict[str, Any]:
    settings = supervised(cell).tune
    tried, total = settings.tried(n_points(space)), n_points(space)
    if tried < total:
        how = "drawn at random, and around the best" if settings.refine else "drawn at random"
        task.notes.append(
            f"{cell.method.name}: tuning tried at most {tried} of the {total} points of its grid, "
            f"{how}"
        )

    if settings.classifier is not None:
        task.notes.append(f"selectors were tuned with {settings.classifier.name} as classifier")

    def trial(params: Params, fit: Array, score: Array) -> float:
        found = course(cell, task.fold(fit, score), cell.method.params | params, True)
        return float(found.rows[0][settings.metric])

    own = registry.method(cell.method.name, kinds)().get_params()
    default = {name: own[name] for name in space}
    return tune(trial, space, default, settings, task.X.shape[0], generator(cell, "tune"))
