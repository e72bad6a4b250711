"""What holds for every learner: unobserved values do not matter, and odd labels are defined."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

from mlfs.labels import DropPerInstance
from mlfs.learners import LEARNERS

MISSING = [name for name, learner in LEARNERS.items() if learner.tags.handles_missing]


@pytest.fixture(params=LEARNERS)
def name(request):
    return request.param


@pytest.fixture(params=MISSING)
def tolerant(request):
    return request.param


def test_who_handles_missing_labels():
    assert MISSING == ["rmfl", "fasttag", "leml", "glocal", "lsml"]


def test_hidden_values_cannot_influence_a_fit(tolerant, yeast_slice):
    """Garbage in the entries a mask hides leaves the scores the same bit for bit."""
    X, Y = yeast_slice(150)
    mask = DropPerInstance(0.4)
    masked = mask(Y, np.random.default_rng(0))
    flipped = np.where(np.isnan(masked), 1.0 - Y, Y)
    remasked = mask(flipped, np.random.default_rng(0))
    remasked[np.isnan(remasked)] = -np.nan  # not even the sign bit of nan may show
    scores = [make(tolerant).fit(X, Z).decision_function(X) for Z in (masked, remasked)]
    assert np.array_equal(*scores)


@pytest.mark.parametrize("strict", sorted(set(LEARNERS) - set(MISSING)))
def test_others_refuse_missing_labels(strict, incomplete):
    with pytest.raises(ValueError, match="unobserved"):
        make(strict).fit(*incomplete(40))


def test_labels_that_say_little(tolerant, incomplete):
    """No observed positive, all positive, nothing observed in a label or in an instance."""
    X, Y = incomplete(120)
    Y[:, 0] = np.where(Y[:, 0] == 1, np.nan, Y[:, 0])
    Y[:, 1] = np.where(Y[:, 1] == 0, np.nan, Y[:, 1])
    Y[:, 2] = np.nan
    Y[:5] = np.nan
    check(make(tolerant), X, Y)


def test_nothing_observed_at_all(tolerant, incomplete):
    X, Y = incomplete(40)
    check(make(tolerant), X, np.full_like(Y, np.nan))


def test_labels_of_one_class(name, yeast_slice):
    X, Y = yeast_slice(120)
    Y[:, 0], Y[:, 1], Y[:5], Y[5:10] = 0.0, 1.0, 0.0, 1.0
    check(make(name), X, Y)


def test_a_single_label_and_fewer_instances_than_features(name, yeast_slice):
    X, Y = yeast_slice(40)
    check(make(name), X, Y[:, :1])


def test_constant_and_zero_features(name, yeast_slice):
    X, Y = yeast_slice(60)
    X[:, 0], X[:, 1], X[3] = 7.0, 0.0, 0.0
    check(make(name), X, Y)
    check(make(name), np.zeros_like(X), Y)


def test_fits_repeat_and_leave_their_input_alone(name, yeast_slice):
    X, Y = yeast_slice(80)
    kept = X.copy(), Y.copy()
    model = make(name)
    first = model.fit(X, Y).decision_function(X)
    assert np.array_equal(clone(model).fit(X, Y).decision_function(X), first)
    assert np.array_equal(X, kept[0])
    assert np.array_equal(Y, kept[1])


def test_search_space_names_parameters(name):
    learner = LEARNERS[name]
    assert learner.tags.search_space
    assert set(learner.tags.search_space) <= set(inspect.signature(learner).parameters)


@pytest.mark.parametrize("end", [0, -1])
def test_corners_of_the_search_space(name, end, yeast_slice):
    """The smallest and the largest values of every grid still give finite scores."""
    X, Y = yeast_slice(100)
    corner = {key: values[end] for key, values in LEARNERS[name].tags.search_space.items()}
    check(make(name, **corner), X, Y)


def make(name, **params):
    """The learner with a fixed seed where it takes one."""
    if "random_state" in LEARNERS[name]().get_params():
        params["random_state"] = 0
    return LEARNERS[name](**params)


def check(model, X, Y):
    scores = model.fit(X, Y).decision_function(X)
    assert scores.shape == Y.shape
    assert np.isfinite(scores).all()
    assert set(np.unique(model.predict(X))) <= {0, 1}
