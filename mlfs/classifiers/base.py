"""The base class of multi-label classifiers and learners: scores and a threshold."""

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
    """Score and predict labels; the base class of all classifiers and learners.

    A subclass writes ``_fit``, ``_scores`` and its ``tags``. It also lists in
    ``_parameter_constraints``, as scikit-learn does, which values each of its parameters may
    have; ``fit`` refuses others. ``_fit`` and ``_scores`` receive X already validated, and Y as
    float with 1, 0 and, if the tags allow it, nan for unobserved. If a class has a parameter
    ``tune_threshold`` and it is true, the threshold is found on the training part.

    A one-dimensional y has classes, and then predictions are classes, too. For two classes ``_fit``
    gets one label, for more it gets one label per class. The class with the largest score is
    predicted; ties go to the first class, as in scikit-learn. A label is predicted if its score is
    at least the threshold.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels, 2) or (n_classes,)
        0 and 1 for each label, or the classes of a one-dimensional y.
    threshold_ : float
        A label is predicted if its score is at least this.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.classifiers import MultiLabelClassifier
    >>> from mlfs.tags import Tags
    >>> class Frequency(MultiLabelClassifier):
    ...     tags = Tags(paper="none")
    ...     def _fit(self, X, Y):
    ...         self.share_ = Y.mean(axis=0)
    ...     def _scores(self, X):
    ...         return np.tile(self.share_, (len(X), 1))
    >>> model = Frequency().fit([[0.0], [1.0], [2.0]], [[1, 0], [1, 1], [1, 0]])
    >>> model.predict([[5.0]])
    array([[1, 0]])
    """

    tags: ClassVar[Tags]
    version: ClassVar[int] = 1  # raise it when results change: stored cells are then run again
    threshold: ClassVar[float] = 0.5  # the default of `threshold_`
    tune_threshold: bool = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}  # allowed values of every parameter

    def fit(self, X: Matrix, Y: Array) -> Self:
        """Learn from features and labels, or classes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_instances, n_features)
            The features.
        Y : array of shape (n_instances, n_labels) or (n_instances,)
            Labels: 1, 0, or nan where unobserved. A one-dimensional Y holds classes.

        Returns
        -------
        MultiLabelClassifier
            The fitted classifier itself.
        """
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
        """Score every label of every instance.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_instances, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_instances, n_labels)
            Real numbers, comparable across labels; larger is more relevant. For a one-dimensional
            y of two classes, the shape is (n_instances,), and positive means the second class. For
            more classes there is one column for each.
        """
        scores = self._label_scores(X)
        if self.classes_.ndim == 2 or len(self.classes_) > 2:
            return scores
        return np.asarray(scores[:, 0] - self.threshold_)

    def predict(self, X: Matrix) -> Array:
        """Predict labels or classes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_instances, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_instances, n_labels) or (n_instances,)
            1 if the score is at least the threshold, else 0; or classes.
        """
        return self.predict_from_scores(self.decision_function(X))

    def predict_from_scores(self, scores: Array) -> Array:
        """Predict from scores that ``decision_function`` has computed.

        Parameters
        ----------
        scores : ndarray
            What ``decision_function`` returned.

        Returns
        -------
        ndarray
            What ``predict`` returns.
        """
        if self.classes_.ndim == 2:
            return (scores >= self.threshold_).astype(np.int64)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(scores))
        chosen = np.argmax(scores, axis=1) if scores.ndim == 2 else np.asarray(scores > 0, np.intp)
        return np.asarray(self.classes_[chosen])

    def _label_scores(self, X: Matrix) -> Array:
        """Score all labels that the model was fitted to; each of several classes is a label."""
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
    """Find one threshold for all labels, with the fewest wrong labels among the observed ones.

    As in the code of LSML's authors, `usual` and 51 points from 0 to the largest score are tried.
    Ties go to the first.

    Parameters
    ----------
    scores : ndarray of shape (n, l)
        Scores of the training instances.
    Y : ndarray of shape (n, l)
        Their labels, nan where unobserved.
    usual : float
        The threshold to use unless another is better.

    Returns
    -------
    float
        The threshold.
    """
    positive, negative = np.sort(scores[Y == 1]), np.sort(scores[Y == 0])
    tried = np.concatenate([[usual], np.linspace(0.0, scores.max(), 51)])
    missed = np.searchsorted(positive, tried)
    false = len(negative) - np.searchsorted(negative, tried)
    return float(tried[np.argmin(missed + false)])
