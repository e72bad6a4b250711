"""The base class of query strategies: ``query(pool, model, n)`` and tags."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from ..numerics.sklearn_private import check_params
from ..types import Array, Matrix
from .labels import observed
from .tags import Tags


@dataclass(frozen=True)
class Pool:
    """Hold points of which some are labelled.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The features.
    Y : ndarray of shape (n, l)
        Labels: 1, 0, or nan if not bought yet; a row of nan is an unlabelled point.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.active import Pool
    >>> pool = Pool(np.zeros((3, 2)), np.array([[1.0, 0.0], [np.nan, np.nan], [0.0, np.nan]]))
    >>> pool.labelled, pool.unlabelled
    (array([0, 2]), array([1]))
    """

    X: Matrix
    Y: Array

    @property
    def labelled(self) -> Array:
        """Rows with at least one known label, in ascending order."""
        return np.flatnonzero(observed(self.Y).any(axis=1))

    @property
    def unlabelled(self) -> Array:
        """Rows without any known label, in ascending order."""
        return np.flatnonzero(~observed(self.Y).any(axis=1))


class QueryStrategy(BaseEstimator, ABC):
    """Choose which points to label next; the base class of all strategies.

    A subclass writes ``_query`` and its ``tags``. It also lists in ``_parameter_constraints``, as
    scikit-learn does, which values each of its parameters may have; ``query`` refuses others.

    Attributes
    ----------
    gains_ : ndarray of shape (n,)
        The gain of each pick of the last query, in the strategy's own measure; nan if it has
        none.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.active import Pool, QueryStrategy
    >>> from mlfs.methods.tags import Tags
    >>> class First(QueryStrategy):
    ...     tags = Tags(paper="none", handles_missing=True)
    ...     def _query(self, pool, model, n):
    ...         return np.arange(n), np.full(n, np.nan)
    >>> pool = Pool(np.zeros((3, 2)), np.array([[1.0, 0.0], [np.nan, np.nan], [np.nan, np.nan]]))
    >>> First().query(pool, None, 1)
    array([1])
    """

    tags: ClassVar[Tags]
    version: ClassVar[int] = 1  # raise it when results change: stored cells are then run again

    one_at_a_time: ClassVar[bool] = False  # whether each pick needs the labels of the one before
    chooses_labels: ClassVar[bool] = False  # whether it can choose labels of one point
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}  # allowed values of every parameter

    @property
    def notes(self) -> list[str]:
        """Notes on the queries made so far, for readers of the results."""
        return []

    def query(self, pool: Pool, model: Any, n: int) -> Array:
        """Choose n unlabelled rows of the pool to label next.

        Parameters
        ----------
        pool : Pool
            The points and the labels known so far.
        model : BayesianCompressedSensing
            Fitted to the labelled rows.
        n : int
            Number of rows to choose.

        Returns
        -------
        ndarray of int
            Row numbers of the pool, in buying order.
        """
        check_params(self)
        candidates = pool.unlabelled
        if not 1 <= n <= len(candidates):
            raise ValueError(
                f"the pool has {len(candidates)} unlabelled points, and {n} were asked for: "
                f"ask for 1 to {len(candidates)}"
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

        Labels give information about each other only through Φ. With k = l, Φ is the identity and
        every gain in mutual information is 0, so the order is that of the columns: use k < l here.

        Parameters
        ----------
        model : BayesianCompressedSensing
            A fitted model.
        mu : ndarray of shape (k,)
            Predicted compressed labels of the point.
        v : float
            Their variance.
        n : int
            Number of labels to choose.
        rng : Generator
            For a strategy that draws at random.
        known : ndarray of shape (l,), optional
            The known labels of the point, nan elsewhere; by default no label is known.

        Returns
        -------
        labels : ndarray of shape (n,)
            The labels, in buying order.
        gains : ndarray of shape (n,)
            Their gains in nats; nan if the strategy has none.
        """
        if known is None:
            known = np.full(model.Phi_.shape[1], np.nan)
        unknown = np.flatnonzero(~observed(known))
        if not 1 <= n <= len(unknown):
            raise ValueError(f"{n} labels asked for, but the point has {len(unknown)} unknown ones")
        picks, gains = self._choose_labels(model, mu, v, n, rng, known)
        return unknown[picks], gains

    def _choose_labels(
        self, model: Any, mu: Array, v: float, n: int, rng: np.random.Generator, known: Array
    ) -> tuple[Array, Array]:
        """Return positions within the unknown labels, in buying order, and their gains."""
        raise ValueError(f"{type(self).__name__} chooses points, not labels of a point")

    @abstractmethod
    def _query(self, pool: Pool, model: Any, n: int) -> tuple[Array, Array]:
        """Return positions within ``pool.unlabelled``, in buying order, and their gains."""
