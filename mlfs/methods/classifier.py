"""The base class of multi-label classifiers and learners: scores and a threshold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ..numerics.sklearn_private import check_params
from ..types import Array, Matrix
from .tags import Tags, check_features
from .targets import check_target
from .thresholds import RULES, TUNED, half_range


class MultiLabelClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Score and predict labels; the base class of all classifiers and learners.

    A subclass writes ``_fit``, ``_scores`` and its ``tags``. It also lists in
    ``_parameter_constraints``, as scikit-learn does, which values each of its parameters may
    have; ``fit`` refuses others. ``_fit`` and ``_scores`` receive X already validated, and Y as
    float with 1, 0 and, if the tags allow it, nan for unobserved. A class may have a parameter
    ``threshold``, one of the rules in ``mlfs.methods.thresholds``; without it, and with
    "fixed", the threshold is the class attribute ``usual_threshold``.

    A one-dimensional y has classes, and then predictions are classes, too. For two classes ``_fit``
    gets one label, for more it gets one label per class. The class with the largest score is
    predicted; ties go to the first class, as in scikit-learn. A label is predicted if its score is
    at least the threshold.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels, 2) or (n_classes,)
        0 and 1 for each label, or the classes of a one-dimensional y.
    threshold_ : float
        A label is predicted if its score is at least this. With ``threshold="half_range"`` it is
        nan, because each prediction then finds it anew from all the scores that it is given.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.classifiers import MultiLabelClassifier
    >>> from mlfs.methods.tags import Tags
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
    # whether labels have no effect on each other, and one fit to two sets of labels is cheaper
    shares_work: ClassVar[bool] = False
    usual_threshold: ClassVar[float] = 0.5  # `threshold_` where no rule chooses another
    threshold: str = "fixed"  # the rule that chooses it
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}  # allowed values of every parameter

    @property
    def order_matters(self) -> bool:
        """Whether another order of the features may give other scores."""
        return False

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
        check_params(self)
        X = check_features(self, X)
        target = check_target(self, Y, X.shape[0])
        Y, self.classes_ = target.Y, target.classes
        if self.threshold not in RULES:
            raise ValueError(
                f"threshold = {self.threshold!r}: choose one of {', '.join(RULES)}; a number "
                "goes into the class attribute usual_threshold"
            )
        self._fit(X, Y)
        self.threshold_ = self.usual_threshold
        if self.threshold in TUNED:
            self.threshold_ = TUNED[self.threshold](self._scores(X), Y, self.usual_threshold)
        elif self.threshold == "half_range":
            self.threshold_ = np.nan
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
        return np.asarray(scores[:, 0] - self._threshold_for(scores))

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
            return (scores >= self._threshold_for(scores)).astype(np.int64)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(scores))
        chosen = np.argmax(scores, axis=1) if scores.ndim == 2 else np.asarray(scores > 0, np.intp)
        return np.asarray(self.classes_[chosen])

    def _threshold_for(self, scores: Array) -> float:
        """Return the threshold for these scores."""
        return half_range(scores) if self.threshold == "half_range" else self.threshold_

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
