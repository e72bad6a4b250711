"""JFSC: joint feature selection and classification for multi-label learning.

Huang, Li, Huang and Wu, IEEE Transactions on Cybernetics 2018.
"""

from __future__ import annotations

import numpy as np

from ..methods.classifier import MultiLabelClassifier
from ..methods.tags import Tags
from ..numerics.linalg import gram, ridge_solution, row_norms, with_ones
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE
from ..types import Array
from .llsf import label_distance
from .proximal import accelerated_proximal, soft_threshold


class JFSC(MultiLabelClassifier):
    """Learn sparse weights that also separate each label's positives from its negatives.

    It minimises ‖XW − Y‖₂,₁ + (α/2) tr(R WᵀW) + (β/2) Σ_k w_kᵀ S_k w_k + γ‖W‖₁ with R = 1 − cosine
    similarity of labels. For each feature, S_k is the squared scatter within the positives and the
    negatives of label k minus the scatter between them. R and S_k are indefinite, so there may be
    no minimum: then ``stopped_`` is "unbounded".

    Parameters
    ----------
    alpha, beta, gamma : float, default=0.25, 0.00390625, 0.5
        α, β and γ, the weights of the label correlation, of the scatter and of the sparsity.
    eta : float, default=10.0
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
    A fit costs O(n d² + d³ + n d l + d² l + d l² + l³) time and
    O(n d + d² + n l + d l + l²) memory.

    References
    ----------
    Huang, Li, Huang and Wu, "Joint feature selection and classification for multilabel learning",
    IEEE Transactions on Cybernetics 48(3), 2018, https://doi.org/10.1109/TCYB.2017.2663838

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import JFSC
    >>> JFSC().fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Huang, Li, Huang and Wu, IEEE Transactions on Cybernetics 48(3), 2018",
        provenance="reconstructed",
        search_space={
            "alpha": [4.0**e for e in range(-5, 6)],
            "beta": [4.0**e for e in range(-5, 6)],
            "gamma": [4.0**e for e in range(-5, 6)],
            "eta": [0.1, 1.0, 10.0],
        },
        note="the scatter squares deviations, as in its definition; a public copy does not",
    )

    _parameter_constraints = {
        "alpha": [NOT_NEGATIVE],
        "beta": [NOT_NEGATIVE],
        "gamma": [NOT_NEGATIVE],
        "eta": [POSITIVE],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        alpha: float = 2.0**-2,
        beta: float = 2.0**-8,
        gamma: float = 2.0**-1,
        eta: float = 10.0,
        max_iter: int = 100,
        tol: float = 1e-6,
        fit_intercept: bool = True,
    ):
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.eta = eta
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept

    def _fit(self, X: Array, Y: Array) -> None:
        X = with_ones(X, self.fit_intercept)
        start = ridge_solution(X, Y, self.eta)
        smooth = JFSCSmooth(X, Y, self.alpha, self.beta)
        self.W_, self.objective_, self.stopped_ = accelerated_proximal(
            smooth,
            lambda W, step: soft_threshold(W, self.gamma * step),
            lambda W: self.gamma * float(np.abs(W).sum()),
            start,
            smooth.curvature(start),
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.n_iter_ = len(self.objective_) - 1

    def _scores(self, X: Array) -> Array:
        return with_ones(X, self.fit_intercept) @ self.W_


class JFSCSmooth:
    """Compute value and gradient of all terms except the l1 norm."""

    def __init__(self, X: Array, Y: Array, alpha: float, beta: float):
        self.X, self.Y = X, Y
        self.R = alpha * label_distance(Y)
        self.S = beta * scatter(X, Y)

    def __call__(self, W: Array) -> tuple[float, Array]:
        """Return the value and the gradient at W."""
        E = self.X @ W - self.Y
        size = row_norms(E)
        curved = W @ self.R + self.S * W
        value = float(size.sum()) + 0.5 * float(np.vdot(W, curved))
        return value, self.X.T @ (E / size[:, None]) + curved

    def curvature(self, W: Array) -> float:
        """Compute a bound at W, with the row norms in the loss taken as fixed weights."""
        size = row_norms(self.X @ W - self.Y)
        loss = np.linalg.norm(gram(self.X / np.sqrt(size)[:, None]), 2)
        return float(loss + np.linalg.norm(self.R, 2) + np.abs(self.S).max())


def scatter(X: Array, Y: Array) -> Array:
    """Compute the diagonals of all S_k as the columns of a d x l array.

    Σ_P(x − x̄_P)² + (|P|/|N|) Σ_N(x − x̄_N)² − |P|(x̄_P − x̄_N)², for the positives P and the
    negatives N of each label; a label that has only one of the two has no scatter.
    """
    both = np.stack([Y, 1.0 - Y])
    count = both.sum(axis=1)[:, None, :]
    safe = np.maximum(count, 1.0)
    mean = X.T @ both / safe
    within = (X**2).T @ both - count * mean**2
    S = within[0] + count[0] / safe[1] * within[1] - count[0] * (mean[0] - mean[1]) ** 2
    return np.where((count > 0).all(axis=0), S, 0.0)
