"""RF-ML: ReliefF for multi-label feature selection.

Spolaôr, Cherman, Monard and Lee, BRACIS 2013.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from ..methods.labels import observed
from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.graphs import smallest
from ..numerics.linalg import blocks
from ..numerics.params import COUNT, POSITIVE, neighbors_within
from ..types import Array


class RFML(Ranker):
    """Score a feature by how well its differences tell unlike neighbours from like ones.

    RReliefF with the Hamming distance hd of label sets, the share of labels in which two instances
    differ. Every instance has k neighbours, nearest in the Manhattan distance of features scaled to
    [0, 1], with weights δ that add up to 1. With diff_f the difference of feature f and sums over
    all instances and neighbours, A = Σ δ hd, B_f = Σ δ diff_f and C_f = Σ δ hd diff_f give the
    score C_f / A − (B_f − C_f) / (m − A), where m = Σ δ is the number of instances. A term whose
    divisor is 0 is 0. Unknown labels: hd uses the labels that are known for both instances, and a
    neighbour without such a label has no weight, also not in m.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours k of each instance.
    sigma : float or None, default=20.0
        σ: the weight of the r-th neighbour is proportional to exp(−(r/σ)²). With None, all
        neighbours have the same weight.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        Between -1 and 1; around 0 for a feature that says nothing.

    Notes
    -----
    A fit costs O(n² d + n l) time and O(n d + n l) memory.

    References
    ----------
    Spolaôr, Cherman, Monard and Lee, "ReliefF for multi-label feature selection", BRACIS 2013.
    Robnik-Šikonja and Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF",
    Machine Learning 53, 2003, https://doi.org/10.1023/A:1025667309714

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import RFML
    >>> sorted(RFML().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    name = "rf_ml"
    tags = Tags(
        paper="Spolaôr et al., BRACIS 2013",
        provenance="reconstructed",
        handles_missing=True,
        by_label=True,
        note="neighbours and their weights are those of RReliefF; every instance is visited",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "n_neighbors": [COUNT],
        "sigma": [POSITIVE, None],
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        sigma: float | None = 20.0,
        n_features_to_select: int | float | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Array, Y: Array) -> Array:
        n, d = X.shape
        k = neighbors_within(self.n_neighbors, n)
        low, high = X.min(axis=0), X.max(axis=0)
        X = (X - low) / np.where(high > low, high - low, 1.0)
        weights = np.ones(k)
        if self.sigma is not None:
            weights = np.exp(-((np.arange(1, k + 1) / self.sigma) ** 2))
        weights /= weights.sum()
        m, A, B, C = 0.0, 0.0, np.zeros(d), np.zeros(d)
        for rows in blocks(n, max(n, k * d)):
            near = _nearest(X, rows, k)
            distance, usable = _hamming(Y[rows], Y[near])
            delta = (weights * usable).ravel()
            unlike = delta * distance.ravel()
            difference = np.abs(X[rows][:, None] - X[near]).reshape(-1, d)
            m, A = m + delta.sum(), A + unlike.sum()
            B += delta @ difference
            C += unlike @ difference
        return _ratio(C, A) - _ratio(B - C, m - A)


def _nearest(X: Array, rows: slice, k: int) -> Array:
    """Find the k nearest other instances of some rows; ties go to the lowest index."""
    distances = cdist(X[rows], X, "cityblock")
    inside = np.arange(len(distances))
    distances[inside, rows.start + inside] = np.inf
    return smallest(distances, k)[0]


def _hamming(own: Array, other: Array) -> tuple[Array, Array]:
    """Compute the share of known labels that differ, and whether there is a known one: (b, k)."""
    own = own[:, None]
    known = (observed(own) & observed(other)).sum(axis=2)
    differ = (np.abs(own - other) == 1).sum(axis=2)  # nan is not 1
    return differ / np.maximum(known, 1), known > 0


def _ratio(values: Array, divisor: float) -> Array:
    """Divide, or return zeros if the divisor is 0 but for rounding errors."""
    return values / divisor if divisor > 1e-12 else np.zeros_like(values)
