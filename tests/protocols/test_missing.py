"""Unknown labels in selection and learning: treatments, several evaluations, oracle selection."""

import numpy as np
import pytest

from mlfs import config, datasets
from mlfs.classifiers import MLkNN
from mlfs.errors import UserError
from mlfs.learners import BRLogistic
from mlfs.methods import registry
from mlfs.metrics import METRICS, evaluate
from mlfs.protocols import learning, selection
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.by_label import ByLabelClassifier, ByLabelRanker
from mlfs.protocols.supervised import prepare
from mlfs.selectors import FSNM, TopMutualInformation

LEARNING = {
    "name": "t",
    "protocol": "learning",
    "datasets": ["planted"],
    "split": {"kind": "stratified", "train": 0.3},
    "metrics": ["average_precision"],
}
SELECTION = LEARNING | {"protocol": "selection", "sizes": [5, 20]}
DROP = {"kind": "drop_entries", "ratio": 0.4}
FEW = {"kind": "drop_entries", "ratio": 0.1}


def cells(content, **changes):
    return [one.cell for one in plan(config.parse(content | changes, source="test"))]


def mistake(content, **changes):
    with pytest.raises(UserError) as error:
        config.parse(content | changes, source="test")
    return str(error.value)


@pytest.mark.parametrize("method", ["mlknn", "libsvm", "br_logistic", "br_ridge", "jfsc"])
def test_learners_with_nothing_unknown_score_the_same_in_every_way(method):
    found = []
    for missing in (None, "zero", "available", "complete"):
        columns = [{method: None, "settings": {"missing": missing}}]
        [cell] = cells(LEARNING, methods=columns)
        found.append(learning.run(cell).rows)
    assert found[0] == found[1] == found[2] == found[3]


@pytest.mark.parametrize("method", ["fsnm", "top_mi", "univariate", "scls", "l1_logistic"])
def test_selectors_with_nothing_unknown_choose_the_same_in_every_way(method):
    found = []
    for missing in (None, "zero", "available", "complete"):
        [cell] = cells(SELECTION, methods=[{method: None, "settings": {"missing": missing}}])
        record = selection.run(cell)
        found.append((record.rows, record.features, record.notes))
    assert found[0] == found[1] == found[2] == found[3]


def ways(Y):
    """The rows and labels of the treatments zero and complete, from their definitions."""
    whole = ~np.isnan(Y).any(axis=1)
    return {"zero": (np.ones(len(Y), bool), np.nan_to_num(Y)), "complete": (whole, Y[whole])}


@pytest.mark.parametrize("missing", ["zero", "available", "complete"])
def test_a_classifier_is_fitted_as_the_treatment_says(missing):
    [cell] = cells(LEARNING, methods=["mlknn"], mask=FEW, missing=missing)
    record, task = learning.run(cell), prepare(cell)
    if missing == "available":
        model = ByLabelClassifier(MLkNN()).fit(task.X, task.Y)
    else:
        rows, Y = ways(task.Y)[missing]
        model = MLkNN().fit(task.X[rows], Y)
    S = model.decision_function(task.X_test)
    expected = evaluate(task.Y_test, S, model.predict_from_scores(S), METRICS)
    assert record.rows == [pytest.approx(expected, nan_ok=True)]
    told = {"zero": "taken as 0", "available": "each label", "complete": "all known"}
    assert len(record.notes) == 1 and told[missing] in record.notes[0]


@pytest.mark.parametrize("missing", ["zero", "available", "complete"])
@pytest.mark.parametrize("method", ["fsnm", "top_mi"])
def test_a_selector_is_fitted_as_the_treatment_says(method, missing):
    """FSNM cannot take nan and has one copy for each label; top MI does it itself."""
    [cell] = cells(SELECTION, methods=[method], mask=FEW, missing=missing)
    record, task = selection.run(cell), prepare(cell)
    cls = {"fsnm": FSNM, "top_mi": TopMutualInformation}[method]
    if missing == "available":
        made = cls() if method == "top_mi" else ByLabelRanker(cls())
        made.fit(task.X, task.Y)
    else:
        rows, Y = ways(task.Y)[missing]
        made = cls().fit(task.X[rows], Y)
    assert record.features == [made.ranking_[:20].tolist()]


def test_without_a_treatment_methods_get_what_they_accept():
    """The default: as before there was a choice."""
    [cell] = cells(LEARNING, methods=["br_logistic"], mask=DROP)
    task = prepare(cell)
    model = BRLogistic().fit(task.X, task.Y)
    S = model.decision_function(task.X_test)
    found = learning.run(cell)
    assert found.rows[0]["average_precision"] == METRICS["average_precision"].function(
        task.Y_test, S
    )
    assert not found.notes and "missing" not in cell.to_json()["settings"]
    [as_zero] = cells(LEARNING, methods=["mlknn"], mask=DROP)
    [zero] = cells(LEARNING, methods=["mlknn"], mask=DROP, missing="zero")
    assert learning.run(as_zero).rows == learning.run(zero).rows and as_zero.key != zero.key


def test_no_complete_row_is_told():
    mask = {"kind": "drop_per_instance", "ratio": 0.5}
    [cell] = cells(LEARNING, methods=["mlknn"], mask=mask, missing="complete")
    with pytest.raises(UserError, match="no training row is known completely"):
        learning.run(cell)


def test_what_a_method_cannot_is_refused():
    assert "treats unknown labels in its own way" in mistake(
        LEARNING, methods=["rmfl"], missing="available"
    )
    text = mistake(SELECTION, methods=[{"mifs": None, "settings": {"missing": "available"}}])
    assert "uses all labels together" in text
    assert "zero" in mistake(LEARNING, methods=["mlknn"], missing="nothing")


EVALUATIONS = [
    {"classifier": "mlknn"},
    {"classifier": "mlknn", "train_on": "full"},
    {"classifier": "br_logistic"},
    {"classifier": "br_logistic", "train_on": "full"},
    {"classifier": {"mlknn": {"k": 3}}, "missing": "available"},
]


@pytest.mark.parametrize("mask", [DROP, {"kind": "hide_positives", "ratio": 0.5}])
@pytest.mark.parametrize("select_on", ["given", "full"])
def test_one_fit_serves_all_evaluations(mask, select_on, monkeypatch):
    """Each row is that of the classifier on its labels; features are those of the labels seen."""
    fits = []
    original = FSNM.fit
    monkeypatch.setattr(FSNM, "fit", lambda *args: fits.append(1) or original(*args))
    [cell] = cells(
        SELECTION, methods=["fsnm"], mask=mask, select_on=select_on, evaluations=EVALUATIONS
    )
    record, task = selection.run(cell), prepare(cell)
    assert len(fits) == 1
    full = datasets.load("planted").Y[_train(cell)].astype(float)
    np.testing.assert_array_equal(task.Y_full, full)
    seen = full if select_on == "full" else np.nan_to_num(task.Y)
    order = FSNM().fit(task.X, seen).ranking_
    assert record.features == [order[:20].tolist()]
    rows = {(row["n_features"], row["classifier"], row["train_on"]): row for row in record.rows}
    assert len(rows) == len(record.rows) == 10
    for size in (5, 20):
        kept = np.sort(order[:size])
        for name, make in {
            "mlknn": MLkNN,
            "br_logistic": BRLogistic,
            "mlknn(k=3)": lambda: ByLabelClassifier(MLkNN(k=3)),
        }.items():
            for train_on, Y in {"given": task.Y, "full": full}.items():
                if (size, name, train_on) not in rows:
                    continue
                Y = np.nan_to_num(Y) if name == "mlknn" else Y
                if name == "mlknn(k=3)" and not np.isnan(Y).any():
                    made = MLkNN(k=3).fit(task.X[:, kept], Y)
                else:
                    made = make().fit(task.X[:, kept], Y)
                S = made.decision_function(task.X_test[:, kept])
                expected = evaluate(task.Y_test, S, made.predict_from_scores(S), METRICS)
                found = {key: rows[size, name, train_on][key] for key in METRICS}
                assert found == pytest.approx(expected, nan_ok=True)


def _train(cell):
    from mlfs.protocols.steps.seeds import generator

    data = datasets.load("planted")
    rounds = lambda turn: generator(cell, "split", repeat=turn)  # noqa: E731
    return cell.settings.split.indices(data, cell.repeat, rounds)[0]


def test_without_a_mask_full_labels_are_the_given_ones():
    """So an oracle is the same cell, and its rows are told for both."""
    plain = cells(SELECTION, methods=["top_mi"], evaluations=EVALUATIONS[:4])
    oracle = cells(SELECTION, methods=["top_mi"], evaluations=EVALUATIONS[:4], select_on="full")
    assert [one.key for one in plain] == [one.key for one in oracle]
    rows = selection.run(plain[0]).rows
    pairs = {}
    for row in rows:
        pairs.setdefault((row["n_features"], row["classifier"]), {})[row.pop("train_on")] = row
    assert len(rows) == 8 and all(two["given"] == two["full"] for two in pairs.values())
    masked = cells(SELECTION, methods=["top_mi"], mask=DROP)
    other = cells(SELECTION, methods=["top_mi"], mask=DROP, select_on="full")
    assert masked[0].key != other[0].key


def test_a_classifier_may_be_trained_on_full_labels_alone():
    [cell] = cells(SELECTION, methods=["top_mi"], mask=DROP, train_on="full")
    record, task = selection.run(cell), prepare(cell)
    kept = np.sort(TopMutualInformation().fit(task.X, task.Y).ranking_[:5])
    S = MLkNN().fit(task.X[:, kept], task.Y_full).decision_function(task.X_test[:, kept])
    assert record.rows[0]["ranking_loss"] == METRICS["ranking_loss"].function(task.Y_test, S)
    assert "classifier" not in record.rows[0]


def test_evaluations_have_names_of_their_own_and_known_classifiers():
    two = [{"classifier": "mlknn"}, {"classifier": "mlknn", "missing": "zero"}]
    assert "give one a 'label'" in mistake(SELECTION, methods=["all"], evaluations=two)
    two[1]["label"] = "ML-kNN, zeros"
    cells(SELECTION, methods=["all"], evaluations=two)
    text = mistake(SELECTION, methods=["all"], evaluations=two, classifier="libsvm")
    assert "leave out 'classifier'" in text
    text = mistake(SELECTION, methods=["all"], evaluations=[{"classifier": "mlkn"}])
    assert "unknown method 'mlkn'" in text
    text = mistake(
        SELECTION,
        methods=["all"],
        evaluations=[{"classifier": "rmfl", "missing": "available"}],
    )
    assert "its own way" in text
    version = cells(SELECTION, methods=["all"], evaluations=EVALUATIONS)[0].versions
    assert version["br_logistic"] == registry.version("br_logistic", ["learner"])
