"""MIFS: multi-label informed feature selection.

Jian, Li, Shu and Liu, IJCAI 2016.
"""

from __future__ import annotations

import numpy as np

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.graphs import heat_graph, laplacian
from ..numerics.linalg import (
    add_to_diagonal,
    conjugate_gradient,
    factor_spd,
    gram,
    row_norms,
)
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE, SHARE, count_within
from ..types import Array, Matrix

_GRID = [0.01, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 10.0]


class MIFS(Ranker):
    """Rank features by their weights for latent labels that compress the given ones.

    W, V and B minimise ‖XW − V‖² + α(‖Y − VB‖² + ε‖B‖²) + β tr(VᵀLV) + γ‖W‖₂,₁, where L is the
    Laplacian of a nearest-neighbour heat graph over instances. The scores are the row norms of W.
    W, V and B are solved exactly in turn, starting from the leading singular vectors of Y. There is
    no step size and no random start.

    Parameters
    ----------
    alpha : float, default=1.0
        α, the weight of the reconstruction of the labels.
    beta : float, default=0.1
        β, the weight of the smoothness over the graph.
    gamma : float, default=1.0
        γ, the weight of the row sparsity.
    n_factors : int or float, default=0.3
        Number of latent labels; a float is a share of the number of labels.
    eps : float, default=1.0
        ε, the ridge on B. The paper has none, and its objective has no minimum: V shrinks and B
        grows, until no feature is left.
    n_neighbors : int, default=5
        Neighbours of each instance in the graph.
    max_iter : int, default=200
        Largest number of iterations.
    tol : float, default=1e-5
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
    W_ : ndarray of shape (n_features, n_factors)
        Weights of the features for the latent labels.
    V_ : ndarray of shape (n_instances, n_factors)
        The latent labels.
    B_ : ndarray of shape (n_factors, n_labels)
        Turns latent labels into labels.
    objective_ : list of float
        One value per iteration; it never rises.
    n_iter_ : int
        Number of iterations made.

    Notes
    -----
    A fit costs O(n² d + n d² + d³ + n d c + n l c + l³) time and O(d² + n l + d c) memory, with c
    factors.

    References
    ----------
    Jian, Li, Shu and Liu, "Multi-label informed feature selection", IJCAI 2016.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import MIFS
    >>> sorted(MIFS(n_factors=2).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Jian et al., IJCAI 2016",
        supports_sparse=True,
        search_space={"alpha": _GRID, "beta": _GRID, "gamma": _GRID},
        note="Exact alternating solves instead of the paper's gradient steps, and a ridge on B.",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "alpha": [POSITIVE],
        "beta": [NOT_NEGATIVE],
        "gamma": [POSITIVE],
        "n_factors": [COUNT, SHARE],
        "eps": [POSITIVE],
        "n_neighbors": [COUNT],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        beta: float = 0.1,
        gamma: float = 1.0,
        n_factors: int | float = 0.3,
        eps: float = 1.0,
        n_neighbors: int = 5,
        max_iter: int = 200,
        tol: float = 1e-5,
        n_features_to_select: int | float | None = None,
    ):
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.n_factors = n_factors
        self.eps = eps
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        n, d = X.shape
        k = min(n, count_within(self.n_factors, Y.shape[1], "n_factors"))
        L = laplacian(heat_graph(X, self.n_neighbors))
        G = gram(X)
        V = _leading(Y, k)
        size = np.full(d, 0.5)
        self.objective_: list[float] = []
        for _ in range(self.max_iter):
            B = np.linalg.solve(add_to_diagonal(V.T @ V, self.eps), V.T @ Y)
            W = factor_spd(add_to_diagonal(G.copy(), 0.5 * self.gamma / size))(X.T @ V)
            size = row_norms(W)
            XW = X @ W
            V = latent(L, self.alpha * (B @ B.T), XW + self.alpha * (Y @ B.T), self.beta, V)
            self.objective_.append(
                float(
                    np.sum((XW - V) ** 2)
                    + self.alpha * (np.sum((Y - V @ B) ** 2) + self.eps * np.sum(B**2))
                    + self.beta * np.sum(V * (L @ V))
                    + self.gamma * size.sum()
                )
            )
            if self._converged(self.tol):
                break
        self.W_, self.V_, self.B_, self.n_iter_ = W, V, B, len(self.objective_)
        return size


def latent(L: Matrix, C: Array, rhs: Array, beta: float, start: Array) -> Array:
    """Solve the Sylvester equation (I + βL)V + VC = rhs, with C = αBBᵀ.

    In the eigenbasis of C its columns are independent; CG solves them all together and keeps L
    sparse.
    """
    values, P = np.linalg.eigh(C)
    shift = 1 + np.maximum(values, 0)
    diagonal = shift + beta * L.diagonal()[:, None]
    Z = conjugate_gradient(
        lambda V: shift * V + beta * (L @ V),
        rhs @ P,
        start @ P,
        max_iter=1000,
        precondition=lambda R: R / diagonal,
    )
    return Z @ P.T


def _leading(Y: Array, k: int) -> Array:
    """Project Y on its k leading right singular vectors: the best V of k columns."""
    _, vectors = np.linalg.eigh(Y.T @ Y)
    return Y @ vectors[:, ::-1][:, :k]
