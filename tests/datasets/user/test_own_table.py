"""The user's own data as one table: ids of rows, filled-in values, and columns that may be ids."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.datasets import UserData
from mlfs.datasets.user.own_table import fill_in, id_like, read_table
from mlfs.errors import UserError


def table(folder, *, id=None, impute=None, **files):
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    own = UserData(path=str(folder / "X.csv"), labels=str(folder / "Y.csv"), id=id, impute=impute)
    return read_table(own)


def test_rows_of_labels_are_matched_by_id(tmp_path):
    found = table(tmp_path, id="i", X="a,i\n1,k\n2,m\n3,007\n", Y="i,y,z\nm,1,0\n007,0,1\nk,0,0\n")
    assert found.ids == ["k", "m", "007"]
    assert found.Y.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert found.X.tolist() == [[1], [2], [3]] and found.feature_names == ["a"]
    assert found.row_name(2) == "007"


def test_a_label_file_without_ids_keeps_its_order(tmp_path):
    found = table(tmp_path, id="i", X="i,a\nk,1\nm,2\n", Y="y\n0\n1\n")
    assert found.ids == ["k", "m"] and found.Y.tolist() == [[0], [1]]


def test_without_ids_rows_are_numbered_from_one(tmp_path):
    found = table(tmp_path, X="a\n1\n2\n", Y="y\n0\n1\n")
    assert found.ids is None and found.row_name(0) == 1


@pytest.mark.parametrize(("ids", "told"), [("kk", "'k' 2 times"), (["k", ""], "no value")])
def test_every_row_needs_an_id_of_its_own(tmp_path, ids, told):
    with pytest.raises(UserError, match=f"has {told} in the column 'i': give every row its own"):
        table(tmp_path, id="i", X=f"i,a\n{ids[0]},1\n{ids[1]},2\n", Y="y\n0\n1\n")


def test_missing_values_are_filled_in_but_stay_in_the_given_table(tmp_path):
    found = table(tmp_path, impute="median", X="a,b\n1,5\n,6\n9,7\n2,8\n", Y="y\n0\n1\n1\n1\n")
    assert found.X[1, 0] == 2 and np.isnan(found.given[1, 0])
    assert table(tmp_path, impute="mean").X[1, 0] == 4
    with pytest.raises(UserError, match="line 3, column 'a' has no value"):
        table(tmp_path)


def test_sparse_features_stay_sparse():
    X = sp.csr_matrix([[1.0, 0.0], [np.nan, 0.0], [3.0, 2.0]])
    filled = fill_in(X, "mean")
    assert sp.issparse(filled) and filled[1, 0] == 2 and filled[0, 1] == 0


def test_columns_of_different_whole_numbers_are_noted(tmp_path):
    rows = "".join(f"{3 * i},{i % 4},{i / 3}\n" for i in range(12))
    labels = "y\n" + "0\n1\n" * 6
    found = table(tmp_path, X="n,a,b\n" + rows, Y=labels)
    [note] = found.notes
    assert note.startswith("'n' has a different whole number") and note.endswith("use --id n")
    assert table(tmp_path, id="n").notes == []
    assert id_like(np.arange(9.0)[:, None], ["few"]) == []
    assert id_like(sp.eye_array(20).tocsr(), [str(j) for j in range(20)]) == []
