"""Calibrated probabilities against closed forms, scikit-learn and the definition of held-out."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from mlfs.learners import BRLogistic, BRRidge
from mlfs.methods.calibration import FEWEST, HeldOut, Platt, entry_folds, held_out_scores
from mlfs.metrics import brier_score, expected_calibration_error


def drawn(n=400, labels=4, unknown=0.3, seed=0):
    """Labels that follow known probabilities of a few features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    true = expit(X @ rng.standard_normal((5, labels)) + rng.standard_normal(labels))
    whole = (rng.random((n, labels)) < true).astype(float)
    Y = np.where(rng.random(whole.shape) < unknown, np.nan, whole)
    return X, Y, whole, true


def scores(true):
    """Scores that say something about the labels, and something else."""
    noise = np.random.default_rng(9).standard_normal(true.shape)
    return np.log(true / (1 - true)) + noise


# ---- Platt's curve


def test_two_scores_get_the_mean_target_of_their_group():
    """With two different scores the curve can reach any two values: the means of the targets."""
    s = np.repeat([-2.0, 5.0], [40, 60])
    y = np.concatenate([np.ones(12), np.zeros(28), np.ones(45), np.zeros(15)])
    high, low = (57 + 1) / (57 + 2), 1 / (43 + 2)
    P = Platt().fit(s[:, None], y[:, None]).predict(np.array([[-2.0], [5.0]]))
    assert P.ravel() == pytest.approx(
        [(12 * high + 28 * low) / 40, (45 * high + 15 * low) / 60], abs=1e-9
    )


def test_the_curve_is_the_logistic_regression_of_scikit_learn_on_platts_targets():
    rng = np.random.default_rng(3)
    s = rng.standard_normal(300) * 50 + 1000
    y = (rng.random(300) < expit((s - 990) / 40)).astype(float)
    ones, zeros = y.sum(), (1 - y).sum()
    target = np.where(y == 1, (ones + 1) / (ones + 2), 1 / (zeros + 2))
    # a target t is a label 1 of weight t and a label 0 of weight 1 - t
    z = (np.concatenate([s, s])[:, None] - 1000) / 50
    model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000)
    model.fit(z, np.repeat([1, 0], 300), sample_weight=np.concatenate([target, 1 - target]))
    expected = model.predict_proba(z[:300])[:, 1]
    ours = Platt().fit(s[:, None], y[:, None]).predict(s[:, None]).ravel()
    np.testing.assert_allclose(ours, expected, atol=1e-6)


def test_scores_may_be_shifted_and_stretched():
    _, Y, _, true = drawn()
    S = scores(true)
    P = Platt().fit(S, Y).predict(S)
    stretched = S * [1e-3, 1.0, 7.0, 1e5] + [0.0, 5.0, -3.0, 1e4]
    np.testing.assert_allclose(Platt().fit(stretched, Y).predict(stretched), P, atol=1e-8)


def test_scores_between_0_and_1_are_read_as_log_odds():
    _, Y, _, true = drawn()
    S = scores(true)
    P, odds = Platt().fit(expit(S), Y), Platt().fit(S, Y)
    assert P.log_odds_ and not odds.log_odds_
    np.testing.assert_allclose(P.predict(expit(S)), odds.predict(S), atol=1e-4)
    assert np.isfinite(P.predict(np.array([[0.0, 1.0, 0.5, 0.5]]))).all()
    assert not Platt().fit(expit(S) + 0.01, Y).log_odds_
    assert not Platt().fit(expit(S) - 0.01, Y).log_odds_


def test_probabilities_that_are_right_stay_as_they_are():
    _, Y, _, true = drawn(n=20_000, labels=2, unknown=0.0)
    assert np.abs(Platt().fit(true, Y).predict(true) - true).max() < 0.03


def test_a_larger_score_never_gets_a_smaller_probability():
    s = np.linspace(-1, 1, 100)[:, None]
    y = (s < 0).astype(float)  # the scores are the wrong way round
    fitted = Platt().fit(s, y)
    assert fitted.slope_[0] == 0
    assert fitted.predict(s) == pytest.approx(0.5)  # the mean of the targets


def test_a_rare_label_takes_the_slope_of_all_labels_and_an_intercept_of_its_own():
    _, Y, _, true = drawn(n=600)
    S = scores(true)
    Y[:, 3] = np.nan
    Y[:200, 3] = 0.0
    Y[: FEWEST - 1, 3] = 1.0
    fitted, known = Platt().fit(S, Y), ~np.isnan(Y)
    pooled = Platt().fit(S[known][:, None], Y[known][:, None])
    assert fitted.slope_[3] == pooled.slope_[0] != fitted.slope_[0]
    ones, zeros = FEWEST - 1, 200 - FEWEST + 1
    wanted = (ones * (ones + 1) / (ones + 2) + zeros / (zeros + 2)) / 200
    assert fitted.predict(S)[:200, 3].mean() == pytest.approx(wanted, abs=1e-9)
    Y[FEWEST - 1, 3] = 1.0  # the tenth value 1
    assert Platt().fit(S, Y).slope_[3] != pooled.slope_[0]


def test_a_label_without_a_known_value_takes_the_curve_of_all_labels():
    _, Y, _, true = drawn()
    Y[:, 1] = np.nan
    S, known = scores(true), ~np.isnan(Y)
    fitted = Platt().fit(S, Y)
    pooled = Platt().fit(S[known][:, None], Y[known][:, None])
    assert (fitted.slope_[1], fitted.intercept_[1]) == (pooled.slope_[0], pooled.intercept_[0])


def test_equal_scores_and_separated_labels_give_finite_curves():
    y = np.repeat([0.0, 1.0], 50)[:, None]
    assert Platt().fit(np.ones((100, 1)), y).predict(np.ones((1, 1))) == pytest.approx(0.5)
    P = Platt().fit(1e6 * y, y).predict(1e6 * y)
    assert P.max() == pytest.approx(51 / 52, abs=1e-6) and P.min() == pytest.approx(
        1 / 52, abs=1e-6
    )


# ---- folds


def test_folds_have_every_known_label_once_and_equal_shares_of_each_value():
    _, Y, _, _ = drawn(n=97)
    folds = entry_folds(Y, 5, random_state=1)
    assert np.array_equal(folds < 0, np.isnan(Y))
    for j in range(Y.shape[1]):
        for value in (0, 1):
            counts = np.bincount(folds[Y[:, j] == value, j], minlength=5)
            assert np.ptp(counts) <= 1
    assert np.ptp(np.bincount(folds[folds >= 0])) <= 1
    assert np.array_equal(folds, entry_folds(Y, 5, random_state=1))
    assert not np.array_equal(folds, entry_folds(Y, 5, random_state=2))


# ---- scores


class Memory(BaseEstimator):
    """Score a label by its value, and by its share where it is unknown: a model that remembers."""

    def fit(self, X, Y):
        self.scores_ = np.where(np.isnan(Y), np.nanmean(Y, axis=0), Y * 100)
        return self

    def decision_function(self, X):
        return self.scores_


def test_no_model_saw_the_label_that_it_scores():
    X, Y, _, _ = drawn(n=60)
    held = held_out_scores(Memory(), X, Y, folds=4)
    for fold in range(4):
        rest = np.where(held.folds == fold, np.nan, Y)
        rows, columns = np.nonzero(held.folds == fold)
        np.testing.assert_allclose(held.scores[rows, columns], np.nanmean(rest, axis=0)[columns])


def test_an_unknown_label_gets_the_mean_score_of_the_models_of_all_folds():
    X, Y, _, _ = drawn(n=80)
    held, total = held_out_scores(BRRidge(), X, Y, folds=4), 0
    for fold in range(4):
        rest = np.where(held.folds == fold, np.nan, Y)
        scores = BRRidge().fit(X, rest).decision_function(X)
        np.testing.assert_array_equal(held.scores[held.folds == fold], scores[held.folds == fold])
        total = total + scores
    unknown = np.isnan(Y)
    np.testing.assert_allclose(held.scores[unknown], total[unknown] / 4, rtol=1e-12)


def test_the_model_is_copied_and_the_progress_sees_every_fold():
    X, Y, _, _ = drawn(n=60)
    model, seen = BRRidge(), []

    def watch(folds):
        for fold in folds:
            seen.append(fold)
            yield fold

    held_out_scores(model, X, Y, folds=3, progress=watch)
    assert seen == [0, 1, 2] and not hasattr(model, "classes_")


@pytest.mark.parametrize("folds", [1, 5])
def test_there_are_at_least_two_folds_and_no_more_than_known_labels(folds):
    Y = np.array([[1.0, 0.0], [np.nan, 0.0], [1.0, np.nan]])
    with pytest.raises(ValueError, match=f"{folds} folds of 4 known labels"):
        held_out_scores(BRRidge(), np.eye(3), Y, folds=folds)


# ---- probabilities


def test_a_known_label_has_no_part_in_its_own_probability():
    _, Y, _, true = drawn(n=60)
    held = HeldOut(scores(true), entry_folds(Y, 5, random_state=0))
    P = held.probabilities(Y)
    i, j = np.argwhere(held.folds == 2)[0]
    turned = Y.copy()
    turned[i, j] = 1 - Y[i, j]
    changed = held.probabilities(turned)
    assert np.array_equal(changed[held.folds == 2], P[held.folds == 2])
    assert not np.array_equal(changed[held.folds == 3], P[held.folds == 3])
    unknown = held.folds < 0
    np.testing.assert_array_equal(
        P[unknown], Platt().fit(held.scores, Y).predict(held.scores)[unknown]
    )


def test_probabilities_of_unknown_labels_are_calibrated_and_as_good_as_estimated():
    X, Y, whole, true = drawn(n=1500, labels=6)
    P = held_out_scores(BRLogistic(), X, Y, folds=5).probabilities(Y)
    hidden = np.where(np.isnan(Y), whole, np.nan)
    assert expected_calibration_error(hidden, P) < 0.03
    assert abs(brier_score(hidden, P) - brier_score(Y, P)) < 0.02
    assert np.abs(P - true).mean() < 0.05
