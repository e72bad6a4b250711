"""Choose features of the user's own data, and say how sure the choice is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..datasets.user.own_table import OwnTable
from ..errors import UserError
from ..methods.labels import observed
from ..numerics.linalg import dense
from ..protocols.steps.missing import treated
from ..protocols.steps.preparation import Scale, scale_features
from ..stats import StabilityResult, jaccard, stability
from ..types import Array, Matrix
from .asked import SEED, make, one_sentence, usual_way

N_SUBSAMPLES = 50
_KINDS = ("selector",)
_FEWEST = 4  # rows, so that half of them are two


@dataclass(frozen=True)
class ChosenFeature:
    """Hold one feature that a method has chosen.

    Parameters
    ----------
    rank : int
        Its place, from 1.
    name : str
        Its name.
    column : int
        Its place among the features of the file, from 0.
    score : float or None
        The method's score, larger is better; None if the method only orders the features.
    share : float
        The share of the subsamples in which it is among the first n.
    """

    rank: int
    name: str
    column: int
    score: float | None
    share: float


@dataclass(frozen=True)
class Selection:
    """Hold the features that a method has chosen.

    Parameters
    ----------
    method : str
        Name of the method.
    features : list of ChosenFeature
        The chosen features, best first.
    stability : StabilityResult
        How similar the choices in the subsamples are.
    notes : list of str
        What a user should know.
    """

    method: str
    features: list[ChosenFeature]
    stability: StabilityResult
    notes: list[str] = field(default_factory=list)

    @property
    def columns(self) -> list[int]:
        """The places of the chosen features in the file, best first."""
        return [feature.column for feature in self.features]


def select(
    table: OwnTable,
    method: str,
    n: int,
    *,
    subsamples: int = N_SUBSAMPLES,
    scale: Scale = "standard",
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> Selection:
    """Choose the best features of a table, and choose again in halves of its rows.

    Parameters
    ----------
    table : OwnTable
        The data.
    method : str
        Name of a selector, or ``module:Class``.
    n : int
        Number of features to choose.
    subsamples : int, default=50
        Number of random halves of the rows.
    scale : {"none", "standard", "minmax", "unit"}, default="standard"
        How the features are scaled first; on each subsample anew.
    progress : callable
        Wraps the subsamples to show the progress.

    Returns
    -------
    Selection
        The chosen features, and how sure they are.
    """
    rows, d = table.X.shape
    make(method, _KINDS)  # raises if there is none
    if not 1 <= n <= d:
        raise UserError(f"{n} features asked for, but there are {d}: ask for 1 to {d}")
    if rows < _FEWEST:
        raise UserError(f"{table.own.path} has {rows} rows, too few for subsamples: add more")
    if not observed(table.Y).any():
        raise UserError(f"{table.label_place} has no known label: fill in some of them first")
    notes: list[str] = []
    best, scores = _chosen(method, table.X, table.Y, n, scale, notes)
    rng = np.random.default_rng(SEED)
    halves = []
    for _ in progress(range(subsamples)):
        some = np.sort(rng.choice(rows, rows // 2, replace=False))
        halves.append(_chosen(method, table.X[some], table.Y[some], n, scale, [])[0].tolist())
    shares = np.bincount(np.concatenate(halves), minlength=d) / subsamples
    features = [
        ChosenFeature(
            rank=i + 1,
            name=table.feature_names[j],
            column=int(j),
            score=None if scores is None else float(scores[j]),
            share=float(shares[j]),
        )
        for i, j in enumerate(best)
    ]
    return Selection(method, features, stability(halves, d), list(dict.fromkeys(notes)))


def _chosen(
    method: str, X: Matrix, Y: Array, n: int, scale: Scale, notes: list[str]
) -> tuple[Array, Array | None]:
    """Return the first n features by a method, and the scores of all features if it has any."""
    selector = make(method, _KINDS)
    X, _ = scale_features(scale, X, X[:1])
    with one_sentence(method):
        selector, X, Y = treated(selector, X, Y, usual_way(selector), notes)
        [best] = selector.subsets(X, Y, [n])
    return np.asarray(best), getattr(selector, "scores_", None)


def reduced(table: OwnTable, selection: Selection) -> pd.DataFrame:
    """Return the table with the chosen features only, and with its ids and labels if it has any.

    Labels of a separate file stay there.

    Parameters
    ----------
    table : OwnTable
        The data.
    selection : Selection
        The chosen features; the columns are in the order of the file.

    Returns
    -------
    DataFrame
        Values as the file has them: what is missing stays missing.
    """
    kept = sorted(selection.columns)
    frame = pd.DataFrame(
        dense(table.given[:, kept]), columns=[table.feature_names[j] for j in kept]
    )
    if table.ids is not None:
        frame.insert(0, str(table.own.id), table.ids)
    if table.own.label_file is None:
        labels = pd.DataFrame(table.Y, columns=table.label_names).astype("Int64")
        frame = pd.concat([frame, labels], axis=1)
    return frame


def agreement(selections: Sequence[Selection]) -> list[dict[str, Any]]:
    """Say how much the choices of methods agree.

    Parameters
    ----------
    selections : sequence of Selection
        The choices.

    Returns
    -------
    list of dict
        For each pair of methods: `first`, `second`, the number of `common` features, and the
        `jaccard` index.
    """
    return [
        {
            "first": a.method,
            "second": b.method,
            "common": len(set(a.columns) & set(b.columns)),
            "jaccard": jaccard(a.columns, b.columns),
        }
        for a, b in combinations(selections, 2)
    ]
