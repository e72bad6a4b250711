"""Probabilities of labels and of classes, for classifiers whose scores are probabilities."""

from __future__ import annotations

import numpy as np

from ..types import Array, Matrix
from .classifier import MultiLabelClassifier


class ProbabilisticClassifier(MultiLabelClassifier):
    """Add ``predict_proba`` to a classifier whose scores are probabilities of labels."""

    def predict_proba(self, X: Matrix) -> Array:
        """Compute the probability of every label or class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_instances, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_instances, n_labels) or (n_instances, n_classes)
            Probabilities of the labels, or of the classes of a one-dimensional y.
        """
        P = self._label_scores(X)
        if self.classes_.ndim == 2:
            return P
        if len(self.classes_) == 1:
            return np.ones_like(P)
        if len(self.classes_) == 2:
            return np.hstack([1 - P, P])
        total = P.sum(axis=1, keepdims=True)
        # all classes may have probability 0: then they are equally likely
        return np.where(total > 0, P / np.where(total > 0, total, 1.0), 1 / P.shape[1])
