"""Binary relevance with libSVM's RBF classifier, all labels sharing one Gram matrix.

Chang and Lin, ACM TIST 2011; solved by the copy of libSVM inside scikit-learn.
"""

from __future__ import annotations

from numbers import Integral
from typing import Literal

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import expit
from sklearn import config_context
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.parallel import Parallel, delayed

from ..methods.classifier import MultiLabelClassifier
from ..methods.tags import Tags
from ..numerics.linalg import blocks, dense, rbf_kernel
from ..numerics.params import COUNT, POSITIVE, Seed, as_generator
from ..numerics.sklearn_private import Interval, StrOptions
from ..types import Array, Matrix

_CACHE = 50  # megabytes of libSVM's cache: filling more takes longer than reading the Gram matrix
_FOLDS = 5  # of the cross-validation for probabilities, as in libSVM
Solution = tuple[Array, Array, float]  # support, coefficients and intercept of one label


class LibSVM(MultiLabelClassifier):
    """Fit one support vector machine with kernel exp(-gamma ‖x - y‖²) per label.

    The scores are the decision values, or the log-odds of libSVM's probabilities: these rank labels
    as the probabilities do, and a label is predicted from .5 on. The Gram matrix does not depend on
    the label, so it is computed once: the decision values are those of one SVC per label, but many
    times faster. A label that is always present in training has score 1, and one that is always
    absent has score -1. These are the values at libSVM's margins, so the scores stay comparable.
    Among log-odds they are those of Platt's targets, log(n + 1) and -log(n + 1).

    Parameters
    ----------
    C : float, default=1.0
        Cost of a training error.
    gamma : float or "auto", default="auto"
        Width of the kernel; "auto" is 1 / n_features, as in libSVM.
    scale : {"none", "standard", "minmax"}, default="none"
        Divide each feature by its deviation or its range in the training part. Features are not
        shifted, since the kernel does not depend on shifts; so sparse features stay sparse.
    scores : {"decision", "probability"}, default="decision"
        Decision values, or log-odds of probabilities as libSVM computes them: a sigmoid of the
        decision values, fitted to those of a five-fold cross-validation in the training part.
    random_state : int, RandomState or None, default=None
        Decides the five folds, which all labels share; not used for decision values.
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
    sigmoid_ : ndarray of shape (2, n_labels)
        Slopes and intercepts of the log-odds (only for ``scores="probability"``).

    Notes
    -----
    A fit costs O(n² d + n³ l) time and O(n² + n d + n l) memory. For
    most labels the time is closer to O(n²) than to O(n³). Probabilities take about five times as
    long.

    References
    ----------
    Chang and Lin, "LIBSVM: a library for support vector machines", ACM Transactions on Intelligent
    Systems and Technology 2(3), 2011, https://doi.org/10.1145/1961189.1961199

    Lin, Lin and Weng, "A note on Platt's probabilistic outputs for support vector machines",
    Machine Learning 68(3), 2007, https://doi.org/10.1007/s10994-007-5018-6

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
        note="decision values; libSVM's randomised probabilities (-b 1) with scores: probability",
    )
    usual_threshold = 0.0

    _parameter_constraints = {
        "C": [POSITIVE],
        "gamma": [POSITIVE, StrOptions({"auto"})],
        "scale": [StrOptions({"none", "standard", "minmax"})],
        "scores": [StrOptions({"decision", "probability"})],
        "random_state": ["random_state"],
        "n_jobs": [COUNT, Interval(Integral, None, -1, closed="right")],
    }

    def __init__(
        self,
        C: float = 1.0,
        gamma: float | Literal["auto"] = "auto",
        scale: Literal["none", "standard", "minmax"] = "none",
        scores: Literal["decision", "probability"] = "decision",
        random_state: Seed = None,
        n_jobs: int = 1,
    ):
        self.C = C
        self.gamma = gamma
        self.scale = scale
        self.scores = scores
        self.random_state = random_state
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
        fitted = self._solved(K, Y[:, varying])
        dual_coef = np.zeros(Y.shape)
        self.intercept_ = np.where(Y[0] == 1, 1.0, -1.0)
        for j, (support, coefficients, intercept) in zip(varying, fitted):
            dual_coef[support, j] = coefficients
            self.intercept_[j] = intercept
        self.support_ = np.flatnonzero(dual_coef.any(axis=1))
        self.dual_coef_ = dual_coef[self.support_]
        self.support_vectors_ = Z[self.support_]
        if self.scores == "probability":
            # a constant label has decision value 1 or -1
            self.sigmoid_ = np.array(
                [np.full(Y.shape[1], np.log(len(Y) + 1)), np.zeros(Y.shape[1])]
            )
            values = self._held_out_values(K, Y[:, varying])
            for j, column in zip(varying, values.T):
                self.sigmoid_[:, j] = fit_sigmoid(column, Y[:, j])

    def _solved(self, K: Array, Y: Array) -> list[Solution]:
        # K is finite: checking all of it again for every label would cost more than the fit
        with config_context(assume_finite=True):
            solutions: list[Solution] = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(_solve)(K, y, self.C) for y in Y.T
            )
        return solutions

    def _held_out_values(self, K: Array, Y: Array) -> Array:
        """Compute decision values of training instances by machines that did not see them."""
        n = len(Y)
        order = as_generator(self.random_state).permutation(n)
        values = np.empty(Y.shape)
        for held in np.split(order, [i * n // _FOLDS for i in range(1, _FOLDS)]):
            fit = np.setdiff1d(order, held)
            if not len(fit):  # a single instance: nothing is known
                values[held] = 0.0
                continue
            # as libSVM does for a fold whose other folds have one class
            values[held] = np.where(Y[fit[0]] == 1, 1.0, -1.0)
            mixed = np.flatnonzero((Y[fit[0]] != Y[fit]).any(axis=0))
            solved = self._solved(K[np.ix_(fit, fit)], Y[np.ix_(fit, mixed)])
            for j, (support, coefficients, intercept) in zip(mixed, solved):
                values[held, j] = K[np.ix_(held, fit[support])] @ coefficients + intercept
        return values

    def _scores(self, X: Matrix) -> Array:
        scores = np.tile(self.intercept_, (X.shape[0], 1))
        if len(self.support_):
            for rows in blocks(X.shape[0], len(self.support_)):
                K = rbf_kernel(self._scaled(X[rows]), self.support_vectors_, self.gamma_)
                scores[rows] += K @ self.dual_coef_
        if self.scores == "probability":
            slope, shift = self.sigmoid_
            return scores * slope + shift
        return scores

    def _scaled(self, X: Matrix) -> Matrix:
        if sp.issparse(X):
            return X.multiply(self.factor_).tocsr()
        return (X - self.shift_) * self.factor_


def fit_sigmoid(values: Array, y: Array) -> Array:
    """Fit Platt's sigmoid: P(y = 1) = 1 / (1 + exp(-(a f + b))) for decision values f.

    As in libSVM, the targets are (n₊ + 1) / (n₊ + 2) and 1 / (n₋ + 2) in place of 1 and 0, and the
    cross-entropy to them is smallest.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Decision values f of instances that the machine was not trained on.
    y : ndarray of shape (n,)
        Their labels.

    Returns
    -------
    ndarray of shape (2,)
        The slope a and the intercept b.
    """
    positive = np.sum(y == 1)
    negative = len(y) - positive
    target = np.where(y == 1, (positive + 1) / (positive + 2), 1 / (negative + 2))

    def loss(point: Array) -> tuple[float, Array]:
        odds = point[0] * values + point[1]
        wrong = expit(odds) - target
        return (
            float(np.sum(np.logaddexp(0, odds) - target * odds)),
            np.array([wrong @ values, wrong.sum()]),
        )

    start = np.array([0.0, np.log((positive + 1) / (negative + 1))])
    return np.asarray(minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-6}).x)


def _solve(K: Array, y: Array, C: float) -> Solution:
    """Compute support, coefficients and intercept of one label."""
    model = SVC(C=C, kernel="precomputed", cache_size=_CACHE).fit(K, y)
    return model.support_, model.dual_coef_.ravel(), float(model.intercept_[0])


def _spread(X: Matrix, scale: str) -> Array:
    """Compute the divisor of each feature; 1 if the feature is constant."""
    if scale == "none":
        return np.ones(X.shape[1])
    if scale == "standard":
        return np.asarray(StandardScaler(with_mean=False).fit(X).scale_)
    width = dense(X.max(axis=0) - X.min(axis=0)).ravel()
    return np.where(width > 0, width, 1.0)
