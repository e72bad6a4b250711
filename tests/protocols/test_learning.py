"""The learning protocol on real emotions data."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from skmultilearn.missing import SMiLE

from mlfs import config
from mlfs.classifiers import MLkNN
from mlfs.errors import UserError
from mlfs.learners import LEML
from mlfs.methods import registry
from mlfs.methods.registry import Scope
from mlfs.metrics import average_precision
from mlfs.protocols import learning
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.seeds import generator
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
        methods=[{"rmfl": {"max_iter": 4}}],
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


@pytest.mark.parametrize("kind", ["drop_per_instance", "hide_positives", "hide_per_instance"])
def test_a_record_has_the_shares_that_the_mask_really_hid(kind):
    """Counted label by label from the data as published."""
    cell = spec_of(methods=["mlknn"], mask={"kind": kind, "ratio": 0.5})
    masked, seen = prepare(cell).Y, prepare(spec_of(methods=["mlknn"], mask="none")).Y
    lost = {"labels": 0, "positives": 0}
    for truth, now in zip(seen.ravel(), masked.ravel()):
        if np.isnan(now) or now != truth:
            lost["labels"] += 1
            lost["positives"] += truth == 1
    info = learning.run(cell).info["hidden"]
    assert info["labels"] == pytest.approx(lost["labels"] / seen.size, abs=1e-12)
    assert info["positives"] == pytest.approx(lost["positives"] / seen.sum(), abs=1e-12)
    assert "hidden" not in learning.run(spec_of(methods=["mlknn"], mask="none")).info


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
    # average precision has no value for an empty instance, but the Hamming loss has one
    assert 0 < (~kept).sum() < len(kept)
    lost = np.mean(model.predict(task.X_test[kept]) != Y[kept])
    assert record.rows[0]["hamming_loss"] == pytest.approx(lost, abs=1e-12)
    assert lost != pytest.approx(np.mean(model.predict(task.X_test) != Y), abs=1e-6)
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


def test_hide_test_with_labels_hidden_per_instance_keeps_every_instance():
    """80 % of the rows of both parts lose labels, and no row loses all of them."""
    cell = spec_of(
        methods=[
            {
                "mlknn": None,
                "settings": {
                    "mask": {"kind": "hide_per_instance", "rows": 0.8},
                    "split": {"kind": "kfold", "folds": 10},
                    "hide_test": True,
                },
            }
        ]
    )
    task = prepare(cell)
    assert 53 <= len(task.Y_test) == 593 - len(task.Y) <= 60
    Y = cell.settings.mask(task.Y_test, generator(cell, "mask of the test part"))
    assert task.Y_test.any(axis=1).all() and Y.any(axis=1).all()
    assert 0 < (Y.sum(axis=1) < task.Y_test.sum(axis=1)).sum() <= round(0.8 * len(Y))
    scores = MLkNN().fit(task.X, task.Y).decision_function(task.X_test)
    record = learning.run(cell)
    assert record.rows[0]["average_precision"] == average_precision(Y, scores)
    assert record.notes == [
        "mlknn was scored against hidden test labels; no instance was left without a label"
    ]


def test_a_column_with_a_mask_and_a_split_of_its_own_equals_a_config_with_them():
    own = {"split": {"kind": "kfold", "folds": 3}, "mask": "stratified_per_instance"}
    column = spec_of(methods=[{"mlknn": None, "settings": own}])
    first = plan(
        config.parse(
            BASE
            | {
                "methods": ["mlknn"],
                "split": {"kind": "kfold", "folds": 3},
                "mask": {"kind": "stratified_per_instance", "ratio": 0.4},
            },
            source="test",
        )
    )[0]
    assert column.key == first.key
    assert learning.run(column).rows == learning.run(first.cell).rows


def test_parameters_of_one_dataset_and_given_points_reach_the_search():
    """On emotions k is 3 and not searched; the given points come after the default."""
    tune = {"strategy": "random", "budget": 3, "folds": 2}
    search = {"k": [5, 7], "s": [0.1, 0.2, 0.5, 1.0, 2.0]}
    method = {
        "mlknn": None,
        "search": search,
        "starts": [{"k": 9, "s": 0.7}, {"s": 0.7}, {"k": 9}],
        "by_dataset": {"emotions": {"k": 3}},
    }
    record = learning.run(spec_of(methods=[method], tune=tune | {"budget": 4}))
    tried = [item["params"] for item in record.tuned["tried"]]
    assert tried[:2] == [{"s": 1.0}, {"s": 0.7}] and len(tried) == 4
    assert "mlknn: tuning tried 1 given point first" in record.notes
    by_hand = spec_of(methods=[{"mlknn": {"k": 3}, "search": search}], tune=tune | {"budget": 4})
    fitted = {str(item["params"]): item["score"] for item in learning.run(by_hand).tuned["tried"]}
    same = [item for item in record.tuned["tried"] if str(item["params"]) in fitted]
    assert len(same) == 3 and all(fitted[str(one["params"])] == one["score"] for one in same)


CHAINED = next(iter(inspect.signature(ClassifierChain).parameters))  # another before 1.7
LOGISTIC = "sklearn.linear_model:LogisticRegression"


def test_a_random_forest_of_scikit_learn_uses_the_rows_where_a_label_is_known():
    method = {"sklearn.ensemble:RandomForestClassifier": {"n_estimators": 20, "random_state": 3}}
    spec = spec_of(methods=[method], scale="standard")
    record, task = learning.run(spec), prepare(spec)
    assert record.notes == [] and np.isnan(task.Y).any()
    scores = []
    for label in task.Y.T:
        rows = ~np.isnan(label)
        forest = RandomForestClassifier(n_estimators=20, random_state=3)
        forest.fit(task.X[rows], label[rows])
        scores.append(forest.predict_proba(task.X_test)[:, 1])
    expected = average_precision(task.Y_test, np.column_stack(scores))
    np.testing.assert_allclose(record.rows[0]["average_precision"], expected)


def test_a_chain_of_scikit_learn_gets_zeros_and_a_note():
    method = {"sklearn.multioutput:ClassifierChain": {CHAINED: {LOGISTIC: {"C": 0.1}}}}
    spec = spec_of(methods=[method], scale="standard")
    record, task = learning.run(spec), prepare(spec)
    assert record.notes == ["ClassifierChain cannot use unobserved labels: taken as 0"]
    chain = ClassifierChain(LogisticRegression(C=0.1)).fit(task.X, np.nan_to_num(task.Y))
    expected = average_precision(task.Y_test, chain.predict_proba(task.X_test))
    np.testing.assert_allclose(record.rows[0]["average_precision"], expected)


def test_smile_of_the_page_runs_and_repeats_itself(tmp_path):
    """The file of the page about own methods, in a config with hidden labels."""
    page = (Path(__file__).parents[2] / "docs/own-method.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```python\n(# scored\.py\n.*?)^```$", page, re.M | re.S)
    (tmp_path / "scored.py").write_text(text)
    with pytest.raises(UserError, match="no get_params and set_params"):
        spec_of(methods=["skmultilearn.missing:SMiLE"])
    scope = Scope(folder=tmp_path)
    methods = [{"scored:ScoredSMiLE": {"k": 4}}]
    [one] = plan(config.parse(BASE | {"methods": methods}, source="test", scope=scope))
    with scope:
        record, again = learning.run(one.cell), learning.run(one.cell)
        task = prepare(one.cell)
        Y = np.nan_to_num(task.Y)
        model = registry.build("scored:ScoredSMiLE", {"k": 4}, ["classifier"], task.seed)
        scores = model.fit(task.X, Y).decision_function(task.X_test)
    assert record.notes == ["ScoredSMiLE cannot use unobserved labels: taken as 0"]
    assert record.rows == again.rows
    assert record.rows[0]["average_precision"] == average_precision(task.Y_test, scores)
    np.random.seed(task.seed)  # noqa: NPY002 its k-means draws from this one
    plain = SMiLE(k=4).fit(task.X, Y)  # its own predict fails with recent releases of numpy
    for x, given in zip(task.X_test[:20], scores):
        values = [plain.P[:, j] @ x + plain.b[j, 0] for j in range(Y.shape[1])]
        np.testing.assert_allclose(given, np.array(values) - 0.5, atol=1e-9)
