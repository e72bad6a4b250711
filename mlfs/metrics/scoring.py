"""Metrics as scorers of scikit-learn, also where some labels are not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..label_values import label_array
from ..types import Array, Matrix
from .metric import Metric, find_metric

SCORES = ("predict_proba", "decision_function")  # the preferred one first


def scorer(metric: str | Metric) -> Scorer:
    """Make a scorer for ``cross_val_score``, ``cross_validate`` and ``GridSearchCV``.

    Labels that are not known may be nan, None or pd.NA. Pass the folds as an object: for a number,
    as in ``cv=5``, scikit-learn looks at y, and refuses nan.

    Parameters
    ----------
    metric : str or Metric
        A metric or its name.

    Returns
    -------
    callable
        Takes a fitted estimator, X and Y. Larger is better: a loss is negated, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import KFold, cross_val_score
    >>> from mlfs.learners import RMFL
    >>> from mlfs.metrics import scorer
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> Y = (X > 0).astype(float)
    >>> Y[::3, 0] = np.nan
    >>> values = cross_val_score(RMFL(), X, Y, cv=KFold(4), scoring=scorer("macro_auc"))
    >>> bool(values.mean() > 0.9)
    True
    """
    return Scorer(find_metric(metric))


@dataclass(frozen=True)
class Scorer:
    """Score a fitted estimator by a metric; `scorer` makes one.

    Parameters
    ----------
    metric : Metric
        The metric.
    """

    metric: Metric

    def __call__(self, estimator: Any, X: Matrix, y: Any) -> float:
        """Return the metric of the estimator's scores or predictions; larger is better."""
        truth = label_array(y)
        n_labels = 1 if truth.ndim == 1 else truth.shape[1]
        if self.metric.needs == "labels":
            given = label_array(estimator.predict(X))
        else:
            how = next((how for how in SCORES if hasattr(estimator, how)), None)
            if how is None:
                raise TypeError(
                    f"{type(estimator).__name__} has neither {' nor '.join(SCORES)}, so it cannot "
                    f"be scored by {self.metric.name}: use a metric of predicted labels"
                )
            given = label_scores(estimator, how, X, n_labels)
        shape = (len(truth), n_labels)
        value = self.metric.function(truth.reshape(shape), np.reshape(given, shape))
        return value if self.metric.larger_is_better else -value


def label_scores(model: Any, how: str, X: Matrix, n_labels: int) -> Array:
    """Return scores of shape (n, l) from an estimator that was fitted to all labels at once.

    Parameters
    ----------
    model : estimator
        The fitted estimator.
    how : {"predict_proba", "decision_function"}
        What to ask it for.
    X : matrix of shape (n, d)
        The instances.
    n_labels : int
        The number of labels l.

    Returns
    -------
    ndarray of shape (n, l)
        The scores.
    """
    given = getattr(model, how)(X)
    if isinstance(given, list):  # one array of class probabilities for each label
        parts = zip(given, model.classes_)
        return np.column_stack([_scores_of_one(part, known) for part, known in parts])
    given = _real(given.toarray() if hasattr(given, "toarray") else given)
    if n_labels == 1 and (given.ndim == 1 or given.shape[1] != 1):
        return _scores_of_one(given, np.ravel(model.classes_))[:, None]
    return given


def _scores_of_one(given: Any, classes: Any) -> Array:
    """Return the scores of one label from an estimator's output for the classes of that label."""
    given = _real(given)
    if given.ndim == 1:  # a decision function for two classes
        return given
    seen = list(classes)
    return given[:, seen.index(1)] if 1 in seen else np.zeros(len(given))


def _real(given: Any) -> Array:
    """Return scores as floats; refuse others, instead of losing a part of them."""
    scores = np.asarray(given)
    if scores.dtype.kind not in "fiub":
        raise ValueError(f"scores have the type {scores.dtype}: return real numbers")
    return scores.astype(float, copy=False)
