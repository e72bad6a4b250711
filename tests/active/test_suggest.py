"""``suggest`` from csv files: the same picks as the strategy, and one sentence for bad input."""

import numpy as np
import pandas as pd
import pytest

from mlfs.active import MIML, BayesianCompressedSensing, Pool
from mlfs.active.suggest import suggest
from mlfs.errors import UserError


@pytest.fixture
def files(tmp_path, yeast_slice):
    X, Y = yeast_slice(60)
    Y[10:] = np.nan
    data, labels = tmp_path / "X.csv", tmp_path / "Y.csv"
    pd.DataFrame(5 * X + 3).add_prefix("f").to_csv(data, index=False)
    pd.DataFrame(Y).add_prefix("label").to_csv(labels, index=False)
    return data, labels


def test_rows_are_those_of_the_strategy_on_standardised_features(files, yeast_slice):
    X, Y = yeast_slice(60)
    model = BayesianCompressedSensing(random_state=0).fit(X[:10], Y[:10])
    Y[10:] = np.nan
    strategy = MIML()
    picks = strategy.query(Pool(X, Y), model, 8)
    table = suggest(*files, 8)
    assert table.columns.tolist() == ["rank", "row", "gain"]
    assert table["row"].tolist() == (picks + 1).tolist()
    assert table["rank"].tolist() == list(range(1, 9))
    np.testing.assert_allclose(table["gain"], strategy.gains_, rtol=1e-6)


def test_labels_of_rows_are_suggested_by_name(files):
    table = suggest(*files, 3, labels_per_row=2)
    assert table.columns.tolist() == ["rank", "row", "label", "gain"]
    assert table["row"].tolist() == np.repeat(suggest(*files, 3)["row"], 2).tolist()
    assert table["label"].str.startswith("label").all()
    assert not table.duplicated(["row", "label"]).any()


@pytest.mark.parametrize("strategy", ["uncertainty", "random", "li_adaptive"])
def test_other_strategies(files, strategy):
    rows = suggest(*files, 5, strategy=strategy)["row"]
    assert rows.between(11, 60).all() and rows.is_unique
    assert suggest(*files, 5, strategy=strategy)["row"].equals(rows)


def test_a_single_label_may_be_blank(tmp_path):
    data, labels = tmp_path / "X.csv", tmp_path / "Y.csv"
    data.write_text("a,b\n" + "".join(f"{i},{i * i}\n" for i in range(6)))
    labels.write_text("spam\n1\n0\n\n1\n\n\n")
    assert sorted(suggest(data, labels, 3)["row"]) == [3, 5, 6]


@pytest.mark.parametrize(
    ("data", "labels", "n", "words"),
    [
        ("a,b\n1,2\n3\n", "y\n1\n0\n", 1, "X.csv, line 3 has 1 cells where the header has 2"),
        ("a,b\n1,2\n3,red\n", "y\n1\n0\n", 1, "X.csv, line 3, column 'b' holds 'red'"),
        ("a,b\n1,2\n3,\n", "y\n1\n0\n", 1, "X.csv, line 3, column 'b' holds ''"),
        ("a,b\n1,2\n3,inf\n", "y\n1\n0\n", 1, "put a finite number"),
        ("a,b\n1,2\n3,4\n", "y,z\n1,0\n", 1, "X.csv has 2 rows and .*Y.csv has 1"),
        ("a,b\n1,2\n3,4\n", "y,z\n1,0\n,\n", 2, "2 rows asked, but 1 rows .* have no label"),
        ("a,b\n1,2\n3,4\n", "y,z\n1,2\n,\n", 1, "values other than 1, 0 and empty"),
        ("a,b\n1,2\n3,4\n", "y,z\n,\n,\n", 1, "no label at all"),
        ("1,2\n3,4\n5,6\n", "y,z\n1,0\n,\n", 1, "starts with numbers: add a header"),
        ("", "y\n1\n", 1, "has no rows"),
    ],
)
def test_bad_csv_ends_in_one_sentence(tmp_path, data, labels, n, words):
    (tmp_path / "X.csv").write_text(data)
    (tmp_path / "Y.csv").write_text(labels)
    with pytest.raises(UserError, match=words) as caught:
        suggest(tmp_path / "X.csv", tmp_path / "Y.csv", n)
    assert "\n" not in str(caught.value)


def test_missing_file_binary_file_and_unknown_strategy(files, tmp_path):
    with pytest.raises(UserError, match=r"cannot read .*nowhere"):
        suggest(tmp_path / "nowhere.csv", files[1], 1)
    (tmp_path / "b.csv").write_bytes(bytes(range(128, 256)))
    with pytest.raises(UserError, match="not a csv in UTF-8"):
        suggest(tmp_path / "b.csv", files[1], 1)
    with pytest.raises(UserError, match="did you mean 'miml'"):
        suggest(*files, 1, strategy="mimi")
