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
    return ("--data", tmp_path / "X.csv", "--labels", tmp_path / "Y.csv")


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
    assert {"row", "label", "gain"} <= set(pd.read_csv(tmp_path / "next.csv"))


def test_mistakes_are_one_sentence(mlfs, files, tmp_path):
    assert_one_sentence(mlfs("active", "suggest", *files, "--n", 500), "500 rows asked")
    text = (tmp_path / "X.csv").read_text()
    (tmp_path / "X.csv").write_text(text + "1,2\n")
    assert_one_sentence(mlfs("active", "suggest", *files), "line 122", "cells")
    (tmp_path / "X.csv").write_text(text.replace("\n0", "\nzero", 1))
    assert_one_sentence(mlfs("active", "suggest", *files), "line 2", "finite number")
    (tmp_path / "X.csv").write_text("\n".join(text.splitlines()[:50]))
    assert_one_sentence(mlfs("active", "suggest", *files), "49 rows", "120")
    assert_one_sentence(mlfs("active", "suggest", "--data", "no.csv", *files[2:]), "cannot read")
