"""Chosen features: most often chosen, stable, alike; a tiny example worked out by hand."""

import io
import json
import math
from dataclasses import replace

import pandas as pd
import pytest
from click.testing import CliRunner

from mlfs import config
from mlfs.cli import main
from mlfs.datasets import load
from mlfs.errors import UserError
from mlfs.methods.registry import Scope
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.report.lists import feature_tables
from mlfs.report.lists.chosen_features import FeatureChoice, choices, names_of, summarise
from mlfs.results import read
from mlfs.results.store import Store

D = 4
NAMES = {"tiny": ["w", "x", "y", "z"]}
CHOSEN = {
    "all": [[0, 1, 2, 3]] * 3,
    "a": [[2, 0], [2, 1], [2, 0]],
    "b": [[0, 2], [3, 1], [3, 0]],
}


def choice(method, repeat, *subsets, ratio=0.2, varied="", dataset="tiny", d=D):
    return FeatureChoice(dataset, ratio, repeat, method, varied, [list(s) for s in subsets], d)


@pytest.fixture
def tiny():
    """Three repeats at 20 %, and one at 40 % that only a has."""
    found = [choice(m, r, subset) for m, some in CHOSEN.items() for r, subset in enumerate(some)]
    return [*found, choice("a", 0, [1], ratio=0.4)]


# a: two of three pairs share one feature of two, as by chance; one pair both: (0 + 0 + 1) / 3.
# Theorem 7 gives both methods the variance 4/9 * 2/27.
GOLDEN = """\
e: features chosen on tiny, 20 % to hide, out of 4

| method | features | repeats | stability | 95 % interval   |
|--------|----------|---------|-----------|-----------------|
| a      | 2        | 3       | .3333     | -.0223 to .6890 |
| b      | 2        | 3       | -.3333    | -.6890 to .0223 |

chosen most often, with the share of repeats

| place | a         | b        |
|-------|-----------|----------|
| 1     | y (100 %) | z (67 %) |
| 2     | w (67 %)  | w (67 %) |
| 3     | x (33 %)  | x (33 %) |

agreement: mean Jaccard index of two methods' features in the same repeat

| method | a     | b     |
|--------|-------|-------|
| a      | 1.000 | .5556 |
| b      | .5556 | 1.000 |

left out: all: takes all 4 features in their own order and so chooses none

e: features chosen on tiny, 40 % to hide, out of 4

| method | features | repeats | stability | 95 % interval          |
|--------|----------|---------|-----------|------------------------|
| a      | 1        | 1       | -         | fewer than two repeats |

chosen most often, with the share of repeats

| place | a         |
|-------|-----------|
| 1     | x (100 %) |"""


def test_markdown_of_chosen_features_is_as_kept(tiny):
    assert feature_tables.as_markdown(summarise("e", tiny, NAMES), top=3) == GOLDEN


def test_stability_and_agreement_equal_those_by_hand(tiny):
    (first, _) = summarise("e", tiny, NAMES)
    half = 1.959964 * math.sqrt(4 / 9 * 2 / 27)
    for method, sign in zip(first.methods, (1, -1)):
        assert method.stability.index == pytest.approx(sign / 3)
        assert method.stability.high - method.stability.index == pytest.approx(half)
    assert first.agreement["a"]["b"] == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)


def test_csv_has_every_number_of_the_text(tiny):
    frame = feature_tables.flat(summarise("e", tiny, NAMES), top=2)
    text = frame.round(4).to_csv(index=False)
    assert text.splitlines()[:8] == [
        "experiment,dataset,ratio,varied,method,repeats,what,feature,of,value",
        "e,tiny,0.2,,a,3,share,2,y,1.0",
        "e,tiny,0.2,,a,3,share,0,w,0.6667",
        "e,tiny,0.2,,a,3,stability,,,0.3333",
        "e,tiny,0.2,,a,3,stability_low,,,-0.0223",
        "e,tiny,0.2,,a,3,stability_high,,,0.689",
        "e,tiny,0.2,,a,3,jaccard,,b,0.5556",
        "e,tiny,0.2,,b,3,share,3,z,0.6667",
    ]
    assert len(frame) == 6 + 6 + 4
    assert frame[(frame.ratio == 0.4) & (frame.what == "stability")].value.isna().all()


def test_json_has_null_where_nothing_is_defined(tiny):
    first, second = json.loads(feature_tables.as_json(summarise("e", tiny, NAMES), top=1))
    assert first["methods"][1] == {
        "method": "b",
        "repeats": 3,
        "sizes": [2],
        "stability": pytest.approx(-1 / 3),
        "stability_low": pytest.approx(-0.6890, abs=1e-4),
        "stability_high": pytest.approx(0.0223, abs=1e-4),
        "undefined": "",
        "chosen": [{"feature": 3, "name": "z", "share": pytest.approx(2 / 3)}],
        "jaccard": {"a": pytest.approx(5 / 9)},
    }
    assert first["left_out"] == ["all: takes all 4 features in their own order and so chooses none"]
    assert (second["ratio"], second["n_features"]) == (0.4, 4)
    assert second["methods"][0]["stability"] is None
    assert second["methods"][0]["undefined"] == "fewer than two repeats"


def test_datasets_ratios_and_swept_values_are_not_pooled():
    found = [
        choice("a", repeat, [repeat], dataset=dataset, ratio=ratio, varied=varied)
        for dataset in ("tiny", "other")
        for ratio in (0.2, 0.4)
        for varied in ("gamma=1", "gamma=10")
        for repeat in (0, 1)
    ]
    made = summarise("e", found, NAMES | {"other": ["p", "q", "r"]})
    assert len({(s.dataset, s.ratio, s.varied) for s in made}) == len(made) == 8
    assert {(s.dataset, s.d) for s in made} == {("tiny", 4), ("other", 3)}
    assert all(s.methods[0].shares[0][2] == 0.5 for s in made)
    assert made[5].methods[0].shares[0][1] == "p"
    texts = feature_tables.as_markdown(made, 1)
    assert "e: features chosen on other, 40 % to hide, gamma=10, out of 3" in texts


def test_a_size_takes_the_tops_of_one_list():
    found = [choice("a", 0, [3, 1, 2]), choice("a", 1, [1, 3, 0])]
    (largest,) = summarise("e", found, NAMES)
    (two,) = summarise("e", found, NAMES, size=2)
    assert largest.methods[0].subsets == {0: [3, 1, 2], 1: [1, 3, 0]}
    assert two.methods[0].subsets == {0: [3, 1], 1: [1, 3]}
    assert two.methods[0].stability.index == pytest.approx(1)


def test_a_size_takes_the_list_of_that_length_where_each_has_its_own():
    found = [choice("a", r, [0], [1, 2], [1, 2, 3]) for r in (0, 1)]
    assert summarise("e", found, NAMES, size=1)[0].methods[0].subsets[0] == [0]
    assert summarise("e", found, NAMES, size=2)[0].methods[0].subsets[0] == [1, 2]
    assert summarise("e", found, NAMES)[0].methods[0].subsets[0] == [1, 2, 3]


def test_a_method_without_the_size_is_left_out_and_said():
    found = [choice("a", 0, [0], [1, 2, 3]), choice("b", 0, [3, 2])]
    (made,) = summarise("e", found, NAMES, size=2)
    assert [m.method for m in made.methods] == ["b"]
    assert made.left_out == ["a: has no subset of 2 features in some repeat; its sizes: 1, 3"]
    with pytest.raises(UserError, match="no method chose 4 features"):
        summarise("e", found, NAMES, size=4)


def test_all_features_in_another_order_are_a_ranking():
    found = [choice("a", r, [3, 2, 1, 0]) for r in (0, 1)]
    (made,) = summarise("e", found, NAMES)
    assert made.methods[0].stability.reason == "every feature is chosen"
    (top,) = summarise("e", found, NAMES, size=1)
    assert top.methods[0].shares == [(3, "z", 1.0)]


def test_methods_agree_over_the_repeats_that_both_have():
    found = [choice("a", 0, [0]), choice("a", 1, [0]), choice("b", 1, [0]), choice("b", 2, [1])]
    found.append(choice("c", 5, [0]))
    (made,) = summarise("e", found, NAMES)
    assert made.agreement["a"]["b"] == made.agreement["b"]["a"] == 1  # repeat 1 alone
    assert math.isnan(made.agreement["a"]["c"])
    assert {m.method: m.stability.n for m in made.methods} == {"a": 2, "b": 2, "c": 1}


def test_sizes_that_differ_between_repeats_are_shown():
    found = [choice("a", 0, [0]), choice("a", 1, [0, 1, 2])]
    text = feature_tables.as_markdown(summarise("e", found, NAMES), 1)
    assert "| a      | 1 to 3   | 2 " in text


def test_equally_often_chosen_features_stand_by_their_place_then_by_index():
    found = [choice("a", 0, [3, 1, 0, 2]), choice("a", 1, [3, 0, 1, 2])]
    (made,) = summarise("e", found, NAMES)
    assert [feature for feature, _, _ in made.methods[0].shares] == [3, 0, 1, 2]


@pytest.fixture
def run(tmp_path):
    """Stored results whose cells chose the features that `chosen` gives, out of `d`."""

    def make(chosen, d=72, dataset="emotions", **changes):
        content = {
            "name": "run",
            "protocol": "selection",
            "datasets": [dataset],
            "split": {"kind": "holdout", "repeats": 2},
            "methods": ["random", "fsnm"],
            "metrics": ["average_precision"],
        } | changes
        experiment = config.parse(content, source="test")
        store = Store(tmp_path / "run")
        store.open(experiment)
        for one in plan(experiment):
            store.write(one, Record(features=chosen(one), n_features=d))
        return tmp_path / "run"

    return make


def names(folder):
    found = read.read(Store(folder))
    return names_of(found, choices(found))


def test_features_have_the_names_of_the_dataset(run, benchmarks):
    assert names(run(lambda one: [[0]])) == {"emotions": load("emotions").feature_names}


def test_other_features_than_the_files_are_numbered(run, benchmarks):
    """As many as an extractor made, for instance."""
    assert names(run(lambda one: [[0]], d=3)) == {
        "emotions": ["feature 0", "feature 1", "feature 2"]
    }


def test_nothing_is_fetched_for_names(run, tmp_path, monkeypatch):
    folder = run(lambda one: [[0]])
    monkeypatch.setenv("MLFS_DATA", str(tmp_path))
    monkeypatch.delenv("MLFS_MIRROR", raising=False)
    monkeypatch.setattr("mlfs.datasets.load", lambda *args, **kwargs: pytest.fail("was loaded"))
    assert names(folder)["emotions"][-1] == "feature 71"


def test_the_page_reads_the_users_own_files_only(run, tmp_path, monkeypatch):
    found = read.read(Store(run(lambda one: [[0]])))
    (tmp_path / "own.csv").write_text("p,q,y\n1,2,0\n3,4,1\n5,6,0\n7,8,1\n")
    data = [{"path": "own.csv", "labels": ["y"]}]
    content = found.experiment.model_dump(mode="json") | {"name": "own", "datasets": data}
    scope = Scope(folder=tmp_path)
    mine = replace(found, experiment=config.parse(content, source="own", scope=scope))
    chosen = [choice("random", 0, [1], dataset="own", d=2)]
    assert names_of(mine, chosen, published=False) == {"own": ["p", "q"]}
    monkeypatch.setattr("mlfs.datasets.load", lambda *args, **kwargs: pytest.fail("was loaded"))
    assert names_of(found, choices(found), published=False)["emotions"][-1] == "feature 71"


def test_the_command_shows_chosen_features_by_name(run, benchmarks):
    def chosen(one):
        return [[5, 3, 9]] if one.label == "fsnm" else [[9, one.cell.repeat, 20]]

    folder = run(chosen)
    shown = CliRunner().invoke(main, ["features", str(folder), "--size", "2"])
    assert shown.exit_code == 0, shown.output
    name = load("emotions").feature_names[5]
    assert "run: features chosen on emotions, out of 72\n" in shown.output
    assert f"| 1     | {load('emotions').feature_names[9]} (100 %)" in shown.output
    assert shown.output.index("| random") < shown.output.index("| fsnm")  # the config's order
    assert shown.output.rstrip().endswith(f"Next: mlfs table {folder}")
    csv = CliRunner().invoke(main, ["features", str(folder), "--top", "1", "--format", "csv"])
    frame = pd.read_csv(io.StringIO(csv.output))
    assert frame[(frame.method == "fsnm") & (frame.what == "share")].of.tolist() == [name]
    as_json = CliRunner().invoke(main, ["features", str(folder), "--format", "json"])
    assert json.loads(as_json.output)[0]["n_features"] == 72


def test_results_without_choices_say_so(run):
    shown = CliRunner().invoke(main, ["features", str(run(lambda one: []))])
    assert shown.exit_code == 2
    assert "no cell in" in shown.stderr and "chose features" in shown.stderr
    assert len(shown.stderr.strip().splitlines()) == 1


def test_choices_are_those_of_the_cells_in_the_order_of_the_config(run):
    folder = run(
        lambda one: [[one.cell.repeat]],
        methods=["random"],
        vary={"random_state": [7, 8]},
        mask={"kind": "hide_positives", "ratio": 0.2},
    )
    found = choices(read.read(Store(folder)))
    assert [(c.method, c.varied, c.repeat, c.subsets) for c in found] == [
        ("random", f"random_state={state}", repeat, [[repeat]])
        for repeat in (0, 1)
        for state in (7, 8)
    ]
    assert {c.ratio for c in found} == {0.2} and {c.d for c in found} == {72}
