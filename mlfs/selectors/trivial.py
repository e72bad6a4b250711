"""The two columns every table of selectors needs: all features, and features drawn by lot."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from ..params import Seed
from ..tags import Tags
from ..types import Array, Matrix
from .base import Ranker


class AllFeatures(Ranker):
    """Keep the features as they are: every score is equal, so the ranking is 0, 1, 2, ...

    Protocols evaluate it once, with every feature.

    Notes
    -----
    A fit costs O(n d + n l) time and O(n l + d) memory.
    """

    name = "all"
    tags = Tags(paper="no selection", handles_missing=True, real_targets=True, supports_sparse=True)
    uses_labels = False

    def __init__(self, n_features_to_select: int | float | None = 1.0):
        self.n_features_to_select = n_features_to_select

    @classmethod
    def n_output(cls, d: int) -> int:
        """All of them."""
        return d

    def sizes(self, asked: list[int], d: int) -> list[int]:
        """Every feature, whatever is asked."""
        return [d]

    def _rank(self, X: Matrix, Y: Array) -> Array:
        return np.ones(X.shape[1])


class RandomSelector(Ranker):
    """Order the features by lot: what a selector must beat.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None

    Notes
    -----
    A fit costs O(n d + n l) time and O(n l + d) memory.
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
