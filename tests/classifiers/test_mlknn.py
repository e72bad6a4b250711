"""ML-kNN against a loop over its formulas, and against figures measured on the official splits."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from mlfs.classifiers import MLkNN
from mlfs.metrics import evaluate
from mlfs.numerics.graphs import nearest_neighbors


def by_hand(X, Y, queries, k, s):
    """Zhang and Zhou's formulas, one label and one count at a time."""
    n, l = Y.shape  # noqa: E741
    own = np.round(cdist(X, X, "sqeuclidean"), 9)
    np.fill_diagonal(own, np.inf)
    other = np.round(cdist(queries, X, "sqeuclidean"), 9)
    near_train = np.argsort(own, axis=1, kind="stable")[:, :k]
    near_test = np.argsort(other, axis=1, kind="stable")[:, :k]
    scores = np.empty((len(queries), l))
    for j in range(l):
        prior = (s + sum(Y[:, j])) / (2 * s + n)
        yes, no = [0] * (k + 1), [0] * (k + 1)
        for i in range(n):
            count = int(sum(Y[near_train[i], j]))
            (yes if Y[i, j] == 1 else no)[count] += 1
        for q in range(len(queries)):
            count = int(sum(Y[near_test[q], j]))
            a = prior * (s + yes[count]) / (s * (k + 1) + sum(yes))
            b = (1 - prior) * (s + no[count]) / (s * (k + 1) + sum(no))
            scores[q, j] = a / (a + b)
    return scores


@pytest.mark.parametrize("k, s", [(10, 1.0), (3, 0.5), (1, 1.0)])
def test_scores_are_the_formulas(load_slice, k, s):
    X, Y = load_slice("emotions", 250)
    model = MLkNN(k=k, s=s).fit(X[:180], Y[:180])
    expected = by_hand(X[:180], Y[:180], X[180:], k, s)
    np.testing.assert_allclose(model.decision_function(X[180:]), expected, atol=1e-12)


def test_tied_neighbours_and_sparse_features_follow_the_formulas():
    rng = np.random.default_rng(0)
    X = (rng.random((120, 8)) < 0.3).astype(float)  # most distances occur many times
    Y = (rng.random((120, 5)) < [0.5, 0.2, 0.8, 0.0, 1.0]).astype(float)
    expected = by_hand(X[:90], Y[:90], X[90:], 7, 1.0)
    dense = MLkNN(k=7).fit(X[:90], Y[:90]).decision_function(X[90:])
    sparse = MLkNN(k=7).fit(sp.csr_matrix(X[:90]), Y[:90]).decision_function(sp.csr_matrix(X[90:]))
    np.testing.assert_allclose(dense, expected, atol=1e-12)
    np.testing.assert_array_equal(sparse, dense)


def test_summed_distances_take_the_neighbours_of_a_plain_loop():
    """Where the order of the columns decides ties, training and test neighbours follow it."""
    rng = np.random.default_rng(0)
    X = rng.choice([0.1, 0.2, 0.3], (90, 6))
    Y = (rng.random((90, 3)) < 0.5).astype(float)
    model = MLkNN(k=5, distances="summed").fit(X[:60], Y[:60])
    near, _ = nearest_neighbors(X[:60], 5, X[60:], distances="summed")
    counts = Y[:60][near].sum(axis=1).astype(int)
    scores = model.decision_function(X[60:])
    np.testing.assert_array_equal(scores, np.take_along_axis(model.posterior_, counts, axis=0))
    own, _ = nearest_neighbors(X[:60], 5, distances="summed")
    counts = Y[:60][own].sum(axis=1)
    yes = [((counts[:, 0] == c) & (Y[:60, 0] == 1)).sum() for c in range(6)]
    no = [((counts[:, 0] == c) & (Y[:60, 0] == 0)).sum() for c in range(6)]
    a = model.prior_[0] * (1 + np.array(yes)) / (6 + sum(yes))
    b = (1 - model.prior_[0]) * (1 + np.array(no)) / (6 + sum(no))
    np.testing.assert_allclose(model.posterior_[:, 0], a / (a + b), rtol=1e-12)
    other = MLkNN(k=5).fit(X[:60], Y[:60])
    assert not np.array_equal(other.posterior_, model.posterior_)
    assert not np.array_equal(nearest_neighbors(X[:60], 5, X[60:])[0], near)
    assert model.order_matters and not other.order_matters


@pytest.mark.parametrize(
    "name, figures",
    [
        # Hamming loss, one-error, coverage, ranking loss, average precision
        ("scene", [0.099, 0.242, 0.569, 0.093, 0.851]),
        ("emotions", [0.294, 0.406, 2.490, 0.283, 0.694]),
    ],
)
def test_scores_on_official_splits_equal_published_figures(real, name, figures):
    data = real(name)
    model = MLkNN(k=10, s=1).fit(data.X[data.train], data.Y[data.train])
    S = model.decision_function(data.X[data.test])
    names = ["hamming_loss", "one_error", "coverage", "ranking_loss", "average_precision"]
    values = evaluate(data.Y[data.test], S, model.predict_from_scores(S), names)
    assert list(values.values()) == pytest.approx(figures, abs=5.01e-4)


def test_a_posterior_of_exactly_a_half_is_predicted():
    # pairs of neighbours labelled 11, 00, 10, 10: with k = 1 each count is seen twice with the
    # label and twice without it, and half of the instances carry it
    X = np.array([[0.0], [0.1], [5.0], [5.1], [10.0], [10.1], [15.0], [15.1]])
    Y = np.array([[1], [1], [0], [0], [1], [0], [1], [0]])
    model = MLkNN(k=1).fit(X, Y)
    assert (model.decision_function(X) == 0.5).all()
    assert (model.predict(X) == 1).all()


def test_without_smoothing_an_unseen_count_gives_the_prior():
    X = np.array([[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]])
    Y = np.array([[1.0], [1.0], [1.0], [0.0], [0.0], [0.0]])
    model = MLkNN(k=2, s=0.0).fit(X, Y)
    # training counts are 2 and 0 only; halfway between the groups a count of 1 is new
    assert model.decision_function([[26.0]]) == model.prior_ == 0.5
    assert model.decision_function([[1.0]]) == 1
    assert model.decision_function([[51.0]]) == 0


def test_a_label_never_seen_is_not_predicted_without_smoothing():
    X = np.arange(6.0)[:, None]
    scores = MLkNN(k=2, s=0.0).fit(X, np.zeros((6, 1))).decision_function(X)
    assert not scores.any()


@pytest.mark.parametrize(
    "parameters, Y, words",
    [
        ({"k": 2, "s": -1.0}, np.ones((5, 1)), "'s' parameter of MLkNN .* Got -1.0"),
        ({"distances": "exact"}, np.ones((5, 1)), "'distances' parameter of MLkNN .* Got 'exact'"),
        ({"k": 2}, np.full((5, 1), np.nan), "cannot use unobserved labels"),
    ],
)
def test_bad_input_is_named(parameters, Y, words):
    with pytest.raises(ValueError, match=words):
        MLkNN(**parameters).fit(np.zeros((5, 2)), Y)


def test_a_score_at_the_threshold_predicts_the_label():
    scores = np.array([[0.5, np.nextafter(0.5, 0), np.nextafter(0.5, 1)]])
    model = MLkNN(k=1).fit(np.eye(3), np.eye(3))
    assert model.predict_from_scores(scores).tolist() == [[1, 0, 1]]


def test_probabilities_are_posteriors_of_labels_or_of_classes():
    """Of three classes they are the posteriors, made to add up to 1."""
    rng = np.random.default_rng(0)
    X, classes = rng.standard_normal((60, 3)), rng.integers(0, 3, 60)
    labels = (classes[:, None] == np.arange(3)).astype(float)
    posterior = MLkNN(k=5).fit(X, labels).predict_proba(X)
    np.testing.assert_allclose(posterior, by_hand(X, labels, X, 5, 1))
    found = MLkNN(k=5).fit(X, np.array(["a", "b", "c"])[classes]).predict_proba(X)
    np.testing.assert_allclose(found, posterior / posterior.sum(axis=1, keepdims=True))
    two = MLkNN(k=5).fit(X, classes > 0).predict_proba(X)
    only = MLkNN(k=5).fit(X, 1 - labels[:, :1]).predict_proba(X)
    np.testing.assert_allclose(two, np.hstack([1 - only, only]))


def test_classes_that_are_all_ruled_out_are_equally_likely():
    """Without smoothing: a count of neighbours that no training row had says nothing."""
    X = np.array([[0.0], [0.1], [1.0], [1.1], [2.0], [2.1]])
    model = MLkNN(k=3, s=0).fit(X, np.array([0, 0, 1, 1, 2, 2]))
    P = model.predict_proba(np.array([[0.0], [1.05], [50.0]]))
    np.testing.assert_allclose(P.sum(axis=1), 1)
    ruled_out = model._label_scores(np.array([[0.0], [1.05], [50.0]])).sum(axis=1) == 0
    assert np.all(P[ruled_out] == 1 / 3)


def test_probabilities_of_a_single_class_are_one():
    X = np.arange(6.0)[:, None]
    assert np.array_equal(MLkNN(k=2).fit(X, np.full(6, 7)).predict_proba(X), np.ones((6, 1)))
