"""LLSF: learning label-specific features for multi-label classification.

Huang, Li, Huang and Wu, ICDM 2015 and IEEE TKDE 2016.
"""

from __future__ import annotations

import numpy as np

from ..methods.classifier import MultiLabelClassifier
from ..methods.tags import Tags
from ..numerics.linalg import cosines, gram, ridge_solution, unit_rows, with_ones
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE
from ..types import Array
from .proximal import accelerated_proximal, soft_threshold


class LLSF(MultiLabelClassifier):
    """Learn sparse weights per label that correlated labels share.

    It minimises ½‖XW − Y‖² + (α/2) tr(R WᵀW) + β‖W‖₁ with R = 1 − cosine similarity of labels,
    for rows of X of unit length. R is indefinite, so for large α there may be no minimum: then
    ``stopped_`` is "unbounded".

    Parameters
    ----------
    alpha, beta : float, default=0.5
        α and β, the weights of the label correlation and of the sparsity.
    gamma : float, default=0.1
        Ridge of the regression that the iteration starts from.
    max_iter : int, default=100
        Largest number of iterations.
    tol : float, default=1e-6
        Stop when the objective changes by less than this share of itself.
    fit_intercept : bool, default=True
        Append a column of ones to X.

    Attributes
    ----------
    W_ : ndarray of shape (d, l)
        The weights.
    objective_ : list of float
        The value at the start and after every iteration; it never rises.
    n_iter_ : int
        Number of iterations made.
    stopped_ : str
        Why the iteration ended: "tolerance", "max_iter" or "unbounded".

    Notes
    -----
    A fit costs O(n d² + d³ + n d l + d² l + n l² + d l² + l³) time and
    O(n d + d² + n l + d l + l²) memory.

    References
    ----------
    Huang, Li, Huang and Wu, "Learning label-specific features and class-dependent labels for
    multi-label classification", IEEE Transactions on Knowledge and Data Engineering 28(12), 2016,
    https://doi.org/10.1109/TKDE.2016.2608339; first at ICDM 2015.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import LLSF
    >>> LLSF(alpha=0.1, beta=0.1).fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Huang, Li, Huang and Wu, IEEE TKDE 28(12), 2016",
        provenance="author code",
        search_space={
            "alpha": [2.0**e for e in range(-10, 11)],
            "beta": [2.0**e for e in range(-10, 11)],
        },
        note="the authors' code has no intercept and predicts 0 for scores above 1.5; both are "
        "corrected here",
    )

    _parameter_constraints = {
        "alpha": [NOT_NEGATIVE],
        "beta": [NOT_NEGATIVE],
        "gamma": [POSITIVE],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        gamma: float = 0.1,
        max_iter: int = 100,
        tol: float = 1e-6,
        fit_intercept: bool = True,
    ):
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept

    def _fit(self, X: Array, Y: Array) -> None:
        X = self._prepare(X)
        smooth = LLSFSmooth(X, Y, self.alpha)
        self.W_, self.objective_, self.stopped_ = accelerated_proximal(
            smooth,
            lambda W, step: soft_threshold(W, self.beta * step),
            lambda W: self.beta * float(np.abs(W).sum()),
            ridge_solution(X, Y, self.gamma),
            smooth.curvature,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.n_iter_ = len(self.objective_) - 1

    def _scores(self, X: Array) -> Array:
        return self._prepare(X) @ self.W_

    def _prepare(self, X: Array) -> Array:
        return with_ones(unit_rows(X), self.fit_intercept)


class LLSFSmooth:
    """Compute value and gradient of ½‖XW − Y‖² + (α/2) tr(R WᵀW)."""

    def __init__(self, X: Array, Y: Array, alpha: float):
        self.G, self.B = gram(X), X.T @ Y
        self.constant = 0.5 * float(np.sum(Y**2))
        self.R = alpha * label_distance(Y)
        self.curvature = float(np.linalg.norm(self.G, 2) + np.linalg.norm(self.R, 2))

    def __call__(self, W: Array) -> tuple[float, Array]:
        """Return the value and the gradient at W."""
        curved = self.G @ W + W @ self.R
        value = self.constant + float(np.vdot(W, 0.5 * curved - self.B))
        return value, curved - self.B


def label_distance(Y: Array) -> Array:
    """Compute R = 1 - cosine similarity between label columns.

    The diagonal is zero for every label; a label without positives is far from all others.
    """
    R = 1.0 - cosines(Y)
    np.fill_diagonal(R, 0.0)
    return R
