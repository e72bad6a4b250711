"""The learning protocol on real emotions data."""

import numpy as np
import pytest

from mlfs import config
from mlfs.classifiers import MLkNN
from mlfs.engine.plan import plan
from mlfs.errors import UserError
from mlfs.learners import LEML
from mlfs.metrics import average_precision
from mlfs.protocols import learning
from mlfs.protocols.seeds import generator
from mlfs.protocols.supervised import prepare

pytestmark = pytest.mark.usefixtures("benchmarks")

BASE = {
    "name": "p",
    "protocol": "learning",
    "datasets": ["emotions"],
    "split": {"kind": "holdout"},
    "mask": {"kind": "drop_per_instance", "ratio": 0.4},
    "methods": ["leml"],
    "metrics": ["average_precision"],
}


def spec_of(**changes):
    [one] = plan(config.parse(BASE | changes, source="test"))
    return one.cell


def test_a_cell_equals_the_same_steps_by_hand():
    spec = spec_of(methods=[{"leml": {"random_state": 3}}])
    record = learning.run(spec)
    task = prepare(spec)
    X, Y, X_test, Y_test = task.X, task.Y, task.X_test, task.Y_test
    assert np.isnan(Y).sum(axis=1).tolist() == [2] * len(Y)
    scores = LEML(random_state=3).fit(X, Y).decision_function(X_test)
    assert record.rows[0]["average_precision"] == average_precision(Y_test, scores)
    assert record.info["objective"] == sorted(record.info["objective"], reverse=True)


def test_tuning_tells_candidates_apart_when_few_labels_are_observed():
    """With one observed label of six in every row, a poor candidate still scores less."""
    spec = spec_of(
        methods=["rmfl"],
        mask={"kind": "drop_per_instance", "ratio": 0.9},
        tune={"strategy": "random", "budget": 6, "folds": 2},
    )
    found = learning.run(spec).tuned
    scores = [trial["score"] for trial in found["tried"]]
    assert len(scores) == 6 and max(scores) < 1
    assert max(scores) - min(scores) > 0.01
    assert found == learning.run(spec).tuned


def test_a_learner_that_cannot_use_missing_labels_gets_zeros_and_a_note():
    record = learning.run(spec_of(methods=["mlknn"]))
    assert record.notes == ["MLkNN cannot use unobserved labels: taken as 0"]


def test_hidden_test_labels_count_as_irrelevant_and_empty_instances_are_dropped():
    base = {"methods": ["mlknn"], "mask": {"kind": "drop_per_instance", "ratio": 0.9}}
    cell, honest = spec_of(**base, hide_test=True), spec_of(**base)
    task = prepare(cell)
    hidden = cell.settings.mask(task.Y_test, generator(cell, "mask of the test part"))
    assert np.isnan(hidden).any() and not np.isnan(task.Y_test).any()
    Y = np.where(np.isnan(hidden), 0, hidden)
    kept = Y.sum(axis=1) > 0
    model = MLkNN().fit(task.X, np.nan_to_num(task.Y))
    scores = model.decision_function(task.X_test[kept])
    record = learning.run(cell)
    assert record.rows[0]["average_precision"] == average_precision(Y[kept], scores)
    assert any("scored against hidden test labels" in note for note in record.notes)
    plain = learning.run(honest)
    assert plain.rows != record.rows and not any("hidden test" in note for note in plain.notes)


def test_a_column_may_change_settings_for_itself_alone():
    methods = ["mlknn", {"mlknn": None, "label": "hidden", "settings": {"hide_test": True}}]
    first, second = plan(config.parse(BASE | {"methods": methods}, source="test"))
    assert not first.cell.settings.hide_test and second.cell.settings.hide_test
    assert first.cell.settings.scale == second.cell.settings.scale
    for wrong, said in [
        ({"hide_tset": True}, "did you mean 'hide_test'"),
        ({"scale": "x"}, "cannot be"),
    ]:
        methods = [{"mlknn": None, "settings": wrong}]
        with pytest.raises(UserError, match=said):
            config.parse(BASE | {"methods": methods}, source="test")
