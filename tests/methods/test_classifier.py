"""The rules for thresholds against trying every point, and what they are for."""

import numpy as np
import pytest
from sklearn.base import clone

from mlfs.classifiers import MultiLabelClassifier
from mlfs.learners import LSML, FastTag
from mlfs.methods.tags import Tags
from mlfs.methods.thresholds import RULES, TUNED, accuracy, errors, half_range, observed_errors
from mlfs.metrics import hamming_loss
from mlfs.protocols.experiment.masks import DropPerInstance


class Echo(MultiLabelClassifier):
    """Its scores are the features."""

    tags = Tags(paper="none", handles_missing=True)
    _parameter_constraints = {"threshold": [str, float]}

    def __init__(self, threshold="fixed"):
        self.threshold = threshold

    def _fit(self, X, Y):
        pass

    def _scores(self, X):
        return np.asarray(X)


def drawn(seed):
    """Labels, some unobserved, and scores that lie on the points tried, multiples of .02."""
    rng = np.random.default_rng(seed)
    Y = rng.choice([0.0, 1.0, np.nan], size=(30, 4))
    scores = np.round(0.3 * np.nan_to_num(Y, nan=0.7) + 0.2 * rng.standard_normal(Y.shape), 2)
    scores[0, 0] = 1.0
    return scores, Y


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("usual", [0.5, 0.1])
def test_no_point_tried_has_fewer_wrong_labels(seed, usual):
    """Scores on the points themselves too: a label is predicted where its score reaches one."""
    scores, Y = drawn(seed)
    wrong = {}
    for t in [usual, *(k / 50 for k in range(51))]:
        known = [(s >= t) != y for s, y in zip(scores.ravel(), Y.ravel()) if y == y]
        wrong.setdefault(t, sum(known))
    found = observed_errors(scores, Y, usual)
    best = min(wrong, key=wrong.get)  # the first of equals
    assert abs(found - best) < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_errors_count_an_unobserved_label_as_0(seed):
    scores, Y = drawn(seed)
    points = [0.5, *(k / 50 for k in range(51))]
    wrong = [sum((s >= t) != (y == 1) for s, y in zip(scores.ravel(), Y.ravel())) for t in points]
    found = errors(scores, Y, 0.5)
    assert abs(found - points[wrong.index(min(wrong))]) < 1e-12


def test_errors_and_observed_errors_differ_where_unobserved_labels_score_high():
    scores, Y = np.array([[1.0, 0.4, 0.6, 0.59]]), np.array([[1.0, 1.0, np.nan, np.nan]])
    assert observed_errors(scores, Y, 0.5) == 0.0
    assert errors(scores, Y, 0.5) == 0.62


@pytest.mark.parametrize("seed", range(5))
def test_no_point_tried_has_a_better_accuracy_and_none_before_is_as_good(seed):
    scores, Y = drawn(seed)
    Y[1], scores[1] = 0.0, -1.0  # an instance with neither labels nor predictions
    reached = []
    for k in range(51):
        shares = []
        for s, y in zip(scores, Y):
            P, R = set(np.flatnonzero(s >= k / 50 - 1e-12)), set(np.flatnonzero(y == 1))
            shares.append(len(P & R) / len(P | R) if P | R else 1.0)
        reached.append(sum(shares) / len(shares))
    best = max(reached)
    first = next(k for k in range(51) if reached[k] > best - 1e-12)
    assert abs(accuracy(scores, Y, 0.5) - first / 50) < 1e-12
    assert accuracy(scores, np.nan_to_num(Y), 9.0) == accuracy(scores, Y, 0.5)


def test_accuracy_takes_the_first_of_equals_and_a_score_at_the_point():
    assert accuracy(np.array([[1.0, -1.0]]), np.array([[1.0, 0.0]]), 0.5) == 0.0
    assert accuracy(np.array([[1.0, 0.98]]), np.array([[1.0, 0.0]]), 0.5) == 1.0


def test_half_range_depends_on_the_scores_that_are_predicted():
    scores = np.array([[-1.0, 2.0], [1.5, np.nextafter(1.5, 2)], [3 - 1e-9, 0.0]])
    low, high = min(scores.ravel()), max(scores.ravel())
    expected = [[int(s > (high - low) / 2) for s in row] for row in scores]
    model = Echo("half_range").fit(scores, np.ones_like(scores))
    assert np.isnan(model.threshold_)
    assert model.predict(scores).tolist() == expected
    assert model.predict(scores[:2]).tolist() == [[0, 1], [0, 1]]  # more than 1.5
    assert model.predict(scores[1:]).tolist() != expected[1:]  # its range is another
    assert half_range(np.array([[-4.0, -2.0]])) > 1.0  # scores below 0 are never predicted
    assert Echo().fit(scores, np.ones_like(scores)).predict(scores).tolist() != expected


def test_half_range_of_two_classes_is_taken_from_their_scores():
    scores = np.array([[-1.0], [2.0], [1.0], [1.6]])
    model = Echo("half_range").fit(scores, ["a", "b", "a", "b"])
    assert model.predict(scores).tolist() == ["a", "b", "a", "b"]
    assert model.predict(scores[1:]).tolist() == ["b", "b", "b"]  # more than .5


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_used_by_its_name(rule):
    scores, Y = drawn(2)
    found = Echo(rule).fit(scores, Y).threshold_
    expected = {"fixed": 0.5, "half_range": np.nan}
    expected |= {name: of(scores, Y, 0.5) for name, of in TUNED.items()}
    assert len({round(value, 9) for name, value in expected.items() if value == value}) == 4
    np.testing.assert_equal(found, expected[rule])


@pytest.mark.parametrize("unknown", [0.2, "best"])
def test_a_rule_that_does_not_exist_is_refused(unknown):
    with pytest.raises(ValueError, match=r"observed_errors.*usual_threshold"):
        Echo(unknown).fit(*drawn(0))


def test_the_usual_threshold_stays_where_no_point_does_better():
    assert observed_errors(np.zeros((3, 2)), np.zeros((3, 2)), 0.5) == 0.5
    assert observed_errors(np.zeros((3, 2)), np.full((3, 2), np.nan), 0.5) == 0.5
    assert observed_errors(np.array([[0.9, 0.2]]), np.array([[1.0, 0.0]]), 0.5) == 0.5


@pytest.mark.parametrize("learner", [FastTag, LSML])
def test_it_mends_predictions_when_most_labels_are_missing(learner, real):
    """At .5 hardly anything is predicted; scores, and so all rankings, are not touched."""
    data = real("scene")
    order = np.random.default_rng(0).permutation(len(data.Y))
    X, Y = np.asarray(data.X)[order], data.Y[order].astype(float)
    train, test = slice(0, 1900), slice(1900, None)
    masked = DropPerInstance(0.8)(Y[train], np.random.default_rng(0))
    fixed = learner().fit(X[train], masked)
    tuned = learner(threshold="observed_errors").fit(X[train], masked)
    assert np.array_equal(*(model.decision_function(X[test]) for model in (fixed, tuned)))
    assert fixed.threshold_ == 0.5 and tuned.threshold_ < 0.4
    scores = tuned.decision_function(X[train])
    assert tuned.threshold_ == observed_errors(scores, masked, 0.5)
    assert np.array_equal(
        tuned.predict(X[test]), tuned.decision_function(X[test]) >= tuned.threshold_
    )
    losses = [hamming_loss(Y[test], model.predict(X[test])) for model in (fixed, tuned)]
    assert losses[1] < losses[0] - 0.03, losses


def test_a_refit_without_it_forgets_it(load_slice):
    X, Y = load_slice("scene", 600)
    model = FastTag(threshold="observed_errors")
    assert clone(model).get_params()["threshold"] == "observed_errors"
    masked = DropPerInstance(0.8)(Y, np.random.default_rng(0))
    assert model.fit(X, masked).threshold_ != 0.5
    assert model.set_params(threshold="fixed").fit(X, masked).threshold_ == 0.5
