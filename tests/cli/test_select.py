"""``mlfs select`` on files of a person's own."""

import json

import numpy as np
import pandas as pd
import pytest

from .conftest import assert_one_sentence

FEW = ("--n", 3, "--subsamples", 4)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((60, 6)), columns=list("abcdef"))
    Y = pd.DataFrame({"x": X["a"] > 0, "y": X["b"] + X["c"] > 0.5}).astype(int)
    X.insert(0, "name", [f"r{i}" for i in range(60)])
    X.to_csv(tmp_path / "X.csv", index=False)
    Y.to_csv(tmp_path / "Y.csv", index=False)
    pd.concat([X, Y], axis=1).to_csv(tmp_path / "all.csv", index=False)
    return ("X.csv", "Y.csv", "--id", "name")


def test_it_prints_features_by_name_and_writes_the_reduced_table(mlfs, files, tmp_path):
    result = mlfs("select", *files, *FEW, "-o", "kept.csv")
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[:2] == ["fsnm", "rank  feature  score  chosen in"]
    assert {line.split()[1] for line in lines[2:5]} == {"a", "b", "c"}
    assert lines[2].endswith("100 %") and "stability: 1.000 (1.000 to 1.000) over 4" in lines[5]
    assert "kept.csv: 60 rows with the 3 chosen features" in result.stdout
    assert "Next: mlfs compare X.csv Y.csv --id name --methods fsnm,random" in result.stdout
    kept, given = pd.read_csv(tmp_path / "kept.csv"), pd.read_csv(tmp_path / "X.csv")
    pd.testing.assert_frame_equal(kept, given[["name", "a", "b", "c"]])


def test_one_file_keeps_its_labels_in_the_reduced_table(mlfs, files, tmp_path):
    one = ("all.csv", "--labels", "x,y", "--id", "name")
    assert mlfs("select", *one, *FEW, "--output", "kept.csv").returncode == 0
    assert list(pd.read_csv(tmp_path / "kept.csv")) == ["name", "a", "b", "c", "x", "y"]


def test_several_methods_give_their_agreement_also_as_json(mlfs, files):
    two = ("--method", "fsnm", "--method", "sklearn.feature_selection:SelectKBest")
    printed = mlfs("select", *files, *FEW, *two)
    told = "fsnm and sklearn.feature_selection:SelectKBest: 3 features in common, Jaccard index 1"
    assert printed.returncode == 0 and told in printed.stdout
    found = json.loads(mlfs("select", *files, *FEW, *two, "--format", "json").stdout)
    assert [one["method"] for one in found["methods"]] == [two[1], two[3]]
    assert found["agreement"][0]["jaccard"] == 1
    first = found["methods"][0]
    assert first["subsamples"] == 4 and first["stability"]["index"] == 1
    assert set(first["features"][0]) == {"rank", "name", "column", "score", "share"}


def test_a_class_beside_the_data_is_found(mlfs, files, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from sklearn.base import BaseEstimator\n"
        "class Last(BaseEstimator):\n"
        "    def fit(self, X, y):\n"
        "        self.scores_ = list(range(X.shape[1]))\n"
        "        return self\n"
    )
    result = mlfs("select", *files, *FEW, "--method", "mine:Last")
    assert [line.split()[1] for line in result.stdout.splitlines()[2:5]] == ["f", "e", "d"]


def test_an_output_is_refused_before_the_work_and_replaced_with_force(mlfs, files, tmp_path):
    (tmp_path / "kept.csv").write_text("mine")
    refused = mlfs("select", *files, *FEW, "-o", "kept.csv")
    assert_one_sentence(refused, "kept.csv exists", "--force")
    assert (tmp_path / "kept.csv").read_text() == "mine"
    assert mlfs("select", *files, *FEW, "-o", "kept.csv", "--force").returncode == 0
    assert (tmp_path / "kept.csv").read_text().startswith("name,")
