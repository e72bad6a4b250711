"""Use any selector or classifier in the style of scikit-learn like one of mlfs's own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.multioutput import ClassifierChain
from sklearn.utils import get_tags

from ..errors import UserError, nearest
from ..metrics.scoring import SCORES, label_scores
from ..numerics.linalg import dense
from ..numerics.sklearn_private import check_params
from ..types import Array, Matrix
from . import user_code
from .classifier import MultiLabelClassifier
from .labels import observed
from .ranker import Ranker
from .tags import Tags

_REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class _Adapted:
    """Wrap an estimator of another library, `foreign`, with its parameters and their checks.

    A parameter value ``module:name`` means that function, or an instance of that class;
    ``{module:Class: {parameter: value}}`` means an instance with these parameters.
    """

    foreign: ClassVar[type]

    def __init__(self, **params: Any):
        self.estimator = self.foreign(**{key: _referred(value) for key, value in params.items()})

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the wrapped estimator."""
        params: dict[str, Any] = self.estimator.get_params(deep=deep)
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the wrapped estimator."""
        self.estimator.set_params(**params)
        return self

    def _validate_params(self) -> None:
        check_params(self.estimator)

    def _fits(self, X: Matrix, Y: Array) -> list[tuple[Array, Any]]:
        """Return fitted estimators, each with the labels that it was fitted to.

        Labels that are known for the same rows are fitted together, on these rows. A label that
        has only one value there, where labels are fitted one by one, gets None.
        """
        known = observed(Y)
        if known.all():
            return self._together(X, Y.astype(int), np.arange(Y.shape[1]))
        fits: list[tuple[Array, Any]] = []
        masks: dict[bytes, list[int]] = {}
        for j, rows in enumerate(known.T):
            masks.setdefault(rows.tobytes(), []).append(j)
        for group in masks.values():
            rows, labels = known[:, group[0]], np.array(group)
            part = Y[rows][:, labels].astype(int)
            alone = len(group) == 1 or not rows.any()
            fit = self._one_by_one if alone else self._together
            fits += fit(X[rows], part, labels)
        return fits

    def _together(self, X: Matrix, Y: Array, labels: Array) -> list[tuple[Array, Any]]:
        """Fit one estimator to all labels, or else one to each.

        A chain gets only the labels that have both values: its members cannot learn the others.
        """
        if isinstance(self.estimator, ClassifierChain):
            vary = Y.min(axis=0) < Y.max(axis=0)
            constant = [(labels[[j]], None) for j in np.flatnonzero(~vary)]
            if not vary.any():
                return constant
            return [(labels[vary], self._fitted(X, Y[:, vary])), *constant]
        if self._takes_all_labels():
            return [(labels, self._fitted(X, Y))]
        if not type(self.estimator).__module__.startswith("sklearn."):
            # the tags of other libraries may be wrong: try all labels at once
            try:
                return [(labels, self._fitted(X, Y))]
            except (ValueError, IndexError, TypeError) as error:  # for example from X[y == 1]
                try:
                    return self._one_by_one(X, Y, labels)
                except Exception:
                    raise error from None
        return self._one_by_one(X, Y, labels)

    def _one_by_one(self, X: Matrix, Y: Array, labels: Array) -> list[tuple[Array, Any]]:
        return [
            (labels[[j]], self._fitted(X, y) if len(y) and np.ptp(y) else None)
            for j, y in enumerate(Y.T)
        ]

    def _fitted(self, X: Matrix, Y: Array) -> Any:
        model = clone(self.estimator)
        model.fit(X, Y)  # its return value is not used: some classes forget to return self
        return model

    def _takes_all_labels(self) -> bool:
        tags = get_tags(self.estimator)
        about = tags.classifier_tags
        return bool(tags.target_tags.multi_output or (about is not None and about.multi_label))


class _Selector(_Adapted, Ranker):
    """Rank features by the scores that a fitted estimator has for them.

    An estimator that takes only one label is fitted to each label, and the scores are averaged.
    So are those of estimators for labels that are known for other rows, weighted by the labels.
    """

    n_features_to_select = None  # protocols use the whole ranking

    def _rank(self, X: Matrix, Y: Array) -> Array:
        d = X.shape[1]
        fits = [(labels, model) for labels, model in self._fits(X, Y) if model is not None]
        if not fits:
            return np.zeros(d)
        scores = np.array([_worth(model, d) for _, model in fits])
        if not np.isnan(scores).all():
            last = scores[~np.isnan(scores)].min() - 1.0
            for row, (labels, _) in zip(scores, fits):
                unknown = np.isnan(row)
                if unknown.any():  # the tests of many libraries have no score of a constant feature
                    row[unknown & _constant(X[~np.isnan(Y[:, labels[0]])])] = last
        return np.average(scores, axis=0, weights=[len(labels) for labels, _ in fits])


class _Classifier(_Adapted, MultiLabelClassifier):
    """Score labels by ``predict_proba``, or by ``decision_function`` where there is none."""

    def _fit(self, X: Matrix, Y: Array) -> None:
        self.n_labels_ = Y.shape[1]
        # the predictions for labels with only one value: that value, or 0 if none is known
        self.constants_ = np.nansum(Y, axis=0) > 0
        self.models_ = self._fits(X, Y)
        fitted = [model for _, model in self.models_ if model is not None]
        self.how_ = next((how for how in SCORES if fitted and hasattr(fitted[0], how)), SCORES[0])
        if fitted and not hasattr(fitted[0], self.how_):
            raise ValueError(f"{type(self).__name__} has neither {' nor '.join(SCORES)}: add one")
        usual = 0.5 if self.how_ == "predict_proba" else 0.0
        self.usual_threshold = usual  # type: ignore[misc]

    def _scores(self, X: Matrix) -> Array:
        n = X.shape[0]
        low = 0.0 if self.how_ == "predict_proba" else -1.0
        scores = np.tile(np.where(self.constants_, 1.0, low), (n, 1))
        for labels, model in self.models_:
            if model is not None:
                scores[:, labels] = self._of(model, X, len(labels))
        return scores

    def _of(self, model: Any, X: Matrix, count: int) -> Array:
        """Return the scores of the labels of one estimator, or say what is wrong with them."""
        scores, n = label_scores(model, self.how_, X, count), X.shape[0]
        if scores.shape != (n, count) or not np.isfinite(scores).all():
            raise ValueError(
                f"{self.how_} of {type(self).__name__} returned an array of shape {scores.shape}, "
                f"or numbers that are not finite: return finite numbers of shape {(n, count)}"
            )
        return scores


def _worth(model: Any, d: int) -> Array:
    """Return a score for every feature from a fitted estimator; larger is better."""
    if hasattr(model, "scores_"):
        scores = _real(model.scores_, f"scores_ of {type(model).__name__}")
    elif hasattr(model, "feature_importances_"):
        scores = _real(
            model.feature_importances_, f"feature_importances_ of {type(model).__name__}"
        )
    elif hasattr(model, "coef_"):
        scores = (
            np.abs(_real(model.coef_, f"coef_ of {type(model).__name__}"))
            .reshape(-1, d)
            .mean(axis=0)
        )
    elif hasattr(model, "ranking_"):
        scores = -_real(model.ranking_, f"ranking_ of {type(model).__name__}")
        if scores.max() >= 0:
            raise ValueError(
                f"ranking_ of {type(model).__name__} contains a 0, but ranks start at 1: if it is "
                "an order of features, derive the class from mlfs.selectors.Ranker"
            )
    elif hasattr(model, "estimator_"):  # a selector around another estimator
        return _worth(model.estimator_, d)
    else:
        raise ValueError(
            f"{type(model).__name__} has none of scores_, feature_importances_, coef_ and "
            "ranking_ after fit: set one of them"
        )
    if scores.shape != (d,):
        raise ValueError(
            f"{type(model).__name__} has scores of shape {scores.shape} for {d} features: "
            "compute one score for each feature"
        )
    return scores


def _real(values: Any, what: str) -> Array:
    """Return values as floats; refuse what is not real, instead of losing a part of it."""
    numbers = dense(values)
    if numbers.dtype.kind not in "fiub":
        raise ValueError(f"{what} has the type {numbers.dtype}: compute real numbers")
    return numbers.astype(float)


def _constant(X: Matrix) -> Array:
    """Tell of every feature whether it has only one value."""
    if issparse(X):
        low, high = X.min(axis=0), X.max(axis=0)
        return np.asarray(low.toarray() == high.toarray()).ravel()
    return np.ptp(X, axis=0) == 0


def _referred(value: Any) -> Any:
    """Return the function or the instance that the value of a parameter refers to, or the value."""
    if isinstance(value, str) and _REFERENCE.fullmatch(value):
        named = _found(value)
        return named() if isinstance(named, type) else named
    if isinstance(value, Mapping) and len(value) == 1:
        [(name, params)] = value.items()
        given = {} if params is None else params
        if isinstance(name, str) and _REFERENCE.fullmatch(name) and isinstance(given, Mapping):
            return _instance(name, given)
    return value


def _instance(name: str, params: Mapping[str, Any]) -> Any:
    """Return an instance of the class ``module:Class`` with checked parameters."""
    cls = _found(name)
    if not isinstance(cls, type):
        raise ValueError(f"'{name}' is not a class: name it without parameters")
    parameters = inspect.signature(cls).parameters
    if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters.values()):
        for key in params:
            if key not in parameters:
                raise ValueError(f"'{name}' has no parameter '{key}'{nearest(key, parameters)}")
    made = cls(**{key: _referred(value) for key, value in params.items()})
    check_params(made)
    return made


def _found(reference: str) -> Any:
    try:
        return user_code.find(reference, None, None)
    except UserError as error:
        raise ValueError(str(error)) from error


@cache
def adapted(cls: type, selects: bool) -> Any:
    """Return an mlfs selector, or an mlfs classifier, that wraps a class of another library."""
    base = _Selector if selects else _Classifier
    about: dict[str, Any] = {
        "foreign": cls,
        "__doc__": cls.__doc__,
        "__module__": cls.__module__,
        "__signature__": inspect.signature(cls),
        "tags": Tags(
            paper="not known",
            provenance="author code",
            handles_missing=_uses_known_rows(cls),
            by_label=True,
            supports_sparse=_supports_sparse(cls),
        ),
    }
    return type(cls.__name__, (base,), about)


def _uses_known_rows(cls: type) -> bool:
    """Tell whether a class may be fitted to each label on the rows where the label is known.

    So may all of scikit-learn, but its chains, where labels are features of other labels. What
    classes of others do with labels is not known.
    """
    return cls.__module__.startswith("sklearn.") and not issubclass(cls, ClassifierChain)


def _supports_sparse(cls: Any) -> bool:
    """Tell what the tags of a class say; False where it cannot be made without parameters."""
    try:
        return bool(get_tags(cls()).input_tags.sparse)
    except Exception:
        return False


def unfit(cls: Any, selects: bool) -> str | None:
    """Tell why a class of another library cannot be adapted; None if it can."""
    if not isinstance(cls, type):
        return "is not a class"
    if not callable(getattr(cls, "fit", None)):
        return "has no method 'fit'"
    if not all(hasattr(cls, name) for name in ("get_params", "set_params")):
        return "has no get_params and set_params: derive it from sklearn.base.BaseEstimator"
    if not selects and not any(hasattr(cls, name) for name in SCORES):
        return f"has neither {' nor '.join(SCORES)}, and a classifier needs one of them"
    return None
