"""Core-set sampling: cover the pool, a control that sees no labels (Sener and Savarese, 2018)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..methods.strategy import Pool, QueryStrategy
from ..methods.tags import Tags
from ..numerics.linalg import squared_distances
from ..types import Array


class CoreSet(QueryStrategy):
    """Buy one point after another, each the farthest from all that are labelled or bought.

    This is the greedy solution of the k-centre problem: the largest distance of a point to its
    nearest labelled one is at most twice the smallest possible. Ties go to the lowest index. In a
    pool without any label the first point is the one nearest to the mean.

    Attributes
    ----------
    gains_ : ndarray
        The distance of each pick to its nearest labelled or bought point; nan for a first one that
        has none.

    Notes
    -----
    A query of m points of a pool of n, a of them labelled, costs O(n (a + m) d) time and O(n a)
    memory.

    References
    ----------
    Sener and Savarese, "Active learning for convolutional neural networks: a core-set approach",
    ICLR 2018, https://arxiv.org/abs/1708.00489

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.active import CoreSet, Pool
    >>> X = np.array([[0.0], [1.0], [9.0], [4.0]])
    >>> pool = Pool(X, np.array([[1.0], [np.nan], [np.nan], [np.nan]]))
    >>> strategy = CoreSet()
    >>> strategy.query(pool, None, 2), strategy.gains_
    (array([2, 3]), array([9., 4.]))
    """

    name = "core_set"
    tags = Tags(
        handles_missing=True,
        supports_sparse=True,
        paper="Sener and Savarese, ICLR 2018, algorithm 1",
    )

    def _query(self, pool: Pool, model: Any, n: int) -> tuple[Array, Array]:
        X = pool.X[pool.unlabelled]
        picks, gains = np.empty(n, dtype=np.intp), np.empty(n)
        if len(pool.labelled):
            near = squared_distances(X, pool.X[pool.labelled]).min(axis=1)
        else:
            near = np.full(X.shape[0], np.inf)
        for i in range(n):
            if np.isinf(near).all():  # nothing is labelled or bought
                mean = np.asarray(X.mean(axis=0)).reshape(1, -1)
                best, gain = int(np.argmin(squared_distances(X, mean)[:, 0])), np.nan
            else:
                best = int(np.argmax(near))
                gain = float(np.sqrt(max(near[best], 0.0)))
            picks[i], gains[i] = best, gain
            near = np.minimum(near, squared_distances(X, X[[best]])[:, 0])
            near[picks[: i + 1]] = -1.0  # never again, even where all points are equal
        return picks, gains
