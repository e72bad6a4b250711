"""Groups from stored results: what is a mean of what, and what is kept apart."""

import numpy as np
import pytest

from mlfs import config
from mlfs.errors import UserError
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.report.overall.cases import CONTROL, KNOWS, ZERO, Entrant, collect, family
from mlfs.results.read import read
from mlfs.results.store import Store

CONFIG = {
    "name": "grand",
    "protocol": "selection",
    "datasets": ["emotions", "yeast", "arts", "health"],
    "split": {"kind": "holdout", "repeats": 2},
    "mask": {"kind": "hide_positives", "ratio": [0.0, 0.4]},
    "methods": ["fsnm", {"gmfs": {"n_factors": 3}}, "random"],
    "sizes": [2, 3, 5],
    "metrics": ["average_precision", "hamming_loss"],
}


@pytest.fixture
def stored(tmp_path):
    """``stored(rows, **changes)``: results whose cells have what ``rows(cell, label)`` gives."""

    def make(rows, **changes):
        experiment = config.parse(CONFIG | changes, source="test")
        store = Store(tmp_path / experiment.name)
        store.open(experiment)
        for planned in plan(experiment):
            found = rows(planned.cell, planned.label)
            if found is not None:
                top = planned.repeat if planned.label == "random" else 0
                record = Record(
                    rows=found,
                    seconds={"fit": 2.0 + planned.repeat, "evaluate": 100.0},
                    features=[[0, 1, 2, 3, 4 + top]],
                    n_features=20,
                )
                store.write(planned, record)
        return read(store)

    return make


def points(value, **more):
    return [{"n_features": k, "average_precision": value + k / 100, **more} for k in (2, 3, 5)]


def test_a_value_is_the_mean_of_repeats_classifiers_and_points(stored):
    def rows(cell, label):
        found = []
        for classifier, shift in (("mlknn", 0.0), ("logistic", 0.2)):
            for train_on in ("given", "full"):
                value = 0.1 * cell.repeat + shift + (train_on == "full") + cell.settings.ratio
                found += points(value, classifier=classifier, train_on=train_on)
        return found

    groups = collect([stored(rows)])
    assert [group.panel for group in groups] == ["given", "full"]
    for group, extra in zip(groups, (0, 1)):
        expected = 0.05 + 0.1 + extra + 0.4 + (0.02 + 0.03 + 0.05) / 3
        np.testing.assert_allclose(group.scores(), expected)
        np.testing.assert_allclose(group.scores(0.0), expected - 0.4)
        assert group.kind == "invisible: positive labels hidden" and not group.tuned
        assert group.ratios == [0.0, 0.4] and group.hidden == [0.4]
        assert set(group.seconds.values()) == {2.5}  # of fits, not of evaluations
        assert group.families == {n: family(n) for n in ("emotions", "yeast", "arts", "health")}
        assert group.families["arts"] == group.families["health"] == "yahoo"
        # at the middle size of 3 all methods chose the same features in both repeats
        assert set(group.stability.values()) == {1.0}


def test_arms_follow_from_what_a_method_is(stored):
    [group] = collect([stored(lambda cell, label: points(0.5))])
    expected = [
        Entrant("fsnm", ZERO),
        Entrant("gmfs(n_factors=3)", KNOWS),
        Entrant("random", CONTROL),
    ]
    assert group.entrants == expected
    assert [one.name for one in expected] == [
        "fsnm (zero-filled)",
        "gmfs(n_factors=3) (knows)",
        "random",
    ]


def test_repeats_that_a_method_lacks_count_for_nobody(stored):
    def rows(cell, label):
        if label == "fsnm" and cell.data.name == "yeast" and cell.repeat == 1:
            return None
        return points(0.5 if cell.repeat == 0 else 0.9)

    [group] = collect([stored(rows)])
    scores = group.scores()
    np.testing.assert_allclose(scores.loc["yeast"], 0.5 + 0.1 / 3)
    np.testing.assert_allclose(scores.loc["emotions"], 0.7 + 0.1 / 3)
    assert group.left_out == ["Repeats that some method lacks are left out on yeast."]


def test_a_method_with_results_on_few_datasets_is_left_out(stored):
    def rows(cell, label):
        few = label == "fsnm" and cell.data.name not in ("yeast", "arts")
        return None if few else points(0.5)

    [group] = collect([stored(rows)])
    assert "fsnm (zero-filled)" not in group.scores()
    assert group.left_out == ["fsnm (zero-filled) has results on only 2 of 4 datasets."]


def test_kinds_of_missing_labels_are_never_pooled(stored):
    seen = {"kind": "drop_entries", "ratio": [0.4]}
    parts = [
        stored(lambda cell, label: points(0.5)),
        stored(lambda cell, label: points(0.6), name="visible", mask=seen),
        stored(lambda cell, label: points(0.7), name="full", mask="none"),
    ]
    groups = {group.kind: group for group in collect(parts)}
    assert list(groups) == [
        "invisible: positive labels hidden",
        "visible: labels unknown",
        "no labels hidden",
    ]
    assert groups["no labels hidden"].hidden == [0.0]
    np.testing.assert_allclose(groups["visible: labels unknown"].scores(), 0.6 + 0.1 / 3)


def test_protocols_are_never_pooled(stored, monkeypatch):
    one = stored(lambda cell, label: points(0.5), name="one")
    monkeypatch.delitem(CONFIG, "sizes")
    row = [{"average_precision": 0.5}]
    two = stored(lambda *_: row, name="two", protocol="learning", methods=["mlknn"])
    groups = collect([one, two])
    titles = [f"{name}, invisible: positive labels hidden" for name in ("selection", "learning")]
    assert [group.title for group in groups] == titles


def test_other_experiments_of_the_same_kind_are_joined(stored):
    more = stored(lambda cell, label: points(0.6), name="more", datasets=["scene", "image"])
    [group] = collect([stored(lambda cell, label: points(0.5)), more])
    assert group.experiments == ["grand", "more"] and len(group.scores()) == 6


def test_the_metric_is_the_first_common_one_or_the_given_one(stored):
    item = stored(lambda cell, label: [{"n_features": 2, "hamming_loss": 0.1}])
    [group] = collect([item], "hamming_loss")
    assert not group.larger and group.metric == "hamming_loss"
    with pytest.raises(UserError, match=r"no results have the metric 'hammin_loss'; did you mean"):
        collect([item], "hammin_loss")
    with pytest.raises(UserError, match="no cell is finished"):
        collect([item])


ARMS = [
    {"univariate": {"kind": "chi2"}, "label": "chi2 (zero)", "settings": {"missing": "zero"}},
    {"univariate": {"kind": "chi2"}, "label": "chi2 (available)"},
    {"univariate": {"kind": "chi2"}, "label": "chi2 (oracle)", "settings": {"select_on": "full"}},
    {"gmfs": {}, "label": "gmfs (own way)"},
    "random",
]
PLAIN = [{"univariate": {"kind": "chi2"}, "label": "chi2"}, {"gmfs": {}, "label": "gmfs"}, "random"]
VALUES = {"chi2 (zero)": 0.4, "chi2 (available)": 0.5, "chi2 (oracle)": 0.6, "gmfs (own way)": 0.7}


def test_headings_name_arms_and_nothing_hidden_is_ratio_0_and_the_oracle(stored):
    def hidden(cell, label):
        found = points(VALUES.get(label, 0.2), classifier="mlknn", train_on="given")
        if label != "chi2 (oracle)":
            found += points(VALUES.get(label, 0.2) + 0.1, classifier="mlknn", train_on="full")
        return found

    def full(cell, label):
        value = {"chi2": 0.8, "gmfs": 0.9}.get(label, 0.3)
        ways = [{"classifier": "mlknn", "train_on": how} for how in ("given", "full")]
        return [row for way in ways for row in points(value, **way)]

    mask = {"kind": "drop_entries", "ratio": [0.4, 0.7]}
    parts = [
        stored(full, name="full", mask="none", methods=PLAIN),
        stored(hidden, name="unknown", mask=mask, methods=ARMS),
    ]
    plain, given, trained = collect(parts)  # where nothing is hidden, given labels are the full
    assert [one.name for one in plain.entrants] == ["chi2", "gmfs", "random"]
    assert plain.title == "selection, no labels hidden"
    assert trained.title == "selection, visible: labels unknown, classifiers trained on full labels"
    shift = 0.1 / 3
    names = ["chi2 (zero-filled)", "chi2 (available case)", "chi2 (oracle)", "gmfs (knows)"]
    assert [one.name for one in given.entrants] == [*names, "random"]
    assert given.ratios == [0.0, 0.4, 0.7]
    np.testing.assert_allclose(given.scores(0.0)[names[:3]], 0.8 + shift)
    np.testing.assert_allclose(given.scores()["chi2 (oracle)"], 0.6 + shift)
    np.testing.assert_allclose(given.scores(0.0)["gmfs (knows)"], 0.9 + shift)
    # judged on full labels, selection that sees all labels is what it is without a mask
    oracles = ["chi2 (oracle)", "gmfs (oracle)"]
    assert {one.name for one in trained.entrants} == {*names, "gmfs (oracle)", "random"}
    np.testing.assert_allclose(trained.scores()[oracles[0]], 0.8 + shift)
    np.testing.assert_allclose(trained.scores()[oracles[1]], 0.9 + shift)
    np.testing.assert_allclose(trained.scores()["chi2 (zero-filled)"], 0.5 + shift)


def test_gains_of_a_loss_are_its_negative(grouped):
    group = grouped(lambda entrant, dataset, ratio: 0.25 + ratio, larger=False)
    np.testing.assert_allclose(group.gains(0.4), -0.65)
    np.testing.assert_allclose(grouped(lambda *_: 0.25).gains(), 0.25)


def test_without_sizes_there_is_no_stability(stored):
    [group] = collect([stored(lambda cell, label: [{"average_precision": 0.5}])])
    assert np.isnan(list(group.stability.values())).all() and len(group.stability) == 3
