"""Multi-task lasso: one regression of all labels that keeps or drops a feature for all of them."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import MultiTaskLasso as Regression

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.params import COUNT, NOT_NEGATIVE
from ..numerics.row_lasso import row_lasso
from ..types import Array

_NEWTON_FEATURES = 3000  # with more features, matrices of d x d are too large
_NEWTON_STEPS = 100  # ten are usual


class MultiTaskLasso(Ranker):
    """Rank features by the row norms of W = argmin ‖Y − XW − 1bᵀ‖² / 2n + α‖W‖₂,₁.

    While Lasso fits every label alone, the sum of row norms selects features for all labels
    together. FSNM has the same penalty with a loss that is robust to outliers. The solver needs
    complete labels, so nan labels are refused. Of equal features all have the same row.

    Parameters
    ----------
    alpha : float, default=0.01
        α, the weight of the row norms. If it is too large, nothing is selected and all scores are
        0.
    max_iter : int, default=10000
        Largest number of iterations: at most 100 Newton steps, then coordinate descent.
    tol : float, default=1e-6
        Duality gap at which the solver stops, relative to the squared norm of the centred labels.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        The row norms of W.
    coef_ : ndarray of shape (n_features, n_targets)
        The weights W.
    n_iter_ : int
        Number of Newton steps and of iterations of coordinate descent.

    Notes
    -----
    A fit costs O(n d² + d³ + n d l + d² l) time and O(n d + d² + n l + d l) memory; the time is
    that of a Newton step, of which ten are usual. With more than 3,000 features, or alpha=0, it is
    scikit-learn's coordinate descent, whose iterations cost O(n d l).

    References
    ----------
    Obozinski, Taskar and Jordan, "Joint covariate selection and joint subspace selection for
    multiple classification problems", Statistics and Computing 20, 2010,
    https://doi.org/10.1007/s11222-008-9111-x

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import MultiTaskLasso
    >>> sorted(MultiTaskLasso(alpha=0.1).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    name = "multi_task_lasso"
    tags = Tags(
        paper="Obozinski, Taskar and Jordan, Statistics and Computing 2010",
        real_targets=True,
        search_space={"alpha": [1e-2, 1e-1, 1.0, 1e1, 1e2]},
        note="scikit-learn's objective, squared loss scaled by 1/2n; the paper has logistic loss",
    )
    version = 2

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

    def _rank(self, X: Array, Y: Array) -> Array:
        W, steps, done = np.zeros((X.shape[1], Y.shape[1])), 0, False
        if self.alpha > 0 and X.shape[1] <= _NEWTON_FEATURES:
            W, steps, done = row_lasso(
                X - X.mean(axis=0),
                Y - Y.mean(axis=0),
                len(X) * self.alpha,
                self.tol,
                min(self.max_iter, _NEWTON_STEPS),
            )
        if not done and steps < self.max_iter:
            left = self.max_iter - steps
            model = Regression(self.alpha, max_iter=left, tol=self.tol, warm_start=True)
            model.coef_ = W.T
            W, steps = model.fit(X, Y).coef_.T, steps + int(model.n_iter_)
        self.coef_, self.n_iter_ = W, steps
        return np.linalg.norm(W, axis=1)
