"""Selectors that do not use labels are fitted by X alone; the others ask for them."""

import numpy as np
import pytest

from mlfs.methods import registry

SELECTORS = registry.methods(["selector"])

WITHOUT = ["all", "random", "mcfs", "fsasl"]
SIZES = [3, 7]
SLICE = 40, 15  # rows and columns of emotions


def make(name):
    method = SELECTORS[name]()
    quick = {"random_state": 0, "max_iter": 2}
    return method.set_params(**{key: quick[key] for key in quick if key in method.get_params()})


@pytest.mark.parametrize("name", SELECTORS)
def test_scikit_learn_is_told_whether_labels_are_needed(name):
    assert make(name).__sklearn_tags__().target_tags.required == (name not in WITHOUT)


@pytest.mark.parametrize("name", WITHOUT)
def test_labels_change_nothing(emotions, name):
    X, Y = emotions
    alone = make(name).fit(X)
    subsets = make(name).subsets(X, None, SIZES)
    for labels in (Y, 1 - Y[::-1], np.full(Y.shape, np.nan), np.linspace(-3, 3, len(X))):
        assert make(name).fit(X, labels).ranking_.tolist() == alone.ranking_.tolist()
        for with_labels, without in zip(make(name).subsets(X, labels, SIZES), subsets, strict=True):
            assert with_labels.tolist() == without.tolist()
    np.testing.assert_array_equal(make(name).fit_transform(X), X[:, alone.get_support()])


@pytest.mark.parametrize("name", sorted(set(SELECTORS) - set(WITHOUT)))
def test_labels_are_asked_for(emotions, name):
    X, _ = emotions
    message = "requires y to be passed, but the target y is None: call fit"
    for attempt in (
        lambda: make(name).fit(X),
        lambda: make(name).fit_transform(X),
        lambda: make(name).subsets(X, None, SIZES),
    ):
        with pytest.raises(ValueError, match=message):
            attempt()
