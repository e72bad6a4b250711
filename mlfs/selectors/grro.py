"""GRRO: multi-label feature selection via global relevance and redundancy optimization.

Zhang et al., IJCAI 2020.
"""

from __future__ import annotations

import numpy as np

from ..methods.labels import observed
from ..methods.ranker import DISCRETISATION, Ranker
from ..methods.tags import Tags
from ..numerics.information import binary, discretise, mutual_information
from ..numerics.linalg import add_to_diagonal
from ..numerics.params import NOT_NEGATIVE
from ..types import Array


class GRRO(Ranker):
    """Rank features by weights that balance relevance and redundancy over all features at once.

    The weights W solve (I + αF)W + βWL = R, with the relevance R_fl = I(f; l), the redundancy
    F_ij = I(f_i; f_j) with F_ii = 1, and the cosine distances L of labels. So redundant features
    share their weight, and similar labels get similar weights. If the equation is singular, W is
    its solution of least norm in the least-squares sense. Unknown labels: I(f; l) uses the rows
    where l is known, and a cosine those where both labels are; without any it is 0.

    Parameters
    ----------
    alpha : float, default=100.0
        α, the weight of the redundancy.
    beta : float, default=0.1
        β, the weight of the distances of labels.
    bins : int, default=2
        Number of bins of each feature.
    discretise : {"frequency", "width", "mean"}, default="frequency"
        How features are cut into bins; see :func:`mlfs.numerics.information.discretise`.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        The row sums of W.
    W_ : ndarray of shape (n_features, n_labels)
        The weights.

    Notes
    -----
    A fit costs O(n d² + d³ + n d l + d² l + n l² + d l² + l³) time and
    O(n d + d² + n l + d l + l²) memory.

    References
    ----------
    Zhang et al., "Multi-label feature selection via global relevance and redundancy
    optimization", IJCAI 2020.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import GRRO
    >>> sorted(GRRO().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Zhang et al., IJCAI 2020",
        handles_missing=True,
        by_label=True,
        note="informations are in nats; as F_ii = 1, their unit has an effect",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        **DISCRETISATION,
        "alpha": [NOT_NEGATIVE],
        "beta": [NOT_NEGATIVE],
    }

    def __init__(
        self,
        alpha: float = 100.0,
        beta: float = 0.1,
        bins: int = 2,
        discretise: str = "frequency",
        n_features_to_select: int | float | None = None,
    ):
        self.alpha = alpha
        self.beta = beta
        self.bins = bins
        self.discretise = discretise
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Array, Y: Array) -> Array:
        codes = discretise(X, self.discretise, self.bins)
        R = mutual_information(codes, binary(Y))
        F = mutual_information(codes, codes)
        np.fill_diagonal(F, 1.0)
        self.W_ = _solve(add_to_diagonal(self.alpha * F, 1.0), self.beta * _distances(Y), R)
        return self.W_.sum(axis=1)


def _distances(Y: Array) -> Array:
    """Compute 1 - cosine of every two labels, over the rows where both are known."""
    known = observed(Y).astype(float)
    positive = np.nan_to_num(Y)
    squares = positive.T @ known  # of a label, over the rows where the other one is known
    norms = np.sqrt(squares * squares.T)
    distances = 1 - np.divide(
        positive.T @ positive, norms, out=np.zeros_like(norms), where=norms > 0
    )
    np.fill_diagonal(distances, 0.0)  # also for a label without positives
    return distances


def _solve(A: Array, B: Array, R: Array) -> Array:
    """Solve AW + WB = R for symmetric A and B: in their eigenvectors it is one division."""
    a, U = np.linalg.eigh(A)
    b, V = np.linalg.eigh(B)
    divisor = a[:, None] + b
    regular = np.abs(divisor) > np.finfo(float).eps * len(A) * np.abs(divisor).max()
    solution = np.divide(U.T @ R @ V, divisor, out=np.zeros_like(divisor), where=regular)
    return U @ solution @ V.T
