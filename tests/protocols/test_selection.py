"""The selection protocol on real emotions data."""

import numpy as np
import pytest

from mlfs import config
from mlfs.classifiers import MLkNN
from mlfs.errors import UserError
from mlfs.metrics import average_precision
from mlfs.protocols import selection
from mlfs.protocols.experiment import sizes
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.seeds import generator
from mlfs.protocols.supervised import prepare
from mlfs.selectors import MFSEF, MFSLS, TopMutualInformation

BASE = {
    "name": "p",
    "protocol": "selection",
    "datasets": ["emotions"],
    "split": {"kind": "official"},
    "methods": ["top_mi"],
    "sizes": ["1/6", 20],
    "metrics": ["average_precision"],
}


def specs(**changes):
    return [one.cell for one in plan(config.parse(BASE | changes, source="test"))]


def test_sizes_are_counts_shares_or_what_mfsef_keeps():
    assert sizes.resolve("1/6", 72) == 12
    assert sizes.resolve("0.5", 72) == 36
    assert sizes.resolve("20", 72) == 20
    assert sizes.resolve("72", 72) == 72
    assert sizes.resolve("1", 72) == 72
    assert sizes.resolve("mfsef", 72) == MFSEF.n_output(72)
    for bad in ("none", "0", "-3", "2.5", "1/0", "73", "fsnm"):
        with pytest.raises(ValueError, match="size"):
            sizes.resolve(bad, 72)


@pytest.mark.usefixtures("benchmarks")
def test_sizes_may_be_given_by_dataset_and_for_one_column():
    by_name = {"yeast": "mfsls", "emotions": [7, 9]}
    methods = ["top_mi", {"random": {}, "settings": {"sizes": by_name}}]
    both = config.parse(BASE | {"datasets": ["emotions", "yeast"], "methods": methods}, source="t")
    cells = [one.cell for one in plan(both)]
    found = [[row["n_features"] for row in selection.run(cell).rows] for cell in cells]
    assert found == [[12, 20], [7, 9], [17, 20], [MFSLS.n_output(103)]]
    assert both.quick_version().methods[1].settings == {"sizes": {"emotions": [7, 9]}}
    by_default = {"default": [4], "emotions": 8, "yeast": 5}
    given = BASE | {"datasets": ["yeast", "emotions"], "sizes": by_default}
    quick = config.parse(given, source="t").quick_version()
    assert quick.sizes == {"default": ["4"], "yeast": ["5"]}
    [cell] = [one.cell for one in plan(quick)]
    assert [row["n_features"] for row in selection.run(cell).rows] == [5]


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"default": 5, "emotion": 3}, "'emotion' is not one of this config's datasets.*emotions"),
        ({"emotions": 73}, "size 73 is more than the 72 features in emotions"),
        ({}, "no size for emotions: add it, or 'default'"),
        ({"default": []}, "at least 1"),
        ({"default": "many"}, "size 'many' must be"),
        ([], "at least 1"),
    ],
)
def test_wrong_sizes_are_said_in_one_sentence(given, sentence):
    for changes in {"sizes": given}, {"methods": [{"top_mi": {}, "settings": {"sizes": given}}]}:
        with pytest.raises(UserError, match=sentence):
            specs(**changes)


@pytest.mark.usefixtures("benchmarks")
def test_a_cell_equals_the_same_steps_by_hand(real):
    [spec] = specs()
    rows = selection.run(spec).rows
    assert [row["n_features"] for row in rows] == [12, 20]
    data = real("emotions")
    best = TopMutualInformation().fit(data.X[data.train], data.Y[data.train]).ranking_[:20]
    best = np.sort(best)
    model = MLkNN().fit(data.X[data.train][:, best], data.Y[data.train])
    scores = model.decision_function(data.X[data.test][:, best])
    assert rows[1]["average_precision"] == average_precision(data.Y[data.test], scores)


@pytest.mark.usefixtures("benchmarks")
def test_the_classifier_gets_features_in_the_order_of_selection_where_it_matters(monkeypatch):
    seen = []
    original = MLkNN.fit
    monkeypatch.setattr(MLkNN, "fit", lambda self, X, Y: seen.append(X) or original(self, X, Y))
    [plain], [summed] = specs(), specs(classifier={"mlknn": {"distances": "summed"}})
    for spec in (plain, summed):
        selection.run(spec)
    X = prepare(plain).X
    order = TopMutualInformation().fit(X, prepare(plain).Y).ranking_[:20]
    np.testing.assert_array_equal(seen[1], X[:, np.sort(order)])
    np.testing.assert_array_equal(seen[3], X[:, order])


@pytest.mark.usefixtures("benchmarks")
def test_all_methods_see_the_same_split_and_mask():
    first, second = specs(
        methods=["top_mi", "random"],
        split={"kind": "holdout"},
        mask={"kind": "hide_positives", "ratio": 0.4},
    )
    ours, theirs = prepare(first), prepare(second)
    for name in ("X", "Y", "X_test", "Y_test", "seed"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name))
    assert generator(first, "method").random() == generator(second, "method").random()
    assert generator(first, "method").random() != generator(first, "mask").random()


@pytest.mark.usefixtures("benchmarks")
def test_unobserved_labels_are_filled_and_the_record_says_so():
    [spec] = specs(mask={"kind": "drop_entries", "ratio": 0.2})
    notes = selection.run(spec).notes
    assert notes == ["MLkNN cannot use unobserved labels: taken as 0"]  # the selector uses them
    [spec] = specs(mask={"kind": "drop_entries", "ratio": 0.2}, methods=["mifs"])
    assert [note.split()[0] for note in selection.run(spec).notes] == ["MIFS", "MLkNN"]


@pytest.mark.usefixtures("benchmarks")
def test_tuning_sees_the_training_part_only_and_is_recorded(monkeypatch):
    [spec] = specs(methods=["fsnm"], tune={"strategy": "random", "budget": 3, "folds": 2})
    seen = []
    original = selection.Judge
    monkeypatch.setattr(
        selection,
        "Judge",
        lambda *args: seen.append(args[0].X_test.shape[0]) or original(*args),
    )
    record = selection.run(spec)
    tuned = record.tuned
    assert len(tuned["tried"]) == 3
    assert tuned["chosen"] in [trial["params"] for trial in tuned["tried"]]
    assert tuned["score"] == max(trial["score"] for trial in tuned["tried"])
    assert seen == [196, 195] * 3 + [202]


@pytest.mark.usefixtures("benchmarks")
def test_the_configs_search_replaces_the_methods_own():
    method = {"fsnm": None, "search": {"gamma": [0.5, 2.0]}}
    [spec] = specs(methods=[method], tune={"strategy": "grid", "folds": 2})
    tried = selection.run(spec).tuned["tried"]
    assert [trial["params"]["gamma"] for trial in tried] == [1.0, 0.5, 2.0]  # the default first


def test_of_the_classifier_only_name_and_parameters_decide_a_cell():
    [spec] = specs(methods=["all"], classifier={"libsvm": {"C": 2.0}})
    assert spec.to_json()["settings"]["classifier"] == {"name": "libsvm", "params": {"C": 2.0}}


@pytest.mark.usefixtures("benchmarks")
def test_all_features_are_evaluated_once():
    [spec] = specs(methods=["all"])
    assert [row["n_features"] for row in selection.run(spec).rows] == [72]


@pytest.mark.usefixtures("benchmarks")
def test_a_stand_in_classifier_is_used_in_tuning_alone(monkeypatch):
    built = []
    original = selection.registry.build

    def spy(name, params, kinds, seed):
        built.append((name, dict(params)))
        return original(name, params, kinds, seed)

    monkeypatch.setattr(selection.registry, "build", spy)
    [spec] = specs(
        methods=["fsnm"],
        classifier={"mlknn": {"k": 7}},
        tune={"strategy": "grid", "budget": 2, "folds": 2, "classifier": {"mlknn": {"k": 3}}},
    )
    record = selection.run(spec)
    used = [params["k"] for name, params in built if name == "mlknn"]
    assert used == [3] * 4 + [7] * 2  # two candidates on two folds, then two sizes
    assert "selectors were tuned with mlknn as classifier" in record.notes


def test_a_stand_in_is_part_of_the_key_with_its_version_and_only_where_there_is_one():
    tune = {"strategy": "grid", "folds": 2}
    [plain] = specs(methods=["fsnm"], tune=tune)
    [other] = specs(methods=["fsnm"], tune=tune | {"classifier": "libsvm"})
    assert '"classifier":null' not in plain.text
    assert plain.key != other.key and set(other.versions) - set(plain.versions) == {"libsvm"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tune": {"strategy": "grid", "classifier": "nobody"}}, "nobody"),
        ({"tune": {"strategy": "grid", "classifier": {"mlknn": {"k": 0}}}}, "k"),
        (
            {"protocol": "learning", "methods": ["leml"], "tune": {"classifier": "mlknn"}},
            "leave out 'classifier'",
        ),
    ],
)
def test_a_stand_in_that_cannot_be_is_refused_before_anything_is_run(changes, words):
    content = {key: value for key, value in (BASE | changes).items() if key != "sizes"}
    with pytest.raises(UserError, match=words):
        config.parse(content, source="test")


@pytest.mark.usefixtures("benchmarks")
def test_a_classifier_trained_on_completed_labels_gets_what_the_selector_found(monkeypatch):
    mask = {"kind": "hide_positives", "ratio": 0.4}
    given, completed = (
        specs(methods=["gmfs"], mask=mask, sizes=[20], **more)[0]
        for more in ({}, {"train_on": "completed"})
    )
    made = []
    build = selection.registry.build

    def remember(*args, **kwargs):
        made.append(build(*args, **kwargs))
        return made[-1]

    monkeypatch.setattr(selection.registry, "build", remember)
    record = selection.run(completed)
    selector, classifier = made
    Y = prepare(completed).Y
    zeros = Y == 0
    expected = np.where(zeros & (selector.hidden_probability_ > 0.5), 1, Y)
    added = int(np.sum(expected != Y))
    assert added > 0
    np.testing.assert_array_equal(classifier.Y_, expected)
    note = f"the classifier gets labels that GMFS has completed: {added} more positives"
    assert note in record.notes
    plain = selection.run(given)
    np.testing.assert_array_equal(made[-1].Y_, Y)
    assert plain.rows != record.rows and plain.features == record.features


@pytest.mark.usefixtures("benchmarks")
def test_unobserved_labels_are_completed_by_their_sign_and_known_ones_stay():
    class Signs:
        Y_ = np.array([[0.2, -1.0], [-0.3, 0.9], [0.0, 1.0]])

    Y = np.array([[np.nan, 1.0], [np.nan, np.nan], [0.0, 1.0]])
    notes = []
    found = selection._completed(Signs(), Y, notes)
    assert found.tolist() == [[1, 1], [0, 1], [0, 1]]
    assert notes == ["the classifier gets labels that Signs has completed: 2 more positives"]
    mask = {"kind": "drop_entries", "ratio": 0.4}
    [cell] = specs(methods=["mlmlfs"], mask=mask, sizes=[20], train_on="completed")
    notes = selection.run(cell).notes
    assert not any("cannot use unobserved" in note for note in notes)
    assert any("MLMLFS has completed" in note for note in notes)


@pytest.mark.usefixtures("benchmarks")
def test_a_selector_that_completes_nothing_leaves_the_labels_and_says_so():
    mask = {"kind": "hide_positives", "ratio": 0.4}
    given, completed = (
        selection.run(specs(mask=mask, **more)[0]) for more in ({}, {"train_on": "completed"})
    )
    assert given.rows == completed.rows
    [note] = [note for note in completed.notes if note not in given.notes]
    assert note == (
        "TopMutualInformation does not complete labels: the classifier gets the given ones"
    )


def test_the_labels_to_train_on_are_part_of_the_key_only_if_they_are_completed():
    [plain], [given], [completed] = (
        specs(**more) for more in ({}, {"train_on": "given"}, {"train_on": "completed"})
    )
    assert plain.key == given.key != completed.key
    assert "train_on" not in plain.to_json()["settings"]
    assert completed.to_json()["settings"]["train_on"] == "completed"
