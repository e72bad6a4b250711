"""ML-kNN: a lazy learning approach to multi-label learning.

Zhang and Zhou, Pattern Recognition 2007.
"""

from __future__ import annotations

import numpy as np

from ..graphs import nearest_neighbors, neighbor_matrix
from ..params import COUNT, NOT_NEGATIVE
from ..tags import Tags
from ..types import Array, Matrix
from .base import MultiLabelClassifier


class MLkNN(MultiLabelClassifier):
    """Predict each label from the number of nearest neighbours that carry it, by Bayes' rule.

    The scores are the posteriors P(label | count). Neighbours are exact, ties going to the
    lowest index; an instance is not its own neighbour while training.

    Parameters
    ----------
    k : int, default=10
        Number of neighbours.
    s : float, default=1.0
        Laplace smoothing of the prior and of the likelihoods.

    Attributes
    ----------
    prior_ : ndarray of shape (n_labels,)
    posterior_ : ndarray of shape (k + 1, n_labels)
        P(label | count) for every count and label.
    """

    tags = Tags(
        paper="Zhang & Zhou, Pattern Recognition 2007",
        provenance="paper",
        supports_sparse=True,
    )

    _parameter_constraints = {
        "k": [COUNT],
        "s": [NOT_NEGATIVE],
    }

    def __init__(self, k: int = 10, s: float = 1.0):
        self.k = k
        self.s = s

    def _fit(self, X: Matrix, Y: Array) -> None:
        n, l = Y.shape  # noqa: E741
        k, s = self.k, self.s
        if k >= n:
            raise ValueError(f"k = {k} neighbours of {n} instances: choose 1..{n - 1}")
        self.X_, self.Y_ = X, Y.astype(np.int32)
        self.prior_ = (s + Y.sum(axis=0)) / (2 * s + n)

        # one cell per (count, label), so that two bincounts tabulate all labels at once
        cell = self._counts(nearest_neighbors(X, k)[0]) * l + np.arange(l)
        size = (k + 1) * l
        both = np.bincount(cell.ravel(), minlength=size).reshape(k + 1, l)
        yes = np.bincount(cell[Y == 1], minlength=size).reshape(k + 1, l)
        with_label = self.prior_ * _smoothed(yes, s)
        without = (1 - self.prior_) * _smoothed(both - yes, s)
        evidence = with_label + without
        # without smoothing a count may never have been seen: nothing but the prior is known then
        seen = evidence > 0
        self.posterior_ = np.where(seen, with_label / np.where(seen, evidence, 1.0), self.prior_)

    def _scores(self, X: Matrix) -> Array:
        counts = self._counts(nearest_neighbors(self.X_, self.k, queries=X)[0])
        return np.take_along_axis(self.posterior_, counts, axis=0)

    def _counts(self, neighbors: Array) -> Array:
        """How many of each row's neighbours carry each label."""
        ones = np.ones(neighbors.shape, dtype=np.int32)
        return neighbor_matrix(neighbors, ones, len(self.Y_)) @ self.Y_


def _smoothed(table: Array, s: float) -> Array:
    """Relative frequency of the counts 0..k within each label, with Laplace smoothing."""
    total = s * len(table) + table.sum(axis=0)
    return (s + table) / np.where(total > 0, total, 1.0)
