"""Judge selected features by classifiers: which one, on which labels, and how it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field

from ...methods import registry
from ...metrics import Metric, evaluate
from ...types import Array
from ..cell import Frozen, Method, Row
from ..experiment.base import Mistake
from ..experiment.method_choice import setting
from .apart import apart
from .missing import Missing, cannot, treated
from .preparation import Task
from .returned import check_scores
from .untouched import own_copy

CLASSIFIERS = ("classifier", "learner")
TrainOn = Literal["given", "completed", "full"]
TRAIN_ON = (
    "the labels that the classifier is trained on: those of the training part after the mask; "
    "those that the selector has completed, if it does; or all of them, as if nothing were hidden"
)


class Evaluation(Frozen):
    """One way to judge selected features: ``{classifier: mlknn, train_on: full}``.

    Its rows have the columns ``classifier`` and ``train_on``.
    """

    classifier: Method = Field(description="the classifier that is trained on the features")
    train_on: TrainOn = Field("given", description=TRAIN_ON)
    missing: Missing | None = Field(
        None,
        description="how the classifier's unknown training labels are treated; by default as the "
        "selector's",
    )
    label: str | None = Field(None, min_length=1, description="the classifier's name in tables")

    def __hash__(self) -> int:  # parameters may be lists
        return hash((self.name, self.train_on, self.missing))

    @property
    def name(self) -> str:
        """The classifier's name in tables, with its parameters."""
        if self.label:
            return self.label
        given = ", ".join(setting(name, value) for name, value in self.classifier.params.items())
        return f"{self.classifier.name}({given})" if given else self.classifier.name

    @property
    def given(self) -> TrainOn:
        """What it is trained on if nothing is hidden: full labels are the given ones."""
        return "given" if self.train_on == "full" else self.train_on

    @property
    def row(self) -> dict[str, str]:
        """The columns that its rows have."""
        return {"classifier": self.name, "train_on": self.train_on}


def evaluation_mistakes(settings: Any) -> Iterator[Mistake]:
    """Yield mistakes in the keys that say how selected features are judged."""
    ways: Sequence[Evaluation] = settings.evaluations
    for key in ("classifier", "train_on"):
        if ways and getattr(settings, key) != type(settings).model_fields[key].default:
            yield (key,), f"'evaluations' say which classifiers are trained: leave out '{key}'"
    for i, way in enumerate(ways):
        if any(way.row == other.row for other in ways[:i]):
            text = f"two evaluations are '{way.name}', {way.train_on}: give one a 'label'"
            yield ("evaluations", i), text
        if not registry.kinds_of(way.classifier.name):
            continue  # the error in its name is told elsewhere
        for text in cannot(way.classifier.name, CLASSIFIERS, way.missing):
            yield ("evaluations", i, "missing"), text
    completed = [way for way in ways if way.train_on == "completed"]
    if settings.missing == "complete" and (completed or settings.train_on == "completed"):
        text = "a selector that sees only complete rows has nothing to complete: change 'missing'"
        yield ("train_on",), text


class Judge:
    """Train classifiers on some features, and score them on the test part.

    Parameters
    ----------
    task : Task
        Features of both parts, and the test labels.
    ways : sequence of Evaluation
        The classifiers, and what each is trained on.
    labels : mapping
        The training labels for each ``train_on``.
    missing : {"zero", "available", "complete"} or None
        How unknown labels are treated where an evaluation does not say it.
    is_foreign : callable
        Tells of the name of a classifier whether it is not part of mlfs.
    """

    def __init__(
        self,
        task: Task,
        ways: Sequence[Evaluation],
        labels: Mapping[str, Array],
        missing: Missing | None,
        is_foreign: Callable[[str], bool],
    ):
        self.task, self.ways, self.labels, self.missing = task, ways, labels, missing
        self.is_foreign = is_foreign

    def __call__(self, columns: Array, metrics: list[str | Metric], named: bool) -> Iterator[Row]:
        """Yield a row of metrics for each evaluation of some features.

        Without a mask the full labels are the given ones, so a named row is told for both.
        """
        for group in self._alike():
            for way, (scores, predicted) in zip(group, self._scored(group, columns)):
                values: Row = dict(evaluate(self.task.Y_test, scores, predicted, metrics))
                if not named:
                    yield values
                    continue
                yield way.row | values
                if way.train_on == "given" and not self.task.hidden:
                    yield way.row | {"train_on": "full"} | values

    def _alike(self) -> list[list[Evaluation]]:
        """Group evaluations that one fit can serve: the same classifier, label by label."""
        groups: list[list[Evaluation]] = []
        for way in self.ways:
            for group in groups:
                if self._shares(way) and self._fit(way) == self._fit(group[0]):
                    group.append(way)
                    break
            else:
                groups.append([way])
        return groups

    def _shares(self, way: Evaluation) -> bool:
        if self.is_foreign(way.classifier.name):  # this process does not even import it
            return False
        cls = registry.method(way.classifier.name, CLASSIFIERS)
        return bool(cls.shares_work) and self._missing(way) in (None, "zero")

    def _fit(self, way: Evaluation) -> tuple[Method, Missing | None]:
        return way.classifier, self._missing(way)

    def _missing(self, way: Evaluation) -> Missing | None:
        return self.missing if way.missing is None else way.missing

    def _scored(self, group: list[Evaluation], columns: Array) -> Iterator[tuple[Array, Array]]:
        """Fit a classifier once to the labels of all evaluations, and yield scores for each."""
        name = group[0].classifier.name
        scores, predicted, notes = apart(
            lambda: self._predict(group, columns), self.is_foreign(name)
        )
        self.task.notes.extend(notes)
        n, width = self.task.Y_test.shape
        check_scores(name, scores, predicted, (n, width * len(group)))
        for i in range(len(group)):
            part = np.s_[:, i * width : (i + 1) * width]
            yield scores[part], predicted[part]

    def _predict(self, group: list[Evaluation], columns: Array) -> tuple[Array, Array, list[str]]:
        """Return the scores of the test part, the predicted labels, and notes."""
        task, choice, notes = self.task, group[0].classifier, list[str]()
        classifier = registry.build(choice.name, choice.params, CLASSIFIERS, seed=0)
        if not classifier.order_matters:  # otherwise the features are in the order of selection
            columns = np.sort(columns)
        each = [self.labels[way.train_on] for way in group]
        X, Y = task.X[:, columns], each[0] if len(each) == 1 else np.hstack(each)
        classifier, X, Y = treated(classifier, X, Y, self._missing(group[0]), notes)
        classifier.fit(X, own_copy(Y) if self.is_foreign(choice.name) else Y)
        scores = classifier.decision_function(task.X_test[:, columns])
        return scores, classifier.predict_from_scores(scores), notes
