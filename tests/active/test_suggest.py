"""``suggest`` from own data: the same picks as the strategy, and one sentence for bad input."""

import numpy as np
import pandas as pd
import pytest

from mlfs.active import MIML, BayesianCompressedSensing, Pool
from mlfs.active.suggest import suggest as choose
from mlfs.datasets import UserData
from mlfs.datasets.user.own_table import read_table
from mlfs.errors import UserError


def suggest(data, labels, n, *, id_column=None, **options):
    own = UserData(path=str(data), labels=str(labels), id=id_column)
    return choose(read_table(own), n, **options)


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
def test_every_strategy_suggests_unlabelled_rows_and_repeats_itself(files, strategy):
    rows = suggest(*files, 5, strategy=strategy)["row"]
    assert rows.between(11, 60).all() and rows.is_unique
    assert suggest(*files, 5, strategy=strategy)["row"].equals(rows)


@pytest.mark.parametrize("strategy", ["miml", "uncertainty", "random"])
def test_rows_that_are_partly_labelled_are_asked_for_the_rest(files, yeast_slice, strategy):
    """Rows 1 to 4 lack some labels; all other rows are done, so that these are the candidates."""
    _, Y = yeast_slice(60)
    holes = {0: [1, 2, 5], 1: [0], 2: [3, 4, 9, 10], 3: list(range(Y.shape[1]))}
    for row, columns in holes.items():
        Y[row, columns] = np.nan
    pd.DataFrame(Y).add_prefix("label").to_csv(files[1], index=False)
    table = suggest(*files, 4, strategy=strategy, labels_per_row=3)
    asked = table.groupby("row")["label"].apply(set).to_dict()
    for row, columns in holes.items():
        assert asked[row + 1] <= {f"label{j}" for j in columns}
        assert len(asked[row + 1]) == min(3, len(columns))
    assert table["rank"].tolist() == list(range(1, len(table) + 1))
    with pytest.raises(UserError, match=r"but only 4 rows of .*Y.csv have an unknown label"):
        suggest(*files, 5, labels_per_row=3)
    with pytest.raises(UserError, match=r"but only 1 rows .* fewer, or for single labels .--lab"):
        suggest(*files, 2)


def test_a_partly_labelled_row_is_predicted_from_the_others(files, yeast_slice):
    X, Y = yeast_slice(60)
    Y[7, [1, 3, 6, 8]] = np.nan
    pd.DataFrame(Y).add_prefix("label").to_csv(files[1], index=False)
    table = suggest(*files, 1, labels_per_row=4)
    assert set(table["row"]) == {8}
    model = BayesianCompressedSensing(random_state=0).fit(X, Y)
    filled = model.Y_
    others = np.delete(np.arange(60), 7)
    model.condition(X[others], filled[others])  # Φ and hyper-parameters stay
    mu, v = model.compressed(X[7:8])
    labels, gains = MIML().choose_labels(model, mu[0], float(v[0]), 4, None, Y[7])
    assert table["label"].tolist() == [f"label{j}" for j in labels]
    np.testing.assert_allclose(table["gain"], gains, rtol=1e-5)


def named(files, ids, labels_too=False):
    """Give the files an id column, last in the data and, if at all, first in the labels."""
    data, labels = (pd.read_csv(path).copy() for path in files)
    data.assign(id=ids).to_csv(files[0], index=False)
    if labels_too:
        labels.insert(0, "id", ids)
        labels.to_csv(files[1], index=False)


@pytest.mark.parametrize("labels_too", [False, True])
@pytest.mark.parametrize("per_row", [None, 2])
def test_rows_by_id_are_the_rows_by_number(files, labels_too, per_row):
    plain = suggest(*files, 6, labels_per_row=per_row)
    ids = [f"p-{7 * i % 60:02d}" for i in range(60)]
    named(files, ids, labels_too)
    if labels_too:  # in any order
        pd.read_csv(files[1]).sample(frac=1, random_state=0).to_csv(files[1], index=False)
    table = suggest(*files, 6, labels_per_row=per_row, id_column="id")
    assert table.columns.tolist() == [c.replace("row", "id") for c in plain]
    assert table["id"].tolist() == [ids[row - 1] for row in plain["row"]]
    pd.testing.assert_frame_equal(table.drop(columns="id"), plain.drop(columns="row"))


@pytest.mark.parametrize(
    ("data", "labels", "words"),
    [
        ("id,b\nr,2\nr,4\n", "y,z\n1,0\n,\n", "X.csv has 'r' 2 times in the column 'id'"),
        ("id,b\nr,2\n ,4\n", "y,z\n1,0\n,\n", "X.csv has no value in the column 'id'"),
        ("ids,b\nr,2\ns,4\n", "y,z\n1,0\n,\n", "X.csv has no column 'id' .* did you mean 'ids'"),
        ("id\nr\ns\n", "y,z\n1,0\n,\n", "X.csv has no features"),
        ("id,b\nr,2\ns,4\n", "id\nr\ns\n", "Y.csv has no labels"),
        ("id,b\nr,2\ns,4\n", "id,y\nr,1\nt,\n", "Y.csv has the id 't', but .*X.csv does not"),
    ],
)
def test_bad_ids_end_in_one_sentence(tmp_path, data, labels, words):
    (tmp_path / "X.csv").write_text(data)
    (tmp_path / "Y.csv").write_text(labels)
    with pytest.raises(UserError, match=words):
        suggest(tmp_path / "X.csv", tmp_path / "Y.csv", 1, id_column="id")


def test_a_single_label_may_be_blank(tmp_path):
    data, labels = tmp_path / "X.csv", tmp_path / "Y.csv"
    data.write_text("a,b\n" + "".join(f"{i / 2},{i % 4}\n" for i in range(6)))
    labels.write_text("spam\n1\n0\n\n1\n\n\n")
    assert sorted(suggest(data, labels, 3)["row"]) == [3, 5, 6]


@pytest.mark.parametrize(
    ("labels", "n", "options", "words"),
    [
        ("y,z\n1,0\n,\n", 2, {}, "2 rows asked for, but only 1 rows .* no label"),
        ("y,z\n1,0\n1,1\n", 1, {}, "Y.csv has every label .* nothing is left"),
        ("y,z\n1,0\n,\n", 1, {"labels_per_row": 3}, "3 labels per row asked for: there are 2"),
        ("y,z\n1,0\n,\n", 1, {"strategy": "mimi"}, "did you mean 'miml'"),
        (
            "y,z\n1,0\n,\n",
            1,
            {"strategy": "li_adaptive", "labels_per_row": 1},
            "chooses rows, not labels",
        ),
    ],
)
def test_wishes_that_cannot_be_met_end_in_one_sentence(tmp_path, labels, n, options, words):
    (tmp_path / "X.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "Y.csv").write_text(labels)
    with pytest.raises(UserError, match=words) as caught:
        suggest(tmp_path / "X.csv", tmp_path / "Y.csv", n, **options)
    assert "\n" not in str(caught.value)


def test_a_feature_that_never_varies_changes_nothing(files):
    data, labels = files
    plain = suggest(data, labels, 3)
    rows = data.read_text().splitlines()
    data.write_text("\n".join([f"{rows[0]},same", *(f"{row},7" for row in rows[1:])]) + "\n")
    pd.testing.assert_frame_equal(suggest(data, labels, 3), plain)
