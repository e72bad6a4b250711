"""The base class of feature selectors: ``fit``, ``ranking_``, ``scores_`` and tags."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..numerics.information import DISCRETISERS
from ..numerics.params import COUNT, SHARE, Seed, count_within
from ..numerics.sklearn_private import Interval, StrOptions, check_params
from ..types import Array, Matrix
from .tags import Tags, check_features
from .targets import check_target

# allowed values of the two parameters that methods on discretised features share
DISCRETISATION: dict[str, list[Any]] = {
    "discretise": [StrOptions(set(DISCRETISERS))],
    "bins": [Interval(Integral, 2, None, closed="left")],
}


class Ranker(SelectorMixin, BaseEstimator):
    """Rank features; the base class of all selectors.

    A subclass writes ``_rank`` and its ``tags``. It also lists in ``_parameter_constraints``, as
    scikit-learn does, which values each of its parameters may have; ``fit`` refuses others.
    Every subclass takes `n_features_to_select` as its last parameter: a count, a share of the
    features, or None for half of them. It only matters for ``transform``, since the ranking
    always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first; ties go to the lowest index.
    scores_ : ndarray of shape (n_features,)
        Larger is better. Methods that only order the features do not have it.
    hidden_probability_ : ndarray of shape (n_instances, n_labels)
        Probability that a zero of Y is a hidden positive. Only methods that estimate hidden labels
        have it.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.selectors import Ranker
    >>> from mlfs.methods.tags import Tags
    >>> class Spread(Ranker):
    ...     tags = Tags(paper="none")
    ...     def __init__(self, n_features_to_select=None):
    ...         self.n_features_to_select = n_features_to_select
    ...     def _rank(self, X, Y):
    ...         return X.std(axis=0)
    >>> X = np.array([[0.0, 0.0, 0.0], [1.0, 9.0, 5.0]])
    >>> Spread().fit(X, [[0.0], [1.0]]).ranking_
    array([1, 2, 0])
    """

    tags: ClassVar[Tags]
    uses_labels: ClassVar[bool] = True  # False for an unsupervised method, which needs only X
    version: ClassVar[int] = 1  # raise it when results change: stored cells are then run again
    n_features_to_select: int | float | None
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": [COUNT, SHARE, None]
    }

    @classmethod
    def n_output(cls, d: int) -> int | None:
        """Return how many of d features the method keeps by itself.

        Parameters
        ----------
        d : int
            Number of features in the data.

        Returns
        -------
        int or None
            The count, or None for a method that leaves the number to the user.
        """
        return None

    def sizes(self, asked: list[int], d: int) -> list[int]:
        """Return the sizes at which a protocol evaluates the method.

        Parameters
        ----------
        asked : list of int
            The sizes that the experiment asks for.
        d : int
            Number of features in the data.

        Returns
        -------
        list of int
            `asked`, unless the method has sizes of its own.
        """
        return asked

    def fit(self, X: Matrix, Y: Array | None = None) -> Self:
        """Rank the features of X for the labels Y.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_instances, n_features)
            The features.
        Y : array of shape (n_instances, n_labels) or (n_instances,), optional
            Labels: 1, 0, or nan where unobserved. A one-dimensional Y with more than two classes
            becomes one label for each class. Only a method that does not use labels may be fitted
            without Y.

        Returns
        -------
        Ranker
            The fitted selector itself.
        """
        X, Y = self._check_inputs(X, Y)
        given = check_ranks(type(self).__name__, self._rank(X, Y), X.shape[1])
        self._has_scores = not np.issubdtype(given.dtype, np.integer)
        if not self._has_scores:
            self.ranking_ = given
        else:
            self.scores_ = given
            self.ranking_ = by_score(given)
        return self

    def subsets(self, X: Matrix, Y: Array | None, sizes: Sequence[int]) -> list[Array]:
        """Fit, and return the features to keep for every size.

        By default they are the first features of one ranking. A method that chooses a different set
        for every size overrides this.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_instances, n_features)
            The features.
        Y : array of shape (n_instances, n_labels), optional
            The labels, as for ``fit``.
        sizes : sequence of int
            Numbers of features to keep.

        Returns
        -------
        list of ndarray
            Indices of the features, one array for each size.
        """
        self.fit(X, Y)
        return [self.ranking_[:size] for size in sizes]

    def _check_inputs(self, X: Matrix, Y: Array | None) -> tuple[Matrix, Array]:
        """Check X and Y for `_rank`; without Y, an unsupervised method gets a Y of no columns."""
        check_params(self)
        X = check_features(self, X)
        if Y is None and not self.uses_labels:
            return X, np.empty((X.shape[0], 0))
        return X, check_target(self, Y, X.shape[0]).Y

    @abstractmethod
    def _rank(self, X: Matrix, Y: Array) -> Array:
        """Return a float score for every feature (larger is better), or the order as integers."""

    def _converged(self, tol: float) -> bool:
        """Return whether the last step changed ``objective_`` by at most this share of itself."""
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
        """Return how many features ``transform`` keeps."""
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


def by_score(scores: Array) -> Array:
    """Return the features in the order of their scores, best first; ties by lowest index."""
    return np.argsort(-scores, kind="stable")


def check_ranks(name: str, given: Array, d: int) -> Array:
    """Return what ``_rank`` returned, or raise ValueError if no ranking can be made from it.

    Parameters
    ----------
    name : str
        Name of the selector.
    given : ndarray
        One score for each feature, or the order of the features as integers.
    d : int
        Number of features.

    Returns
    -------
    ndarray
        `given`.
    """
    given = np.asarray(given)
    if given.shape != (d,):
        raise ValueError(
            f"{name} has scores of shape {given.shape} for {d} features: return one score for each"
        )
    if given.dtype.kind in "iu":
        if not np.array_equal(np.sort(given), np.arange(d)):
            raise ValueError(
                f"{name} returned integers that are no order of the features: return every number "
                f"from 0 to {d - 1} once, or scores as floats"
            )
    elif given.dtype.kind != "f":
        raise ValueError(f"{name} has scores of type {given.dtype}: return real numbers")
    elif not np.isfinite(given).all():
        wrong = "all" if not np.isfinite(given).any() else "some"
        raise ValueError(
            f"{wrong} scores of {name} are nan or infinite: return a number for every feature"
        )
    return given


def draw_rows(n: int, at_most: int, random_state: Seed) -> Array:
    """Choose the instances for a method whose cost is quadratic in n: all, or a sorted sample.

    Parameters
    ----------
    n : int
        Number of instances.
    at_most : int
        Largest number of instances that the method uses.
    random_state : int, RandomState or None
        Decides the sample.

    Returns
    -------
    ndarray of int
        Row numbers in ascending order.
    """
    if n <= at_most:
        return np.arange(n)
    return np.sort(check_random_state(random_state).choice(n, at_most, replace=False))
