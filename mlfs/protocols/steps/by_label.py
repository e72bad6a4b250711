"""Use a method that cannot take unknown labels label by label, on the rows where each is known."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from ...methods.classifier import MultiLabelClassifier
from ...methods.labels import observed
from ...methods.ranker import Ranker
from ...methods.tags import Tags
from ...types import Array, Matrix

ZERO, AVAILABLE, COMPLETE, OWN = "zero", "available", "complete", "its own way"


def treatments(cls: Any) -> list[str]:
    """Return the ways in which a method can be used with unknown labels, its usual one first.

    Parameters
    ----------
    cls : type
        A selector, a learner, a classifier or a strategy.

    Returns
    -------
    list of str
        "its own way" (it models what is unknown, or needs no labels), "zero" (unknown labels become
        0), "available" (each label on the rows where it is known) and "complete" (only rows that
        are known completely).

    Examples
    --------
    >>> from mlfs.protocols.steps.by_label import treatments
    >>> from mlfs.learners import RMFL, BRLogistic
    >>> treatments(RMFL), treatments(BRLogistic)
    (['its own way', 'zero', 'complete'], ['available', 'zero', 'complete'])
    """
    tags: Tags = cls.tags
    if tags.handles_missing:
        return [AVAILABLE if tags.by_label else OWN, ZERO, COMPLETE]
    alone = tags.by_label or issubclass(cls, MultiLabelClassifier)
    return [ZERO, *([AVAILABLE] if alone else []), COMPLETE]


class ByLabelRanker(Ranker):
    """Rank features by the mean of their scores for each label, fitted where the label is known.

    A label of which only one value is known says nothing, and has no part in the mean.

    Parameters
    ----------
    ranker : Ranker
        The selector; it stays unfitted, and a copy is fitted to every label.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps, as for every selector.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.protocols.steps.by_label import ByLabelRanker
    >>> from mlfs.selectors import FSNM
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> Y[:20, 0] = np.nan  # unknown labels
    >>> sorted(ByLabelRanker(FSNM()).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(paper="available-case analysis", handles_missing=True, supports_sparse=True)

    def __init__(self, ranker: Ranker, n_features_to_select: int | float | None = None):
        self.ranker = ranker
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        total, count = np.zeros(X.shape[1]), 0
        for j, known in enumerate(observed(Y).T):
            label = Y[known][:, [j]]
            if known.any() and np.ptp(label):
                total += _scores(deepcopy(self.ranker).fit(X[known], label))
                count += 1
        return total / max(count, 1)


def _scores(ranker: Ranker) -> Array:
    """Return the scores of a fitted selector; where it has none, minus the place of a feature."""
    if hasattr(ranker, "scores_"):
        return np.asarray(ranker.scores_, dtype=float)
    return -np.argsort(ranker.ranking_).astype(float)


class ByLabelClassifier(MultiLabelClassifier):
    """Predict each label by its own copy of a classifier, fitted where the label is known.

    This is binary relevance. A label of which nothing is known is taken as irrelevant everywhere.

    Parameters
    ----------
    classifier : MultiLabelClassifier
        The classifier; it stays unfitted, and a copy is fitted to every label.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.classifiers import MLkNN
    >>> from mlfs.protocols.steps.by_label import ByLabelClassifier
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> Y[:20, 0] = np.nan  # unknown labels
    >>> ByLabelClassifier(MLkNN(k=5)).fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(paper="available-case analysis", handles_missing=True, supports_sparse=True)

    def __init__(self, classifier: MultiLabelClassifier):
        self.classifier = classifier

    @property
    def order_matters(self) -> bool:
        """Whether another order of the features may give other scores."""
        return self.classifier.order_matters

    def _fit(self, X: Matrix, Y: Array) -> None:
        self.copies_ = []
        for j, known in enumerate(observed(Y).T):
            label = Y[:, [j]]
            rows = known if known.any() else ~known
            fitted = deepcopy(self.classifier).fit(X[rows], np.nan_to_num(label[rows]))
            self.copies_.append(fitted)

    def _scores(self, X: Matrix) -> Array:
        return np.hstack([one.decision_function(X) for one in self.copies_])

    def predict_from_scores(self, scores: Array) -> Array:
        """Predict each label from its scores by the rule of its own copy.

        Parameters
        ----------
        scores : ndarray of shape (n_instances, n_labels)
            What ``decision_function`` returned.

        Returns
        -------
        ndarray of shape (n_instances, n_labels)
            1 or 0.
        """
        columns = [one.predict_from_scores(scores[:, [j]]) for j, one in enumerate(self.copies_)]
        return np.hstack(columns)
