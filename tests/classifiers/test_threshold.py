"""A tuned threshold against trying every point, and what it is for."""

import numpy as np
import pytest
from sklearn.base import clone

from mlfs.classifiers.base import best_threshold
from mlfs.labels import DropPerInstance
from mlfs.learners import LSML, FastTag
from mlfs.metrics import hamming_loss


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("usual", [0.5, 0.1])
def test_no_point_tried_has_fewer_wrong_labels(seed, usual):
    """Scores on the points themselves too: a label is predicted where its score reaches one."""
    rng = np.random.default_rng(seed)
    Y = rng.choice([0.0, 1.0, np.nan], size=(30, 4))
    scores = np.round(0.3 * np.nan_to_num(Y) + 0.2 * rng.standard_normal(Y.shape), 2)
    scores[0, 0] = 1.0  # so that points lie at multiples of .02
    wrong = {}
    for t in [usual, *(k / 50 for k in range(51))]:
        known = [(s >= t) != y for s, y in zip(scores.ravel(), Y.ravel()) if y == y]
        wrong.setdefault(t, sum(known))
    found = best_threshold(scores, Y, usual)
    best = min(wrong, key=wrong.get)  # the first of equals
    assert abs(found - best) < 1e-12


def test_the_usual_threshold_stays_where_no_point_does_better():
    assert best_threshold(np.zeros((3, 2)), np.zeros((3, 2)), 0.5) == 0.5
    assert best_threshold(np.zeros((3, 2)), np.full((3, 2), np.nan), 0.5) == 0.5
    assert best_threshold(np.array([[0.9, 0.2]]), np.array([[1.0, 0.0]]), 0.5) == 0.5


@pytest.mark.parametrize("learner", [FastTag, LSML])
def test_it_mends_predictions_when_most_labels_are_missing(learner, real):
    """At .5 hardly anything is predicted; scores, and so all rankings, are not touched."""
    data = real("scene")
    order = np.random.default_rng(0).permutation(len(data.Y))
    X, Y = np.asarray(data.X)[order], data.Y[order].astype(float)
    train, test = slice(0, 1900), slice(1900, None)
    masked = DropPerInstance(0.8)(Y[train], np.random.default_rng(0))
    fixed = learner().fit(X[train], masked)
    tuned = learner(tune_threshold=True).fit(X[train], masked)
    assert np.array_equal(*(model.decision_function(X[test]) for model in (fixed, tuned)))
    assert fixed.threshold_ == 0.5 and tuned.threshold_ < 0.4
    scores = tuned.decision_function(X[train])
    assert tuned.threshold_ == best_threshold(scores, masked, 0.5)
    assert np.array_equal(
        tuned.predict(X[test]), tuned.decision_function(X[test]) >= tuned.threshold_
    )
    losses = [hamming_loss(Y[test], model.predict(X[test])) for model in (fixed, tuned)]
    assert losses[1] < losses[0] - 0.03, losses


def test_a_refit_without_it_forgets_it(load_slice):
    X, Y = load_slice("scene", 600)
    model = FastTag(tune_threshold=True)
    assert clone(model).get_params()["tune_threshold"]
    masked = DropPerInstance(0.8)(Y, np.random.default_rng(0))
    assert model.fit(X, masked).threshold_ != 0.5
    assert model.set_params(tune_threshold=False).fit(X, masked).threshold_ == 0.5
