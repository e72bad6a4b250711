"""SFUS: web image annotation via subspace-sparsity collaborated feature selection.

Ma, Nie, Yang, Uijlings and Sebe, IEEE Transactions on Multimedia 14(4), 2012.
"""

from __future__ import annotations

import numpy as np

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.linalg import add_to_diagonal, factor_spd, row_norms, weighted_gram
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE, SHARE, count_within
from ..types import Array, Matrix


class SFUS(Ranker):
    """Rank features by a robust regression whose weights lie near a shared subspace.

    W minimises ‖XW − Y‖₂,₁ + α‖W‖₂,₁ + β‖W − QQᵀW‖² over W and orthonormal Q; the scores are the
    row norms of W. A subspace of as many dimensions as labels contains every W, and the method is
    then FSNM. Therefore the default has fewer dimensions.

    Parameters
    ----------
    alpha : float, default=1.0
        α, the weight of the row sparsity.
    beta : float, default=1.0
        β, the weight of the distance to the subspace.
    n_factors : int or float, default=0.5
        Dimension of the subspace; a float is a share of the number of labels.
    max_iter : int, default=100
        Largest number of iterations.
    tol : float, default=1e-6
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
    Q_ : ndarray of shape (n_features, n_factors)
        Orthonormal basis of the shared subspace.
    objective_ : list of float
        One value per iteration; it never rises.
    n_iter_ : int
        Number of iterations made.

    Notes
    -----
    A fit costs O(n d² + d³ + n d l + d² l) time and O(n d + d² + n l + d l) memory.

    References
    ----------
    Ma, Nie, Yang, Uijlings and Sebe, "Web image annotation via subspace-sparsity collaborated
    feature selection", IEEE Transactions on Multimedia 14(4), 2012.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import SFUS
    >>> sorted(SFUS(n_factors=1).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Ma et al., IEEE TMM 2012",
        provenance="author code",
        supports_sparse=True,
        search_space={"beta": [1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3]},
        note="Q is orthonormal and has fewer columns than labels; in the public code it is not so.",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "alpha": [POSITIVE],
        "beta": [POSITIVE],
        "n_factors": [COUNT, SHARE],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        beta: float = 1.0,
        n_factors: int | float = 0.5,
        max_iter: int = 100,
        tol: float = 1e-6,
        n_features_to_select: int | float | None = None,
    ):
        self.alpha = alpha
        self.beta = beta
        self.n_factors = n_factors
        self.max_iter = max_iter
        self.tol = tol
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        n, d = X.shape
        r = min(d, count_within(self.n_factors, Y.shape[1], "n_factors"))
        residual, size = np.full(n, 0.5), np.full(d, 0.5)
        self.objective_: list[float] = []
        for _ in range(self.max_iter):
            W, Q = self._joint_step(X, Y, 0.5 / residual, 0.5 / size, r)
            residual, size = row_norms(X @ W - Y), row_norms(W)
            outside = np.sum((W - Q @ (Q.T @ W)) ** 2)
            self.objective_.append(
                float(residual.sum() + self.alpha * size.sum() + self.beta * outside)
            )
            if self._converged(self.tol):
                break
        self.W_, self.Q_, self.n_iter_ = W, Q, len(self.objective_)
        return size

    def _joint_step(self, X: Matrix, Y: Array, Da: Array, Db: Array, r: int) -> tuple[Array, Array]:
        """Minimise the reweighted problem over W and Q together.

        With M = XᵀD_aX + αD_b + βI, N = XᵀD_aY, Z = M⁻¹N and C = I − βM⁻¹, the best Q spans the
        leading generalised eigenvectors of (ZZᵀ, C). They lie in the range of C⁻¹Z, so a problem
        of the size of the labels yields them.
        """
        K = weighted_gram(X, Da)
        add_to_diagonal(K, self.alpha * Db)
        solve_K = factor_spd(K)
        add_to_diagonal(K, self.beta)
        solve_M = factor_spd(K)
        Z = solve_M(X.T @ (Da[:, None] * Y))
        E = Z + self.beta * solve_K(Z)  # C⁻¹Z, since C⁻¹ = I + βK⁻¹
        S = Z.T @ E
        _, U = np.linalg.eigh((S + S.T) / 2)
        Q, _ = np.linalg.qr(E @ U[:, ::-1][:, :r])
        MQ = solve_M(Q)
        inner = np.eye(Q.shape[1]) - self.beta * (Q.T @ MQ)  # QᵀCQ
        W = Z + self.beta * MQ @ np.linalg.solve(inner, Q.T @ Z)  # (M − βQQᵀ)⁻¹N
        return W, Q
