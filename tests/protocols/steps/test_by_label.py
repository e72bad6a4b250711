"""Methods that cannot take unknown labels, used label by label where each is known."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.classifiers import LibSVM, MLkNN
from mlfs.learners import RMFL, BRLogistic
from mlfs.methods import registry
from mlfs.protocols.steps.by_label import ByLabelClassifier, ByLabelRanker, treatments
from mlfs.selectors import FSNM, GMFS, MIFS, AllFeatures, TopMutualInformation, Univariate


@pytest.fixture
def holes():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((80, 12))
    Y = (X[:, :5] + 0.5 * rng.standard_normal((80, 5)) > 0).astype(float)
    Y[rng.random(Y.shape) < 0.4] = np.nan
    Y[:, 3] = np.where(np.isnan(Y[:, 3]), np.nan, 1.0)  # of one value only
    Y[:, 4] = np.nan  # nothing is known
    return X, Y


@pytest.mark.parametrize("make", [MLkNN, lambda: LibSVM(C=2.0), lambda: MLkNN(k=3)])
def test_each_label_has_its_own_classifier_on_the_rows_where_it_is_known(holes, make):
    X, Y = holes
    new = np.random.default_rng(1).standard_normal((30, 12))
    model = ByLabelClassifier(make()).fit(X, Y)
    scores, predicted = model.decision_function(new), model.predict(new)
    for j in range(4):
        known = ~np.isnan(Y[:, j])
        alone = make().fit(X[known], Y[known][:, [j]])
        np.testing.assert_array_equal(scores[:, j], alone.decision_function(new)[:, 0])
        np.testing.assert_array_equal(predicted[:, j], alone.predict(new)[:, 0])
    assert not predicted[:, 4].any()


def test_a_selectors_scores_are_the_mean_over_labels_with_two_known_values(holes):
    X, Y = holes
    found = ByLabelRanker(FSNM(gamma=2.0)).fit(X, Y)
    alone = []
    for j in range(3):
        known = ~np.isnan(Y[:, j])
        alone.append(FSNM(gamma=2.0).fit(X[known], Y[known][:, [j]]).scores_)
    np.testing.assert_allclose(found.scores_, np.mean(alone, axis=0), rtol=1e-13)
    assert np.array_equal(found.ranking_, np.argsort(-np.mean(alone, axis=0), kind="stable"))
    nothing = ByLabelRanker(FSNM()).fit(X, np.full_like(Y, np.nan))
    assert np.array_equal(nothing.ranking_, np.arange(12))
    wide = ByLabelRanker(FSNM(gamma=2.0)).fit(sp.csr_matrix(X), Y)
    np.testing.assert_allclose(wide.scores_, found.scores_, rtol=1e-8)


def test_a_selector_without_scores_is_joined_by_the_places_of_features(holes):
    X, Y = holes

    class Places(FSNM):
        def fit(self, X, Y=None):
            super().fit(X, Y)
            del self.scores_
            return self

    found = ByLabelRanker(Places()).fit(X, Y)
    places = []
    for j in range(3):
        known = ~np.isnan(Y[:, j])
        order = FSNM().fit(X[known], Y[known][:, [j]]).ranking_
        places.append(np.argsort(order))
    assert np.array_equal(found.ranking_, np.argsort(np.mean(places, axis=0), kind="stable"))


def test_the_wrapped_method_stays_as_it_was(holes):
    ranker, classifier = FSNM(), MLkNN()
    ByLabelRanker(ranker).fit(*holes)
    ByLabelClassifier(classifier).fit(*holes)
    assert not hasattr(ranker, "ranking_") and not hasattr(classifier, "X_")


def test_every_method_says_which_treatments_it_can():
    own, zero, available, complete = "its own way", "zero", "available", "complete"
    assert treatments(GMFS) == treatments(RMFL) == [own, zero, complete]
    assert treatments(AllFeatures)[0] == own
    assert treatments(Univariate) == treatments(BRLogistic) == [available, zero, complete]
    assert treatments(TopMutualInformation) == [available, zero, complete]
    assert treatments(FSNM) == treatments(MLkNN) == [zero, available, complete]
    assert treatments(MIFS) == [zero, complete]
    for cls in registry.methods(["selector", "learner", "classifier"]).values():
        assert {zero, complete} <= set(treatments(cls))


@pytest.mark.parametrize("name", ["scls", "d2f", "mdmr", "univariate", "top_mi", "l1_logistic"])
def test_a_label_of_which_nothing_is_known_changes_no_label_wise_selector(name, holes):
    X, Y = holes
    first, second = (
        registry.build(name, {}, ["selector"], 0).fit(X, labels) for labels in (Y[:, :3], Y)
    )
    assert np.array_equal(first.ranking_, second.ranking_)
