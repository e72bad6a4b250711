"""SMiLE: semi-supervised multi-label classification using incomplete label information.

Tan, Yu, Yu and Wang, Neurocomputing 260, 2017, as scikit-multilearn-ng computes it.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import pinvh
from sklearn.cluster import KMeans

from ..methods.classifier import MultiLabelClassifier
from ..methods.tags import Tags
from ..numerics.params import COUNT, NOT_NEGATIVE, Seed
from ..types import Array, Matrix


class SMiLE(MultiLabelClassifier):
    """Estimate the labels that may be missing, then regress with a graph of the instances.

    1. L_ij = (instances with both labels + s) / (instances with label i + 2s).
    2. A label that is 0 becomes y_iᵀ L_·c, divided by the sum of such values and of ones over the
       labels of the instance.
    3. P = (X H_c Xᵀ + α X M Xᵀ)⁻¹ X H_c Ỹᵀ and b = (Ỹ − Pᵀ X) H 1 / n, with H = 1 for instances
       that have a label, H_c = H − H 1 1ᵀ H / n, and M the Laplacian of the graph.

    As in scikit-multilearn-ng, instances are joined if they are in one cluster of k-means; the
    paper joins nearest neighbours. Scores are Pᵀx + b, and labels above .5 are predicted. Where the
    inverse does not exist, the pseudo-inverse takes its place.

    Parameters
    ----------
    s : float, default=0.5
        Added to counts of labels.
    alpha : float, default=0.35
        Weight of the graph.
    n_clusters : int, default=5
        Number of clusters, ``k`` in scikit-multilearn-ng; at most the number of instances.
    random_state : int, RandomState or None, default=None
        Decides the start of k-means.

    Attributes
    ----------
    estimates_ : ndarray of shape (n, l)
        The labels with estimates in place of zeros.
    P_ : ndarray of shape (d, l)
        The weights.
    intercept_ : ndarray of shape (l,)
        b.

    Notes
    -----
    A fit costs O(n d² + n d l + d³ + n l²) time and O(n d + n l + d² + d l) memory. The matrix of
    the graph, n x n in the library, is a sum of one product for each cluster.

    References
    ----------
    Tan, Yu, Yu and Wang, "Semi-supervised multi-label classification using incomplete label
    information", Neurocomputing 260, 2017, https://doi.org/10.1016/j.neucom.2017.04.033

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import SMiLE
    >>> SMiLE(random_state=0).fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Tan, Yu, Yu and Wang, Neurocomputing 2017",
        provenance="author code",
        search_space={"alpha": [0.05, 0.35, 1.0], "n_clusters": [5, 10]},
        note="as scikit-multilearn-ng computes it, with clusters in place of neighbours",
    )

    _parameter_constraints = {
        "s": [NOT_NEGATIVE],
        "alpha": [NOT_NEGATIVE],
        "n_clusters": [COUNT],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        s: float = 0.5,
        alpha: float = 0.35,
        n_clusters: int = 5,
        random_state: Seed = None,
    ):
        self.s = s
        self.alpha = alpha
        self.n_clusters = n_clusters
        self.random_state = random_state

    def _fit(self, X: Matrix, Y: Array) -> None:
        n = len(Y)
        self.estimates_ = _estimates(Y, self.s)
        labelled = Y.any(axis=1).astype(float)
        clusters = min(self.n_clusters, n)
        members = KMeans(n_clusters=clusters, random_state=self.random_state).fit(X).labels_
        of_cluster = sp.csr_matrix((np.ones(n), (members, np.arange(n))), shape=(clusters, n))
        sums, counts = of_cluster @ X, np.bincount(members, minlength=clusters)

        seen = X * labelled[:, None]
        total = seen.sum(axis=0)
        A = seen.T @ seen - np.outer(total, total) / n
        graph = (X * counts[members][:, None]).T @ X - sums.T @ sums
        R = seen.T @ self.estimates_ - np.outer(total, labelled @ self.estimates_) / n
        self.P_ = pinvh(A + self.alpha * graph) @ R
        self.intercept_ = labelled @ (self.estimates_ - X @ self.P_) / n

    def _scores(self, X: Matrix) -> Array:
        return np.asarray(X @ self.P_ + self.intercept_)


def _estimates(Y: Array, s: float) -> Array:
    counts = Y.sum(axis=0)[:, None] + 2 * s
    L = np.divide(Y.T @ Y + s, counts, out=np.zeros((Y.shape[1],) * 2), where=counts > 0)
    values = np.where(Y == 1, 1.0, Y @ L)
    sums = values.sum(axis=1, keepdims=True)
    shares = np.divide(values, sums, out=np.zeros_like(values), where=sums > 0)
    return np.where(Y == 1, 1.0, shares)
