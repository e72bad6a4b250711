"""One binary classifier per label, retrained as points are added (for Li-Adaptive)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ..types import Array, Matrix


class Machines:
    """Fit one binary classifier per label on rows of a pool.

    A label that is always present, or always absent, gets a constant score.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The pool.
    rows : array of int
        The rows to train on.
    signs : array of shape (len(rows), l)
        Their labels in {-1, +1}.
    base : estimator with ``decision_function``
        The binary classifier; a copy is fitted for each label.

    Attributes
    ----------
    scores : ndarray of shape (n, l)
        The decision function for every point of the pool.
    """

    def __init__(self, X: Matrix, rows: Array, signs: Array, base: Any):
        self._X, self._rows, self._signs = X, rows, signs
        self._base = clone(base)
        self.scores = self._trained(rows, signs)

    def scores_with(self, x: int, signs: Array) -> Array:
        """Score the whole pool as if row x had these labels."""
        return self.with_row(x, signs).scores

    def with_row(self, x: int, signs: Array) -> Machines:
        """Return machines trained with one more row; these do not change."""
        rows, signs = np.append(self._rows, x), np.vstack([self._signs, signs])
        return Machines(self._X, rows, signs, self._base)

    def _trained(self, rows: Array, signs: Array) -> Array:
        """Return the scores of the whole pool after training on these rows."""
        X, scores = self._X[rows], np.empty((self._X.shape[0], signs.shape[1]))
        # small machines: checking the same X again and again would take as long as the training
        unchecked = config_context(assume_finite=True, skip_parameter_validation=True)
        with unchecked, warnings.catch_warnings():
            # about ten thousand machines are trained: do not warn if one stops early
            warnings.simplefilter("ignore", ConvergenceWarning)
            for j, column in enumerate(signs.T):
                if (column == column[0]).all():
                    scores[:, j] = column[0]
                else:
                    self._base.fit(X, column)
                    scores[:, j] = self._base.decision_function(self._X)
        return scores
