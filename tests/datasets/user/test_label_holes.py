"""Labels that are not known: every format and every way to write them gives the same holes."""

import numpy as np
import pandas as pd
import pytest

from mlfs.datasets import UserData, add, own_checksum, read, read_own
from mlfs.errors import UserError
from mlfs.report.lists.data_check import checked

X = np.arange(24.0).reshape(8, 3)
Y = np.array([[1, 0], [0, np.nan], [np.nan, 1], [1, 1], [0, 0], [np.nan, np.nan], [1, 0], [0, 1]])
FEATURES = pd.DataFrame(X, columns=["a", "b", "c"])


def text(value, unknown):
    return unknown if np.isnan(value) else str(int(value))


def csv(unknown, words=("0", "1")):
    lines = ["y,z"]
    for row in Y:
        cells = [unknown if np.isnan(value) else words[int(value)] for value in row]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def arff(unknown, kind):
    words = kind.strip("{}").split(",") if kind.startswith("{") else ["0", "1"]
    lines = ["@relation r", *(f"@attribute {name} numeric" for name in "abc")]
    lines += [f"@attribute {name} {kind}" for name in "yz"]
    lines.append("@data")
    for x, y in zip(X, Y):
        cells = [unknown if np.isnan(value) else words[int(value)] for value in y]
        lines.append(",".join([*map(str, x), *cells]))
    return "\n".join(lines) + "\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFS_CATALOG", str(tmp_path / "own.yaml"))
    FEATURES.to_csv("X.csv", index=False)
    return tmp_path


def assert_read(data):
    assert data.Y.dtype == float
    np.testing.assert_array_equal(data.Y, Y)
    np.testing.assert_array_equal(data.X, X)
    assert "4 of 16 labels (25 %) are not known" in data.notes


@pytest.mark.parametrize("words", [("0", "1"), ("false", "TRUE"), ("0.0", "1.0")])
@pytest.mark.parametrize("unknown", ["", "?", "NA", "NaN", "nan", "null", "NULL", " ", '"?"'])
def test_csv_files_write_unknown_labels_in_many_ways(here, unknown, words):
    (here / "Y.csv").write_text(csv(unknown, words))
    assert_read(read("X.csv", "Y.csv"))


@pytest.mark.parametrize("kind", ["numeric", "{0,1}", "{false,true}"])
@pytest.mark.parametrize("unknown", ["?", "", "NA", "NaN", "null"])
def test_arff_files_have_question_marks_and_other_signs(here, kind, unknown):
    (here / "all.arff").write_text(arff(unknown, kind))
    assert_read(read("all.arff", ["y", "z"]))


def test_sparse_arff_files_have_question_marks(here):
    lines = arff("?", "{0,1}").splitlines()
    start = lines.index("@data") + 1
    for i, line in enumerate(lines[start:], start=start):
        pairs = [f"{j} {v}" for j, v in enumerate(line.split(",")) if v not in ("0", "0.0")]
        lines[i] = "{" + ",".join(pairs) + "}"
    (here / "sparse.arff").write_text("\n".join(lines))
    data = read("sparse.arff", -2)
    np.testing.assert_array_equal(data.Y, Y)
    np.testing.assert_array_equal(data.X.toarray(), X)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame(Y, columns=["y", "z"]),
        pd.DataFrame(Y, columns=["y", "z"]).astype("Int64"),
        pd.DataFrame(Y, columns=["y", "z"]).astype("boolean"),
        pd.DataFrame([[text(v, "?") for v in row] for row in Y], columns=["y", "z"]),
        pd.DataFrame([[text(v, None) for v in row] for row in Y], columns=["y", "z"]),
    ],
    ids=["float", "Int64", "boolean", "question marks", "None"],
)
def test_parquet_files_have_holes_of_every_type(here, table):
    pytest.importorskip("pyarrow")
    pd.concat([FEATURES, table], axis=1).to_parquet("all.parquet")
    assert_read(read("all.parquet", ["y", "z"]))


def test_arrays_have_nan(here):
    np.savez("both.npz", X=X, Y=Y)
    assert_read(read("both.npz"))
    np.save("X.npy", X)
    np.save("Y.npy", Y)
    assert_read(read("X.npy", "Y.npy"))


def test_positives_only_can_be_read_as_complete(here):
    (here / "Y.csv").write_text(csv("").replace("0", ""))
    given = {"path": "X.csv", "labels": "Y.csv"}
    plain, filled = UserData(**given), UserData(**given, unknown="negative")
    holes, complete = read_own(plain), read_own(filled)
    assert set(holes.Y[~np.isnan(holes.Y)]) == {1.0}
    assert complete.Y.dtype == np.uint8
    np.testing.assert_array_equal(complete.Y, np.nan_to_num(Y))
    assert "10 of 16 labels (62.5 %) are not known, and read as 0" in complete.notes
    assert own_checksum(plain) != own_checksum(filled)
    shown = checked(holes)
    assert "never seen negative: y, z" in shown and "'unknown: negative'" in shown
    assert "never seen negative" not in checked(complete)
    assert add("mine", filled)[0].Y.sum() == np.nansum(Y)


def test_statistics_count_what_is_known(here):
    (here / "Y.csv").write_text(csv("NA"))
    data = read("X.csv", "Y.csv")
    known = Y[~np.isnan(Y)]
    assert data.unknown == 4 / 16
    assert data.density == known.mean()
    assert data.cardinality == known.sum() / len(Y)
    shown = checked(data)
    assert "cardinality:       0.750 labels per row; rows without a label: 3" in shown
    assert "unknown labels:    4 of 16 (25 %): y (2), z (2); rows with none known: 1" in shown
    # of y three are known to be relevant and three to be irrelevant, and so of z
    assert "rare labels:       y (3), z (3); fewer than 10" in shown
    assert "never seen negative" not in shown


def test_complete_labels_stay_small_and_keep_their_checksum(here):
    """The checksum of these files was computed before labels could be unknown."""
    (here / "Y.csv").write_text("y,z\n" + "1,0\n" * 4 + "0,1\n" * 4)
    data = read("X.csv", "Y.csv")
    assert data.Y.dtype == np.uint8 and data.unknown == 0 and not data.notes
    assert data.checksum.startswith("7a652813cca671a9")
    assert "unknown labels:    none" in checked(data)


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ("y,z\n" + ",\n" * 8, "Y.csv: no label is known: write 1 or 0"),
        ("y,z\n" + ",1\n" * 8, "Y.csv: label 'y' is known in no row"),
        (csv("").replace("0", "2"), "line 2, column 'z' contains 2: a label must be 1"),
        (csv("?", ("cat", "dog")), "contains 'dog'.*MultiLabelBinarizer"),
        (csv("?").replace("1", "one"), "'one' among numbers|contains 'one'"),
    ],
)
def test_labels_that_cannot_be_used_are_named(here, labels, told):
    (here / "Y.csv").write_text(labels)
    with pytest.raises(UserError, match=told):
        read("X.csv", "Y.csv")


def test_a_question_mark_among_words_of_a_feature_stays_a_word(here):
    table = FEATURES.assign(colour=["red", "?"] * 4, y=[0, 1] * 4)
    table.to_csv("all.csv", index=False)
    data = read("all.csv", ["y"])
    assert data.feature_names[-2:] == ["colour=?", "colour=red"]
