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

    It also says in ``_parameter_constraints``, as scikit-learn does, which values each of its
    parameters may have; ``query`` refuses others.

    Attributes
    ----------
    gains_ : ndarray of shape (n,)
        What each pick of the last query was worth, in the strategy's own measure; nan where it
        has none.
    """

    tags: ClassVar[Tags]
    version: ClassVar[int] = 1  # raise it when results change: stored cells are then run anew

    one_at_a_time: ClassVar[bool] = False  # whether each pick should see the labels of the last
    chooses_labels: ClassVar[bool] = False  # whether it can choose labels of one point
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}  # of every parameter

    @property
    def notes(self) -> list[str]:
        """What a reader of its results must know of the queries made so far."""
        return []

    def query(self, pool: Pool, model: Any, n: int) -> Array:
        """Choose n unlabelled rows of the pool to label next, in buying order.

        Parameters
        ----------
        pool : Pool
        model : BayesianCompressedSensing
            Fitted to the labelled rows.
        n : int
        """
        self._validate_params()
        candidates = pool.unlabelled
        if not 1 <= n <= len(candidates):
            raise ValueError(
                f"{n} points asked of a pool with {len(candidates)} unlabelled ones: "
                f"ask for 1..{len(candidates)}"
            )
        picks, self.gains_ = self._query(pool, model, n)
        return candidates[picks]

    def choose_labels(
        self,
        model: Any,
        mu: Array,
        v: float,
        n: int,
        rng: np.random.Generator,
        known: Array | None = None,
    ) -> tuple[Array, Array]:
        """Choose n labels of a point to buy, in order.

        Labels inform on each other only through Φ: with k = l it is the identity, every gain in
        mutual information is 0 and its order is that of the columns, so use k < l here.

        Parameters
        ----------
        model : BayesianCompressedSensing
            Fitted.
        mu : ndarray of shape (k,)
            Predicted compressed labels of the point.
        v : float
            Their variance.
        n : int
        rng : Generator
            For a strategy that draws.
        known : ndarray of shape (l,), optional
            Labels of the point that are known already, nan elsewhere; none is by default.

        Returns
        -------
        labels, gains : ndarrays of shape (n,)
            Gains in nats; nan where the strategy has none.
        """
        if known is None:
            known = np.full(model.Phi_.shape[1], np.nan)
        unknown = np.flatnonzero(~observed(known))
        if not 1 <= n <= len(unknown):
            raise ValueError(f"{n} labels asked of a point that has {len(unknown)} unknown ones")
        picks, gains = self._choose_labels(model, mu, v, n, rng, known)
        return unknown[picks], gains

    def _choose_labels(
        self, model: Any, mu: Array, v: float, n: int, rng: np.random.Generator, known: Array
    ) -> tuple[Array, Array]:
        """Positions within the unknown labels, in buying order, and their gains."""
        raise ValueError(f"{type(self).__name__} chooses points and not labels of a point")

    @abstractmethod
    def _query(self, pool: Pool, model: Any, n: int) -> tuple[Array, Array]:
        """Positions within ``pool.unlabelled``, in buying order, and their gains."""
