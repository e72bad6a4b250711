"""CMFS: multi-label feature selection using correlation information.

Braytee, Liu, Catchpoole and Kennedy, CIKM 2017. This is a reconstruction: the paper's text is not
public, and the objective below is our reading of its abstract.
"""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import minmax_scale
from sklearn.utils import check_random_state

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.graphs import heat_graph
from ..numerics.linalg import cosines, row_norms, squared_norms
from ..numerics.params import COUNT, NOT_NEGATIVE, SHARE, Seed, count_within
from ..types import Array, Matrix

_TINY = np.finfo(float).tiny  # added to denominators that may be 0 together with the numerator
_GRID = [0.01, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 10.0]


class CMFS(Ranker):
    """Rank features by a joint non-negative factorisation of features and labels.

    The scores are the row norms of Q. According to the abstract, data and labels are factorised
    into one low-dimensional space, with the correlations of features, labels and instances, and
    with an l2,1 norm on the feature factor. We read this as follows: with X scaled to [0, 1],
    V, Q, B ≥ 0 minimise ‖X − VQᵀ‖² + α‖Y − VB‖² + β(tr VᵀL_xV + tr QᵀL_fQ + tr BL_yBᵀ) + γ‖Q‖₂,₁.
    L_x is the Laplacian of a nearest-neighbour heat graph over instances; L_f and L_y are those of
    the cosines between the columns of X and of Y.

    Parameters
    ----------
    alpha : float, default=1.0
        α, the weight of the labels.
    beta : float, default=0.1
        β, the weight of the three correlation terms.
    gamma : float, default=1.0
        γ, the weight of the row sparsity.
    n_factors : int or float, default=0.3
        Dimension of the shared space; a float is a share of the number of labels.
    n_neighbors : int, default=5
        Neighbours of each instance in the graph.
    max_iter : int, default=300
        Largest number of iterations.
    tol : float, default=1e-4
        Stop when the objective changes by less than this share of itself.
    random_state : int, RandomState or None, default=None
        Decides the start of the three factors.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        Norms of the rows of Q.
    V_ : ndarray of shape (n_instances, n_factors)
        Factor of the instances.
    Q_ : ndarray of shape (n_features, n_factors)
        Factor of the features.
    B_ : ndarray of shape (n_factors, n_labels)
        Factor of the labels.
    objective_ : list of float
        One value per iteration; it never rises.
    n_iter_ : int
        Number of iterations made.

    Notes
    -----
    A fit costs O(n² d + n d² + n d c + d² c + n l c + n l²) time and O(n d + d² + n l + l²) memory,
    with c factors.

    References
    ----------
    Braytee, Liu, Catchpoole and Kennedy, "Multi-label feature selection using correlation
    information", CIKM 2017.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import CMFS
    >>> selector = CMFS(n_factors=2, random_state=0).fit(X, Y)
    >>> selector.transform(X).shape
    (60, 2)
    """

    tags = Tags(
        paper="Braytee et al., CIKM 2017",
        provenance="reconstructed",
        search_space={"alpha": _GRID, "beta": _GRID, "gamma": _GRID},
        note="Only the abstract is public; the objective and the updates are our reading of it.",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "alpha": [NOT_NEGATIVE],
        "beta": [NOT_NEGATIVE],
        "gamma": [NOT_NEGATIVE],
        "n_factors": [COUNT, SHARE],
        "n_neighbors": [COUNT],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        beta: float = 0.1,
        gamma: float = 1.0,
        n_factors: int | float = 0.3,
        n_neighbors: int = 5,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Seed = None,
        n_features_to_select: int | float | None = None,
    ):
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.n_factors = n_factors
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        a, b, g = self.alpha, self.beta, self.gamma
        X = minmax_scale(X)
        k = count_within(self.n_factors, Y.shape[1], "n_factors")
        Sx = heat_graph(X, self.n_neighbors)
        Dx = np.asarray(Sx.sum(axis=1))
        Sf, Sy = cosines(X), cosines(Y)
        Df, Dy = Sf.sum(axis=1, keepdims=True), Sy.sum(axis=0)
        rng = check_random_state(self.random_state)
        mean = 2 * np.sqrt(X.mean() / k)  # so that VQᵀ starts at the mean of X
        V, Q, B = (
            mean * rng.random_sample(shape)
            for shape in ((len(X), k), (X.shape[1], k), (k, Y.shape[1]))
        )
        total = np.sum(X**2)
        size = row_norms(Q)
        self.objective_: list[float] = []
        for _ in range(self.max_iter):
            # every gradient is a difference of non-negative parts; the step is their quotient
            V *= (X @ Q + a * (Y @ B.T) + b * (Sx @ V)) / (
                V @ (Q.T @ Q + a * (B @ B.T)) + b * Dx * V + _TINY
            )
            XtV, VtV, VtY = X.T @ V, V.T @ V, V.T @ Y
            weight = b * Df + 0.5 * g / size[:, None]
            Q *= (XtV + b * (Sf @ Q)) / (Q @ VtV + weight * Q + _TINY)
            B *= (a * VtY + b * (B @ Sy)) / (a * (VtV @ B) + b * B * Dy + _TINY)
            size = row_norms(Q)
            self.objective_.append(
                float(
                    (total - 2 * np.sum(XtV * Q) + np.sum(VtV * (Q.T @ Q)))  # ‖X − VQᵀ‖²
                    + a * np.sum((Y - V @ B) ** 2)
                    + b * np.sum(V * (Dx * V - Sx @ V))
                    + b * np.sum(Q * (Df * Q - Sf @ Q))
                    + b * np.sum(B * (B * Dy - B @ Sy))
                    + g * size.sum()
                )
            )
            if self._converged(self.tol):
                break
        self.V_, self.Q_, self.B_, self.n_iter_ = V, Q, B, len(self.objective_)
        return np.sqrt(squared_norms(Q))
