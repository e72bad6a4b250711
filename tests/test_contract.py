"""One contract for every registered method: what a user of scikit-learn takes for granted."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from mlfs.classifiers import CLASSIFIERS
from mlfs.learners import LEARNERS
from mlfs.selectors import SELECTORS

LEARNING = {**CLASSIFIERS, **LEARNERS}
ALL = {**SELECTORS, **LEARNING}


def make(name, **params):
    """The method with a fixed seed, and few enough neighbours and factors for tiny data."""
    method = ALL[name](**params)
    known = method.get_params()
    if "random_state" in known:
        method.set_params(random_state=0)
    for neighbors in ("n_neighbors", "k"):
        if neighbors in known and isinstance(known[neighbors], int):
            method.set_params(**{neighbors: min(known[neighbors], 5)})
    return method


def data(n=60, d=20, l=4, seed=0):  # noqa: E741
    """Labels that depend on the first features; not negative, so that every method takes it."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    Y = (X[:, :l] + 0.2 * rng.standard_normal((n, l)) > 0.5).astype(float)
    return X, Y


def outcome(name, X, Y):
    """What a method makes of data: a ranking, or scores for the same instances."""
    method = make(name).fit(X, Y)
    return method.ranking_ if name in SELECTORS else method.decision_function(X)


@pytest.mark.parametrize("name", ALL)
def test_documented_and_tagged(name):
    cls = ALL[name]
    assert cls.__doc__ and cls.tags.paper
    assert cls.tags.provenance in ("paper", "author code", "reconstructed")
    assert set(cls.tags.search_space) <= set(cls().get_params())


@pytest.mark.parametrize("name", ALL)
def test_clone_keeps_parameters_and_drops_what_was_fitted(name):
    method = make(name)
    copy = clone(method.fit(*data()))
    assert copy.get_params() == method.get_params()
    assert not [key for key in vars(copy) if key.endswith("_")]


@pytest.mark.parametrize("name", ALL)
def test_deterministic_and_the_input_untouched(name):
    X, Y = data()
    before = X.copy(), Y.copy()
    first, again = outcome(name, X, Y), outcome(name, X, Y)
    assert np.array_equal(first, again)
    assert np.array_equal(X, before[0]) and np.array_equal(Y, before[1])


@pytest.mark.parametrize("name", SELECTORS)
def test_the_ranking_is_complete_and_selects(name):
    X, Y = data()
    method = make(name, n_features_to_select=7).fit(X, Y)
    assert np.array_equal(np.sort(method.ranking_), np.arange(X.shape[1]))
    assert np.array_equal(np.flatnonzero(method.get_support()), np.sort(method.ranking_[:7]))
    assert method.transform(X).shape == (60, 7)
    if hasattr(method, "scores_"):
        assert np.array_equal(method.ranking_, np.argsort(-method.scores_, kind="stable"))


@pytest.mark.parametrize("name", LEARNING)
def test_scores_and_predictions(name):
    X, Y = data()
    method = make(name).fit(X, Y)
    scores, labels = method.decision_function(X), method.predict(X)
    assert scores.shape == labels.shape == Y.shape
    assert set(np.unique(labels)) <= {0, 1}
    assert method.threshold_ == method.threshold
    assert np.array_equal(labels, scores >= method.threshold_)


@pytest.mark.parametrize("name", ALL)
def test_float32_and_sparse_are_taken(name):
    X, Y = data()
    X = np.round(X, 2) * (X > 0.4)  # exact enough in float32, and with zeros
    X32 = X.astype(np.float32)
    full = outcome(name, X32.astype(float), Y)
    assert outcome(name, X32, Y).shape == full.shape
    sparse = outcome(name, sp.csr_matrix(X32.astype(float)), Y)
    if name in SELECTORS:
        assert np.mean(sparse[:5] == full[:5]) >= 0.6  # sums in another order may swap near ties
    else:
        assert np.allclose(sparse, full, atol=1e-4)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("case", ["constant feature", "one-class labels", "n < d", "single label"])
def test_awkward_data(name, case):
    X, Y = data(n=25, d=40) if case == "n < d" else data()
    if case == "constant feature":
        X[:, 3] = 0.5
        X[:, 4] = 0.0
    if case == "one-class labels":
        Y[:, 0], Y[:, 1] = 1, 0
    if case == "single label":
        Y = Y[:, :1]
    result = outcome(name, X, Y)
    assert np.isfinite(result).all()


@pytest.mark.parametrize("name", ALL)
def test_bad_input_is_refused_with_a_reason(name):
    X, Y = data()
    with pytest.raises(ValueError, match="NaN"):
        make(name).fit(np.where(X > 0.9, np.nan, X), Y)
    with pytest.raises(ValueError, match="do not fit 60 instances"):
        make(name).fit(X, Y[:-1])
    if not ALL[name].tags.real_targets:
        with pytest.raises(ValueError, match="labels must be 1"):
            make(name).fit(X, Y + 1)


@pytest.mark.parametrize("name", ALL)
def test_missing_labels_are_used_or_refused(name):
    X, Y = data()
    Y[::7, 1] = np.nan
    if ALL[name].tags.handles_missing:
        assert np.isfinite(outcome(name, X, Y)).all()
    else:
        with pytest.raises(ValueError, match="cannot use unobserved"):
            make(name).fit(X, Y)
