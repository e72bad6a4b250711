"""Binary relevance with logistic regression on the observed labels.

The control that every learner from incomplete labels has to beat.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ..methods.labels import observed
from ..methods.probability import ProbabilisticClassifier
from ..methods.tags import Tags
from ..numerics.logistic import fit_logistic
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE
from ..types import Array, Matrix


class BRLogistic(ProbabilisticClassifier):
    """Fit one logistic regression per label, on the instances whose label is observed.

    For every label it minimises ½‖w‖² + C Σ log(1 + exp(−y_i (wᵀx_i + b))) over the instances
    where the label is observed, with y coded ±1; b is not penalised. The scores are probabilities.
    A label of which only one value is observed has the probability 0 or 1: the plain share of the
    observed values, which is also the limit of the fit. If nothing is observed, it is 0.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses; with a smaller value the weights are smaller.
    max_iter : int, default=1000
        Largest number of steps of L-BFGS, which all labels take together.
    tol : float, default=1e-4
        A label stops when no entry of the gradient of its mean loss is larger than this.

    Attributes
    ----------
    W_ : ndarray of shape (d, l)
        The weights; 0 for a label with one value.
    intercept_ : ndarray of shape (l,)
        The intercepts; 0 for a label with one value.
    share_ : ndarray of shape (l,)
        Share of positive labels among the observed ones; 0 if none is observed.
    n_iter_ : int
        Number of steps of the label that needed most.

    Notes
    -----
    A fit costs O(n d l) time and O(n d + n l + d l) memory.

    References
    ----------
    Zhang, Li, Liu and Geng, "Binary relevance for multi-label learning: an overview", Frontiers of
    Computer Science 12(2), 2018, https://doi.org/10.1007/s11704-017-7031-7

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import BRLogistic
    >>> Y[:20, 0] = np.nan  # unobserved labels
    >>> BRLogistic().fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    name = "br_logistic"
    version = 2  # all labels are solved together
    tags = Tags(
        paper="Zhang, Li, Liu and Geng, Frontiers of Computer Science 2018",
        provenance="paper",
        handles_missing=True,
        by_label=True,
        supports_sparse=True,
        search_space={"C": [10.0**e for e in range(-3, 4)]},
        note="the grid is ours",
    )

    _parameter_constraints = {
        "C": [POSITIVE],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
    }

    def __init__(self, C: float = 1.0, max_iter: int = 1000, tol: float = 1e-4):
        self.C = C
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, X: Matrix, Y: Array) -> None:
        counts = observed(Y).sum(axis=0)
        self.share_ = np.nansum(Y, axis=0) / np.maximum(counts, 1)
        self.W_ = np.zeros((X.shape[1], Y.shape[1]))
        self.intercept_ = np.zeros(Y.shape[1])
        vary = np.flatnonzero(self._varies)
        solved = fit_logistic(X, Y[:, vary], self.C, max_iter=self.max_iter, tol=self.tol)
        self.W_[:, vary], self.intercept_[vary], self.n_iter_ = solved

    def _scores(self, X: Matrix) -> Array:
        return np.where(self._varies, expit(X @ self.W_ + self.intercept_), self.share_)

    @property
    def _varies(self) -> Array:
        """True for labels of which both values were observed."""
        return (self.share_ > 0) & (self.share_ < 1)
