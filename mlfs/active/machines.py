"""One binary classifier per label, retrained as points are added (for Li-Adaptive)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from ..types import Array, Matrix


class Machines:
    """Fit one binary classifier per label on rows of a pool.

    A label that is always present, or always absent, gets a constant score.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The pool.
    base : estimator with ``decision_function``
        The binary classifier; a copy is fitted for each label.
    """

    def __init__(self, X: Matrix, base: Any):
        self._X = X
        self._base = clone(base)
        # with the hinge loss, a point outside the margin does not change the solution
        self._hinge = isinstance(base, LinearSVC) and base.loss == "hinge"

    def fit(self, rows: Array, signs: Array) -> Machines:
        """Train on pool rows with labels in {-1, +1}; ``scores`` covers the whole pool."""
        self._rows, self._signs = rows, signs
        self.scores = np.empty((self._X.shape[0], signs.shape[1]))
        self._train(rows, signs, np.arange(signs.shape[1]), self.scores)
        return self

    def scores_with(self, x: int, signs: Array) -> Array:
        """Score the whole pool as if row x had these labels; the fit does not change."""
        inside = signs * self.scores[x] < 1.0
        labels = np.flatnonzero(inside) if self._hinge else np.arange(len(signs))
        scores = self.scores.copy()
        self._train(np.r_[self._rows, x], np.vstack([self._signs, signs]), labels, scores)
        return scores

    def _train(self, rows: Array, signs: Array, labels: Array, scores: Array) -> None:
        """Write the scores of `labels` into `scores`."""
        X = self._X[rows]
        # small machines: checking the same X again and again would take as long as the training
        unchecked = config_context(assume_finite=True, skip_parameter_validation=True)
        with unchecked, warnings.catch_warnings():
            # about ten thousand machines are trained: do not warn if one stops early
            warnings.simplefilter("ignore", ConvergenceWarning)
            for j in labels:
                column = signs[:, j]
                if (column == column[0]).all():
                    scores[:, j] = column[0]
                else:
                    self._base.fit(X, column)
                    scores[:, j] = self._base.decision_function(self._X)
