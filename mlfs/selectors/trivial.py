"""The two columns that every table of selectors needs: all features, and a random order."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.params import Seed
from ..types import Array, Matrix


class AllFeatures(Ranker):
    """Keep all features as they are: no selection.

    Every score is equal, so the ranking is 0, 1, 2, ... Protocols evaluate it once, with every
    feature.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=1.0
        How many features ``transform`` keeps: a count, a share of all features (a float; 1.0 is all
        of them), or half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        All ones.

    Notes
    -----
    A fit costs O(n d + n l) time and O(n l + d) memory.

    Examples
    --------
    >>> from mlfs.selectors import AllFeatures
    >>> AllFeatures().fit([[1.0, 2.0], [3.0, 4.0]]).ranking_
    array([0, 1])
    """

    name = "all"
    tags = Tags(paper="no selection", handles_missing=True, real_targets=True, supports_sparse=True)
    uses_labels = False

    def __init__(self, n_features_to_select: int | float | None = 1.0):
        self.n_features_to_select = n_features_to_select

    @classmethod
    def n_output(cls, d: int) -> int:
        """Return d: every feature is kept.

        Parameters
        ----------
        d : int
            Number of features in the data.

        Returns
        -------
        int
            The same number.
        """
        return d

    def sizes(self, asked: list[int], d: int) -> list[int]:
        """Return the number of all features, for any `asked`.

        Parameters
        ----------
        asked : list of int
            Not used.
        d : int
            Number of features in the data.

        Returns
        -------
        list of int
            A list with only `d`.
        """
        return [d]

    def _rank(self, X: Matrix, Y: Array) -> Array:
        return np.ones(X.shape[1])


class RandomSelector(Ranker):
    """Order the features at random: the baseline that every selector must beat.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        Decides the order.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.

    Notes
    -----
    A fit costs O(n d + n l) time and O(n l + d) memory.

    Examples
    --------
    >>> from mlfs.selectors import RandomSelector
    >>> order = RandomSelector(random_state=0).fit([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).ranking_
    >>> sorted(order.tolist())
    [0, 1, 2]
    """

    name = "random"
    tags = Tags(paper="chance", handles_missing=True, real_targets=True, supports_sparse=True)
    uses_labels = False

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        random_state: Seed = None,
        n_features_to_select: int | float | None = None,
    ):
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        return check_random_state(self.random_state).permutation(X.shape[1])
