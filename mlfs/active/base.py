"""What every query strategy offers: ``query(pool, model, n)`` and tags."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from ..labels import observed
from ..tags import Tags
from ..types import Array, Matrix


@dataclass(frozen=True)
class Pool:
    """Points of which some are labelled.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    Y : ndarray of shape (n, l)
        Labels 1, 0, or nan where not bought yet; a row of nan is an unlabelled point.
    """

    X: Matrix
    Y: Array

    @property
    def labelled(self) -> Array:
        """Rows with at least one known label, ascending."""
        return np.flatnonzero(observed(self.Y).any(axis=1))

    @property
    def unlabelled(self) -> Array:
        """Rows without any known label, ascending."""
        return np.flatnonzero(~observed(self.Y).any(axis=1))


class QueryStrategy(BaseEstimator, ABC):
    """Base of all strategies: a subclass writes ``_query`` and its ``tags``.

    Attributes
    ----------
    gains_ : ndarray of shape (n,)
        What each pick of the last query was worth, in the strategy's own measure; nan where it
        has none.
    """

    tags: ClassVar[Tags]
    version: ClassVar[int] = 1  # raise it when results change: stored cells are then run anew

    one_at_a_time: ClassVar[bool] = False  # whether each pick should see the labels of the last

    def query(self, pool: Pool, model: Any, n: int) -> Array:
        """Choose n unlabelled rows of the pool to label next, in buying order.

        Parameters
        ----------
        pool : Pool
        model : BayesianCompressedSensing
            Fitted to the labelled rows.
        n : int
        """
        candidates = pool.unlabelled
        if not 1 <= n <= len(candidates):
            raise ValueError(
                f"{n} points asked of a pool with {len(candidates)} unlabelled ones: "
                f"ask for 1..{len(candidates)}"
            )
        picks, self.gains_ = self._query(pool, model, n)
        return candidates[picks]

    @abstractmethod
    def _query(self, pool: Pool, model: Any, n: int) -> tuple[Array, Array]:
        """Positions within ``pool.unlabelled``, in buying order, and their gains."""
