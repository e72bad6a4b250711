"""Tables: means, ranks, bold and gaps against figures worked out by hand."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from mlfs import config
from mlfs.engine.plan import plan
from mlfs.engine.store import Store
from mlfs.errors import UserError
from mlfs.report import results, show, tables

CONFIG = {
    "name": "t",
    "protocol": "selection",
    "paper": "mfsef",
    "tables": ["2", "3"],
    "datasets": ["health", "arts", "business"],
    "split": {"kind": "holdout", "repeats": 3},
    "methods": ["all", "random", "mfsef"],
    "metrics": ["average_precision", "hamming_loss"],
}
# method to its average precision in three repeats; on health the last two do not differ surely
VALUES = {
    "Original": [0.50, 0.51, 0.52],
    "random": [0.40, 0.41, 0.42],
    "MFSEF": [0.53, 0.50, 0.53],
}


@pytest.fixture
def store(tmp_path):
    experiment = config.parse(CONFIG, source="test")
    store = Store(tmp_path / "t")
    store.open(experiment)
    for cell in plan(experiment):
        value = VALUES[cell.label][cell.spec["repeat"]]
        if (cell.spec["dataset"], cell.label) == ("business", "random"):
            store.write(cell, {"status": "failed", "error": "boom", "traceback": ""})
            continue
        row = {"n_features": 5, "average_precision": value, "hamming_loss": 1 - value}
        store.write(cell, {"status": "done", "rows": [row], "notes": ["a note"], "seconds": {}})
    return store


@pytest.fixture
def table(store):
    return tables.make_tables(results.read(store))[0]


def cell(table, dataset, method):
    found = table.cells[(table.cells.dataset == dataset) & (table.cells.method == method)]
    return found.iloc[0]


def test_means_deviations_ranks(table):
    ours = cell(table, "health", "Original")
    assert ours["mean"] == pytest.approx(0.51)
    assert ours["std"] == pytest.approx(0.01)
    assert [cell(table, "health", m)["rank"] for m in table.methods] == [2, 3, 1]


def test_bold_is_the_best_and_what_a_paired_t_test_cannot_tell_from_it(table):
    assert [bool(cell(table, "health", m)["best"]) for m in table.methods] == [True, False, True]


def test_a_lower_is_better_metric_turns_the_ranks(store):
    losses = tables.make_tables(results.read(store))[1]
    assert [cell(losses, "arts", m)["rank"] for m in losses.methods] == [2, 3, 1]


def test_the_printed_figure_and_the_gap(table):
    ours = cell(table, "health", "MFSEF")
    assert ours["printed"] == 0.7280
    assert ours["gap"] == pytest.approx(0.52 - 0.7280)
    assert math.isnan(cell(table, "health", "random")["printed"])
    text = tables.as_markdown(table, compare=True)
    assert "(.7280, -.2080)" in text and "mean absolute gap" in text


def test_one_point_of_the_curves(store):
    for planned in plan(store.experiment()):
        rows = [{"n_features": n, "average_precision": n / 100} for n in (5, 20)]
        store.write(planned, {"status": "done", "rows": rows, "notes": [], "seconds": {}})
    whole = results.read(store)
    (at_20,) = tables.make_tables(whole.at(20), ["average_precision"])
    assert at_20.caption.endswith("at 20 features")
    assert np.allclose(at_20.cells["mean"], 0.2)
    (along,) = tables.make_tables(whole, ["average_precision"])
    assert np.allclose(along.cells["mean"], 0.125)
    with pytest.raises(UserError, match="no results at 7; its points: 5, 20"):
        whole.at(7)


def test_means_over_some_of_the_repeats_are_noted(store):
    for planned in plan(store.experiment()):
        row = {"n_features": 5, "average_precision": 0.5, "hamming_loss": 0.1}
        if (planned.spec["dataset"], planned.spec["repeat"]) == ("arts", 1):
            row["hamming_loss"] = math.nan
        store.write(planned, {"status": "done", "rows": [row], "notes": [], "seconds": {}})
    notes = show._left_out(results.read(store))
    assert len(notes) == 1
    assert notes[0].startswith("hamming loss") and "Original on arts 2 of 3" in notes[0]
    assert "health" not in notes[0]


def test_what_is_missing_is_named(store, table):
    found = results.read(store)
    assert [(c.spec["dataset"], why) for c, why in found.missing] == [("business", "boom")] * 3
    assert found.notes == ["a note"]
    business = tables.as_markdown(table, compare=False).splitlines()[6]
    assert business.split("|")[3].strip() == "-"


def test_markdown_lines_up(table):
    lines = tables.as_markdown(table, compare=True).splitlines()[2:]
    assert len({len(line) for line in lines}) == 1
    assert all(line.count("|") == 5 for line in lines)


def test_latex_and_json(table):
    latex = tables.as_latex(table, compare=False)
    assert latex.count(r"\\") == 5 and r"$\pm$" in latex and r"\textbf{" in latex
    cells = json.loads(tables.as_json([table]))
    assert len(cells) == 8
    assert cells[0]["method"] == "Original" and cells[0]["mean"] == pytest.approx(0.51)


def test_tests_need_three_datasets_and_methods(table):
    assert tables.tests(table) == ""  # business lacks a method, two datasets are left


def test_friedman_in_words():
    means = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=list("abc"))
    means.index = [f"set{i}" for i in range(4)]
    long = means.stack().rename("mean").reset_index()
    long.columns = ["row", "method", "mean"]
    made = tables.Table(
        "x", "average_precision", 0.0, long, list(means.index), list("abc"), list("abc"), True
    )
    text = tables.tests(made)
    assert "over 4 datasets: chi2 = 8.000" in text  # all rank alike: N(k - 1)
    assert "best average rank c (1.00), significantly better than a" in text


def test_pooled_ranks_are_averaged_over_tables_before_the_test():
    """Two tables that disagree on one dataset: its ranks become 1.5 each, as the papers pool."""

    def made(metric, values, ratio):
        long = pd.DataFrame(
            [(row, m, v) for row, some in values.items() for m, v in zip("ab", some)],
            columns=["row", "method", "mean"],
        )
        names = list("ab"), list("ab")
        return tables.Table("x", metric, ratio, long, list(values), *names, True)

    first = made("average_precision", {"u": (2, 1), "v": (2, 1), "w": (2, 1)}, 0.2)
    second = made("average_precision", {"u": (2, 1), "v": (2, 1), "w": (1, 2)}, 0.4)
    text = tables.pooled([first, second])
    assert "over 2 tables" in text
    cells = [cell.strip() for cell in text.splitlines()[-1].split("|")[1:4]]
    assert cells == ["average_precision", "1.17", "1.83"]  # (1 + 1 + 1.5) / 3


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.7541, ".7541"), (-0.02, "-.0200"), (1.5, "1.500"), (205.4, "205"), (math.nan, "-")],
)
def test_numbers_as_papers_print_them(value, text):
    assert tables.number(value) == text


def test_average_ranks_are_of_complete_rows(table):
    """Of three sets one lacks a method: its ranks are among fewer."""
    lines = tables.as_markdown(table, compare=False).splitlines()
    [average] = [line for line in lines if "average rank" in line]
    assert average.split("|")[1].strip() == "average rank of 2"
    ranks = [cell(table, name, "MFSEF")["rank"] for name in ("health", "arts")]
    assert f"{np.mean(ranks):.2f}" in average
