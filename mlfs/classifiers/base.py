"""What every multi-label classifier and learner offers: scores and a threshold on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..tags import Tags, check_features
from ..targets import check_target
from ..types import Array, Matrix


class MultiLabelClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Base of all classifiers: a subclass writes ``_fit``, ``_scores`` and its ``tags``.

    It also says in ``_parameter_constraints``, as scikit-learn does, which values each of its
    parameters may have; ``fit`` refuses others.
    ``_fit`` and ``_scores`` receive X already validated, and Y as float with 1, 0 and, where
    the tags allow it, nan for unobserved. One that takes a parameter ``tune_threshold`` gets its
    threshold from the training part where that is true.

    A one-dimensional y holds classes and predictions do, too: ``_fit`` then gets one label, or
    one for each class where there are more than two, of which the one with the largest score is
    predicted. Between classes that score alike the first is taken, as everywhere in
    scikit-learn, while a label is predicted where its score just reaches the threshold.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels, 2) or (n_classes,)
        0 and 1 for each label, or the classes of a one-dimensional y.
    threshold_ : float
        A label is predicted where its score reaches this.
    """

    tags: ClassVar[Tags]
    version: ClassVar[int] = 1  # raise it when results change: stored cells are then run anew
    threshold: ClassVar[float] = 0.5  # where nothing else is asked
    tune_threshold: bool = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}  # of every parameter

    def fit(self, X: Matrix, Y: Array) -> Self:
        """Learn from features X and labels Y (1, 0, or nan where unobserved), or classes."""
        self._validate_params()
        X = check_features(self, X)
        target = check_target(self, Y, X.shape[0])
        Y, self.classes_ = target.Y, target.classes
        self._fit(X, Y)
        self.threshold_ = self.threshold
        if self.tune_threshold:
            self.threshold_ = best_threshold(self._scores(X), Y, self.threshold)
        return self

    def decision_function(self, X: Matrix) -> Array:
        """Real scores of shape (n, l), comparable across labels; larger is more relevant.

        For a one-dimensional y: of shape (n,) and positive where the second of two classes is
        predicted, or one column for each of more classes.
        """
        scores = self._label_scores(X)
        if self.classes_.ndim == 2 or len(self.classes_) > 2:
            return scores
        return np.asarray(scores[:, 0] - self.threshold_)

    def predict(self, X: Matrix) -> Array:
        """Labels in {0, 1}, 1 where the score reaches the threshold; or classes."""
        return self.predict_from_scores(self.decision_function(X))

    def predict_from_scores(self, scores: Array) -> Array:
        """What ``predict`` gives for scores that ``decision_function`` gave."""
        if self.classes_.ndim == 2:
            return (scores >= self.threshold_).astype(np.int64)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(scores))
        chosen = np.argmax(scores, axis=1) if scores.ndim == 2 else np.asarray(scores > 0, np.intp)
        return np.asarray(self.classes_[chosen])

    def _label_scores(self, X: Matrix) -> Array:
        """Scores of all labels that the model was fitted to, whatever y looked like."""
        check_is_fitted(self)
        return self._scores(check_features(self, X, reset=False))

    @abstractmethod
    def _fit(self, X: Matrix, Y: Array) -> None: ...

    @abstractmethod
    def _scores(self, X: Matrix) -> Array: ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
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
