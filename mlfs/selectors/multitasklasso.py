"""Multi-task lasso: one regression of all labels that keeps or drops a feature for all of them."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import MultiTaskLasso as Regression

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.params import COUNT, NOT_NEGATIVE
from ..types import Array


class MultiTaskLasso(Ranker):
    """Rank features by the row norms of W = argmin ‖Y − XW − 1bᵀ‖² / 2n + α‖W‖₂,₁.

    While Lasso fits every label alone, the sum of row norms selects features for all labels
    together. FSNM has the same penalty with a loss that is robust to outliers. The solver needs
    complete labels, so nan labels are refused.

    Parameters
    ----------
    alpha : float, default=0.01
        α, the weight of the row norms. If it is too large, nothing is selected and all scores are
        0.
    max_iter : int, default=10000
        Largest number of iterations.
    tol : float, default=1e-6
        Duality gap at which the solver stops, relative to the squared norm of the labels.
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
        Number of iterations made.

    Notes
    -----
    A fit costs O(n d l) time and O(n d + n l + d l) memory; the time is that of an iteration.

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
        note="scikit-learn's solver, squared loss scaled by 1/2n; the paper has logistic loss",
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

    def _rank(self, X: Array, Y: Array) -> Array:
        model = Regression(alpha=self.alpha, max_iter=self.max_iter, tol=self.tol).fit(X, Y)
        self.coef_ = model.coef_.T
        self.n_iter_ = int(model.n_iter_)
        return np.linalg.norm(self.coef_, axis=1)
