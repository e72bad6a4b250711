"""FSASL: unsupervised feature selection with adaptive structure learning.

Du and Shen, KDD 2015.
"""

from __future__ import annotations

import contextlib
import warnings
from numbers import Integral, Real

import numpy as np
from scipy.linalg import eigh, solve
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path, lasso_path

from ..methods.ranker import Ranker, draw_rows
from ..methods.tags import Tags
from ..numerics.graphs import heat_graph, laplacian, nearest_neighbors
from ..numerics.linalg import add_to_diagonal, dense, gram, row_norms, squared_norms
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE, Seed, at_most, neighbors_within
from ..numerics.sklearn_private import Interval
from ..types import Array, Matrix

_LONG_RUN = 5  # with so many iterations or more, the authors skip the first global step


class FSASL(Ranker):
    """Rank features by a row-sparse projection, learnt together with the structure that it keeps.

    Each iteration reconstructs every projected instance sparsely from the others (S) and assigns
    probabilities to its nearest neighbours (A). Then it embeds the instances by the smallest
    eigenvectors of λ₁(I − S)(I − S)ᵀ + λ₂L_A, and regresses the embedding on X with the penalty
    λ₃‖W‖₂,₁. The score of feature i is ‖w_i‖². Labels are not used. The cost is quadratic in
    the number of instances, so at most `max_samples` of them are used.

    Parameters
    ----------
    lam1, lam2, lam3 : float, default=1.0
        λ₁, λ₂ and λ₃: weights of the global structure, the local structure and the row sparsity.
    ratio : float, default=0.01
        Weight of the l1 norm in the reconstruction, as a share of the weight that gives S = 0.
    n_clusters : int, default=5
        Dimension of the projection.
    n_neighbors : int, default=5
        Neighbours of each instance in the local structure.
    max_iter : int, default=20
        Number of iterations. With 5 or more, the first one has no global part, since nothing is
        projected yet.
    max_samples : int, default=500
        Largest number of instances; if there are more, so many are drawn without replacement.
    random_state : int, RandomState or None, default=None
        Decides which instances are drawn.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        Squared norms of the rows of W.
    W_ : ndarray of shape (n_features, n_clusters)
        The projection.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Eigenvectors of ``laplacian_`` with the smallest ``eigenvalues_``, from the last iteration.
    laplacian_ : ndarray of shape (n_samples, n_samples)
        The matrix λ₁(I − S)(I − S)ᵀ + λ₂L_A of the last iteration.
    eigenvalues_ : ndarray of shape (n_clusters,)
        The smallest eigenvalues of ``laplacian_``.
    n_samples_ : int
        Number of instances that were used.
    n_iter_ : int
        Number of iterations made.

    Notes
    -----
    A fit to n ≤ `max_samples` instances costs O(n³ + n d min(n, d)) time and O(n² + n d) memory.

    References
    ----------
    Du and Shen, "Unsupervised feature selection with adaptive structure learning", KDD 2015,
    https://doi.org/10.1145/2783258.2783345

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.selectors import FSASL
    >>> X = np.random.default_rng(0).standard_normal((40, 4))
    >>> X[:20, 2] += 10  # two groups that differ in the third feature
    >>> int(FSASL(n_clusters=1, random_state=0).fit(X).ranking_[0])
    2
    """

    tags = Tags(
        paper="Du and Shen, KDD 2015",
        provenance="author code",
        handles_missing=True,
        real_targets=True,
        supports_sparse=True,
        search_space={"lam3": [1e-2, 1e-1, 1.0, 1e1, 1e2]},
        note="unsupervised; quadratic in n: fitted on at most max_samples instances",
    )
    uses_labels = False
    version = 2

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "lam1": [NOT_NEGATIVE],
        "lam2": [NOT_NEGATIVE],
        "lam3": [POSITIVE],
        "ratio": [Interval(Real, 0, 1, closed="right")],
        "n_clusters": [COUNT],
        "n_neighbors": [COUNT],
        "max_iter": [COUNT],
        "max_samples": [Interval(Integral, 3, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        lam1: float = 1.0,
        lam2: float = 1.0,
        lam3: float = 1.0,
        ratio: float = 0.01,
        n_clusters: int = 5,
        n_neighbors: int = 5,
        max_iter: int = 20,
        max_samples: int = 500,
        random_state: Seed = None,
        n_features_to_select: int | float | None = None,
    ):
        self.lam1 = lam1
        self.lam2 = lam2
        self.lam3 = lam3
        self.ratio = ratio
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        X = dense(X[draw_rows(X.shape[0], self.max_samples, self.random_state)])
        self.n_samples_, self.n_iter_ = len(X), self.max_iter
        n = self.n_samples_
        k = neighbors_within(self.n_neighbors, n, spare=2)  # the next neighbour decides the width
        _, squared = nearest_neighbors(X, k + 1)
        mu = float(np.mean(k * squared[:, k] - squared[:, :k].sum(axis=1))) / 2
        clusters = at_most(self.n_clusters, n, "n_clusters", f"{n} samples")
        Z = X
        for iteration in range(self.max_iter):
            A = heat_graph(X, k).toarray() if iteration == 0 else adaptive_graph(Z, k, mu)
            L = self.lam2 * laplacian((A + A.T) / 2).toarray()
            if iteration > 0 or self.max_iter < _LONG_RUN:
                residual = np.eye(n) - reconstruct(Z, self.ratio)
                L += self.lam1 * (residual @ residual.T)
            self.laplacian_ = L
            self.eigenvalues_, self.embedding_ = eigh(L, subset_by_index=(0, clusters - 1))
            self.W_ = regress(X, self.embedding_, self.lam3)
            Z = X @ self.W_
        return squared_norms(self.W_)


def reconstruct(Z: Array, ratio: float) -> Array:
    """Reconstruct every row of Z sparsely from the others.

    Column i of S is the lasso of z_i on all other rows, with `ratio` of its largest penalty.
    The path of least angles is exact and short, since at most c coefficients differ from zero. But
    it can fail for nearly collinear instances, also with an error. Columns that do not fulfil the
    optimality conditions are solved by coordinate descent.
    """
    n, c = Z.shape
    design = np.array(Z.T, order="F")  # a copy: its columns are set to 0 in turn
    S = np.zeros((n, n))
    correlation = np.abs(Z @ Z.T)
    np.fill_diagonal(correlation, 0)
    penalty = ratio * correlation.max(axis=0)
    with warnings.catch_warnings(), config_context(skip_parameter_validation=True):
        warnings.simplefilter("ignore", ConvergenceWarning)  # checked below instead
        for i in np.flatnonzero(penalty):
            design[:, i] = 0  # an instance is not used in its own reconstruction
            alpha = penalty[i] / c  # scikit-learn divides the loss by c
            with contextlib.suppress(ValueError):  # the path lost count of its instances
                S[:, i] = lars_path(
                    design, Z[i], Gram=None, alpha_min=alpha, method="lasso", return_path=False
                )[2]
            slope = design.T @ (Z[i] - design @ S[:, i])
            fault = np.where(S[:, i] != 0, np.abs(slope - penalty[i] * np.sign(S[:, i])), 0)
            if max(fault.max(), np.abs(slope).max() - penalty[i]) > 1e-3 * penalty[i]:
                S[:, i] = lasso_path(
                    design, Z[i], alphas=[alpha], tol=1e-8, max_iter=20_000, precompute=False
                )[1][:, 0]
            design[:, i] = Z[i]
    return S


def adaptive_graph(Z: Array, k: int, mu: float) -> Array:
    """Find for row i the point of the simplex nearest to −‖z_i − z_j‖²/2μ over its k neighbours."""
    indices, squared = nearest_neighbors(Z, k)
    A = np.zeros((len(Z), len(Z)))
    scaled = -squared / (2 * mu) if mu > 0 else np.zeros_like(squared)
    np.put_along_axis(A, indices, project_to_simplex(scaled), axis=1)
    return A


def project_to_simplex(V: Array) -> Array:
    """Find the nearest point of the probability simplex to every row of V."""
    ordered = -np.sort(-V, axis=1)
    excess = (ordered.cumsum(axis=1) - 1) / np.arange(1, V.shape[1] + 1)
    size = (ordered > excess).sum(axis=1)
    return np.maximum(V - excess[np.arange(len(V)), size - 1, None], 0)


def regress(X: Array, embedding: Array, lam: float, steps: int = 10) -> Array:
    """Solve (XᵀX + λD)W = Xᵀ·embedding by reweighting, D = diag(1 / 2‖w_i‖), from D = I."""
    n, d = X.shape
    inverse = np.ones(d)  # the inverse of D, which stays finite if a row is 0
    if n > d:
        G, target = gram(X), X.T @ embedding
    for _ in range(steps):
        if n > d:  # W = R(RXᵀXR + λI)⁻¹RXᵀ·embedding with R = D^-½
            R = np.sqrt(inverse)
            A = add_to_diagonal(G * R * R[:, None], lam)
            W = R[:, None] * solve(A, R[:, None] * target, assume_a="pos")
        else:
            XD = X * inverse
            W = XD.T @ solve(add_to_diagonal(XD @ X.T, lam), embedding, assume_a="pos")
        inverse = 2 * row_norms(W)
    return W
