"""MLMLFS: multi-label feature selection with missing labels.

Zhu, Xu, Hu, Zhang and Zhao, Pattern Recognition 74, 2018.
"""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.sparse import issparse

from ..methods.labels import signed
from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.graphs import heat_graph, laplacian
from ..numerics.linalg import (
    add_to_diagonal,
    dense,
    factor_spd,
    row_norms,
    squared_norms,
    weighted_gram,
)
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE
from ..numerics.sklearn_private import Interval, StrOptions
from ..types import Array, Matrix

_EPS = np.finfo(float).eps  # inside ‖w‖, so that rows of zeros have a finite weight
# inside ‖e_i‖: an instance with every label hidden is fitted exactly, and a smaller value would
# give it so much weight that W could not change any more
_LOSS_EPS = 1e-4


class MLMLFS(Ranker):
    """Rank features by weights that are fitted together with the missing labels.

    W, b and the unobserved entries of Y (in [−1, 1]; the observed ones are ±1) minimise
    Σ‖Wᵀx_i + b − y_i‖ + α tr(FᵀLF) + λ Σ‖w_f‖^p with F = XW + 1bᵀ and L the Laplacian of a
    nearest-neighbour heat graph over instances. The scores are the row norms of W.

    Parameters
    ----------
    alpha : float, default=1e-2
        α, the weight of the smoothness over the graph.
    lam : float, default=1.0
        λ, the weight of the row sparsity.
    p : float, default=1.0
        Power of the row norms, above 0 and at most 1: smaller is sparser.
    n_neighbors : int, default=5
        Neighbours of each instance in the graph.
    rhs : {"paper", "release"}, default="paper"
        Right-hand side of the W step: XᵀG₀HY as in the paper's derivation, or with the term αXᵀLY
        that the released code adds; with this term the objective may rise.
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
    W_ : ndarray of shape (n_features, n_labels)
        The regression weights.
    b_ : ndarray of shape (n_labels,)
        The intercepts.
    Y_ : ndarray of shape (n_instances, n_labels)
        The labels in [−1, 1], with the unobserved ones recovered.
    objective_ : list of float
        One value per iteration; it never rises with the paper's right-hand side.
    n_iter_ : int
        Number of iterations made.

    Notes
    -----
    A fit costs O(n² d + n d² + d³ + n d l + d² l) time and O(n d + d² + n l + d l) memory.

    References
    ----------
    Zhu, Xu, Hu, Zhang and Zhao, "Multi-label feature selection with missing labels", Pattern
    Recognition 74, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import MLMLFS
    >>> Y[:20, 1] = np.nan  # unobserved labels are allowed
    >>> sorted(MLMLFS().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Zhu et al., Pattern Recognition 2018",
        provenance="author code",
        handles_missing=True,
        supports_sparse=True,
        search_space={
            "lam": [1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6],
            "alpha": [1e-6, 1e-4, 1e-2],
            "p": [0.4, 0.6, 0.8, 1.0],
        },
        note="The right-hand side of the W step follows the paper; the released code adds a term "
        "αXᵀLY (rhs: release). We iterate to a tolerance; the release stops after 20 iterations.",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "alpha": [NOT_NEGATIVE],
        "lam": [POSITIVE],
        "p": [Interval(Real, 0, 1, closed="right")],
        "n_neighbors": [COUNT],
        "rhs": [StrOptions({"paper", "release"})],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
    }

    def __init__(
        self,
        alpha: float = 1e-2,
        lam: float = 1.0,
        p: float = 1.0,
        n_neighbors: int = 5,
        rhs: str = "paper",
        max_iter: int = 200,
        tol: float = 1e-5,
        n_features_to_select: int | float | None = None,
    ):
        self.alpha = alpha
        self.lam = lam
        self.p = p
        self.n_neighbors = n_neighbors
        self.rhs = rhs
        self.max_iter = max_iter
        self.tol = tol
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        Y, R = signed(Y)
        hidden = R == 0
        L = laplacian(heat_graph(X, self.n_neighbors))
        center = np.zeros(X.shape[1]) if issparse(X) else X.mean(axis=0)
        X = X if issparse(X) else X - center  # b absorbs the shift; large means lose digits
        smooth = self.alpha * dense(X.T @ (L @ X))
        G0, G2 = np.ones(X.shape[0]), np.ones(X.shape[1])
        self.objective_: list[float] = []
        for _ in range(self.max_iter):
            more = self.alpha * (X.T @ (L @ Y)) if self.rhs == "release" else 0.0
            W, b = self._regress(X, Y, smooth, G0, G2, more)
            F = X @ W + b
            np.copyto(Y, np.clip(F, -1, 1), where=hidden)
            residual, size = row_norms(F - Y, _LOSS_EPS), squared_norms(W) + _EPS
            self.objective_.append(
                float(
                    residual.sum()
                    + np.sum(W * (smooth @ W))  # α tr(FᵀLF): L1 = 0 removes b
                    + self.lam * np.sum(size ** (self.p / 2))
                )
            )
            G0, G2 = 0.5 / residual, 0.5 * self.p * size ** (self.p / 2 - 1)
            if self._converged(self.tol):
                break
        self.W_, self.b_, self.Y_ = W, b - center @ W, Y
        self.n_iter_ = len(self.objective_)
        return np.sqrt(squared_norms(W))

    def _regress(
        self, X: Matrix, Y: Array, smooth: Array, G0: Array, G2: Array, more: Array | float = 0.0
    ) -> tuple[Array, Array]:
        """Solve for W and b at given weights; as L1 = 0, b only centres X and Y by the weights G₀.

        `more` is added to the right-hand side of W.
        """
        m = G0.sum()
        mean_x, mean_y = (X.T @ G0) / m, (G0 @ Y) / m
        system = weighted_gram(X, G0) - m * np.outer(mean_x, mean_x) + smooth  # XᵀG₀HX + αXᵀLX
        add_to_diagonal(system, self.lam * G2)
        W = factor_spd(system)(X.T @ (G0[:, None] * (Y - mean_y)) + more)  # XᵀG₀HY
        return W, mean_y - mean_x @ W
