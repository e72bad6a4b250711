"""Every printed value of every paper is compared once, with the value that tables show."""

import itertools
import math
from collections import Counter

import pytest

from mlfs import papers
from mlfs.report.reproduction.comparison import compare_stated, run_values
from mlfs.report.tables.paper_tables import make_tables

from .. import made


def compared(results):
    return compare_stated(run_values(results))


def rows_of(found, **wanted):
    return [
        item
        for item in found
        if all(getattr(item, name) == value for name, value in wanted.items())
    ]


def one(found, **wanted):
    (item,) = rows_of(found, **wanted)
    return item


def mfsef(values, columns=("Original", "MFSEF"), tables=("2",), datasets=(), **changes):
    """Results of mfsef's table 2 on arts and health; `values` gives (heading, repeat) its mean."""
    named = datasets or ("arts", "health")
    metrics = ["average_precision"]
    experiment = made.experiment("mfsef", tables, named, columns, metrics, **changes)
    return made.results(
        experiment,
        {
            (dataset, 0.0, repeat, heading): {"average_precision": mean}
            for dataset in ("arts", "health")
            for (heading, repeat), mean in values.items()
        },
    )


def test_without_results_all_values_are_not_run_or_cannot_be():
    found = compared([])
    assert len(found) == 1536
    counts = Counter(item.status for item in found)
    never = {item.dataset for item in found if item.status == "not fetched"}
    assert counts.keys() == {"not run", "not fetched"}
    assert never == {"pascal07", "bookmarks"} and counts["not fetched"] == 77
    for item in found:
        assert math.isnan(item.ours) and math.isnan(item.gap) and item.repeats == 0
        assert bool(item.reason) == (item.status == "not fetched")


def test_every_printed_value_is_compared_once_and_in_the_order_of_printing():
    keys = [(s.paper, s.table, s.dataset, s.method, s.metric, s.ratio) for s in compared([])]
    assert len(set(keys)) == len(keys)
    printed = papers.paper("mfsef").printed(["2"])
    mine = [key[2:4] for key in keys if key[:2] == ("mfsef", "2")]
    assert mine == list(zip(printed.dataset, printed.method))


def test_values_are_those_of_the_tables():
    item = mfsef({("Original", 0): 0.5, ("Original", 1): 0.52, ("MFSEF", 0): 0.54})
    found = compared([item])
    (table,) = make_tables(item)
    for entry in table.entries.itertuples():
        mine = one(found, table="2", paper="mfsef", dataset=entry.dataset, method=entry.method)
        assert (mine.ours, mine.repeats) == (entry.mean, entry.count)
        assert mine.ours_std == pytest.approx(entry.std, nan_ok=True)
        assert (mine.printed, mine.gap) == (entry.printed, entry.gap)
        assert mine.experiment == "mfsef_2"
    original = one(found, paper="mfsef", table="2", dataset="arts", method="Original")
    # no deviation is printed: 2.5 units of the last digit, and no more by our deviation
    assert (original.printed, original.unit, original.gap) == (
        0.5094,
        0.0001,
        pytest.approx(0.0006),
    )
    assert original.status == "within chance"
    assert original.printed_repeats == 2  # the paper does not say it: as many as ours


def test_names_of_datasets_and_metrics_are_ours_and_ratios_tell_values_apart():
    columns, metrics = ("RMFL",), ("normalized_coverage",)
    experiment = made.experiment("rmfl", ["IV", "V"], ["yeast"], columns, metrics, [0.4, 0.6])
    values = {("yeast", ratio, 0, "RMFL"): {metrics[0]: ratio} for ratio in (0.4, 0.6)}
    found = compared([made.results(experiment, values)])
    for table, ratio in (("IV", 0.4), ("V", 0.6)):
        ours = one(
            found, paper="rmfl", table=table, dataset="yeast", method="RMFL", metric=metrics[0]
        )
        assert (ours.ours, ours.ratio) == (ratio, ratio)
    assert sum(item.repeats for item in found) == 2


def test_a_row_comes_from_the_experiment_that_has_most_of_it():
    whole = mfsef({("Original", 0): 0.1, ("MFSEF", 0): 0.1}, name="z", tables=["2", "3"])
    part = mfsef({("Original", 0): 0.2}, name="a")
    found = rows_of(compared([part, whole]), paper="mfsef", table="2", dataset="arts")
    assert {item.ours for item in found if item.repeats} == {0.1}
    assert {item.experiment for item in found} == {"z", ""}


@pytest.mark.parametrize(
    "better",
    [
        {"tables": ["2"], "tune": {"strategy": "none"}},
        {"tables": ["2", "3"], "tune": {"strategy": "grid", "folds": 3}},
        {"tables": ["2", "3"], "datasets": ["arts", "health", "business"]},
        {"tables": ["2", "3"], "name": "a"},
    ],
)
def test_among_equals_the_tables_own_config_is_taken(better):
    values = {("Original", 0): 0.5, ("MFSEF", 0): 0.5}
    other = mfsef(values, name="b", tables=["2", "3"], tune={"strategy": "none"})
    good = mfsef(values, **{"name": "c", **better})
    for order in ([good, other], [other, good]):
        ours = rows_of(compared(order), paper="mfsef", table="2", dataset="arts")
        assert {item.experiment for item in ours} - {""} == {better.get("name", "c")}


def test_sweeps_and_extra_columns_never_stand_for_a_table():
    extra = {"random": {}, "label": "other", "extra": True, "printed": "MFSEF"}
    swept = mfsef({("Original", 0): 0.5}, vary={"random_state": [1, 2]}, columns=["Original"])
    swept.rows["random_state"] = 1
    beside = mfsef({("Original", 0): 0.5, ("other", 0): 0.5}, columns=["Original", extra], name="e")
    found = compared([swept, beside])
    assert {item.method for item in found if item.repeats} == {"Original"}
    assert {item.experiment for item in found} == {"e", ""}


@pytest.mark.parametrize("change", [{"frequent_labels": 20}, {"clean": True}])
def test_a_dataset_that_was_changed_never_stands_for_the_printed_one(change):
    name = "rcv1subset2_top944"  # a set with a known fault, that can be mended
    for data, ours in ((name, 1), ({"name": name, **change}, 0)):
        experiment = made.experiment(
            "gmfs", ["2"], [data], ["All-Fea"], ["average_precision"], [0.2]
        )
        item = made.results(experiment, {(name, 0.2, 0, "All-Fea"): {"average_precision": 0.5}})
        assert sum(item.repeats for item in compared([item])) == ours


@pytest.mark.parametrize(("labels", "ours"), [(45, 1), (50, 0), (None, 0)])
def test_a_set_stands_with_the_number_of_labels_that_its_paper_seems_to_have_used(labels, ours):
    data = {"name": "delicious", "frequent_labels": labels} if labels else "delicious"
    experiment = made.experiment("gmfs", ["2"], [data], ["All-Fea"], ["average_precision"], [0.2])
    item = made.results(experiment, {("delicious", 0.2, 0, "All-Fea"): {"average_precision": 0.5}})
    assert sum(item.repeats for item in compared([item])) == ours


def test_the_usual_distance_of_a_row_is_over_its_pairs_of_methods():
    found = compared([])
    row = rows_of(found, paper="gmfs", table="2", dataset="emotions")
    gaps = sorted(abs(a.printed - b.printed) for a, b in itertools.combinations(row, 2))
    assert len(gaps) == 21 and {one.distance for one in row} == {gaps[10]}


def test_a_run_of_a_reading_does_not_count_as_stated():
    values = {("Original", 0): 0.1}
    for reading, ours in (("stated", 2), (None, 2), ("joint_entropy", 0)):
        item = mfsef(values, columns=["Original"], reading=reading)
        assert sum(one.repeats for one in compared([item])) == ours


@pytest.mark.parametrize("substitutes", [{}, {"yeast": "other features"}])
def test_seconds_and_substitutes_are_not_comparable(tmp_path, monkeypatch, substitutes):
    folder = tmp_path / "papers" / "mine"
    folder.mkdir(parents=True)
    (folder / "paper.yaml").write_text(
        "title: t\nauthors: [a]\nvenue: v\nyear: 2024\ntables: {'1': scores}\n"
        f"methods: {{random: A}}\nsubstitutes: {substitutes}\n"
    )
    (folder / "printed.csv").write_text(
        "table,dataset,method,metric,missing_ratio,mean\n"
        "1,yeast,A,average_precision,0,0.50\n1,yeast,A,seconds,0,20\n"
    )
    monkeypatch.setenv("MLFS_PAPERS", str(tmp_path / "papers"))
    experiment = made.config.parse(
        {
            "name": "e",
            "protocol": "active",
            "paper": "mine",
            "tables": ["1"],
            "datasets": ["yeast"],
            "methods": ["random"],
            "metrics": ["seconds"],
        },
        source="made up",
    )
    timed = made.results(experiment, {("yeast", 0.0, 0, "A"): {"seconds": 10.0}})
    selected = made.config.parse(
        {
            "name": "f",
            "protocol": "selection",
            "paper": "mine",
            "tables": ["1"],
            "datasets": ["yeast"],
            "methods": ["random"],
            "metrics": ["average_precision"],
        },
        source="made up",
    )
    scored = made.results(selected, {("yeast", 0.0, 0, "A"): {"average_precision": 0.5}})
    for item, metric, reason in (
        (timed, "seconds", "seconds on another machine"),
        (scored, "average_precision", substitutes.get("yeast", "")),
    ):
        found = one(compared([item]), paper="mine", metric=metric)
        # a row of one method cannot tell methods apart
        assert found.status == ("not comparable" if reason else "within chance")
        assert (found.reason, found.quotient) == (reason, 0.5 if metric == "seconds" else 1.0)


def test_a_failed_cell_says_why(run):
    from mlfs.results import read as results

    store = run(lambda cell: "out of\nmemory" if cell.label == "MFSEF" else None)
    found = compared([results.read(store)])
    ours = one(found, paper="mfsef", table="2", dataset="arts", method="MFSEF")
    assert (ours.status, ours.reason) == ("not run", "failed: out of memory")
    assert one(found, paper="mfsef", table="2", dataset="arts", method="Original").reason == ""
