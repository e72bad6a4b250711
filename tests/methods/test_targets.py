"""A y of one dimension: one label, or the classes of the instances, in and out again."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.exceptions import DataConversionWarning

from mlfs.classifiers import MLkNN
from mlfs.learners import LEML, FastTag
from mlfs.methods.registry import methods
from mlfs.methods.targets import as_target
from mlfs.selectors import FSNM, Lasso, SemFS

SELECTORS = methods(["selector"])
LEARNING = {**methods(["classifier"]), **methods(["learner"])}


def read(y, missing=False, real=False):
    return as_target(y, n=len(y), missing=missing, real=real)


def blobs(n_classes, n=60, seed=0):
    """Groups that lie far apart, their numbers 0, 1, ... and the features of new members."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    centres = 6.0 * np.eye(n_classes, 4)
    return centres[y] + rng.standard_normal((n, 4)), y


def seeded(cls):
    model = cls()
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


@pytest.mark.parametrize(
    ("y", "column", "classes"),
    [
        ([0, 1, 1], [0, 1, 1], [0, 1]),
        ([True, False, True], [1, 0, 1], [False, True]),
        ([-1, 1, -1], [0, 1, 0], [-1, 1]),
        ([2.0, 5.0, 5.0], [0, 1, 1], [2.0, 5.0]),
        (["no", "yes", "no"], [0, 1, 0], ["no", "yes"]),
        ([0, 0, 0], [0, 0, 0], [0]),  # a label that nobody has
        ([1, 1, 1], [1, 1, 1], [1]),
        (["a", "a", "a"], [1, 1, 1], ["a"]),
    ],
)
@pytest.mark.parametrize("kind", [list, np.array, pd.Series, lambda y: np.array(y, dtype=object)])
def test_two_classes_are_one_label(y, column, classes, kind):
    target = read(kind(y))
    assert target.Y.tolist() == [[float(value)] for value in column]
    assert target.classes.tolist() == classes


def test_more_classes_are_a_label_each():
    target = read(["b", "a", "c", "b"])
    assert target.Y.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert target.classes.tolist() == ["a", "b", "c"]


def test_unobserved_classes_become_rows_of_nan():
    one = read([0.0, np.nan, 1.0], missing=True)
    np.testing.assert_array_equal(one.Y, [[0], [np.nan], [1]])
    assert one.classes.tolist() == [0, 1]
    three = read([1.0, 2.0, np.nan, 3.0], missing=True)
    np.testing.assert_array_equal(three.Y[1:3], [[0, 1, 0], [np.nan] * 3])
    with pytest.raises(ValueError, match="cannot use unobserved labels"):
        read([0.0, np.nan, 1.0])
    named = read(np.array(["a", "b", np.nan, "a"], dtype=object), missing=True)
    np.testing.assert_array_equal(named.Y, [[0], [1], [np.nan], [0]])


@pytest.mark.parametrize("kind", [np.array, sp.csr_matrix, pd.DataFrame, list])
def test_a_matrix_stays_as_it_is(kind):
    target = read_matrix(kind([[0, 1], [1, 1], [0, 0]]))
    assert target.Y.tolist() == [[0, 1], [1, 1], [0, 0]]
    assert target.classes.tolist() == [[0, 1], [0, 1]]


def read_matrix(Y):
    return as_target(Y, n=3, missing=False)


def test_a_single_column_is_a_matrix_of_labels_or_classes_with_a_warning(recwarn):
    assert read_matrix([[0], [1], [1]]).classes.tolist() == [[0, 1]]
    assert not recwarn.list
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        target = read_matrix([[3], [7], [5]])
    assert target.Y.tolist() == np.eye(3)[[0, 2, 1]].tolist()


def test_real_targets_are_numbers_and_not_classes(recwarn):
    assert read([0.5, 3.0, -1.0], real=True).Y.tolist() == [[0.5], [3.0], [-1.0]]
    assert read([[0.5], [3.0]], real=True).Y.tolist() == [[0.5], [3.0]]
    assert read(["b", "a"], real=True).Y.tolist() == [[1.0], [0.0]]  # these can be nothing else
    assert not recwarn.list


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0.5, 1.0, 2.0], "Unknown label type: continuous"),
        ([0.0, np.inf, 1.0], "infinity"),
        ([np.nan, np.nan, np.nan], "every label is nan"),
        (np.array(["a", 1, "b"], dtype=object), "several types"),
        (["a", "b"], r"labels of shape \(2, 1\) do not fit 3 instances"),
        ([], r"labels of shape \(0, 1\) do not fit 3 instances"),
        ([[1, 2], [0, 1], [0, 0]], "labels must be 1"),
    ],
)
def test_what_is_neither_is_refused(y, words):
    with pytest.raises(ValueError, match=words):
        as_target(y, n=3, missing=True)


@pytest.mark.parametrize("name", LEARNING)
@pytest.mark.parametrize("names", [["left", "right"], ["red", "amber", "green"]])
def test_every_classifier_gives_back_the_classes(name, names):
    X, y = blobs(len(names))
    y = np.array(names)[y]
    model = seeded(LEARNING[name]).fit(X[:40], y[:40])
    assert model.classes_.tolist() == sorted(names)
    assert model.score(X[40:], y[40:]) > 0.9
    scores = model.decision_function(X)
    assert scores.shape == ((60,) if len(names) == 2 else (60, 3))
    best = scores > 0 if len(names) == 2 else scores.argmax(axis=1)
    assert np.array_equal(model.predict(X), model.classes_[best.astype(int)])


@pytest.mark.parametrize("name", LEARNING)
def test_one_label_scores_as_a_matrix_of_one_label_does(name):
    X, y = blobs(2)
    flat = seeded(LEARNING[name]).fit(X, y)
    column = seeded(LEARNING[name]).fit(X, y[:, None])
    np.testing.assert_array_equal(
        flat.decision_function(X), column.decision_function(X)[:, 0] - column.threshold_
    )
    assert column.predict(X).shape == (60, 1)


def test_probabilities_of_classes_add_up_to_one():
    X, y = blobs(3)
    three = MLkNN().fit(X, y).predict_proba(X)
    assert three.shape == (60, 3)
    np.testing.assert_allclose(three.sum(axis=1), 1)
    model = MLkNN().fit(X, np.eye(3)[y])
    assert np.array_equal(model.predict_proba(X), model.decision_function(X))
    scores = model.decision_function(X)
    np.testing.assert_allclose(three, scores / scores.sum(axis=1, keepdims=True))
    one = MLkNN().fit(X, y == 1)
    np.testing.assert_array_equal(one.predict_proba(X)[:, 1], scores[:, 1])
    np.testing.assert_array_equal(one.predict_proba(X).sum(axis=1), 1)
    assert MLkNN().fit(X, np.full(60, "a")).predict_proba(X).shape == (60, 1)


def test_where_every_class_is_ruled_out_all_are_alike():
    """Groups aaab, bbbc and ccca: whoever has one neighbour of a class is not of it."""
    rays = np.array([[1.0, 0.0], [-0.5, 0.75**0.5], [-0.5, -(0.75**0.5)]])
    X = np.vstack([distance * ray for ray in rays for distance in (10.0, 10.5, 11.0, 11.5)])
    model = MLkNN(k=3, s=0.0).fit(X, list("aaabbbbcccca"))
    assert not model.decision_function([[0.0, 0.0]]).any()
    np.testing.assert_allclose(model.predict_proba([[0.0, 0.0]]), 1 / 3)
    assert model.predict_proba(X).any(axis=1).all()


def test_of_equal_scores_the_first_class_is_predicted():
    """While of a matrix every label is predicted that reaches the threshold."""
    X = np.array([[0.0], [0.1], [5.0], [5.1], [10.0], [10.1], [15.0], [15.1]])
    y = np.array([1, 1, 0, 0, 1, 0, 1, 0])
    model = MLkNN(k=1).fit(X, y)
    assert not model.decision_function(X).any()
    assert not model.predict(X).any()
    assert MLkNN(k=1).fit(X, y[:, None]).predict(X).all()


def test_nan_is_an_unobserved_class_for_those_who_can_use_it():
    X, y = blobs(3)
    y = y.astype(float)
    y[:3] = np.nan
    for learner in (LEML(random_state=0), FastTag()):
        assert learner.fit(X, y).predict(X[:3]).tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", [name for name in SELECTORS if name not in ("mcfs", "fsasl")])
def test_selectors_take_classes(name):
    """As labels, one for each; numbers are numbers to those that take attributes."""
    X, y = blobs(3)
    words = np.array(["b", "c", "a"])[y]
    one_hot = words[:, None] == np.array(["a", "b", "c"])
    expected = seeded(SELECTORS[name]).fit(X, one_hot.astype(float)).ranking_
    assert np.array_equal(seeded(SELECTORS[name]).fit(X, words).ranking_, expected)


def test_numbers_are_attributes_to_methods_that_take_them():
    X, y = blobs(3)
    y = y * 1.5
    for method in (Lasso(), SemFS()):
        flat, column = (type(method)().fit(X, Y).scores_ for Y in (y, y[:, None]))
        assert np.array_equal(flat, column)
    with pytest.raises(ValueError, match="continuous"):
        FSNM().fit(X, y)
