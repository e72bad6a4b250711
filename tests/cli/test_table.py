"""``mlfs table`` and ``mlfs plot`` on the experiment that proves the runner: 28 printed figures."""

import io
import json
import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from mlfs import config, papers
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results.store import Store

from ..helpers import LONG, environment, start_python
from .conftest import assert_one_sentence

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture
def original(mlfs, mirror):
    """The seven Yahoo sets with ML-kNN on all features, run by the shipped config."""
    result = mlfs("run", CONFIGS / "mfsef_original.yaml")
    assert result.returncode == 0, result.stderr
    return mlfs


def test_the_original_column_of_tables_2_to_5_is_reproduced(original):
    printed = original("table", "results", "--format", "csv")
    assert printed.returncode == 0, printed.stderr
    cells = pd.read_csv(io.StringIO(printed.stdout))
    gaps = cells.gap.abs()
    assert len(cells) == 28 and gaps.notna().all()
    assert gaps.max() <= 0.0012
    assert (gaps <= 0.0005).sum() >= 22
    shown = original("table", "results", "--compare").stdout
    assert "| health            | .6812 (.6812, 0)" in shown
    assert "missing: nothing." in shown
    records = json.loads(original("table", "results", "--format", "json").stdout)
    assert np.isclose([r["gap"] for r in records["values"]], cells.gap).all()
    assert records["tests"] == []  # one column: nothing to compare
    assert "  note on the paper: The set printed as Artificial is Arts." in shown
    assert "  table 2: average precision" in shown
    assert "note on the paper" not in original("table", "results").stdout
    long = original("table", "results", "--long").stdout
    assert len(pd.read_csv(io.StringIO(long))) == 7
    assert len(json.loads(original("table", "results", "--long", "--format", "json").stdout)) == 7


METHODS = ["all", "random", "pmu", "mfsls", "mfsef"]
DATASETS = ["health", "recreation", "arts", "reference", "entertainment", "business", "computers"]


@pytest.fixture
def stored(tmp_path):
    """``stored(rows, **changes)``: a results folder with what ``rows(cell)`` gives."""

    def make(rows, **changes):
        content = {
            "name": "made",
            "protocol": "selection",
            "datasets": DATASETS,
            "split": {"kind": "holdout", "repeats": 2},
            "methods": METHODS,
            "metrics": ["average_precision"],
        } | changes
        content = {key: value for key, value in content.items() if value is not None}
        experiment = config.parse(content, source="test")
        store = Store(tmp_path / "results" / experiment.name)
        store.open(experiment)
        for cell in plan(experiment):
            found = rows(cell)
            if isinstance(found, str):
                store.write(cell, Record(status="failed", error=found))
            elif found is not None:
                store.write(cell, Record(rows=found))

    return make


def better_and_better(cell):
    """The later a method comes in the list, the better it is, on every dataset."""
    place = METHODS.index(cell.label)
    score = place / 10 + DATASETS.index(cell.cell.data.name) / 1000 * (place + 1)
    return [
        {"n_features": n, "average_precision": score + n / 100 + cell.cell.repeat / 1e4}
        for n in (5, 10)
    ]


def test_csv_json_and_text_hold_the_same_tests(mlfs, stored):
    stored(better_and_better, control="mfsef")
    alone = pd.read_csv(io.StringIO(mlfs("table", "--tests", "--format", "csv").stdout))
    assert alone.versus.tolist() == METHODS[:-1] and set(alone.method) == {"mfsef"}
    assert (alone.wins == 7).all() and (alone.effect == 1).all() and alone.friedman_p[0] < 0.05
    assert np.allclose(alone.p, 2 / 2**7) and np.allclose(alone.p_holm, 4 * 2 / 2**7)
    assert alone.dunn_differs.tolist() == [True, True, False, False]  # 4, 3, 2 and 1 ranks apart
    both = json.loads(mlfs("table", "--format", "json").stdout)
    assert len(both["values"]) == 35 and set(both) == {"values", "tests"}
    assert json.loads(mlfs("table", "--tests", "--format", "json").stdout)["tests"] == both["tests"]
    cells = pd.read_csv(io.StringIO(mlfs("table", "--format", "csv").stdout))
    assert len(cells) == 35 and (cells["count"] == 2).all()
    text = mlfs("table").stdout
    sentence = "By the Bonferroni-Dunn test (critical difference 2.111) mfsef (1.00) ranks better"
    assert sentence in text
    assert sentence in mlfs("table", "--tests").stdout
    assert sentence in mlfs("table", "--format", "latex").stdout
    assert "Bonferroni" not in mlfs("table", "--no-stats").stdout


def test_rope_adds_the_probabilities_of_the_bayesian_test(mlfs, stored):
    stored(better_and_better, control="mfsef")
    asked = ("table", "--tests", "--rope", "0.01")
    pairs = pd.read_csv(io.StringIO(mlfs(*asked, "--format", "csv").stdout))
    assert (pairs.p_better > 0.95).all() and (pairs.p_worse == 0).all()
    wilcoxon = json.loads(mlfs(*asked, "--format", "json").stdout)["tests"][0]["wilcoxon"]
    assert [pair["p_better"] for pair in wilcoxon] == pairs.p_better.tolist()
    text = mlfs(*asked).stdout
    assert "p_better" in text and "practically equal (by at most 0.01) or worse" in text
    assert "p_better" not in mlfs("table", "--tests").stdout
    assert_one_sentence(mlfs("table", "--rope", "0.01"), "--rope goes with --tests")


def test_tables_by_size_have_one_row_per_size(mlfs, stored):
    stored(better_and_better)
    text = mlfs("table", "--by", "size").stdout
    assert text.count("| features ") == 7
    assert "made, arts: average precision (higher is better); ± over 2 repeats" in text
    cells = pd.read_csv(io.StringIO(mlfs("table", "--by", "size", "--format", "csv").stdout))
    arts = cells[(cells.dataset == "arts") & (cells.method == "pmu")].set_index("row")["mean"]
    assert arts[10] - arts[5] == pytest.approx(0.05)
    assert_one_sentence(mlfs("table", "--by", "size", "--tests"), "leave out --by size")
    assert_one_sentence(mlfs("table", "--by", "size", "--pool"), "leave out --by size")


def test_experiments_without_sizes_are_said(mlfs, stored):
    planted = {"protocol": "planted", "datasets": ["planted"], "metrics": ["relevant_found"]}
    planted |= {"split": None, "repeats": 2}
    stored(lambda cell: [{"relevant_found": 0.5}], **planted)
    assert_one_sentence(mlfs("table", "--by", "size"), "no sizes to show")


def test_a_table_is_broken_only_where_a_width_is_known(mlfs, stored):
    stored(better_and_better)
    whole = mlfs("table").stdout
    assert whole.count("| dataset ") == 1
    narrow = mlfs("table", "--width", 80).stdout
    shown = [line for line in narrow.splitlines() if line.startswith("|")]
    assert narrow.count("| dataset ") == 2 and max(map(len, shown)) <= 80


def test_a_table_fits_the_terminal(tmp_path, stored):
    pty = pytest.importorskip("pty")
    stored(better_and_better)
    ours, theirs = pty.openpty()
    command = ("-m", "mlfs", "table", "--no-stats")
    process = start_python(*command, stdout=theirs, cwd=tmp_path, env=environment(COLUMNS="64"))
    assert process.wait(LONG) == 0
    os.close(theirs)
    shown = b""
    with suppress(OSError), os.fdopen(ours, "rb") as screen:  # a terminal ends with an error
        while part := screen.read1():
            shown += part
    lines = [line for line in shown.decode().splitlines() if line.startswith("|")]
    assert sum("dataset" in line for line in lines) == 3 and max(map(len, lines)) <= 64


def test_folders_of_one_paper_tell_its_notes_once(mlfs, stored):
    paper = {"paper": "rmfl", "protocol": "learning", "methods": ["rmfl"], "datasets": ["yeast"]}
    for name in ("first", "second"):
        stored(lambda cell: [{"average_precision": 0.5}], name=name, **paper)
    text = mlfs("table", "--compare", "--all").stdout
    assert text.count("note on the paper: Coverage is normalised") == 1
    notes = len(papers.paper("rmfl").notes)
    assert text.count("note on the paper") == notes and text.count("paper: Regularized") == 2


def test_when_every_cell_failed_the_reason_is_told(mlfs, stored):
    stored(lambda cell: "out of memory:\n 9 GB" if cell.cell.repeat else None)
    assert_one_sentence(
        mlfs("table"),
        "no cell in results has finished: 35 of 70 failed, 35 of them with 'out of memory: 9 GB'",
        "'mlfs failures results' shows all",
    )


def test_the_most_frequent_error_is_told(mlfs, stored):
    stored(lambda cell: "boom" if cell.label == "all" else "no space")
    assert_one_sentence(mlfs("table"), "70 of 70 failed, 56 of them with 'no space'")


def test_a_table_without_any_value_says_why(mlfs, stored):
    stored(lambda cell: None)
    assert_one_sentence(mlfs("table"), "no finished cells in results yet: run the config")
    stored(lambda cell: [{"n_features": 5, "average_precision": np.nan}])
    assert_one_sentence(mlfs("table"), "has a value of these metrics")


def test_mistakes_are_one_sentence(mlfs, tmp_path):
    assert_one_sentence(mlfs("table", "nowhere"), "no results in nowhere")
    assert_one_sentence(mlfs("plot", "nowhere"), "no results in nowhere")
    assert_one_sentence(mlfs("plot"), "say what to draw")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/experiment.yaml").write_text("nothing: here\n")
    assert_one_sentence(mlfs("table", "bad"), "no readable experiment.yaml")


def test_a_waterfall_is_drawn(mlfs, tmp_path):
    result = mlfs("plot", "--waterfall", "emotions", "--output", "drawn")
    assert result.returncode == 0, result.stderr
    assert {p.name for p in (tmp_path / "drawn").iterdir()} == {
        "waterfall_emotions.svg",
        "waterfall_emotions.png",
    }


def test_plot_takes_the_options_of_a_print(mlfs):
    reference = "results/reference/mfsef_curve"
    only = ("--metric", "hamming_loss", "--format", "png")
    ran = mlfs("plot", reference, *only, "--width", "3.5", "--no-caption", "--dpi", "100")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[0] == "figures/mfsef_curve/curve_hamming_loss.png"
    assert plt.imread("figures/mfsef_curve/curve_hamming_loss.png").shape[1] == 350
    assert mlfs("plot", reference, *only, "--against", "seconds").returncode == 0
    assert Path("figures/mfsef_curve/seconds_hamming_loss.png").is_file()
    assert mlfs("plot", reference, "--width", "0").returncode == 2
    assert_one_sentence(mlfs("plot", reference, *only, "--font", "Nowhere"), "no font 'Nowhere'")
