"""Selectors and classifiers of scikit-learn and scikit-multilearn in the place of ours."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
    chi2,
    f_classif,
)
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlfs.methods import registry
from mlfs.methods.adapters import adapted


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.random((80, 6))
    Y = (X[:, :3] + 0.3 * rng.standard_normal((80, 3)) > 0.5).astype(float)
    return X, Y


def selector(cls, **params):
    return adapted(cls, True)(**params)


def classifier(cls, **params):
    return adapted(cls, False)(**params)


def test_a_selector_of_one_label_is_averaged_over_labels(data):
    X, Y = data
    mean = np.mean([f_classif(X, y)[0] for y in Y.T], axis=0)
    np.testing.assert_allclose(selector(SelectKBest).fit(X, Y).scores_, mean)
    # chi2 would take all labels at once and give something else
    mean = np.mean([chi2(X, y)[0] for y in Y.T], axis=0)
    found = selector(SelectKBest, score_func="sklearn.feature_selection:chi2").fit(X, Y)
    np.testing.assert_allclose(found.scores_, mean)


def test_a_label_of_one_value_is_left_out_of_the_mean(data):
    X, Y = data
    more = np.column_stack([Y, np.ones(len(Y))])
    both = [selector(SelectKBest).fit(X, labels).scores_ for labels in (Y, more)]
    np.testing.assert_allclose(*both)
    assert selector(SelectKBest).fit(X, np.ones_like(Y)).ranking_.tolist() == list(range(6))


def test_a_feature_without_a_score_is_the_last(data):
    X, Y = data
    X = X.copy()
    X[:, 0] = 1.0  # f_classif gives nan
    with pytest.warns(UserWarning, match="constant"), np.errstate(invalid="ignore"):
        assert selector(SelectKBest).fit(X, Y).ranking_[-1] == 0


def test_scores_are_the_importances_coefficients_or_ranks_of_the_estimator(data):
    X, Y = data
    tree = DecisionTreeClassifier(random_state=0).fit(X, Y)
    ours = selector(DecisionTreeClassifier, random_state=0).fit(X, Y)
    np.testing.assert_allclose(ours.scores_, tree.feature_importances_)
    lasso = Lasso(alpha=0.01).fit(X, Y)
    ours = selector(Lasso, alpha=0.01).fit(X, Y)
    np.testing.assert_allclose(ours.scores_, np.abs(lasso.coef_).mean(axis=0))
    one_by_one = [np.abs(LogisticRegression().fit(X, y).coef_[0]) for y in Y.T]
    ours = selector(LogisticRegression).fit(X, Y)
    np.testing.assert_allclose(ours.scores_, np.mean(one_by_one, axis=0), rtol=1e-6)
    around = selector(SelectFromModel, estimator="sklearn.linear_model:LogisticRegression")
    np.testing.assert_allclose(around.fit(X, Y).scores_, ours.scores_)
    params = {"estimator": "sklearn.linear_model:LogisticRegression", "n_features_to_select": 1}
    ranks = [RFE(LogisticRegression(), n_features_to_select=1).fit(X, y).ranking_ for y in Y.T]
    ours = selector(RFE, **params).fit(X, Y)
    np.testing.assert_allclose(ours.scores_, -np.mean(ranks, axis=0))


class Ranker(BaseEstimator):
    """Gives what it was told, as an attribute of that name."""

    def __init__(self, name="scores_", value=(6, 5, 4, 3, 2, 1)):
        self.name = name
        self.value = value

    def fit(self, X, Y):
        assert Y.ndim == 2  # one of unknown tags gets all labels where it takes them
        setattr(self, self.name, np.array(self.value))


def test_a_class_of_ones_own_gets_all_labels_at_once(data):
    assert selector(Ranker).fit(*data).ranking_.tolist() == [0, 1, 2, 3, 4, 5]
    ranks = selector(Ranker, name="ranking_", value=(1, 3, 2, 1, 1, 6)).fit(*data)
    assert ranks.ranking_.tolist() == [0, 3, 4, 2, 1, 5]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"name": "order_"}, "Ranker has none of scores_, feature_importances_, coef_ and"),
        ({"name": "ranking_", "value": (0, 1, 2, 3, 4, 5)}, "contains a 0, but ranks start at 1"),
        ({"value": (1, 2)}, "scores of shape .2,. for 6 features"),
    ],
)
def test_what_a_selector_does_not_tell_is_said(data, params, words):
    with pytest.raises(ValueError, match=words):
        selector(Ranker, **params).fit(*data)
    with pytest.raises(ValueError, match="VarianceThreshold has none of"):
        selector(VarianceThreshold).fit(*data)


class OneLabel(BaseEstimator):
    """A ranker for one label that scikit-learn's tags do not tell of."""

    def fit(self, X, y):
        if np.ndim(y) != 1:
            raise ValueError("one label, please")
        self.scores_ = np.abs(X.T @ (y - y.mean()))


class Means(BaseEstimator):
    """A ranker for one label that fails on several by chance, and not with a ValueError."""

    def fit(self, X, y):
        self.scores_ = np.abs(X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))


def test_a_class_that_refuses_several_labels_gets_one_after_the_other(data):
    X, Y = data
    expected = np.mean([np.abs(X.T @ (y - y.mean())) for y in Y.T], axis=0)
    np.testing.assert_allclose(selector(OneLabel).fit(X, Y).scores_, expected)
    expected = np.mean([np.abs(X[y == 1].mean(0) - X[y == 0].mean(0)) for y in Y.T], axis=0)
    np.testing.assert_allclose(selector(Means).fit(X, Y).scores_, expected)


@pytest.mark.parametrize(
    "cls", [KNeighborsClassifier, DecisionTreeClassifier, LogisticRegression, MLPClassifier]
)
def test_probabilities_are_scores(data, cls):
    X, Y = data
    params = {"random_state": 0} if "random_state" in cls().get_params() else {}
    ours = classifier(cls, **params).fit(X, Y)
    if cls is LogisticRegression:
        expected = np.column_stack([cls().fit(X, y).predict_proba(X)[:, 1] for y in Y.T])
    else:
        given = cls(**params).fit(X, Y).predict_proba(X)
        expected = np.column_stack([p[:, 1] for p in given]) if type(given) is list else given
    np.testing.assert_allclose(ours.decision_function(X), expected, atol=1e-8)
    assert np.array_equal(ours.predict(X), expected >= 0.5)


def test_a_decision_function_is_a_score_whose_threshold_is_0(data):
    X, Y = data
    for cls in (LinearSVC, SVC):
        ours = classifier(cls, random_state=0).fit(X, Y)
        expected = np.column_stack(
            [cls(random_state=0).fit(X, y).decision_function(X) for y in Y.T]
        )
        np.testing.assert_allclose(ours.decision_function(X), expected)
        assert np.array_equal(ours.predict(X), expected >= 0)


@pytest.mark.parametrize("cls", [LogisticRegression, LinearSVC, DecisionTreeClassifier])
def test_labels_of_one_value_keep_it(data, cls):
    X, Y = data
    labels = np.column_stack([Y[:, 0], np.ones(80), np.zeros(80)])
    found = classifier(cls).fit(X, labels).predict(X)
    assert found[:, 1].all() and not found[:, 2].any()
    assert classifier(cls).fit(X, labels[:, 1:]).predict(X).tolist() == [[1, 0]] * 80
    for column in (Y[:, :1], labels[:, 1:2], labels[:, 2:]):
        assert classifier(cls).fit(X, column).decision_function(X).shape == (80, 1)


def test_sparse_features_are_handed_on_or_made_dense(data):
    X, Y = data
    dense = classifier(KNeighborsClassifier).fit(X, Y).decision_function(X)
    sparse = classifier(KNeighborsClassifier).fit(sp.csr_matrix(X), Y)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_matrix(X)), dense)
    assert adapted(KNeighborsClassifier, False).tags.supports_sparse
    assert not adapted(Ranker, True).tags.supports_sparse
    assert selector(Ranker).fit(sp.csr_matrix(X), Y).ranking_.tolist() == [0, 1, 2, 3, 4, 5]


def test_a_classifier_around_another_scores_as_in_scikit_learn(data):
    X, Y = data
    name = next(iter(inspect.signature(ClassifierChain).parameters))  # another before 1.7
    ours = classifier(ClassifierChain, **{name: "sklearn.linear_model:LogisticRegression"})
    ours.fit(X, Y)
    expected = ClassifierChain(LogisticRegression()).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(ours.decision_function(X), expected)


def test_labels_that_are_known_for_other_rows_are_fitted_on_these(data):
    """Labels 0 and 1 share their rows, 2 has others, 3 is known with one value, 4 nowhere."""
    X, Y = data
    Y = np.column_stack([Y, np.ones(80), np.full(80, np.nan)])
    Y[50:, :2], Y[:20, 2], Y[40:, 3] = np.nan, np.nan, np.nan
    first = DecisionTreeClassifier(random_state=0, max_depth=2).fit(X[:50], Y[:50, :2])
    second = DecisionTreeClassifier(random_state=0, max_depth=2).fit(X[20:], Y[20:, 2])
    expected = [p[:, 1] for p in first.predict_proba(X)] + [second.predict_proba(X)[:, 1]]
    ours = classifier(DecisionTreeClassifier, random_state=0, max_depth=2).fit(X, Y)
    expected = np.column_stack([*expected, np.ones(80), np.zeros(80)])
    np.testing.assert_array_equal(ours.decision_function(X), expected)
    ranked = selector(DecisionTreeClassifier, random_state=0, max_depth=2).fit(X, Y)
    importances = 2 * first.feature_importances_ + second.feature_importances_
    np.testing.assert_allclose(ranked.scores_, importances / 3)
    one = classifier(LinearSVC).fit(X, Y).decision_function(X)
    np.testing.assert_allclose(one[:, 2], LinearSVC().fit(X[20:], Y[20:, 2]).decision_function(X))
    assert (one[:, 3] == 1).all() and (one[:, 4] == -1).all()


@pytest.mark.parametrize("cls", [ClassifierChain, KNeighborsClassifier])
def test_only_chains_of_scikit_learn_need_complete_labels(cls):
    assert adapted(cls, False).tags.handles_missing == (cls is KNeighborsClassifier)
    assert not adapted(OneLabel, True).tags.handles_missing  # what others do is not known


class Odd(KNeighborsClassifier):
    """Scores that are no numbers, or too few."""

    def __init__(self, value=np.nan, labels=3):
        super().__init__()
        self.value = value
        self.labels = labels

    def predict_proba(self, X):
        return np.full((X.shape[0], self.labels), self.value)


@pytest.mark.parametrize("params", [{}, {"value": np.inf}, {"value": 0.5, "labels": 2}])
def test_scores_that_are_none_are_refused(data, params):
    model = classifier(Odd, **params).fit(*data)
    with pytest.raises(ValueError, match=r"predict_proba of Odd returned an array of shape .80, "):
        model.decision_function(data[0])


def test_parameters_are_those_of_the_class():
    wrong = dict(registry.mistakes("sklearn.linear_model:Lasso", {"alpha": -1}, ["selector"]))
    assert "'alpha' parameter of Lasso must be" in wrong["alpha"]
    [(_, text)] = registry.mistakes("sklearn.linear_model:Lasso", {"alhpa": 1}, ["selector"])
    assert "no parameter 'alhpa'; did you mean 'alpha'?" in text
    [(_, text)] = registry.mistakes("sklearn.feature_selection:RFE", {}, ["selector"])
    assert "cannot be made" in text and "'estimator'" in text
    given = {"score_func": "sklearn.feature_selection:f_clasif"}
    found = registry.mistakes("sklearn.feature_selection:SelectKBest", given, ["selector"])
    assert "did you mean 'f_classif'" in dict(found)["score_func"]


def test_the_seed_of_a_cell_reaches_it():
    built = registry.build("sklearn.tree:DecisionTreeClassifier", {}, ["selector"], seed=7)
    assert built.get_params()["random_state"] == 7
    kept = registry.build(
        "sklearn.tree:DecisionTreeClassifier", {"random_state": 1}, ["classifier"], seed=7
    )
    assert kept.get_params()["random_state"] == 1


LOGISTIC = "sklearn.linear_model:LogisticRegression"
CHAINED = next(iter(inspect.signature(ClassifierChain).parameters))  # another before 1.7


def test_an_inner_estimator_may_have_parameters(data):
    X, Y = data
    for given, inner in [
        ({LOGISTIC: {"C": 0.1}}, LogisticRegression(C=0.1)),
        ({LOGISTIC: {}}, LogisticRegression()),
        ({LOGISTIC: None}, LogisticRegression()),
    ]:
        ours = classifier(ClassifierChain, **{CHAINED: given}).fit(X, Y)
        expected = ClassifierChain(inner).fit(X, Y).predict_proba(X)
        np.testing.assert_allclose(ours.decision_function(X), expected)
    nested = {"sklearn.multiclass:OneVsRestClassifier": {"estimator": {LOGISTIC: {"C": 0.1}}}}
    ours = classifier(ClassifierChain, **{CHAINED: nested})
    assert ours.get_params()[f"{CHAINED}__estimator__C"] == 0.1


@pytest.mark.parametrize("value", [{"a": 1}, {"a:b": 1}, {LOGISTIC: {}, "b:c": {}}, {1: {}}, {}])
def test_other_mappings_are_left_as_they_are(value):
    assert (
        classifier(KNeighborsClassifier, metric_params=value).get_params(deep=False)[
            "metric_params"
        ]
        == value
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({LOGISTIC: {"D": 1}}, "LogisticRegression' has no parameter 'D'"),
        ({LOGISTIC: {"max_itr": 1}}, "did you mean 'max_iter'"),
        ({LOGISTIC: {"C": -1}}, "'C' parameter of LogisticRegression must be"),
        ({"sklearn.linear_model:LogisticRegresion": {"C": 1}}, "did you mean 'LogisticRegression'"),
        ({"sklearn.feature_selection:chi2": {"C": 1}}, "is not a class: name it without"),
    ],
)
def test_mistakes_inside_are_found_before_anything_runs(value, words):
    name = "sklearn.multioutput:ClassifierChain"
    [(_, text)] = registry.mistakes(name, {CHAINED: value}, ["classifier"])
    assert words in text


def test_the_seed_of_a_cell_reaches_inner_estimators():
    tree = "sklearn.tree:DecisionTreeClassifier"
    for given, seed in [(tree, 7), ({tree: {"random_state": 3}}, 3), ({tree: {"max_depth": 2}}, 7)]:
        built = registry.build(
            "sklearn.multioutput:MultiOutputClassifier", {"estimator": given}, ["classifier"], 7
        )
        assert built.get_params()["estimator__random_state"] == seed


def test_a_chain_leaves_out_labels_of_one_value():
    """Logistic regression cannot learn them: they are predicted as they are, the others chained."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    Y = (X[:, [0, 0, 1, 2, 3]] > 0).astype(float)
    Y[:, 1], Y[:, 3] = 0.0, 1.0
    params = {"estimator": "sklearn.linear_model:LogisticRegression"}
    name = "sklearn.multioutput:ClassifierChain"
    made = registry.build(name, params, ["classifier"], 0).fit(X, Y)
    scores = made.decision_function(X)
    assert not scores[:, 1].any() and (scores[:, 3] == 1).all()
    kept = [0, 2, 4]
    alone = ClassifierChain(LogisticRegression()).fit(X, Y[:, kept].astype(int))
    np.testing.assert_allclose(scores[:, kept], alone.predict_proba(X))
    nothing = registry.build(name, params, ["classifier"], 0).fit(X, np.zeros((60, 2)))
    assert not nothing.predict(X).any()
