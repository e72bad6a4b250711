"""What every feature selector offers: ``fit``, ``ranking_``, ``scores_`` and tags."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..information import DISCRETISERS
from ..params import COUNT, SHARE, Seed, count_within
from ..tags import Tags, check_features
from ..targets import check_target
from ..types import Array, Matrix

# of the two parameters that methods on discretised features share
DISCRETISATION: dict[str, list[Any]] = {
    "discretise": [StrOptions(set(DISCRETISERS))],
    "bins": [Interval(Integral, 2, None, closed="left")],
}


class Ranker(SelectorMixin, BaseEstimator):
    """Base of all selectors: a subclass writes ``_rank`` and its ``tags``.

    It also says in ``_parameter_constraints``, as scikit-learn does, which values each of its
    parameters may have; ``fit`` refuses others.

    Every subclass takes `n_features_to_select` (a count, a share of the features, or None for
    half of them) as its last parameter; it only matters for ``transform``, since the ranking
    is always complete.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Feature indices, best first; ties go to the lowest index.
    scores_ : ndarray of shape (n_features,)
        Larger is better. Absent from methods that give an order only.
    hidden_probability_ : ndarray of shape (n_instances, n_labels)
        Probability that a zero of Y is a hidden positive. Only methods that judge hidden labels
        have it.
    """

    tags: ClassVar[Tags]
    uses_labels: ClassVar[bool] = True  # False: an unsupervised method, fitted by X alone
    version: ClassVar[int] = 1  # raise it when results change: stored cells are then run anew
    n_features_to_select: int | float | None
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [COUNT, SHARE, None]
    }

    @classmethod
    def n_output(cls, d: int) -> int | None:
        """How many of d features the method keeps by itself; None where it does not decide."""
        return None

    def sizes(self, asked: list[int], d: int) -> list[int]:
        """Sizes at which to evaluate the method on d features when `asked` are wanted."""
        return asked

    def fit(self, X: Matrix, Y: Array | None = None) -> Self:
        """Rank the features of X for the labels Y (1, 0, or nan where unobserved).

        A one-dimensional Y with more than two classes is one label for each of them.
        Only a method that does not use labels may be fitted without Y.
        """
        given = self._rank(*self._check_inputs(X, Y))
        if np.issubdtype(given.dtype, np.integer):
            self.ranking_ = given
        else:
            self.scores_ = given
            self.ranking_ = np.argsort(-given, kind="stable")
        return self

    def subsets(self, X: Matrix, Y: Array | None, sizes: Sequence[int]) -> list[Array]:
        """Fit, and give the features to keep for every size: the top of one ranking.

        A method that chooses another set for every size overrides this.
        """
        self.fit(X, Y)
        return [self.ranking_[:size] for size in sizes]

    def _check_inputs(self, X: Matrix, Y: Array | None) -> tuple[Matrix, Array]:
        """X and Y as `_rank` wants them; Y has no column where an unsupervised method got none."""
        self._validate_params()
        X = check_features(self, X)
        if Y is None and not self.uses_labels:
            return X, np.empty((X.shape[0], 0))
        return X, check_target(self, Y, X.shape[0]).Y

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
        kept = self._n_to_select()
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.ranking_[:kept]] = True
        return mask

    def _n_to_select(self) -> int:
        """How many features ``transform`` keeps."""
        d = self.n_features_in_
        asked = self.n_features_to_select
        if asked is None:
            return max(1, d // 2)
        return count_within(asked, d, "n_features_to_select")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = self.uses_labels
        tags.target_tags.multi_output = True
        return tags


def draw_rows(n: int, at_most: int, random_state: Seed) -> Array:
    """Indices of the instances a method quadratic in n works on: all, or a sorted draw."""
    if n <= at_most:
        return np.arange(n)
    return np.sort(check_random_state(random_state).choice(n, at_most, replace=False))
