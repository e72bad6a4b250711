"""What every multi-label classifier and learner offers: scores and a threshold on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..labels import check_labels
from ..tags import Tags, check_features
from ..types import Array, Matrix


class MultiLabelClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Base of all classifiers: a subclass writes ``_fit``, ``_scores`` and its ``tags``.

    It also says in ``_parameter_constraints``, as scikit-learn does, which values each of its
    parameters may have; ``fit`` refuses others.
    ``_fit`` and ``_scores`` receive X already validated, and Y as float with 1, 0 and, where
    the tags allow it, nan for unobserved. One that takes a parameter ``tune_threshold`` gets its
    threshold from the training part where that is true.

    Attributes
    ----------
    threshold_ : float
        A label is predicted where its score reaches this.
    """

    tags: ClassVar[Tags]
    version: ClassVar[int] = 1  # raise it when results change: stored cells are then run anew
    threshold: ClassVar[float] = 0.5  # where nothing else is asked
    tune_threshold: bool = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}  # of every parameter

    def fit(self, X: Matrix, Y: Array) -> Self:
        """Learn from features X and labels Y (1, 0, or nan where unobserved)."""
        self._validate_params()
        X = check_features(self, X)
        Y = check_labels(Y, n=X.shape[0], missing=self.tags.handles_missing)
        self._fit(X, Y)
        self.threshold_ = self.threshold
        if self.tune_threshold:
            self.threshold_ = best_threshold(self._scores(X), Y, self.threshold)
        return self

    def decision_function(self, X: Matrix) -> Array:
        """Real scores of shape (n, l), comparable across labels; larger is more relevant."""
        check_is_fitted(self)
        return self._scores(check_features(self, X, reset=False))

    def predict(self, X: Matrix) -> Array:
        """Labels in {0, 1}: 1 where the score reaches the threshold."""
        return self.predict_from_scores(self.decision_function(X))

    def predict_from_scores(self, scores: Array) -> Array:
        """Labels in {0, 1} for scores that ``decision_function`` gave."""
        return (scores >= self.threshold_).astype(np.uint8)

    @abstractmethod
    def _fit(self, X: Matrix, Y: Array) -> None: ...

    @abstractmethod
    def _scores(self, X: Matrix) -> Array: ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def best_threshold(scores: Array, Y: Array, usual: float) -> float:
    """The threshold with the fewest wrong labels among the observed ones, one for all labels.

    Tried are `usual` and 51 points from 0 to the largest score, as the authors of LSML do; among
    equals the first is taken.
    """
    positive, negative = np.sort(scores[Y == 1]), np.sort(scores[Y == 0])
    tried = np.concatenate([[usual], np.linspace(0.0, scores.max(), 51)])
    missed = np.searchsorted(positive, tried)
    false = len(negative) - np.searchsorted(negative, tried)
    return float(tried[np.argmin(missed + false)])
