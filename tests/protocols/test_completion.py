"""Completion: hidden labels are scored, by models and curves that saw only the others."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from mlfs import config, datasets
from mlfs.errors import UserError
from mlfs.learners import BRLogistic
from mlfs.methods.calibration import held_out_scores
from mlfs.protocols import completion
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.preparation import scale_features
from mlfs.protocols.steps.seeds import generator, seed

CONTENT = {
    "name": "t",
    "protocol": "completion",
    "datasets": ["planted"],
    "mask": {"kind": "drop_per_instance", "ratio": 0.5},
    "rows": 0.4,
    "folds": 3,
    "methods": ["br_logistic"],
    "metrics": ["macro_auc"],
}


def cell_of(**changes):
    [planned] = plan(config.parse(CONTENT | changes, source="test"))
    return planned.cell


def hidden_of(cell):
    full = datasets.load("planted").Y.astype(float)
    return full, completion._hidden(full, cell.settings, generator(cell, "mask"))


def test_a_share_of_the_known_labels_of_some_rows_is_hidden():
    full, Y = hidden_of(cell_of())
    lost = np.isnan(Y).sum(axis=1)
    assert np.count_nonzero(lost) == round(0.4 * len(Y)) and set(lost) == {0, full.shape[1] // 2}
    assert np.array_equal(Y[~np.isnan(Y)], full[~np.isnan(Y)])


def test_only_hidden_labels_are_scored_after_calibration():
    """By the calibration of the Python API, and by explicit loops over the hidden labels."""
    cell = cell_of()
    [row] = completion.run(cell).rows
    full, Y = hidden_of(cell)
    X, _ = scale_features("standard", datasets.load("planted").X, np.zeros((1, 60)))
    found = held_out_scores(BRLogistic(), X, Y, folds=3, random_state=seed(cell, "folds"))
    P, hidden = found.probabilities(Y), np.isnan(Y)
    assert row["brier_score"] == pytest.approx(np.mean((P[hidden] - full[hidden]) ** 2))
    aucs = [roc_auc_score(t[h], p[h]) for t, p, h in zip(full.T, P.T, hidden.T)]
    assert row["macro_auc"] == pytest.approx(np.mean(aucs))
    assert row["micro_auc"] == pytest.approx(roc_auc_score(full[hidden], P[hidden]))
    truth, guess = full[hidden] == 1, P[hidden] >= 0.5
    hits = np.sum(truth & guess)
    assert row["micro_f1"] == pytest.approx(2 * hits / (truth.sum() + guess.sum()))
    assert row["macro_auc"] > 0.7 and row["calibration_error"] < 0.1


def test_hidden_labels_reach_no_fit(monkeypatch):
    """Other values of the hidden labels change the scores, and nothing that is fitted."""
    cell, fits = cell_of(), []
    full, Y = hidden_of(cell)
    data = datasets.load("planted")
    original = BRLogistic.fit
    monkeypatch.setattr(BRLogistic, "fit", lambda s, X, Z: fits.append(Z) or original(s, X, Z))
    first = completion.run(cell).rows
    other = np.where(np.isnan(Y), 1 - full, full)
    changed = type(data)(**{**vars(data), "Y": other})
    monkeypatch.setattr(completion, "load_dataset", lambda _: changed)
    second = completion.run(cell).rows
    assert len(fits) == 6 and first != second
    for one, two in zip(fits[:3], fits[3:]):
        np.testing.assert_array_equal(one, two)
        assert np.isnan(one[np.isnan(Y)]).all()


def test_a_classifier_that_cannot_use_unknown_labels_is_treated():
    zero = completion.run(cell_of(methods=["mlknn"]))
    each = completion.run(cell_of(methods=["mlknn"], missing="available"))
    assert "taken as 0" in zero.notes[0] and "each label" in each.notes[0]
    assert each.rows[0]["brier_score"] < zero.rows[0]["brier_score"] + 0.05


@pytest.mark.parametrize("mask", ["none", {"kind": "hide_positives", "ratio": 0.3}])
def test_a_mask_that_drops_nothing_is_refused(mask):
    with pytest.raises(UserError, match="nothing to recover"):
        config.parse(CONTENT | {"mask": mask}, source="test")
