"""Filled-in labels of own data: known ones stay, and the quality is what was estimated."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, f1_score, roc_auc_score

from mlfs.errors import UserError
from mlfs.learners import RMFL
from mlfs.methods.calibration import held_out_scores
from mlfs.own.completing import complete, completed_table, quality


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def test_probabilities_are_the_calibrated_ones_of_the_method(drawn):
    table = drawn(unknown=0.3)
    found = complete(table, "rmfl", folds=4, threshold=0.4)
    held = held_out_scores(RMFL(random_state=0), standard(table.X), table.Y, folds=4)
    P, known = held.probabilities(table.Y), ~np.isnan(table.Y)
    np.testing.assert_array_equal(found.probabilities[~known], P[~known])
    np.testing.assert_array_equal(found.labels[~known], P[~known] >= 0.4)
    for values in (found.probabilities, found.labels):
        np.testing.assert_array_equal(values[known], table.Y[known])
    assert found.estimated == quality(table.Y, P, 0.4)
    nearest = sorted(np.abs(P[~known] - 0.5))[:10]
    assert [abs(one.probability - 0.5) for one in found.questions] == nearest
    for one in found.questions:
        i, j = one.row - 1, table.label_names.index(one.label)
        assert np.isnan(table.Y[i, j]) and P[i, j] == one.probability
    for j, one in enumerate(found.by_label):
        rows = known[:, j]
        assert (one.known, one.unknown) == (rows.sum(), (~rows).sum())
        assert one.auc == pytest.approx(roc_auc_score(table.Y[rows, j], P[rows, j]))
        assert one.f1 == pytest.approx(f1_score(table.Y[rows, j], P[rows, j] >= 0.4))


def test_quality_is_that_of_scikit_learn_on_the_known_labels():
    rng = np.random.default_rng(0)
    P = rng.random((50, 4))
    truth = (rng.random(P.shape) < P).astype(float)
    Y = np.where(rng.random(P.shape) < 0.3, np.nan, truth)
    known = ~np.isnan(Y)
    found = quality(Y, P, 0.6)
    aucs = [roc_auc_score(Y[k, j], P[k, j]) for j, k in enumerate(known.T)]
    f1s = [f1_score(Y[k, j], P[k, j] >= 0.6) for j, k in enumerate(known.T)]
    assert found.micro_auc == pytest.approx(roc_auc_score(Y[known], P[known]))
    assert found.macro_auc == pytest.approx(np.mean(aucs))
    assert found.micro_f1 == pytest.approx(f1_score(Y[known], P[known] >= 0.6))
    assert found.macro_f1 == pytest.approx(np.mean(f1s))
    assert found.brier_score == pytest.approx(brier_score_loss(Y[known], P[known]))


def test_labels_that_were_removed_are_as_good_as_estimated(real):
    """A slice of yeast without 30 % of its labels; the whole of it is told in the documentation."""
    data = real("yeast")
    X, Y = data.X[:800], data.Y[:800].astype(float)
    removed = np.random.default_rng(0).random(Y.shape) < 0.3
    P = held_out_scores(
        RMFL(random_state=0), standard(X), np.where(removed, np.nan, Y), folds=5
    ).probabilities(np.where(removed, np.nan, Y))
    estimated = quality(np.where(removed, np.nan, Y), P, 0.5)
    reached = quality(np.where(removed, Y, np.nan), P, 0.5)
    assert reached.calibration_error < 0.05
    for name, value in asdict(estimated).items():
        assert abs(getattr(reached, name) - value) < 0.03, name


def test_the_table_has_ids_known_labels_and_four_digits_of_probabilities(drawn):
    table = drawn(n=60, unknown=0.2, ids=True)
    found = complete(table, "br_ridge", folds=3)
    labels = completed_table(table, found, probabilities=False)
    assert list(labels) == ["name", "y0", "y1", "y2"] and labels["name"].tolist() == table.ids
    assert set(labels["y0"]) == {"0", "1"}
    chances = completed_table(table, found, probabilities=True)
    for j, name in enumerate(table.label_names):
        for i, text in enumerate(chances[name]):
            if np.isnan(table.Y[i, j]):
                assert len(text) == 6 and abs(float(text) - found.probabilities[i, j]) < 1e-4
            else:
                assert text == f"{table.Y[i, j]:.0f}"
    assert found.questions[0].row in table.ids


def test_the_answer_does_not_depend_on_chance(drawn):
    table = drawn(n=60, unknown=0.2)
    one, two = (complete(table, "rmfl", folds=3) for _ in range(2))
    np.testing.assert_array_equal(one.probabilities, two.probabilities)


def test_a_label_of_one_known_value_is_noted(drawn):
    table = drawn(unknown=0.2)
    table.Y[:, 1] = np.where(np.isnan(table.Y[:, 1]), np.nan, 1.0)
    [note] = complete(table, "br_ridge", folds=3).notes
    assert note == "every known value of label 'y1' is 1: its probabilities say little"


def with_labels(table, change):
    Y = table.Y.copy()
    change(Y)
    return replace(table, Y=Y)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda Y: np.copyto(Y, np.nan), r"Y\.csv has no known label"),
        (lambda Y: np.copyto(Y, 0.0), r"Y\.csv has no unknown label"),
        (lambda Y: np.copyto(Y, 1.0, where=~np.isnan(Y)), r"every known label of Y\.csv is 1: if"),
        (lambda Y: np.copyto(Y, 0.0, where=~np.isnan(Y)), r"every known label of Y\.csv is 0: add"),
        (lambda Y: np.copyto(Y[:, 1], np.nan), r"label 'y1' of Y\.csv has no known value"),
        (lambda Y: np.copyto(Y[2:], np.nan), r"known labels for 10 folds"),
    ],
)
def test_labels_from_which_nothing_can_be_learnt_are_refused(drawn, change, told):
    table = drawn(unknown=0.3, seed=1)
    table.Y[:2] = [[0, 1, 0], [1, 0, 1]]
    with pytest.raises(UserError, match=told):
        complete(with_labels(table, change), "br_ridge")
