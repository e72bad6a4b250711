"""Lasso: one l1-penalised regression per attribute or class, Tibshirani, JRSS B 1996."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import Lasso as LassoRegression

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.params import COUNT, NOT_NEGATIVE
from ..types import Array, Matrix


class Lasso(Ranker):
    """Rank features by one l1-penalised regression for each label or attribute.

    The score of feature i is Σ_k |w_ik|, where w_k = argmin ‖y_k − Xw − b‖² / 2n + α‖w‖₁. The
    papers that use it as a baseline do not say how several targets become one score. We fit every
    column of Y alone, with scikit-learn's solver and scaling, and sum the absolute weights.

    Parameters
    ----------
    alpha : float, default=0.01
        α, the weight of the l1 norm. If it is too large, nothing is selected and all scores are 0.
    max_iter : int, default=10000
        Largest number of iterations for each target.
    tol : float, default=1e-6
        Duality gap at which the solver stops, relative to the squared norm of the target.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        Sums of absolute weights over the targets.
    coef_ : ndarray of shape (n_features, n_targets)
        The weights.
    n_iter_ : int
        Number of iterations of the target that took the most.

    Notes
    -----
    A fit costs O(n d min(n, d) + d l min(n, d)) time and O(n d + n l + d l) memory.

    References
    ----------
    Tibshirani, "Regression shrinkage and selection via the lasso", Journal of the Royal
    Statistical Society B 58(1), 1996, https://doi.org/10.1111/j.2517-6161.1996.tb02080.x

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import Lasso
    >>> sorted(Lasso(alpha=0.1).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Tibshirani, JRSS B 1996",
        provenance="paper",
        real_targets=True,
        supports_sparse=True,
        search_space={"alpha": [1e-2, 1e-1, 1.0, 1e1, 1e2]},
        note="score = sum of absolute weights over targets; loss scaled by 1/2n",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "alpha": [NOT_NEGATIVE],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
    }

    def __init__(
        self,
        alpha: float = 0.01,
        max_iter: int = 10_000,
        tol: float = 1e-6,
        n_features_to_select: int | float | None = None,
    ):
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        # one Gram matrix is used for all targets, which saves time with many instances
        shared_gram = X.shape[0] > X.shape[1]
        model = LassoRegression(
            alpha=self.alpha, precompute=shared_gram, max_iter=self.max_iter, tol=self.tol
        ).fit(X, Y)
        self.coef_ = np.atleast_2d(model.coef_).T
        self.n_iter_ = int(np.max(model.n_iter_))
        return np.abs(self.coef_).sum(axis=1)
