"""L1 logistic regression: one sparse classifier per label, its weights summed over labels."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..methods.labels import observed
from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE, Seed
from ..types import Array, Matrix

# scikit-learn 1.8 replaced penalty="l1" by l1_ratio=1
_RENAMED = getattr(LogisticRegression(), "penalty", "deprecated") == "deprecated"
_L1 = {"l1_ratio": 1.0} if _RENAMED else {"penalty": "l1"}


class L1Logistic(Ranker):
    """Rank features by one l1-penalised logistic regression for each label.

    The score of feature i is Σ_l |w_il|, where w_l minimises
    ‖w‖₁ + |b| + C Σ_n log(1 + exp(−y_n (wᵀx_n + b))) with y_n = ±1, the label l of instance n. The
    intercept b is penalised too, as by the solver liblinear. A label with one value only has no
    weights. Unknown labels: the regression of a label uses the instances where it is known.

    Parameters
    ----------
    C : float, default=0.1
        C, the weight of the loss. If it is too small, all weights are 0; if it is large, few
        are, and the fit takes longer.
    max_iter : int, default=1000
        Largest number of iterations for each label.
    tol : float, default=1e-4
        Size of the gradient, relative to the one at the start, at which the solver stops.
    random_state : int, RandomState or None, default=None
        Decides the order in which the solver visits the features.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        Sums of absolute weights over the labels.
    coef_ : ndarray of shape (n_features, n_labels)
        The weights.
    n_iter_ : int
        Number of iterations of the label that took the most, at least 1.

    Notes
    -----
    A fit costs O(n d l) time and O(n d + n l + d l) memory; the time is that of an iteration.

    References
    ----------
    Ng, "Feature selection, L1 vs. L2 regularization, and rotational invariance", ICML 2004,
    https://doi.org/10.1145/1015330.1015435

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import L1Logistic
    >>> sorted(L1Logistic(C=0.1, random_state=0).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    name = "l1_logistic"
    tags = Tags(
        paper="Ng, ICML 2004",
        handles_missing=True,
        by_label=True,
        supports_sparse=True,
        search_space={"C": [1e-2, 1e-1, 1.0, 1e1, 1e2]},
        note="score = sum of absolute weights over labels; scikit-learn's liblinear",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "C": [POSITIVE],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        C: float = 0.1,
        max_iter: int = 1000,
        tol: float = 1e-4,
        random_state: Seed = None,
        n_features_to_select: int | float | None = None,
    ):
        self.C = C
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        model = LogisticRegression(
            **_L1,
            C=self.C,
            solver="liblinear",
            max_iter=self.max_iter,
            tol=max(self.tol, np.finfo(float).tiny),  # liblinear refuses 0
            random_state=self.random_state,
        )
        self.coef_ = np.zeros((X.shape[1], Y.shape[1]))
        self.n_iter_ = 1  # liblinear counts 0 if the start, w = 0, is optimal
        for j, known in enumerate(observed(Y).T):
            label = Y[known, j]
            if len(np.unique(label)) == 2:
                model.fit(X if known.all() else X[known], label)
                self.coef_[:, j] = model.coef_[0]
                self.n_iter_ = max(self.n_iter_, int(model.n_iter_[0]))
        return np.abs(self.coef_).sum(axis=1)
