"""Tables: means, deviations, ranks, bold and gaps against figures worked out by hand."""

import math
import statistics
from dataclasses import replace

import numpy as np
import pytest

from mlfs import stats
from mlfs.errors import UserError
from mlfs.protocols.plan import plan
from mlfs.report.tables import footer, formats, paper_tables
from mlfs.results import read

# method to its average precision in three repeats; on health the last two do not differ surely
VALUES = {
    "Original": [0.50, 0.51, 0.52],
    "random": [0.40, 0.41, 0.42],
    "MFSEF": [0.53, 0.50, 0.53],
}


def value(cell):
    return VALUES[cell.label][cell.repeat]


def rows_of(cell):
    if (cell.dataset, cell.label) == ("business", "random"):
        return "boom"
    return [{"n_features": 5, "average_precision": value(cell), "hamming_loss": 1 - value(cell)}]


@pytest.fixture
def store(run):
    return run(rows_of)


@pytest.fixture
def table(store):
    return paper_tables.make_tables(read.read(store))[0]


def first(store, **options):
    return paper_tables.make_tables(read.read(store), ["average_precision"], **options)[0]


def cell(table, dataset, method):
    found = table.entries[(table.entries.dataset == dataset) & (table.entries.method == method)]
    return found.iloc[0]


def test_cells_have_means_deviations_and_ranks(table):
    ours = cell(table, "health", "Original")
    assert ours["mean"] == pytest.approx(0.51)
    assert ours["std"] == pytest.approx(0.01)
    assert [cell(table, "health", m)["rank"] for m in table.methods] == [2, 3, 1]


def test_two_methods_have_ranks_and_one_alone_has_none(run):
    two = first(run(rows_of, name="two", methods=["all", "random"]))
    assert [cell(two, "health", m)["rank"] for m in two.methods] == [1, 2]
    one = first(run(rows_of, name="one", methods=["all"]))
    assert one.entries["rank"].isna().all()


def test_with_three_repeats_nothing_is_bold(table):
    assert not table.entries.best.any() and "bold" not in table.caption


def shown_bold(columns, larger=True, overlap=0.0, splits=None):
    wide = np.array(columns, float).T
    return paper_tables._best(wide, larger, splits or [""] * wide.shape[1], overlap)


NOISE = np.array([0.01, -0.01, 0.02, -0.02, 0.0])


def test_bold_is_the_best_and_an_unbroken_run_of_those_that_a_test_cannot_tell_from_it():
    best, near, far = 0.5 + NOISE, 0.49 - NOISE, 0.3 + np.roll(NOISE, 1)
    assert shown_bold([best, near, far]) == [True, True, False]
    assert shown_bold([-best, -near, -far], larger=False) == [True, True, False]
    assert shown_bold([far, near, best]) == [False, True, True]
    # the second differs surely and the third, which is noisy, does not: the run ends before both
    sure, wild = 0.48 + NOISE * 1.01, 0.45 + 10 * np.roll(NOISE, 2)
    assert stats.paired_t(best, sure).p < 0.01 and stats.paired_t(best, wild).p > 0.3
    assert shown_bold([best, sure, wild]) == [True, False, False]
    assert shown_bold([column[:4] for column in (best, near, far)]) == [False] * 3
    assert shown_bold([best]) == [False]
    assert shown_bold([best, best, far]) == [True, True, False]


def test_bold_is_corrected_for_the_number_of_methods_and_for_overlapping_splits():
    best = 0.5 + NOISE
    other = best - 0.01 - 0.008 * np.array([1, -1, 0.5, -0.5, 0.2])
    p = stats.paired_t(best, other).p
    assert 0.02 < p < 0.05
    worse = [0.1 + np.roll(NOISE, i) for i in range(3)]
    assert shown_bold([best, other]) == [True, False]
    assert shown_bold([best, other], overlap=0.25) == [True, True]
    equal = [best - 0.001 + 3 * np.roll(NOISE, i) for i in (1, 2)]
    assert shown_bold([best, other, *equal])[1]  # one of three, not the smallest p alone
    assert shown_bold([best, *worse]) == [True, False, False, False]


def test_repeats_on_other_splits_are_not_paired():
    a, b = 0.5 + 3 * NOISE, 0.47 + 3 * NOISE  # a constant difference
    assert shown_bold([a, b]) == [True, False]
    assert shown_bold([a, b], splits=["", "kfold"]) == [True, True]


def test_the_caption_names_the_test_of_bold_values(run):
    spread = {"Original": 0.5, "random": 0.3, "MFSEF": 0.52}
    made = run(
        lambda cell: [
            {"n_features": 5, "average_precision": spread[cell.label] + cell.repeat / 99}
        ],
        split={"kind": "holdout", "repeats": 5},
        name="five",
    )
    table = first(made)
    assert table.entries.best.any() and table.caption.endswith(paper_tables.BOLD)
    assert paper_tables.BOLD in formats.as_markdown(table, compare=False)


def five_repeats(run, spread, metric="average_precision", **more):
    """A table of five repeats; `spread` has the mean of each method, and the noise around it."""

    def score(cell):
        mean, noise = spread[cell.label]
        shift = ord(cell.label[0])
        return [{"n_features": 5, metric: mean + noise * NOISE[(cell.repeat + shift) % 5]}]

    made = run(score, split={"kind": "holdout", "repeats": 5}, metrics=[metric], **more)
    return paper_tables.make_tables(read.read(made))[0]


def bold_of(table):
    return set(table.entries.method[table.entries.best])


def test_where_no_method_is_told_from_the_best_only_the_best_is_bold(run):
    wild = {"Original": (0.50, 3), "random": (0.45, 3), "MFSEF": (0.52, 3)}
    table = five_repeats(run, wild, name="wild")
    assert bold_of(table) == {"MFSEF"} and table.alone == table.rows
    assert table.caption.endswith("only the best where it tells none from it (all rows)")
    lower = five_repeats(run, wild, "hamming_loss", name="lower")
    assert bold_of(lower) == {"random"}
    sure = {"Original": (0.51, 1), "random": (0.30, 1), "MFSEF": (0.52, 1)}
    table = five_repeats(run, sure, name="sure")
    assert bold_of(table) == {"Original", "MFSEF"} and not table.alone
    equal = dict.fromkeys(wild, (0.5, 0))
    table = five_repeats(run, equal, name="equal")
    assert bold_of(table) == set(wild) and not table.alone


def test_the_caption_names_the_rows_where_the_best_is_bold_alone(table):
    some = replace(table, alone=["health"], entries=table.entries.assign(best=True))
    assert len(some.rows) > 1 and some.bold.endswith("where it tells none from it (health)")
    assert some.caption == f"{some.drawn}; {some.bold}" and "bold" not in some.drawn


def test_a_lower_is_better_metric_turns_the_ranks(store):
    losses = paper_tables.make_tables(read.read(store))[1]
    assert [cell(losses, "arts", m)["rank"] for m in losses.methods] == [2, 3, 1]


def test_the_printed_figure_and_the_gap_stand_beside_ours(table):
    ours = cell(table, "health", "MFSEF")
    assert ours["printed"] == 0.7280
    assert ours["gap"] == pytest.approx(0.52 - 0.7280)
    assert math.isnan(cell(table, "health", "random")["printed"])


def curve(cell, sizes=(17, 34, 51, 68, 86)):
    """The spread over sizes is far larger than that over repeats."""
    sizes = (103,) if cell.label == "Original" else sizes
    return [{"n_features": n, "average_precision": value(cell) + n / 1000} for n in sizes]


def test_the_deviation_is_over_repeats_and_not_over_sizes(run):
    table = first(run(curve))
    ours = cell(table, "arts", "MFSEF")
    along = [v + (17 + 34 + 51 + 68 + 86) / 5000 for v in VALUES["MFSEF"]]
    assert ours["mean"] == pytest.approx(statistics.mean(along))
    assert ours["std"] == pytest.approx(statistics.stdev(along))
    assert (ours["count"], ours["points"]) == (3, 5)
    assert cell(table, "arts", "Original")["points"] == 1


def test_one_repeat_has_no_deviation(run):
    table = first(run(curve, split={"kind": "holdout", "repeats": 1}))
    assert table.entries["std"].isna().all() and (table.entries["count"] == 1).all()
    assert "±" not in formats.as_markdown(table, compare=False)
    assert table.caption.endswith("(17 to 86 features; 1 size for Original), one repeat")


def active(**changes):
    return {
        "protocol": "active",
        "paper": None,
        "tables": None,
        "split": None,
        "repeats": 3,
        "methods": ["miml", "random"],
        "metrics": ["precision"],
    } | changes


@pytest.mark.parametrize(
    ("rows", "changes", "basis"),
    [
        (curve, {}, "mean of 5 sizes (17 to 86 features; 1 size for Original), ± over 3 repeats"),
        (
            curve,
            {"methods": ["random", "mfsef"], "split": {"kind": "kfold", "folds": 3}},
            "mean of 5 sizes (17 to 86 features), ± over 3 folds",
        ),
        (
            lambda cell: curve(cell, (5, 9) if cell.dataset == "arts" else (7, 8, 12)),
            {"methods": ["random"]},
            "mean of 2 to 3 sizes (5 to 12 features depending on the dataset), ± over 3 repeats",
        ),
        (lambda cell: curve(cell, (20,))[:1], {"methods": ["random"]}, "at 20 features, ± over"),
        (lambda cell: curve(cell, (20,)), {}, "at one size (20 to 103 features), ± over"),
        (
            lambda cell: None if cell.repeat > len(cell.dataset) - 6 else curve(cell),
            {"methods": ["mfsef"], "datasets": ["health", "business"]},
            "± over 1 to 3 repeats",
        ),
        (
            lambda cell: [{"n_bought": n, "precision": n / 400} for n in range(0, 201, 20)],
            active(),
            "mean of 11 points, 0 to 200 bought, ± over 3 repeats",
        ),
        (lambda cell: [{"relevant_found": 0.5}], None, "± over 3 repeats"),
    ],
)
def test_the_caption_says_what_a_figure_is_a_mean_of(run, rows, changes, basis):
    if changes is None:  # an experiment without curves
        changes = active(
            protocol="planted", datasets=None, methods=["random"], metrics=["relevant_found"]
        )
    table = paper_tables.make_tables(read.read(run(rows, **changes)))[0]
    assert basis in table.caption
    assert table.caption.startswith(f"t: {table.metric.replace('_', ' ')} (higher is better); ")


def test_a_table_at_one_point_of_the_curves_holds_that_point_alone(run):
    whole = read.read(
        run(lambda cell: [{"n_features": n, "average_precision": n / 100} for n in (5, 20)])
    )
    (at_20,) = paper_tables.make_tables(whole.at(20), ["average_precision"])
    assert at_20.caption.endswith("; at 20 features, ± over 3 repeats")
    assert np.allclose(at_20.entries["mean"], 0.2)
    (along,) = paper_tables.make_tables(whole, ["average_precision"])
    assert np.allclose(along.entries["mean"], 0.125)
    with pytest.raises(UserError, match="no results at 7; its points: 5, 20"):
        whole.at(7)


def partial(cell):
    """On arts, MFSEF lacks the repeat in which it is bad, and random has only that one more."""
    repeat, name = cell.repeat, cell.label
    if cell.dataset == "arts" and name == "MFSEF" and repeat == 1:
        return None
    scores = {"Original": [0.9, 0.1, 0.8], "random": [0.5, 0.5, 0.5], "MFSEF": [0.7, 0.0, 0.7]}
    return [{"n_features": 5, "average_precision": scores[name][repeat]}]


def test_methods_are_ranked_on_the_repeats_that_they_share(run):
    table = first(run(partial))
    by_mean = {m: cell(table, "arts", m)["mean"] for m in table.methods}
    assert max(by_mean, key=by_mean.get) == "MFSEF"  # .7 of two repeats, against .6 of three
    assert [cell(table, "arts", m)["rank"] for m in table.methods] == [1, 3, 2]
    assert table.means.loc["arts"].tolist() == pytest.approx([0.85, 0.5, 0.7])
    assert table.means.loc["health"].tolist() == pytest.approx([0.6, 0.5, 1.4 / 3])
    assert [cell(table, "arts", m)["count"] for m in table.methods] == [3, 3, 2]


def test_rows_with_different_repeats_are_marked_and_never_bold(run):
    table = first(run(partial))
    assert table.uneven == ["arts"]
    assert not table.entries.best.any()
    text = formats.as_markdown(table, compare=False)
    assert "| arts* " in text and "health*" not in text
    assert text.splitlines()[-1].startswith(
        "* arts: repeats differ (Original 3, random 3, MFSEF 2); ranked on the repeats that all"
    )
    arts = next(line for line in text.splitlines() if line.startswith("| arts*"))
    assert "**" not in arts


def test_rows_with_the_same_repeats_share_a_line(run):
    def rows(cell):
        return None if cell.label == "MFSEF" and cell.repeat == 1 else partial(cell)

    (line,) = formats.marks(first(run(rows)))
    assert line.startswith(
        "* health; arts; business: repeats differ (Original 3, random 3, MFSEF 2)"
    )


def test_methods_that_share_no_repeat_are_not_ranked(run):
    def apart(cell):
        here = cell.repeat == 0 if cell.label == "MFSEF" else cell.repeat > 0
        return [{"n_features": 5, "average_precision": 0.5}] if here else None

    table = first(run(apart))
    assert table.entries["rank"].isna().all() and table.means.isna().all(axis=None)
    assert "no repeat has all methods" in formats.as_markdown(table, compare=False)


@pytest.mark.parametrize("points", [(5,), (5, 9)])
def test_a_metric_without_a_value_in_a_repeat_counts_as_a_repeat_that_is_missing(run, points):
    def rows(cell):
        found = [{"n_features": n, "average_precision": value(cell)} for n in points]
        if (cell.dataset, cell.label, cell.repeat) == ("arts", "MFSEF", 0):
            found[-1]["average_precision"] = math.nan
        return found

    table = first(run(rows))
    assert table.uneven == ["arts"]
    ours = cell(table, "arts", "MFSEF")
    assert (ours["count"], ours["mean"]) == (2, pytest.approx((0.50 + 0.53) / 2))
    shared = table.means.loc["arts"]
    assert shared["Original"] == pytest.approx((0.51 + 0.52) / 2)


def test_a_point_that_never_has_a_value_is_no_gap(run):
    def rows(cell):
        return [{"n_features": n, "average_precision": v} for n, v in ((5, math.nan), (9, 0.5))]

    table = first(run(rows))
    assert table.uneven == [] and (table.entries["count"] == 3).all()


def test_an_extra_column_does_not_take_repeats_from_the_ranked_ones(run):
    methods = ["all", {"random": {}, "extra": True}, "mfsef"]
    table = first(
        run(
            lambda c: None if c.label == "random" and c.repeat else rows_of(c),
            methods=methods,
        )
    )
    assert table.means.loc["arts"].tolist() == pytest.approx([0.51, 0.52])
    assert table.uneven[:2] == ["health", "arts"]


def test_by_size_every_dataset_has_a_table_with_sizes_as_rows(run):
    made = paper_tables.make_tables(read.read(run(curve)), ["average_precision"], by="size")
    assert [table.dataset for table in made] == ["health", "arts", "business"]
    table = made[1]
    assert table.rows == ["17", "34", "51", "68", "86", "103"]
    assert table.heading == "features"
    assert table.caption == "t, arts: average precision (higher is better); ± over 3 repeats"
    wide = table.entries.pivot(index="row", columns="method", values="mean")
    assert wide["MFSEF"]["34"] == pytest.approx(0.52 + 0.034)
    assert wide["MFSEF"]["86"] == pytest.approx(0.52 + 0.086)
    assert math.isnan(wide["MFSEF"]["103"]) and wide["Original"]["103"] == pytest.approx(0.613)
    lone = table.entries[table.entries.row == "103"]
    assert lone["rank"].isna().all() and not lone.best.any()
    first_line = formats.as_markdown(table, compare=True).splitlines()[2]
    assert [text.strip() for text in first_line.split("|")[1:-1]] == ["features", *table.methods]


def test_experiments_without_curves_have_no_table_by_size(run):
    store = run(
        lambda cell: [{"relevant_found": 0.5}],
        **active(protocol="planted", datasets=None, methods=["random"], metrics=["relevant_found"]),
    )
    assert paper_tables.make_tables(read.read(store), by="size") == []


def test_means_over_some_of_the_repeats_are_noted(run):
    def rows(cell):
        gone = (cell.dataset, cell.repeat) == ("arts", 1)
        loss = math.nan if gone else 0.1
        return [{"n_features": 5, "average_precision": 0.5, "hamming_loss": loss}]

    notes = footer._left_out(read.read(run(rows)))
    assert len(notes) == 1
    assert notes[0].startswith("hamming loss") and "Original on arts 2 of 3" in notes[0]
    assert "health" not in notes[0]


def test_what_is_missing_is_named(store, table):
    found = read.read(store)
    assert [(c.cell.data.name, why) for c, why in found.missing] == [("business", "boom")] * 3
    assert found.notes == ["a note"]
    business = formats.as_markdown(table, compare=False).splitlines()[6]
    assert business.split("|")[3].strip() == "-"


def test_average_ranks_are_of_complete_rows(table):
    """Of three sets one lacks a method: its ranks are among fewer."""
    lines = formats.as_markdown(table, compare=False).splitlines()
    [average] = [line for line in lines if "average rank" in line]
    assert average.split("|")[1].strip() == "average rank on 2 rows"
    ranks = [cell(table, name, "MFSEF")["rank"] for name in ("health", "arts")]
    assert f"{np.mean(ranks):.2f}" in average


def test_the_plan_is_the_order_of_rows(store, table):
    assert table.rows == list(dict.fromkeys(c.cell.data.name for c in plan(store.experiment())))


def test_variants_of_a_method_have_a_column_each(run):
    """Without labels they are told apart by their parameters, under the paper's heading."""
    values = {"MDDM(mu=0.1)": 0.2, "MDDM(mu=0.5)": 0.6}
    store = run(
        lambda cell: [{"n_features": 5, "average_precision": values[cell.label]}],
        methods=[{"mddm": {"mu": 0.1}}, {"mddm": {"mu": 0.5}}],
        metrics=["average_precision"],
    )
    table = first(store)
    assert table.methods == list(values)
    found = {m: cell(table, "health", m)["mean"] for m in table.methods}
    assert found == pytest.approx(values)


def test_the_captions_of_the_papers_tables_and_figures_are_shown(run):
    store = run(rows_of, figures=["5"])
    text = footer.footer(read.read(store))
    assert "table 2: average precision" in text and "figure 5: critical differences" in text
    assert "note on the paper" not in text
    assert "split: holdout (repeats 3, train 0.8)" in text
    assert "note on the paper: The set printed" in footer.footer(read.read(store), set())


def test_a_column_names_the_printed_one_that_it_is_compared_with(run):
    store = run(
        lambda cell: [{"n_features": 5, "average_precision": 0.7}],
        methods=[
            "mfsef",
            {"mfsef": {"bins": 3}, "label": "three bins", "printed": "MFSEF"},
            "random",
        ],
        metrics=["average_precision"],
    )
    table = first(store)
    printed = [cell(table, "health", m)["printed"] for m in table.methods]
    assert printed[0] == printed[1] == 0.728 and math.isnan(printed[2])
