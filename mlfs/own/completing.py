"""Fill in the unknown labels of the user's own data, and say how good the answers are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from .. import metrics
from ..datasets.user.own_table import OwnTable
from ..errors import UserError
from ..methods.calibration import N_FOLDS, held_out_scores
from ..methods.labels import observed
from ..protocols.steps.missing import treated
from ..protocols.steps.preparation import Scale, scale_features
from ..types import Array
from .asked import SEED, make, one_sentence, usual_way
from .output import labels_as_text

_KINDS = ("learner", "classifier")
_ASKED = 10  # labels that a person is asked about


@dataclass(frozen=True)
class Quality:
    """Hold how good probabilities of labels are.

    Parameters
    ----------
    micro_auc, macro_auc : float
        Area under the ROC curve: of all labels together, and the mean over labels.
    micro_f1, macro_f1 : float
        F1 of the labels whose probability is at least the threshold.
    brier_score : float
        Mean squared difference of probability and label.
    calibration_error : float
        Expected calibration error.
    """

    micro_auc: float
    macro_auc: float
    micro_f1: float
    macro_f1: float
    brier_score: float
    calibration_error: float


def quality(Y: Array, P: Array, threshold: float) -> Quality:
    """Compare probabilities with the labels that are known.

    Parameters
    ----------
    Y : ndarray of shape (n, l)
        True labels: 1, 0, or nan where unknown.
    P : ndarray of shape (n, l)
        Probabilities.
    threshold : float
        A label is predicted if its probability is at least this.

    Returns
    -------
    Quality
        The scores; nan where one is not defined.
    """
    predicted = np.greater_equal(P, threshold).astype(float)
    return Quality(
        micro_auc=metrics.micro_auc(Y, P),
        macro_auc=metrics.macro_auc(Y, P),
        micro_f1=metrics.micro_f1(Y, predicted),
        macro_f1=metrics.macro_f1(Y, predicted),
        brier_score=metrics.brier_score(Y, P),
        calibration_error=metrics.expected_calibration_error(Y, P),
    )


@dataclass(frozen=True)
class LabelQuality:
    """Hold how many values of a label are known, and how well it is predicted."""

    name: str
    known: int
    unknown: int
    auc: float
    f1: float


@dataclass(frozen=True)
class Question:
    """Hold an unknown label that a person should be asked about."""

    row: str | int
    label: str
    probability: float


@dataclass(frozen=True)
class Completion:
    """Hold filled-in labels.

    Parameters
    ----------
    method : str
        Name of the method.
    threshold : float
        An unknown label becomes 1 if its probability is at least this.
    folds : int
        Number of folds of the known labels.
    probabilities : ndarray of shape (n, l)
        The known labels, and probabilities of the unknown ones.
    labels : ndarray of shape (n, l)
        The known labels, and 1 or 0 for the unknown ones.
    estimated : Quality
        The quality of probabilities of known labels, each by a model that did not see it.
    by_label : list of LabelQuality
        The same for each label.
    questions : list of Question
        The unknown labels of which the probability is nearest to 1/2, the nearest first.
    notes : list of str
        What a user should know.
    """

    method: str
    threshold: float
    folds: int
    probabilities: Array
    labels: Array
    estimated: Quality
    by_label: list[LabelQuality]
    questions: list[Question]
    notes: list[str] = field(default_factory=list)


def complete(
    table: OwnTable,
    method: str,
    *,
    threshold: float = 0.5,
    folds: int = N_FOLDS,
    scale: Scale = "standard",
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> Completion:
    """Fill in the unknown labels of a table; known ones are never changed.

    Parameters
    ----------
    table : OwnTable
        The data.
    method : str
        Name of a learner or classifier, or ``module:Class``.
    threshold : float, default=0.5
        An unknown label becomes 1 if its probability is at least this.
    folds : int, default=10
        Number of folds of the known labels: each is predicted by a model that did not see it.
    scale : {"none", "standard", "minmax", "unit"}, default="standard"
        How the features are scaled first.
    progress : callable
        Wraps the folds to show the progress.

    Returns
    -------
    Completion
        Labels, probabilities, and how good they are.
    """
    Y, known = table.Y, observed(table.Y)
    model = make(method, _KINDS)
    notes = _check(table, folds)
    X, _ = scale_features(scale, table.X, table.X[:1])
    with one_sentence(method):
        model, _, _ = treated(model, X, Y, usual_way(model), notes)
        held = held_out_scores(model, X, Y, folds=folds, random_state=SEED, progress=progress)
        if not np.isfinite(held.scores).all():
            raise UserError(f"'{method}' gave scores that are not finite: try another method")
    P = held.probabilities(Y)
    predicted = np.greater_equal(P, threshold).astype(float)
    aucs, f1s = metrics.auc_by_label(Y, P), metrics.f1_by_label(Y, predicted)
    return Completion(
        method=method,
        threshold=threshold,
        folds=folds,
        probabilities=np.where(known, Y, P),
        labels=np.where(known, Y, predicted),
        estimated=quality(Y, P, threshold),
        by_label=[
            LabelQuality(name, int(count), len(Y) - int(count), float(auc), float(f1))
            for name, count, auc, f1 in zip(table.label_names, known.sum(axis=0), aucs, f1s)
        ],
        questions=_questions(table, np.where(known, np.nan, P)),
        notes=notes,
    )


def _check(table: OwnTable, folds: int) -> list[str]:
    """Refuse labels from which nothing can be learnt; return notes on others."""
    known, place = observed(table.Y), table.label_place
    if not known.any():
        raise UserError(f"{place} has no known label: fill in some of them first")
    if known.all():
        raise UserError(f"{place} has no unknown label: nothing is left to fill in")
    notes = []
    if len(np.unique(table.Y[known])) == 1:
        value = "1: if empty fields mean 0, write 0 there" if table.Y[known][0] else "0: add ones"
        raise UserError(f"every known label of {place} is {value}")
    for j, name in enumerate(table.label_names):
        values = table.Y[known[:, j], j]
        if not len(values):
            raise UserError(
                f"label '{name}' of {place} has no known value: fill in some, or remove the column"
            )
        if len(np.unique(values)) == 1:
            notes.append(
                f"every known value of label '{name}' is {values[0]:.0f}: its probabilities say "
                "little"
            )
    if known.sum() < folds:
        raise UserError(
            f"{place} has {known.sum()} known labels for {folds} folds: fill in more, or use fewer "
            "--folds"
        )
    return notes


def _questions(table: OwnTable, P: Array) -> list[Question]:
    """Return the unknown labels with probabilities nearest to 1/2; P is nan elsewhere."""
    doubt = np.abs(P.ravel() - 0.5)
    nearest = np.argsort(doubt, kind="stable")[: min(_ASKED, int(np.isfinite(doubt).sum()))]
    places = [divmod(int(i), P.shape[1]) for i in nearest]
    return [Question(table.row_name(i), table.label_names[j], float(P[i, j])) for i, j in places]


def completed_table(table: OwnTable, completion: Completion, probabilities: bool) -> pd.DataFrame:
    """Return the labels as a table, with the ids of the rows if there are any.

    Parameters
    ----------
    table : OwnTable
        The data.
    completion : Completion
        The filled-in labels.
    probabilities : bool
        Whether unknown labels are given as probabilities instead of 1 and 0.

    Returns
    -------
    DataFrame
        One row for each row of the data, one column for each label.
    """
    values = completion.probabilities if probabilities else completion.labels
    frame = pd.DataFrame(labels_as_text(values), columns=table.label_names)
    if table.ids is not None:
        frame.insert(0, str(table.own.id), table.ids)
    return frame
