"""LEML: large-scale multi-label learning with missing labels.

Yu, Jain, Kar and Dhillon, ICML 2014, with the squared loss.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from ..methods.classifier import MultiLabelClassifier
from ..methods.labels import signed
from ..methods.tags import Tags
from ..numerics.linalg import (
    add_to_diagonal,
    conjugate_gradient,
    gram,
    row_grams,
    solve_rows,
    with_ones,
)
from ..numerics.params import COUNT, POSITIVE, SHARE, Seed, as_count, as_generator
from ..numerics.sklearn_private import StrOptions
from ..types import Array, Matrix


class LEML(MultiLabelClassifier):
    """Fit a low-rank linear model Y ≈ X W Hᵀ to the observed labels.

    It minimises ½ Σ_Ω (Y_ij − x_iᵀ W h_j)² + (λ/2)(‖W‖² + ‖H‖²) over the observed entries Ω, with
    labels coded ±1. An exact solve for every h_j alternates with conjugate gradients for W.

    Parameters
    ----------
    lam : float, default=0.1
        λ, the weight of the sizes of W and H; it must be positive, or they are not determined.
    n_factors : int or float, default=0.5
        Rank k; a float is a share of the number of labels. It is at most min(d, l), and a larger
        one is lowered to that.
    max_iter : int, default=10
        Number of alternations.
    n_cg : int, default=20
        Conjugate gradient steps per alternation.
    fit_intercept : bool, default=True
        Append a column of ones to X.
    random_state : int, RandomState or None, default=None
        Decides the start of W.
    missing : {"observed", "negative", "zero"}, default="observed"
        What an unobserved label is: "observed" leaves it out of the sum. With "negative" it is −1,
        with "zero" it is 0, and all labels are in the sum. The authors' default program has the
        full sum and so knows no unobserved labels; the printed values of RMFL's paper tell which
        of the two numbers stood in for them.

    Attributes
    ----------
    W_, H_ : ndarrays of shape (d, k), (l, k)
        Factors of the features and of the labels.
    objective_ : list of float
        One value per alternation; it never rises.
    n_iter_ : int
        Number of alternations made.

    Notes
    -----
    A fit costs O(n d² + d³ + n d c + d² c + n l c²) time and
    O(n d + d² + n l + n c² + l c²) memory, with c factors.

    References
    ----------
    Yu, Jain, Kar and Dhillon, "Large-scale multi-label learning with missing labels", ICML 2014,
    with the squared loss.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import LEML
    >>> Y[:20, 0] = np.nan  # unobserved labels
    >>> LEML(n_factors=2, random_state=0).fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Yu, Jain, Kar and Dhillon, ICML 2014",
        provenance="author code",
        handles_missing=True,
        supports_sparse=True,
        search_space={
            "n_factors": [0.1, 0.2, 0.3, 0.4, 0.5],
            "lam": [10.0**e for e in range(-5, 0)],
        },
        note="the authors' code has no intercept: use fit_intercept=False for that",
    )
    usual_threshold = np.finfo(float).tiny  # labels are ±1, and a zero is not positive

    _parameter_constraints = {
        "lam": [POSITIVE],
        "n_factors": [COUNT, SHARE],
        "max_iter": [COUNT],
        "n_cg": [COUNT],
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
        "missing": [StrOptions({"observed", "negative", "zero"})],
    }

    def __init__(
        self,
        lam: float = 0.1,
        n_factors: int | float = 0.5,
        max_iter: int = 10,
        n_cg: int = 20,
        fit_intercept: bool = True,
        random_state: Seed = None,
        missing: str = "observed",
    ):
        self.lam = lam
        self.n_factors = n_factors
        self.max_iter = max_iter
        self.n_cg = n_cg
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.missing = missing

    def _fit(self, X: Matrix, Y: Array) -> None:
        X = with_ones(X, self.fit_intercept)
        Y, R = signed(np.nan_to_num(Y) if self.missing == "negative" else Y)
        if self.missing == "zero":
            R = np.ones_like(R)  # an unobserved label is 0 in Y already
        rank = as_count(self.n_factors, Y.shape[1], half_up=True)  # as the authors' code rounds
        k = min(rank, X.shape[1], Y.shape[1])
        W = as_generator(self.random_state).standard_normal((X.shape[1], k))
        eigen = eigh(gram(X))
        self.objective_: list[float] = []
        for _ in range(self.max_iter):
            H = self._solve_H(X @ W, Y, R)
            W = self._solve_W(X, Y, R, H, W, *eigen)
            loss = np.sum((R * (X @ W @ H.T - Y)) ** 2)
            size = np.sum(W**2) + np.sum(H**2)
            self.objective_.append(0.5 * float(loss + self.lam * size))
        self.W_, self.H_, self.n_iter_ = W, H, len(self.objective_)

    def _scores(self, X: Matrix) -> Array:
        return np.asarray(with_ones(X, self.fit_intercept) @ self.W_ @ self.H_.T)

    def _solve_H(self, A: Array, Y: Array, R: Array) -> Array:
        """Solve h_j = (Σ_Ωj a_i a_iᵀ + λI)⁻¹ Σ_Ωj Y_ij a_i for all labels at once."""
        return solve_rows(add_to_diagonal(row_grams(R.T, A), self.lam), Y.T @ A)

    def _solve_W(
        self, X: Matrix, Y: Array, R: Array, H: Array, start: Array, values: Array, Q: Array
    ) -> Array:
        """Solve Xᵀ(Ω ∘ (XWHᵀ))H + λW = XᵀYH by conjugate gradients.

        The preconditioner is the same system with Ω replaced by the share of observed labels;
        eigenvectors solve it. If all labels are observed, one step is exact.
        """
        gamma, P = eigh(H.T @ H)
        scale = R.mean() * np.outer(values, gamma) + self.lam
        return conjugate_gradient(
            lambda S: X.T @ ((R * (X @ S @ H.T)) @ H) + self.lam * S,
            X.T @ (Y @ H),
            start,
            max_iter=self.n_cg,
            precondition=lambda S: Q @ ((Q.T @ S @ P) / scale) @ P.T,
        )
