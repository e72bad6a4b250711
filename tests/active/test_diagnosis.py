"""Buying labels of a point: when a label is predicted, and that nothing hidden decides it."""

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import f1_score

from mlfs.active import MIML, BayesianCompressedSensing, Random, curve, diagnosis
from mlfs.active.curve import diagnosis_curve, generalised_curve
from mlfs.active.diagnosis import THRESHOLDS, best_thresholds, buying_orders, predicted, revealed
from mlfs.methods import registry

STRATEGIES = registry.methods(["strategy"])


def make(n_seed=30, n_test=12, n_labels=10, seed=0):
    """Points whose labels hang together: half of them follow the other half, with errors."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_seed + n_test, 4))
    half = X @ rng.standard_normal((4, n_labels // 2)) > 0.6
    Y = np.hstack([half, half ^ (rng.random(half.shape) < 0.15)]).astype(float)
    return X[:n_seed], Y[:n_seed], (X[n_seed:], Y[n_seed:])


MODEL = BayesianCompressedSensing(gamma=0.2, sigma2=0.05, chi2=0.05, n_factors=6, random_state=0)


COUNTS = range(8)


@cache
def literal_thresholds(name):
    """Fit without each point, let the strategy buy its labels, and try every threshold on all.

    Only Φ, fixed by the model's seed, and the given hyper-parameters are shared by the fits.
    """
    (X, Y, _), strategy = make(), STRATEGIES[name]()
    scores = {count: np.empty(Y.shape) for count in COUNTS}
    shown = {count: np.zeros(Y.shape, dtype=bool) for count in COUNTS}
    for i in range(len(Y)):
        rest = np.delete(np.arange(len(Y)), i)
        model = clone(MODEL).fit(X[rest], Y[rest])
        mu, v = model.compressed(X[[i]])
        order, _ = strategy.choose_labels(model, mu[0], float(v[0]), max(COUNTS), None)
        for count in COUNTS:
            known = np.full((1, Y.shape[1]), np.nan)
            for label in order[:count]:
                known[0, label] = Y[i, label]
                shown[count][i, label] = True
            scores[count][i] = model.posterior(X[[i]], known).mean
    best = {}
    for count in COUNTS:
        quality = []
        for threshold in THRESHOLDS:
            P = scores[count] >= threshold
            P[shown[count]] = Y[shown[count]] > 0.5
            quality.append(2 * (P & (Y > 0.5)).sum() / (P.sum() + Y.sum()))  # micro F1
        best[count] = THRESHOLDS[int(np.argmax(quality))]
    return best


def test_thresholds_are_those_of_the_authors():
    assert np.allclose(THRESHOLDS, [i / 20 for i in range(41)])


@pytest.mark.parametrize("name", ["miml", "uncertainty"])
def test_thresholds_equal_fits_without_each_seed_point(name):
    X, Y, _ = make()
    model = clone(MODEL).fit(X, Y)
    found = best_thresholds(model, STRATEGIES[name](), COUNTS, np.random.default_rng(0))
    assert found == pytest.approx(literal_thresholds(name))
    assert len(set(found.values())) > 2  # what is known does move it


def test_a_drawing_strategy_reveals_what_it_would_buy():
    """Rand's orders come from the generator that is given, one point after the other."""
    X, Y, _ = make()
    model = clone(MODEL).fit(X, Y)
    mu, v = model.compressed_left_out()
    orders = buying_orders(model, mu, v, Random(), 4, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    assert orders.tolist() == [rng.choice(10, 4, replace=False).tolist() for _ in range(30)]
    known = revealed(Y, orders, 3)
    for i, order in enumerate(orders):
        assert known[i, order[:3]].tolist() == Y[i, order[:3]].tolist()
        assert np.isnan(np.delete(known[i], order[:3])).all()


@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.5])
def test_known_labels_are_predicted_as_they_are_whatever_the_threshold(threshold):
    """A threshold of 0 once turned every known 0 into a predicted 1: yeast stayed at F1 .45."""
    known = np.array([[0.0, 1.0, np.nan, np.nan]])
    scores = np.array([[0.0, 1.0, threshold, threshold - 0.01]])
    assert predicted(scores, known, threshold).tolist() == [[False, True, True, False]]


@pytest.mark.parametrize("only", [0.0, 2.0])
@pytest.mark.parametrize("mode", ["diagnosis", "generalised"])
def test_all_is_recovered_when_all_is_bought_even_with_a_bad_threshold(monkeypatch, mode, only):
    X, Y, test = make()
    monkeypatch.setattr(diagnosis, "THRESHOLDS", np.array([only]))
    if mode == "diagnosis":
        found = diagnosis_curve(X, Y, test, MIML(), MODEL, budget=10)
    else:
        found = generalised_curve(X, Y, test, MIML(), MODEL, labels_per_point=10)
    assert found["f1"].iloc[-1] == found["micro_f1"].iloc[-1] == 1.0
    assert found["f1"].iloc[0] < 0.8


def literal_f1(Y, P):
    per_point = []
    for y, p in zip(Y > 0.5, P):
        both = (y & p).sum()
        per_point.append(2 * both / (y.sum() + p.sum()) if y.any() or p.any() else 1.0)
    return np.mean(per_point)


@pytest.mark.parametrize("name", ["miml", "uncertainty"])
def test_the_diagnosis_curve_equals_its_steps_written_out(name):
    X, Y, (X_test, Y_test) = make()
    strategy = STRATEGIES[name]()
    found = diagnosis_curve(X, Y, (X_test, Y_test), strategy, MODEL, budget=7)
    thresholds = literal_thresholds(name)
    model = clone(MODEL).fit(X, Y)
    for count in range(8):
        P = np.zeros(Y_test.shape, dtype=bool)
        for i in range(len(Y_test)):
            mu, v = model.compressed(X_test[[i]])
            order, _ = strategy.choose_labels(model, mu[0], float(v[0]), 7, None)
            known = np.full((1, 10), np.nan)
            known[0, order[:count]] = Y_test[i, order[:count]]
            P[i] = model.posterior(X_test[[i]], known).mean[0] >= thresholds[count]
            P[i, order[:count]] = Y_test[i, order[:count]] > 0.5
        row = found[found["n_bought"] == count].iloc[0]
        assert row["f1"] == pytest.approx(literal_f1(Y_test, P), abs=1e-12)
        assert row["micro_f1"] == pytest.approx(f1_score(Y_test, P, average="micro"), abs=1e-12)


@pytest.mark.parametrize("name", ["miml", "uncertainty"])
def test_the_generalised_curve_equals_its_steps_written_out(name):
    X, Y, (X_test, Y_test) = make()
    X_test, Y_test = X_test[:8], Y_test[:8]
    n, strategy = len(Y), STRATEGIES[name]()
    found = generalised_curve(X, Y, (X_test, Y_test), strategy, MODEL, labels_per_point=4)
    thresholds = literal_thresholds(name)
    everything = np.vstack([X, X_test])
    labels = np.vstack([Y, np.full(Y_test.shape, np.nan)])
    model = clone(MODEL).fit(X, Y)
    points = strategy.query(curve.Pool(everything, labels), model, 8)
    for count in range(9):
        P = np.zeros(Y_test.shape, dtype=bool)
        rows = sorted([*range(n), *points[:count]])
        model = clone(MODEL).fit(X, Y).condition(everything[rows], labels[rows])
        for i in range(8):
            known = ~np.isnan(labels[n + i])
            if n + i in rows:
                P[i] = model.Y_[rows.index(n + i)] >= thresholds[4]
            else:
                P[i] = model.posterior(X_test[[i]]).mean[0] >= thresholds[0]
            P[i, known] = Y_test[i, known] > 0.5
        row = found[found["n_bought"] == count].iloc[0]
        assert row["f1"] == pytest.approx(literal_f1(Y_test, P), abs=1e-12)
        assert row["micro_f1"] == pytest.approx(f1_score(Y_test, P, average="micro"), abs=1e-12)
        if count < 8:
            x = points[count]
            mu, v = model.compressed(everything[[x]])
            order, _ = strategy.choose_labels(model, mu[0], float(v[0]), 4, None)
            labels[x, order] = Y_test[x - n, order]


@pytest.mark.parametrize("name", ["miml", "uncertainty", "random"])
@pytest.mark.parametrize("mode", ["diagnosis", "generalised"])
def test_labels_that_are_not_revealed_change_no_prediction_and_no_threshold(
    monkeypatch, mode, name
):
    X, Y, (X_test, Y_test) = make()
    asked = []

    def spy(scores, known, threshold):
        P = predicted(scores, known, threshold)
        asked.append((known.copy(), np.array(threshold, copy=True), P))
        return P

    monkeypatch.setattr(curve, "predicted", spy)

    def run(labels):
        asked.clear()
        strategy = STRATEGIES[name]()
        strategy.set_params(**{key: 0 for key in strategy.get_params() if key == "random_state"})
        if mode == "diagnosis":
            options = {"budget": 4, "random_state": 0}
            found = diagnosis_curve(X, Y, (X_test, labels), strategy, MODEL, **options)
        else:
            options = {"labels_per_point": 4, "random_state": 0}
            found = generalised_curve(X, Y, (X_test, labels), strategy, MODEL, **options)
        return found, list(asked)

    found, before = run(Y_test)
    hidden = np.isnan(before[-1][0])
    assert hidden.sum() == 6 * len(Y_test)
    again, after = run(np.where(hidden, 1 - Y_test, Y_test))
    assert not np.allclose(found["f1"], again["f1"])  # the scores did see the change
    assert len(before) == len(after) > 4
    for one, other in zip(before, after):
        for part, same in zip(one, other):
            assert np.array_equal(part, same, equal_nan=part.dtype != bool)
