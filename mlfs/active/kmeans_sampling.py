"""Sampling by k-means: one point of each cluster, a control that sees no labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from ..methods.strategy import Pool, QueryStrategy
from ..methods.tags import Tags
from ..numerics.linalg import squared_distances
from ..numerics.params import Seed
from ..types import Array


class KMeansSampling(QueryStrategy):
    """Divide the unlabelled points into n clusters, and buy the point nearest to each centre.

    Points of large clusters are bought first; among equal ones the cluster with the lowest point.
    Where points are equal there may be fewer clusters than points to buy: the rest are the points
    that are farthest from those already bought.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        Decides the start of k-means.

    Attributes
    ----------
    gains_ : ndarray
        The share of the unlabelled points that are in the cluster of each pick; 0 for those that
        fill up.

    Notes
    -----
    A query of m points of a pool of n costs O(n m d) time and O(n m + n d) memory.

    References
    ----------
    Kang, Ryu and Kwon, "Using cluster-based sampling to select initial training set for active
    learning in text classification", PAKDD 2004, https://doi.org/10.1007/978-3-540-24775-3_46

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.active import KMeansSampling, Pool
    >>> X = np.array([[0.0], [0.1], [0.2], [9.0], [5.0]])
    >>> pool = Pool(X, np.array([[np.nan], [np.nan], [np.nan], [np.nan], [1.0]]))
    >>> strategy = KMeansSampling(random_state=0)
    >>> strategy.query(pool, None, 2), strategy.gains_
    (array([1, 3]), array([0.75, 0.25]))
    """

    name = "k_means"
    tags = Tags(handles_missing=True, supports_sparse=True, paper="Kang, Ryu and Kwon, PAKDD 2004")

    _parameter_constraints = {
        "random_state": ["random_state"],
    }

    def __init__(self, random_state: Seed = None):
        self.random_state = random_state

    def _query(self, pool: Pool, model: Any, n: int) -> tuple[Array, Array]:
        X = pool.X[pool.unlabelled]
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        distinct = _distinct(X, n)
        clustering = KMeans(n_clusters=distinct, n_init=1, random_state=seed).fit(X)
        squared = squared_distances(X, clustering.cluster_centers_)
        picks: list[int] = []
        sizes = np.bincount(clustering.labels_, minlength=distinct)
        first = [
            int(np.flatnonzero(clustering.labels_ == k)[0]) if sizes[k] else -1
            for k in range(distinct)
        ]
        for k in sorted(range(distinct), key=lambda k: (-sizes[k], first[k])):
            inside = np.flatnonzero(clustering.labels_ == k)
            if len(inside):
                picks.append(int(inside[np.argmin(squared[inside, k])]))
        gains = [sizes[clustering.labels_[pick]] / X.shape[0] for pick in picks]
        while len(picks) < n:
            near = squared_distances(X, X[picks]).min(axis=1)
            near[picks] = -1.0
            picks.append(int(np.argmax(near)))
            gains.append(0.0)
        return np.array(picks), np.array(gains)


def _distinct(X: Any, n: int) -> int:
    """Return n, or the number of different points if there are fewer."""
    rows = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    return min(n, len(np.unique(rows, axis=0)))
