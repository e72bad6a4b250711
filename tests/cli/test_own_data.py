"""``mlfs data check``, ``mlfs data add``, and a run on data of the user's own."""

import numpy as np
import pandas as pd
import pytest

from mlfs.datasets import load

from .conftest import assert_one_sentence

CONFIG = """name: mine
protocol: selection
datasets: [%s]
split: {kind: holdout, repeats: 2}
methods: [random]
sizes: [2]
metrics: [micro_f1]
"""


@pytest.fixture
def frame(tmp_path, monkeypatch):
    """A csv with words, holes, a constant, an id, and a label that is rare."""
    monkeypatch.setenv("MLFS_CATALOG", str(tmp_path / "own.yaml"))
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.standard_normal((50, 3)), columns=["a", "b", "c"])
    table["flat"], table["row"] = 1, range(100, 150)
    table["colour"] = np.array(["red", "blue"])[np.arange(50) % 2]
    table.loc[[3, 4, 7], "a"] = np.nan
    table["y"], table["z"] = np.arange(50) % 2, (np.arange(50) < 4).astype(int)
    table.to_csv(tmp_path / "all.csv", index=False)
    return table


def test_check_says_what_was_understood(mlfs, frame):
    shown = mlfs("data", "check", "all.csv", "--labels", "y,z")
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[0] == "all: 50 rows, 7 features, 2 labels"
    told = dict(line.split(":", 1) for line in lines[1:9])
    told = {key: value.strip() for key, value in told.items()}
    assert told["labels"] == "y, z"
    assert told["cardinality"] == "0.580 labels per row; rows without a label: 23"
    assert told["official split"].startswith("none")
    assert told["unknown labels"] == "none"
    assert told["missing values"] == "3, in a (3)"
    assert told["constant features"] == "flat"
    assert told["rare labels"].startswith("z (4); fewer than 10 rows")
    notes = " ".join(line for line in lines if line.startswith("note:"))
    assert "'colour' of words became 2 columns" in notes and "'impute: mean'" in notes
    assert "leave it out with 'id: row'" in notes
    assert lines[-1].startswith(
        "Next: 'datasets: [{path: all.csv, labels: [y, z], impute: mean}]' in a config"
    )


def test_check_counts_rows_of_two_files_a_test_part_and_sparse_numbers(mlfs, frame, tmp_path):
    frame[["b", "c"]].to_csv("X.csv", index=False)
    frame[["y", "z"]].to_csv("Y.csv", index=False)
    shown = mlfs("data", "check", "X.csv", "Y.csv", "--test", "X.csv", "--test", "Y.csv").stdout
    assert "100 rows, 2 features" in shown and "50 training and 50 test rows" in shown
    assert "rare labels:       none" in shown
    assert "[{path: X.csv, labels: Y.csv, test: [X.csv, Y.csv]}]' in a config" in shown
    same = mlfs("data", "check", "X.csv", "--labels", "Y.csv").stdout
    assert "50 rows, 2 features, 2 labels" in same
    (tmp_path / "x.libsvm").write_text("1,2 1:0.5 3:7\n2 3:7\n1 1:nan 3:7\n")
    shown = mlfs("data", "check", "x.libsvm").stdout
    assert "missing values:    1, in Att1 (1)" in shown
    assert "constant features: Att2, Att3" in shown


def test_check_and_add_refuse_wrong_options_in_one_sentence(mlfs, frame):
    for args, words in (
        ((), "no data: name a file"),
        (("all.csv", "b.csv", "c.csv"), "too many files: name one file"),
        (("all.csv",), "which columns are labels"),
        (("all.csv", "--labels", "0"), "list of names"),
        (("all.csv", "--labels", "y,q"), "no column 'q'"),
        (("all.csv", "--openml", "3", "--labels", "y"), "both 'path' and 'openml'"),
    ):
        assert_one_sentence(mlfs("data", "check", *args), words)
    assert_one_sentence(mlfs("data", "add", "yeast", "all.csv", "--labels", "y"), "already has")
    assert_one_sentence(mlfs("data", "add", "f", "all.csv", "--labels", "y"), "impute: mean")


def test_an_added_name_is_known_everywhere(mlfs, write, frame):
    args = ("all.csv", "--labels", "y,z", "--id", "row", "--impute", "median")
    added = mlfs("data", "add", "flowers", *args)
    assert added.returncode == 0, added.stderr
    assert "50 rows, 6 features, 2 labels" in added.stdout and "own.yaml" in added.stdout
    row = next(line for line in mlfs("data", "list").stdout.splitlines() if "flowers" in line)
    assert row.split() == ["flowers", "50", "6", "2", "0.58", "your", "own"]
    told = mlfs("data", "info", "flowers").stdout
    assert "status: your own" in told and "impute: median" in told and "all.csv" in told
    assert load("flowers").X.shape == (50, 6)
    run = mlfs("run", write(CONFIG % "flowers"), "--workers", "1")
    assert run.returncode == 0, run.stderr
    table = mlfs("table", "results/mine").stdout
    assert "| flowers" in table and "training rows' median" in table
    assert_one_sentence(mlfs("data", "info", "flower"), "did you mean 'flowers'")


def test_a_run_goes_on_when_files_move_and_anew_when_they_change(mlfs, write, frame, tmp_path):
    own = "{path: all.csv, labels: [y, z], id: row, impute: mean, name: first}"
    config = write(CONFIG % own)
    assert "2 done" in mlfs("run", config, "--workers", "1").stdout
    table = mlfs("table", "results/mine").stdout
    assert "feature 0" not in mlfs("features", "results/mine").stdout  # named by the file
    (tmp_path / "data").mkdir()
    (tmp_path / "all.csv").rename(tmp_path / "data/new.csv")
    assert mlfs("table", "results/mine").stdout == table  # results need no data
    assert "feature " in mlfs("features", "results/mine").stdout
    moved = write(CONFIG % own.replace("all.csv", "data/new.csv"))
    again = mlfs("run", moved, "--workers", "1")
    assert again.returncode == 0 and "2 cells" not in again.stderr, again.stderr
    frame.assign(b=0.0).to_csv(tmp_path / "data/new.csv", index=False)
    anew = mlfs("run", moved, "--workers", "1")
    assert anew.returncode == 0 and "2 cells" in anew.stderr, anew.stderr
    assert "2 done" in anew.stdout and "missing: nothing" in mlfs("table", "results/mine").stdout
    # another file under that name is another config
    frame.assign(b=1.0).to_csv(tmp_path / "all.csv", index=False)
    refused = mlfs("run", write(CONFIG % own), "--workers", "1")
    assert_one_sentence(refused, "2 finished cells that this config does not have", "datasets")
