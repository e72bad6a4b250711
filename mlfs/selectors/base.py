"""What every feature selector offers: ``fit``, ``ranking_``, ``scores_`` and tags."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..labels import check_labels
from ..tags import Tags, check_features
from ..types import Array, Matrix

__all__ = ["Ranker", "Tags", "as_count"]


def as_count(asked: int | float, total: int, name: str) -> int:
    """Turn a count, or (a float) a share of `total` labels, into a count from 1 to `total`."""
    count = max(1, round(asked * total)) if isinstance(asked, float) and asked > 0 else int(asked)
    if not 1 <= count <= total:
        raise ValueError(f"{name} = {asked} for {total} labels: choose 1..{total}, or a share")
    return count


class Ranker(SelectorMixin, BaseEstimator):
    """Base of all selectors: a subclass writes ``_rank`` and its ``tags``.

    Every subclass takes `n_features_to_select` (a count, a share of the features, or None for
    half of them) as its last parameter; it only matters for ``transform``, since the ranking
    is always complete.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Feature indices, best first; ties go to the lowest index.
    scores_ : ndarray of shape (n_features,)
        Larger is better. Absent from methods that give an order only.
    """

    tags: ClassVar[Tags]
    version: ClassVar[int] = 1  # raise it when results change: stored cells are then run anew
    n_features_to_select: int | float | None

    def fit(self, X: Matrix, Y: Array) -> Self:
        """Rank the features of X for the labels Y (1, 0, or nan where unobserved)."""
        given = self._rank(*self._check_inputs(X, Y))
        if np.issubdtype(given.dtype, np.integer):
            self.ranking_ = given
        else:
            self.scores_ = given
            self.ranking_ = np.argsort(-given, kind="stable")
        return self

    def subsets(self, X: Matrix, Y: Array, sizes: Sequence[int]) -> list[Array]:
        """Fit, and give the features to keep for every size: the top of one ranking.

        A method that chooses another set for every size overrides this.
        """
        self.fit(X, Y)
        return [self.ranking_[:size] for size in sizes]

    def _check_inputs(self, X: Matrix, Y: Array) -> tuple[Matrix, Array]:
        X = check_features(self, X)
        tags = self.tags
        return X, check_labels(
            Y, n=X.shape[0], missing=tags.handles_missing, real=tags.real_targets
        )

    @abstractmethod
    def _rank(self, X: Matrix, Y: Array) -> Array:
        """Give a float score for every feature (larger is better), or the order as integers."""

    def _converged(self, tol: float) -> bool:
        """Whether the last step changed ``objective_`` by less than `tol`, relatively."""
        values: list[float] = self.objective_
        if len(values) < 2:
            return False
        return abs(values[-2] - values[-1]) <= tol * max(abs(values[-2]), np.finfo(float).tiny)

    def _get_support_mask(self) -> Array:
        check_is_fitted(self, "ranking_")
        d = self.n_features_in_
        asked = self.n_features_to_select
        if asked is None:
            asked = max(1, d // 2)
        elif isinstance(asked, float):
            asked = max(1, round(asked * d))
        if not 1 <= asked <= d:
            raise ValueError(f"n_features_to_select = {asked} of {d} features: choose 1..{d}")
        mask = np.zeros(d, dtype=bool)
        mask[self.ranking_[:asked]] = True
        return mask

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.tags.needs_nonnegative
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def draw_rows(n: int, at_most: int, random_state: int | np.random.RandomState | None) -> Array:
    """Indices of the instances a method quadratic in n works on: all, or a sorted draw."""
    if n <= at_most:
        return np.arange(n)
    return np.sort(check_random_state(random_state).choice(n, at_most, replace=False))
