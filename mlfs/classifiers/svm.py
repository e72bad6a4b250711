"""Binary relevance with libSVM's RBF classifier, all labels sharing one Gram matrix.

Chang and Lin, ACM TIST 2011; solved by the copy of libSVM inside scikit-learn.
"""

from __future__ import annotations

from numbers import Integral
from typing import Literal

import numpy as np
import scipy.sparse as sp
from sklearn import config_context
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.parallel import Parallel, delayed

from ..linalg import blocks, dense, rbf_kernel
from ..params import COUNT, POSITIVE
from ..tags import Tags
from ..types import Array, Matrix
from .base import MultiLabelClassifier


class LibSVM(MultiLabelClassifier):
    """Fit one support vector machine with kernel exp(-gamma ‖x - y‖²) per label.

    The scores are the decision values. The Gram matrix does not depend on the label, so it is
    computed once: the decision values are those of one SVC per label, but many times faster. A
    label that is always present in training has score 1, and one that is always absent has score
    -1. These are the values at libSVM's margins, so the scores stay comparable.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a training error.
    gamma : float or "auto", default="auto"
        Width of the kernel; "auto" is 1 / n_features, as in libSVM.
    scale : {"none", "standard", "minmax"}, default="none"
        Divide each feature by its deviation or its range in the training part. Features are not
        shifted, since the kernel does not depend on shifts; so sparse features stay sparse.
    n_jobs : int, default=1
        Number of labels fitted at the same time, in threads.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Training instances that support at least one label.
    dual_coef_ : ndarray of shape (n_support, n_labels)
        Coefficients of the support vectors.
    intercept_ : ndarray of shape (n_labels,)
        Intercepts of the decision functions.

    Notes
    -----
    A fit costs O(n² d + n³ l) time and O(n² + n d + n l) memory. For
    most labels the time is closer to O(n²) than to O(n³).

    References
    ----------
    Chang and Lin, "LIBSVM: a library for support vector machines", ACM Transactions on Intelligent
    Systems and Technology 2(3), 2011, https://doi.org/10.1145/1961189.1961199

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.classifiers import LibSVM
    >>> LibSVM(C=1.0).fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Chang & Lin, ACM TIST 2011",
        provenance="author code",
        supports_sparse=True,
        note="decision values, not libSVM's randomised probabilities (-b 1)",
    )
    threshold = 0.0

    _parameter_constraints = {
        "C": [POSITIVE],
        "gamma": [POSITIVE, StrOptions({"auto"})],
        "scale": [StrOptions({"none", "standard", "minmax"})],
        "n_jobs": [COUNT, Interval(Integral, None, -1, closed="right")],
    }

    def __init__(
        self,
        C: float = 1.0,
        gamma: float | Literal["auto"] = "auto",
        scale: Literal["none", "standard", "minmax"] = "none",
        n_jobs: int = 1,
    ):
        self.C = C
        self.gamma = gamma
        self.scale = scale
        self.n_jobs = n_jobs

    def _fit(self, X: Matrix, Y: Array) -> None:
        self.gamma_ = 1 / X.shape[1] if self.gamma == "auto" else float(self.gamma)
        # distances of centred features lose fewer digits; sparse features would become dense
        self.shift_ = 0.0 if sp.issparse(X) else X.mean(axis=0)
        self.factor_ = 1 / _spread(X, self.scale)
        Z = self._scaled(X)
        K = np.empty((len(Y), len(Y)))
        for rows in blocks(len(Y), len(Y)):
            K[rows] = rbf_kernel(Z[rows], Z, self.gamma_)

        varying = np.flatnonzero((Y[0] != Y).any(axis=0))
        # K is finite: checking all of it again for every label would cost more than the fit
        with config_context(assume_finite=True):
            fitted = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(_solve)(K, Y[:, j], self.C) for j in varying
            )
        dual_coef = np.zeros(Y.shape)
        self.intercept_ = np.where(Y[0] == 1, 1.0, -1.0)
        for j, (support, coefficients, intercept) in zip(varying, fitted):
            dual_coef[support, j] = coefficients
            self.intercept_[j] = intercept
        self.support_ = np.flatnonzero(dual_coef.any(axis=1))
        self.dual_coef_ = dual_coef[self.support_]
        self.support_vectors_ = Z[self.support_]

    def _scores(self, X: Matrix) -> Array:
        scores = np.tile(self.intercept_, (X.shape[0], 1))
        if len(self.support_):
            for rows in blocks(X.shape[0], len(self.support_)):
                K = rbf_kernel(self._scaled(X[rows]), self.support_vectors_, self.gamma_)
                scores[rows] += K @ self.dual_coef_
        return scores

    def _scaled(self, X: Matrix) -> Matrix:
        if sp.issparse(X):
            return X.multiply(self.factor_).tocsr()
        return (X - self.shift_) * self.factor_


def _solve(K: Array, y: Array, C: float) -> tuple[Array, Array, float]:
    """Compute support, coefficients and intercept of one label."""
    model = SVC(C=C, kernel="precomputed").fit(K, y)
    return model.support_, model.dual_coef_.ravel(), float(model.intercept_[0])


def _spread(X: Matrix, scale: str) -> Array:
    """Compute the divisor of each feature; 1 if the feature is constant."""
    if scale == "none":
        return np.ones(X.shape[1])
    if scale == "standard":
        return np.asarray(StandardScaler(with_mean=False).fit(X).scale_)
    width = dense(X.max(axis=0) - X.min(axis=0)).ravel()
    return np.where(width > 0, width, 1.0)
