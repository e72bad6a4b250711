"""The checks of selectors and classifiers, which are fitted many times."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..selectors import Ranker
from ..types import Array, Matrix
from .common import data, make, must


def _outcome(method: Any, X: Matrix, Y: Array) -> Array:
    """Fit a method and return its ranking, or its scores for the same instances."""
    method.fit(X, Y)
    outcome = method.ranking_ if isinstance(method, Ranker) else method.decision_function(X)
    must(np.isfinite(outcome).all(), "it returned nan or infinite numbers")
    wanted = (X.shape[1],) if isinstance(method, Ranker) else Y.shape
    must(outcome.shape == wanted, f"it returned numbers of shape {outcome.shape}, not {wanted}")
    return np.asarray(outcome)


def _refuses(cls: Any, X: Matrix, Y: Array, what: str) -> None:
    try:
        make(cls).fit(X, Y)
    except ValueError:
        return
    raise AssertionError(f"{what} must be refused with a ValueError")


def repeats_itself_and_leaves_its_input_alone(cls: Any) -> None:
    """Check that two fits with the same seed agree, and that fit does not change X or Y."""
    X, Y = data()
    before = X.copy(), Y.copy()
    method = make(cls)
    first, again = _outcome(method, X, Y), _outcome(make(cls), X, Y)
    must(np.array_equal(first, again), "two fits with the same seed differ")
    must(np.array_equal(first, _outcome(method, X, Y)), "a second fit of the same object differs")
    must(np.array_equal(X, before[0]) and np.array_equal(Y, before[1]), "it changed its input")
    left = [key for key in vars(clone(method)) if key.endswith("_")]
    must(not left, f"a clone has {left}: set attributes that end in _ only in fit")


def takes_float32_and_sparse_features(cls: Any) -> None:
    """Check that float32 and sparse features are accepted, with nearly the same result."""
    X, Y = data()
    X = (np.round(X, 2) * (X > 0.4)).astype(np.float32)
    full = _outcome(make(cls), X.astype(float), Y)
    _outcome(make(cls), X, Y)
    sparse = _outcome(make(cls), sp.csr_matrix(X.astype(float)), Y)
    if issubclass(cls, Ranker):  # rounding errors may swap features with nearly equal scores
        must(np.mean(sparse[:5] == full[:5]) >= 0.6, "sparse features give another ranking")
    else:
        must(np.allclose(sparse, full, atol=1e-4), "sparse features give other scores")


def takes_awkward_data(cls: Any) -> None:
    """Check constant and zero features, labels with one value, a single label, few instances."""
    X, Y = data()
    constant, empty, one_class = X.copy(), X.copy(), Y.copy()
    constant[:, 3], constant[:, 4], empty[3] = 7.0, 0.0, 0.0
    one_class[:, 0], one_class[:, 1], one_class[:5], one_class[5:10] = 1, 0, 0, 1
    # a selector of another library may refuse features that all say nothing
    with suppress(ValueError) if hasattr(cls, "foreign") else nullcontext():
        _outcome(make(cls), np.zeros_like(X), Y)
    for features, labels in (
        (constant, Y),
        (empty, Y),
        (X, one_class),
        (X, Y[:, :1]),
        data(n=12, d=20),
    ):
        _outcome(make(cls), features, labels)


def takes_the_corners_of_its_search_space(cls: Any) -> None:
    """Check that the first and the last value of every grid give finite numbers."""
    space = cls.tags.search_space
    if space:
        for end in (0, -1):
            corner = {name: list(values)[end] for name, values in space.items()}
            _outcome(make(cls, **corner), *data())


def refuses_bad_input(cls: Any) -> None:
    """Check that fit refuses nan features, too few labels, and labels other than 0 and 1."""
    X, Y = data()
    _refuses(cls, np.where(X > 0.9, np.nan, X), Y, "features that are nan")
    _refuses(cls, X, Y[:-1], "labels with one row too few")
    if not cls.tags.real_targets:
        _refuses(cls, X, Y + 1, "labels that are 2")


def uses_or_refuses_missing_labels(cls: Any) -> None:
    """Check that nan labels are used or refused as the tags say, and that nan hides the label."""
    X, Y = data()
    rng = np.random.default_rng(1)
    missing = np.where(rng.random(Y.shape) < 0.3, np.nan, Y)
    if not cls.tags.handles_missing:
        _refuses(cls, X, missing, "the tags do not say handles_missing, so nan labels")
        return
    other = missing.copy()
    other[np.isnan(other)] = -np.nan  # even the sign bit of nan must have no effect
    first, second = (_outcome(make(cls), X, labels) for labels in (missing, other))
    must(np.array_equal(first, second), "the content of unobserved labels has an effect")
    little = missing.copy()
    little[:, 0] = np.where(Y[:, 0] == 1, np.nan, Y[:, 0])
    little[:, 1] = np.where(Y[:, 1] == 0, np.nan, Y[:, 1])
    little[:, 2], little[:5] = np.nan, np.nan
    _outcome(make(cls), X, little)
    with suppress(ValueError):  # a method may refuse data without any known label
        _outcome(make(cls), X, np.full_like(Y, np.nan))


def gives_a_complete_ranking(cls: Any) -> None:
    """Check that the ranking has each feature once, by decreasing score, and transform its top."""
    X, Y = data()
    method = make(cls).fit(X, Y)
    ranking = method.ranking_
    complete = np.array_equal(np.sort(ranking), np.arange(X.shape[1]))
    must(complete, "its ranking lacks features, or has some twice")
    if hasattr(method, "scores_"):
        order = np.argsort(-method.scores_, kind="stable")
        wrong = "its ranking is not by decreasing score, with the lowest index first among ties"
        must(np.array_equal(ranking, order), wrong)
    kept = np.flatnonzero(method.get_support())
    top = np.sort(ranking[: len(kept)])
    must(np.array_equal(kept, top), "get_support is not the top of its ranking")
    must(method.transform(X).shape == (len(X), len(kept)), "transform keeps another number")
    subsets = method.subsets(X, Y, [3, 7])
    sizes = [len(set(map(int, subset))) for subset in subsets]
    must(sizes == [3, 7], "its subsets have wrong sizes")


def scores_and_predicts(cls: Any) -> None:
    """Check that labels are 1 where the score reaches the threshold, and that scores are useful."""
    X, Y = data()
    method = make(cls).fit(X, Y)
    scores, labels = method.decision_function(X), method.predict(X)
    must(labels.shape == Y.shape, f"predict returned shape {labels.shape}, not {Y.shape}")
    must(set(np.unique(labels)) <= {0, 1}, "predict returned other values than 0 and 1")
    must(np.array_equal(labels, scores >= method.threshold_), "predict is not scores >= threshold_")
    part = method.decision_function(X[:7])
    must(np.allclose(part, scores[:7]), "the scores of an instance depend on other instances")
    right = scores[Y == 1].mean() > scores[Y == 0].mean()
    must(right, "on its training data, relevant labels do not score higher than others")


FITTED: list[Callable[[Any], None]] = [
    repeats_itself_and_leaves_its_input_alone,
    takes_float32_and_sparse_features,
    takes_awkward_data,
    takes_the_corners_of_its_search_space,
    refuses_bad_input,
    uses_or_refuses_missing_labels,
]
SELECTOR: list[Callable[[Any], None]] = [gives_a_complete_ranking]
CLASSIFIER: list[Callable[[Any], None]] = [scores_and_predicts]
