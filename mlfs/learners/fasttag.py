"""FastTag: fast image tagging.

Chen, Zheng and Weinberger, ICML 2013. This is only its core: the reweighting and the bootstrapped
refits for rare tags are left out, as in most comparisons.
"""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.linalg import solve
from sklearn.utils._param_validation import Interval

from ..classifiers.base import MultiLabelClassifier
from ..linalg import add_to_diagonal, ridge_solution, with_ones
from ..params import NOT_NEGATIVE, POSITIVE
from ..tags import Tags
from ..types import Array, Matrix


class FastTag(MultiLabelClassifier):
    """Enrich the tags by a linear map while features learn to predict the enriched tags.

    It minimises (1/n) Σ‖B y_i − Wᵀx_i‖² + λ‖W‖² + γ (1/n) Σ E‖y_i − B ỹ_i‖² over W and B, where ỹ
    is y with every tag dropped with probability p. An unobserved label counts as 0, a tag that was
    not given. The problem is convex and quadratic. For a given B the best W is linear in B, so one
    small linear system yields the B to which the paper's alternation converges.

    Parameters
    ----------
    drop : float, default=0.5
        The probability p that a tag is dropped, strictly between 0 and 1.
    gamma : float, default=1.0
        γ, the weight of the denoising.
    lam : float, default=1e-3
        λ, the weight of the size of W; it must be positive, or W is not determined.
    fit_intercept : bool, default=True
        Append a column of ones to X.
    tune_threshold : bool, default=False
        Use the threshold with the fewest wrong labels among the observed labels of the training
        part. Unobserved labels count as 0 in the fit: if they are many, no score reaches the usual
        threshold .5.

    Attributes
    ----------
    W_ : ndarray of shape (d, l)
        Weights that predict the enriched tags.
    B_ : ndarray of shape (l, l)
        The map; enriched tags are B y.

    Notes
    -----
    A fit costs O(n d² + d³ + n d l + d² l + n l² + l³) time and
    O(n d + d² + n l + d l + l²) memory.

    References
    ----------
    Chen, Zheng and Weinberger, "Fast image tagging", ICML 2013.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import FastTag
    >>> Y[:20, 0] = np.nan  # unobserved labels
    >>> FastTag(drop=0.1, lam=1e-3).fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Chen, Zheng and Weinberger, ICML 2013",
        provenance="reconstructed",
        handles_missing=True,
        supports_sparse=True,
        search_space={
            "drop": [0.1, 0.3, 0.5, 0.7, 0.9],
            "gamma": [10.0**e for e in range(-3, 4)],
            "lam": [10.0**e for e in range(-7, 1)],
        },
        note="core only; the original tunes its parameters but prints no grid: this grid is ours",
    )

    _parameter_constraints = {
        "drop": [Interval(Real, 0, 1, closed="neither")],
        "gamma": [NOT_NEGATIVE],
        "lam": [POSITIVE],
        "fit_intercept": ["boolean"],
        "tune_threshold": ["boolean"],
    }

    def __init__(
        self,
        drop: float = 0.5,
        gamma: float = 1.0,
        lam: float = 1e-3,
        fit_intercept: bool = True,
        tune_threshold: bool = False,
    ):
        self.drop = drop
        self.gamma = gamma
        self.lam = lam
        self.fit_intercept = fit_intercept
        self.tune_threshold = tune_threshold

    def _fit(self, X: Matrix, Y: Array) -> None:
        X, Y = with_ones(X, self.fit_intercept), np.nan_to_num(Y)
        C, keep = Y.T @ Y, 1.0 - self.drop
        P = keep * C  # Σ y E[ỹ]ᵀ
        Q = keep**2 * C + self.drop * keep * np.diag(np.diag(C))  # Σ E[ỹỹᵀ]
        M = ridge_solution(X, Y, len(Y) * self.lam)  # W = M Bᵀ minimises over W
        system = self.gamma * Q + C - (Y.T @ X) @ M
        # a tag that never occurs has a row of zeros on both sides: its B is 0
        add_to_diagonal(system, np.diag(C) == 0)
        self.B_ = solve(system, self.gamma * P, assume_a="sym").T
        self.W_ = M @ self.B_.T

    def _scores(self, X: Matrix) -> Array:
        return np.asarray(with_ones(X, self.fit_intercept) @ self.W_)
