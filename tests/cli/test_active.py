"""``mlfs active suggest`` on csv files of a person's own."""

import io

import numpy as np
import pandas as pd
import pytest

from .conftest import assert_one_sentence


@pytest.fixture
def files(tmp_path, real):
    """Thirty labelled and ninety unlabelled instances of emotions."""
    data = real("emotions")
    X = pd.DataFrame(data.X[:120], columns=data.feature_names)
    Y = pd.DataFrame(data.Y[:120].astype(float), columns=data.label_names)
    Y.iloc[30:] = np.nan
    X.to_csv(tmp_path / "X.csv", index=False)
    Y.to_csv(tmp_path / "Y.csv", index=False)
    return (tmp_path / "X.csv", tmp_path / "Y.csv")


def test_rows_come_in_order_with_gains(mlfs, files):
    result = mlfs("active", "suggest", *files, "--n", 5)
    assert result.returncode == 0, result.stderr
    table = pd.read_csv(io.StringIO(result.stdout))
    assert table["rank"].tolist() == [1, 2, 3, 4, 5]
    assert table["row"].between(31, 120).all() and table["row"].is_unique
    assert (np.diff(table["gain"]) <= 1e-9).all()


def test_labels_of_rows_go_to_a_file(mlfs, files, tmp_path):
    result = mlfs(
        "active", "suggest", *files, "--n", 2, "--labels-per-row", 3, "--output", "next.csv"
    )
    assert result.returncode == 0 and "next.csv: 6 rows" in result.stdout
    assert "Next: write the new labels into" in result.stdout
    assert {"row", "label", "gain"} <= set(pd.read_csv(tmp_path / "next.csv"))


def test_rows_are_named_by_id_and_a_forgotten_id_is_warned_of(mlfs, files, tmp_path):
    table = pd.read_csv(tmp_path / "X.csv")
    table.insert(0, "song", range(1000, 1120))
    table.to_csv(tmp_path / "X.csv", index=False)
    mistaken = mlfs("active", "suggest", *files, "--n", 3)
    assert mistaken.returncode == 0 and len(mistaken.stdout.splitlines()) == 4
    assert "use --id song" in mistaken.stderr
    result = mlfs("active", "suggest", *files, "--n", 3, "--id", "song")
    assert result.returncode == 0 and "--id" not in result.stderr
    named = pd.read_csv(io.StringIO(result.stdout))
    assert named.columns.tolist() == ["rank", "id", "gain"]
    assert named["id"].between(1030, 1119).all()


def test_one_file_gives_the_same_advice(mlfs, files, tmp_path):
    two = mlfs("active", "suggest", *files, "--n", 3)
    X, Y = (pd.read_csv(path) for path in files)
    pd.concat([X, Y], axis=1).to_csv(tmp_path / "all.csv", index=False)
    one = mlfs("active", "suggest", "all.csv", "--labels", ",".join(Y), "--n", 3)
    assert one.returncode == 0 and one.stdout == two.stdout


def test_mistakes_are_one_sentence(mlfs, files, tmp_path):
    assert_one_sentence(mlfs("active", "suggest", *files, "--n", 500), "500 rows asked")
    (tmp_path / "next.csv").write_text("mine")
    assert_one_sentence(mlfs("active", "suggest", *files, "-o", "next.csv"), "next.csv exists")
    assert_one_sentence(mlfs("active", "suggest", "no.csv", files[1]), "there is no file no.csv")
