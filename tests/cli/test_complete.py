"""``mlfs complete`` on files of a person's own."""

import json

import numpy as np
import pandas as pd
import pytest

from .conftest import assert_one_sentence

QUICK = ("--method", "br_ridge", "--folds", 3)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((80, 4)), columns=list("abcd"))
    Y = pd.DataFrame({"x": X["a"] > 0, "y": X["b"] > 0.5, "z": X["c"] > 0}).astype("Int64")
    Y = Y.mask(pd.DataFrame(rng.random(Y.shape) < 0.3, columns=Y.columns))
    X.insert(0, "name", [f"r{i}" for i in range(80)])
    Y.insert(0, "name", X["name"])
    X.to_csv(tmp_path / "X.csv", index=False)
    Y.sample(frac=1, random_state=0).to_csv(tmp_path / "Y.csv", index=False)  # in another order
    return ("X.csv", "Y.csv", "--id", "name"), Y


def test_it_fills_in_what_is_unknown_and_changes_nothing_else(mlfs, files, tmp_path):
    args, Y = files
    result = mlfs("complete", *args, *QUICK, "-o", "whole.csv")
    assert result.returncode == 0, result.stderr
    whole = pd.read_csv(tmp_path / "whole.csv")
    assert list(whole) == ["name", "x", "y", "z"] and whole["name"].tolist() == list(Y["name"])
    for name in "xyz":
        known = Y[name].notna()
        assert (whole[name][known] == Y[name][known]).all() and whole[name].isin([0, 1]).all()
    unknown = int(Y[["x", "y", "z"]].isna().to_numpy().sum())
    assert f"br_ridge: {unknown} unknown labels, learnt from {240 - unknown}" in result.stdout
    for word in ("AUC", "F1 (threshold 0.5)", "Brier score", "expected calibration error"):
        assert word in result.stdout
    assert "whole.csv: 80 rows of 3 labels" in result.stdout
    assert "Next: mlfs active suggest X.csv Y.csv --id name --labels-per-row" in result.stdout


def test_probabilities_threshold_and_json(mlfs, files, tmp_path):
    args, Y = files
    found = json.loads(mlfs("complete", *args, *QUICK, "--format", "json").stdout)
    assert set(found) >= {"estimated", "labels", "questions", "threshold", "folds", "notes"}
    assert found["estimated"]["micro_auc"] > 0.8 and len(found["questions"]) == 10
    assert found["questions"][0]["row"].startswith("r")
    assert mlfs("complete", *args, *QUICK, "-o", "P.csv", "--probabilities").returncode == 0
    P = pd.read_csv(tmp_path / "P.csv")
    assert mlfs("complete", *args, *QUICK, "-o", "L.csv", "--threshold", 0.9).returncode == 0
    labels = pd.read_csv(tmp_path / "L.csv")
    unknown = Y["x"].isna()
    assert (labels["x"][unknown] == (P["x"][unknown] >= 0.9)).all()
    assert P["x"][unknown].min() > 0 and P["x"][unknown].max() < 1


def test_a_classifier_that_needs_whole_labels_is_used_label_by_label(mlfs, files):
    args, _ = files
    for name in ("mlknn", "sklearn.tree:DecisionTreeClassifier"):
        result = mlfs("complete", *args, "--method", name, "--folds", 2)
        assert result.returncode == 0, result.stderr
    assert "Next: mlfs complete" in result.stdout and "-o Y_complete.csv" in result.stdout


def test_nothing_unknown_is_one_sentence(mlfs, files, tmp_path):
    args, _ = files
    assert mlfs("complete", *args, *QUICK, "-o", "whole.csv").returncode == 0
    again = mlfs("complete", "X.csv", "whole.csv", "--id", "name")
    assert_one_sentence(again, "whole.csv has no unknown label: nothing is left to fill in")
