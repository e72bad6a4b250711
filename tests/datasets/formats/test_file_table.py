"""Tables of numbers and words: which columns are words, and what is said of a wrong cell."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlfs.datasets.formats.file_table import FileTable, from_frame, read_csv
from mlfs.errors import UserError


def test_columns_are_numbers_truths_or_words():
    frame = pd.DataFrame(
        {
            "plain": [1, 2, 3, 4],
            "texts": ["1.5", " 2 ", "?", None],
            "truths": ["True", "false", "?", "TRUE"],
            "words": ["b", "a", None, "b"],
            "as words": [3, 1, 3, 3],
        }
    )
    table = from_frame("a.csv", frame, words=["as words"])
    assert np.array_equal(table.values[:, 0], [1, 2, 3, 4])
    assert np.array_equal(table.values[:, 1], [1.5, 2, np.nan, np.nan], equal_nan=True)
    assert np.array_equal(table.values[:, 2], [1, 0, np.nan, 1], equal_nan=True)
    assert np.array_equal(table.values[:, 3], [1, 0, np.nan, 1], equal_nan=True)
    assert table.levels == {3: ["a", "b"], 4: ["1", "3"]}
    assert table.values[:, 4].tolist() == [1, 0, 1, 1]
    assert table.texts(3) == ["b", "a", "nan", "b"] and table.texts(0)[0] == "1.0"


def test_long_numbers_of_a_csv_are_read_to_the_last_bit(tmp_path):
    values = np.random.default_rng(0).standard_normal(1000)
    (tmp_path / "a.csv").write_text("a\n" + "\n".join(map(repr, values.tolist())))
    assert np.array_equal(read_csv(tmp_path / "a.csv").values[:, 0], values)


@pytest.mark.parametrize(
    ("cells", "wrong"),
    [(["1", "x", "2"], 1), (["1", "2", "3", "x", "y"], 3), (["true", "no", "false"], 1)],
)
def test_a_few_words_among_numbers_are_a_mistake(cells, wrong):
    frame = pd.DataFrame({"a": cells})
    said = f"column 'a' has '{cells[wrong]}' among numbers"
    with pytest.raises(UserError, match=f"f, row {wrong + 1}, {said}"):
        from_frame("f", frame)
    lines = range(10, 10 + len(cells))
    with pytest.raises(UserError, match=f"f, line {10 + wrong}, {said}"):
        from_frame("f", frame, lines)


def test_half_of_the_cells_may_be_words():
    assert from_frame("f", pd.DataFrame({"a": ["1", "x", "2", "y"]})).levels == {
        0: ["1", "2", "x", "y"]
    }


def test_columns_of_other_types_and_tables_without_rows_are_refused():
    with pytest.raises(UserError, match="column 'a' has the type datetime64"):
        from_frame("f", pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2020-01-02"])}))
    with pytest.raises(UserError, match="f has no rows"):
        from_frame("f", pd.DataFrame({"a": []}))
    with pytest.raises(UserError, match="two columns 'a'"):
        from_frame("f", pd.DataFrame([[1, 2]], columns=["a", "a "]))


def test_a_cell_is_named_and_shown():
    values = np.array([[0.5, 1.0], [np.nan, -1.0]])
    table = FileTable("f", values, ["x", "w"], {1: ["red", "blue"]})
    assert [table.shown(i, j) for i in (0, 1) for j in (0, 1)] == [
        "0.5",
        "'blue'",
        "no value",
        "a word that is not in the training file",
    ]
    assert table.place(1, 0) == "f, row 2, column 'x'" and len(table) == 2
    lined = FileTable("f", sp.csr_matrix(values), ["x", "w"], {}, lines=[3, 7])
    assert lined.place(1, 1) == "f, line 7, column 'w'"
    assert lined.shown(1, 1) == "-1"  # no column of words
    with pytest.raises(UserError, match=r"no column 'v' for 'id'.*its first columns: 'x', 'w'"):
        table.find("v", "'id'")
    assert table.find("w", "'id'") == 1


def test_an_id_column_becomes_the_names_of_the_rows():
    table = FileTable("f", np.array([[1.0, 0.0], [2.0, 1.0]]), ["x", "id"], {1: ["a", "b"]})
    kept = table.without_id("id", must=True)
    assert kept.names == ["x"] and list(kept.ids) == ["a", "b"]
    assert kept.values.tolist() == [[1.0], [2.0]]
    assert table.without_id(None, must=True) is table
    assert table.without_id("no", must=False) is table
    with pytest.raises(UserError, match="no column 'no'"):
        table.without_id("no", must=True)
