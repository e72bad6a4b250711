"""ML-kNN: a lazy learning approach to multi-label learning.

Zhang and Zhou, Pattern Recognition 2007.
"""

from __future__ import annotations

import numpy as np

from ..methods.probability import ProbabilisticClassifier
from ..methods.tags import Tags
from ..numerics.graphs import nearest_neighbors, neighbor_matrix
from ..numerics.params import COUNT, NOT_NEGATIVE, neighbors_within
from ..numerics.sklearn_private import StrOptions
from ..types import Array, Matrix


class MLkNN(ProbabilisticClassifier):
    """Predict each label from the number of nearest neighbours that have it, by Bayes' rule.

    The scores are the posteriors P(label | count). Neighbours are exact, and ties go to the
    lowest index; an instance is not its own neighbour while training.

    Parameters
    ----------
    k : int, default=10
        Number of neighbours; if there are fewer other instances, all of them.
    s : float, default=1.0
        Laplace smoothing of the prior and of the likelihoods.
    distances : {"rounded", "summed"}, default="rounded"
        Which neighbours are equally far: "rounded" compares squared distances at nine decimals.
        "summed" adds the squared differences in the order of the features and compares the roots to
        the last bit, as a plain loop does. The order of the features then decides some ties.

    Attributes
    ----------
    k_ : int
        Number of neighbours that were used.
    prior_ : ndarray of shape (n_labels,)
        Prior probability of each label.
    posterior_ : ndarray of shape (k_ + 1, n_labels)
        P(label | count) for every count and label.

    Notes
    -----
    A fit costs O(n² d + n l) time and O(n l) memory.

    References
    ----------
    Zhang and Zhou, "ML-KNN: a lazy learning approach to multi-label learning", Pattern Recognition
    40(7), 2007, https://doi.org/10.1016/j.patcog.2006.12.019

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.classifiers import MLkNN
    >>> MLkNN(k=5).fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    shares_work = True  # the search for neighbours
    tags = Tags(
        paper="Zhang & Zhou, Pattern Recognition 2007",
        provenance="paper",
        supports_sparse=True,
    )

    _parameter_constraints = {
        "k": [COUNT],
        "s": [NOT_NEGATIVE],
        "distances": [StrOptions({"rounded", "summed"})],
    }

    def __init__(self, k: int = 10, s: float = 1.0, distances: str = "rounded"):
        self.k = k
        self.s = s
        self.distances = distances

    @property
    def order_matters(self) -> bool:
        """Whether another order of the features may give other scores."""
        return self.distances == "summed"

    def _fit(self, X: Matrix, Y: Array) -> None:
        n, l = Y.shape  # noqa: E741
        k, s = neighbors_within(self.k, n, "k"), self.s
        self.k_, self.X_, self.Y_ = k, X, Y.astype(np.int32)
        self.prior_ = (s + Y.sum(axis=0)) / (2 * s + n)

        # one place per (count, label), so that two bincounts tabulate all labels at once
        near, _ = nearest_neighbors(X, k, distances=self.distances)
        place = self._counts(near) * l + np.arange(l)
        size = (k + 1) * l
        both = np.bincount(place.ravel(), minlength=size).reshape(k + 1, l)
        yes = np.bincount(place[Y == 1], minlength=size).reshape(k + 1, l)
        with_label = self.prior_ * _smoothed(yes, s)
        without = (1 - self.prior_) * _smoothed(both - yes, s)
        evidence = with_label + without
        # without smoothing a count may never have been seen: then only the prior is known
        seen = evidence > 0
        self.posterior_ = np.where(seen, with_label / np.where(seen, evidence, 1.0), self.prior_)

    def _scores(self, X: Matrix) -> Array:
        near, _ = nearest_neighbors(self.X_, self.k_, queries=X, distances=self.distances)
        counts = self._counts(near)
        return np.take_along_axis(self.posterior_, counts, axis=0)

    def _counts(self, neighbors: Array) -> Array:
        """Count how many of each row's neighbours have each label."""
        ones = np.ones(neighbors.shape, dtype=np.int32)
        return neighbor_matrix(neighbors, ones, len(self.Y_)) @ self.Y_


def _smoothed(table: Array, s: float) -> Array:
    """Compute the relative frequency of the counts 0..k in each label, with Laplace smoothing."""
    total = s * len(table) + table.sum(axis=0)
    return (s + table) / np.where(total > 0, total, 1.0)
