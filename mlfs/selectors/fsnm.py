"""FSNM: efficient and robust feature selection via joint l2,1-norms minimization.

Nie, Huang, Cai and Ding, NIPS 2010. Also known as RFS.
"""

from __future__ import annotations

import numpy as np

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.linalg import add_to_diagonal, factor_spd, row_norms, weighted_gram
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE
from ..types import Array, Matrix


class FSNM(Ranker):
    """Rank features by a robust regression that sets whole rows of weights to zero.

    The scores are the row norms of W = argmin ‖XW − Y‖₂,₁ + γ‖W‖₂,₁. The first norm reduces the
    effect of outliers, the second one removes irrelevant features. The problem is convex, so the
    ranking does not depend on the start. As in the authors' code, all rows of W and of the
    residual, divided by γ, have equal weight at the start.

    Parameters
    ----------
    gamma : float, default=1.0
        γ, the weight of the row sparsity: a larger value removes more features.
    max_iter : int, default=100
        Largest number of iterations.
    tol : float, default=1e-8
        Stop when the objective changes by less than this share of itself.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        Norms of the rows of W.
    W_ : ndarray of shape (n_features, n_labels)
        The regression weights.
    objective_ : list of float
        One value per iteration; it never rises.
    n_iter_ : int
        Number of iterations made.

    Notes
    -----
    A fit costs O(n d min(n, d) + n d l) time and O(n d + n l + d l) memory.

    References
    ----------
    Nie, Huang, Cai and Ding, "Efficient and robust feature selection via joint l2,1-norms
    minimization", NIPS 2010. The method is also known as RFS.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import FSNM
    >>> sorted(FSNM(gamma=1.0).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Nie et al., NIPS 2010",
        provenance="author code",
        by_label=True,
        supports_sparse=True,
        search_space={"gamma": [1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3]},
    )
    version = 2

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "gamma": [POSITIVE],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
    }

    def __init__(
        self,
        gamma: float = 1.0,
        max_iter: int = 100,
        tol: float = 1e-8,
        n_features_to_select: int | float | None = None,
    ):
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        n, d = X.shape
        solve = _by_instances if n < d else _by_features
        residual, size = np.full(n, 0.5 * self.gamma), np.full(d, 0.5)  # D = I on [W; (Y − XW)/γ]
        self.objective_: list[float] = []
        for _ in range(self.max_iter):
            W = solve(X, Y, 0.5 / residual, 0.5 / size, self.gamma)
            residual, size = row_norms(X @ W - Y), row_norms(W)
            self.objective_.append(float(residual.sum() + self.gamma * size.sum()))
            if self._converged(self.tol):
                break
        self.W_, self.n_iter_ = W, len(self.objective_)
        return size


def _by_features(X: Matrix, Y: Array, G0: Array, G2: Array, gamma: float) -> Array:
    """Solve W = (Xᵀ G₀ X + γ G₂)⁻¹ Xᵀ G₀ Y, a d x d system."""
    system = weighted_gram(X, G0)
    add_to_diagonal(system, gamma * G2)
    return factor_spd(system)(X.T @ (G0[:, None] * Y))


def _by_instances(X: Matrix, Y: Array, G0: Array, G2: Array, gamma: float) -> Array:
    """Solve W = G₂⁻¹ Xᵀ (X G₂⁻¹ Xᵀ + γ G₀⁻¹)⁻¹ Y: the same W from an n x n system."""
    system = weighted_gram(X.T, 1 / G2)
    add_to_diagonal(system, gamma / G0)
    return np.asarray((X.T @ factor_spd(system)(Y)) / G2[:, None])
