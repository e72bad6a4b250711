"""Data of the user's own: every format gives the same numbers, and the digest tells contents."""

import time

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

from mlfs.datasets import UserData, own_checksum, read, read_own
from mlfs.errors import UserError

rng = np.random.default_rng(0)
X = np.round(rng.standard_normal((30, 4)), 3) * (rng.random((30, 4)) < 0.7)
Y = (rng.random((30, 3)) < 0.4).astype(int)
Y[0] = 1  # every label is known from the first row on
FEATURES, LABELS = ["a", "b", "c", "d"], ["x", "y", "z"]
FRAME = pd.DataFrame(X, columns=FEATURES)
TARGET = pd.DataFrame(Y, columns=LABELS)
WHOLE = pd.concat([FRAME, TARGET], axis=1)


def arff(path, frame, relation="r", sparse=False, kinds=()):
    kinds = {**dict.fromkeys(FEATURES, "numeric"), **dict.fromkeys(LABELS, "{0,1}"), **dict(kinds)}
    lines = [f"@relation '{relation}'"]
    lines += [f"@attribute {name} {kinds[name]}" for name in frame.columns]
    lines.append("@data")
    for row in frame.itertuples(index=False):
        if sparse:
            lines.append("{" + ", ".join(f"{i} {v}" for i, v in enumerate(row) if v) + "}")
        else:
            lines.append(",".join("?" if pd.isna(v) else str(v) for v in row))
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The same data in every format, in the current folder."""
    monkeypatch.chdir(tmp_path)
    arff(tmp_path / "dense.arff", WHOLE)
    arff(tmp_path / "sparse.arff", WHOLE, sparse=True)
    arff(tmp_path / "meka_last.arff", WHOLE, "set: -C -3 -split 5")
    arff(tmp_path / "meka_first.arff", pd.concat([TARGET, FRAME], axis=1), "set: -C 3", sparse=True)
    names = "".join(f'<label name="{name}"/>' for name in reversed(LABELS))
    (tmp_path / "names.xml").write_text(f"<labels>{names}</labels>")
    WHOLE.to_csv("all.csv", index=False)
    FRAME.to_csv("X.csv", index=False)
    TARGET.astype(bool).to_csv("Y.csv", index=False)
    WHOLE.to_parquet("all.parquet")
    np.savez("X.npz", X)
    np.savez("Y.npz", Y)
    np.savez("both.npz", X=X, Y=Y.astype(bool))
    np.save("X.npy", X)
    sp.save_npz("X_sparse.npz", sp.csr_matrix(X))
    sp.save_npz("Y_sparse.npz", sp.csc_matrix(Y))
    dump_svmlight_file(X, Y, "x.libsvm", multilabel=True, zero_based=False)
    return tmp_path


WAYS = {
    "dense arff, xml": ({"path": "dense.arff", "labels": "names.xml"}, True, False),
    "sparse arff, names": ({"path": "sparse.arff", "labels": ["z", "x", "y"]}, True, True),
    "arff, labels last": ({"path": "dense.arff", "labels": -3}, True, False),
    "meka, labels last": ({"path": "meka_last.arff"}, True, False),
    "meka, labels first": ({"path": "meka_first.arff"}, True, True),
    "csv": ({"path": "all.csv", "labels": LABELS}, True, False),
    "two csv": ({"path": "X.csv", "labels": "Y.csv"}, True, False),
    "parquet": ({"path": "all.parquet", "labels": -3}, True, False),
    "npz": ({"path": "X.npz", "labels": "Y.npz"}, False, False),
    "one npz": ({"path": "both.npz"}, False, False),
    "npy": ({"path": "X.npy", "labels": "Y.npz"}, False, False),
    "sparse npz": ({"path": "X_sparse.npz", "labels": "Y_sparse.npz"}, False, True),
    "csv and npz": ({"path": "X.csv", "labels": "Y_sparse.npz"}, False, False),
    "libsvm": ({"path": "x.libsvm"}, False, True),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_format_gives_the_same(files, way):
    keys, named, sparse = WAYS[way]
    data = read_own(UserData(**keys))
    assert sp.issparse(data.X) == sparse
    assert np.array_equal(data.X.toarray() if sparse else data.X, X)
    assert np.array_equal(data.Y, Y) and data.Y.dtype == np.uint8
    assert data.train is None and data.notes == []
    if named:
        assert (data.feature_names, data.label_names) == (FEATURES, LABELS)
    else:
        assert len(data.feature_names) == 4 and len(data.label_names) == 3
    assert data.name == keys["path"].split(".")[0]


def test_an_official_test_part_follows_the_training_rows(files):
    arff(files / "test.arff", WHOLE[5:9][[*LABELS, *FEATURES]], sparse=True)
    WHOLE[:5].to_csv("test.csv", index=False)
    FRAME[:7].to_csv("Xt.csv", index=False)
    TARGET[:7].to_csv("Yt.csv", index=False)
    dump_svmlight_file(X[3:6, :2], Y[3:6], "t.libsvm", multilabel=True, zero_based=False)
    for keys, rows in (
        ({"path": "sparse.arff", "labels": LABELS, "test": "test.arff"}, slice(5, 9)),
        ({"path": "all.csv", "labels": -3, "test": "test.csv"}, slice(0, 5)),
        ({"path": "X.csv", "labels": "Y.csv", "test": ["Xt.csv", "Yt.csv"]}, slice(0, 7)),
    ):
        data = read(**keys)
        assert np.array_equal(data.train, np.arange(30))
        found = data.X[data.test]
        assert np.array_equal(found.toarray() if sp.issparse(found) else found, X[rows])
        assert np.array_equal(data.Y[data.test], Y[rows])
    data = read("x.libsvm", test="t.libsvm")  # its rows never reach the last columns
    assert np.array_equal(data.X[data.test].toarray()[:, :2], X[3:6, :2])
    assert data.X.shape == (33, 4) and np.array_equal(data.Y[data.test], Y[3:6])


def test_words_become_columns_and_an_id_is_left_out(files):
    colours = np.array(["red", "blue", "7"])[np.arange(30) % 3]
    frame = WHOLE.assign(colour=colours, key=[f"k{i}" for i in range(30)])
    frame.to_csv("words.csv", index=False)
    test = frame[:3].assign(colour=["7", "green", "red"])
    test.to_csv("words_test.csv", index=False)
    data = read("words.csv", LABELS, test="words_test.csv", id="key", name="mine")
    assert data.name == "mine"
    assert data.feature_names == [*FEATURES, "colour=7", "colour=blue", "colour=red"]
    expected = colours[:, None] == np.array(["7", "blue", "red"])
    assert np.array_equal(data.X[data.train][:, 4:], expected)
    assert data.X[data.test][:, 4:].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert "became 3 columns" in data.notes[0] and "'green'" in data.notes[1]
    kinds = {"colour": "{black,red,blue,7}", "key": "string"}
    arff(files / "words.arff", frame, kinds=kinds)
    same = read("words.arff", LABELS, id="key")
    assert set(same.feature_names) == set(data.feature_names)  # nothing is black
    order = [same.feature_names.index(name) for name in data.feature_names]
    assert np.array_equal(same.X[:, order], data.X[data.train])


def test_a_test_column_of_numbers_is_read_as_the_words_of_the_training_column(files):
    """In the test file alone the column would look like numbers."""
    pd.DataFrame({"c": ["01", "b", "b"], "y": [0, 1, 1]}).to_csv("w.csv", index=False)
    (files / "t.csv").write_text("c,y\n01,1\n1,0\n")
    data = read("w.csv", ["y"], test="t.csv")
    assert data.X[data.test].tolist() == [[1, 0], [0, 0]]


def test_logical_labels_are_read_by_their_word_and_not_by_their_place(files):
    text = "@relation r\n@attribute a numeric\n@attribute y {TRUE,FALSE}\n@data\n1,FALSE\n2,TRUE\n"
    (files / "l.arff").write_text(text)
    assert read("l.arff", -1).Y.ravel().tolist() == [0, 1]


def test_missing_values_stay_where_they_are_to_be_imputed(files):
    holes = FRAME.mask(np.eye(30, 4, dtype=bool)).assign(w=["u", None, "v"] * 10)
    pd.concat([holes, TARGET], axis=1).to_csv("holes.csv", index=False)
    with pytest.raises(UserError, match="line 2, column 'a' has no value"):
        read("holes.csv", LABELS)
    data = read("holes.csv", LABELS, impute="median")
    assert np.array_equal(np.isnan(data.X[:, :4]), np.eye(30, 4, dtype=bool))
    assert data.X[0, 4:].tolist() == [1, 0] and np.isnan(data.X[1, 4:]).all()
    arff(files / "holes.arff", pd.concat([holes[FEATURES], TARGET], axis=1))
    same = read("holes.arff", -3, impute="mean")
    assert np.array_equal(same.X, data.X[:, :4], equal_nan=True)


def test_the_digest_is_of_the_content_and_the_way_it_is_read(files, tmp_path):
    def digest(**keys):
        return own_checksum(UserData(**{"path": "all.csv", "labels": -3} | keys))

    first = digest()
    (files / "moved").mkdir()
    (files / "moved/other.csv").write_bytes((files / "all.csv").read_bytes())
    assert digest(path="moved/other.csv") == first == digest()
    others = [digest(labels=-2), digest(labels=["x"]), digest(impute="mean"), digest(id="a")]
    others += [digest(impute="median"), digest(test="all.csv"), digest(labels="Y.csv")]
    WHOLE[::-1].to_csv("all.csv", index=False)
    assert len({first, digest(), *others}) == 9


def test_columns_that_pandas_numbered_are_read_by_number(files):
    pd.DataFrame(np.hstack([X, Y])).to_csv("numbered.csv", index=False)
    data = read("numbered.csv", ["4", "5", "6"])
    assert np.array_equal(data.X, X) and np.array_equal(data.Y, Y)


def test_python_says_the_same_sentences(files):
    with pytest.raises(UserError, match="is named twice"):
        read("all.csv", ["x", "x"])
    with pytest.raises(UserError, match="there is no file"):
        read(files / "nothing.csv", files / "Y.csv")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 1:1\n2 6000000:1\n", "6,000,000 columns, but at most 5,000,000 are allowed"),
        ("1 1:1\n2 3000000000:1\n", "not a LIBSVM file|correct it"),
        ("nan 1:1\n2 1:1\n", "a label that is not a finite number"),
        ("1 1:11 2:11 3:11 4:11 5:11 6:11 " + "7:11 " * 40 + "x\n1 1:1\n", "line 1 is not"),
    ],
)
def test_libsvm_that_cannot_be_read_is_refused_within_seconds(tmp_path, text, told):
    (tmp_path / "x.svm").write_text(text)
    start = time.process_time()
    with pytest.raises(UserError, match=told):
        read(tmp_path / "x.svm")
    assert time.process_time() - start < 2


def test_libsvm_labels_keep_all_their_digits(tmp_path):
    (tmp_path / "x.svm").write_text("10000001 1:1\n10000002,0.5 1:2\n")
    data = read(tmp_path / "x.svm")
    assert data.label_names == ["0.5", "10000001", "10000002"]
    assert np.array_equal(data.Y, [[0, 1, 0], [1, 0, 1]])


def test_damaged_arrays_are_refused_by_name(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.eye(3))
    path.write_bytes(path.read_bytes().replace(b"(3, 3)", b"*3, 3)"))
    with pytest.raises(UserError, match=r"x\.npy is damaged"):
        read(path, 1)
    path = tmp_path / "x.npz"
    sparse = sp.csr_matrix(np.eye(3))
    sparse.indices = sparse.indices + 99
    sp.save_npz(path, sparse)
    with pytest.raises(UserError, match=r"x\.npz is damaged"):
        read(path, 1)
    sp.save_npz(path, sp.csr_matrix((3, 10**12)))
    with pytest.raises(UserError, match=r"x\.npz has 1,000,000,000,000 columns"):
        read(path, 1)


def test_a_number_of_labels_that_is_none_is_refused(tmp_path):
    """Python refuses to read numbers of thousands of digits."""
    rows = "@attribute a {0,1}\n@attribute b real\n@data\n1,2\n0,1\n"
    (tmp_path / "x.arff").write_text(f"@relation 'x: -C {'9' * 5000}'\n{rows}")
    with pytest.raises(UserError, match="does not say which columns are labels"):
        read(tmp_path / "x.arff")


@pytest.mark.parametrize("name", ["nowhere.csv", "x" * 300 + ".csv"])
def test_a_file_that_is_not_there_is_named_even_if_no_file_can_have_its_name(name):
    with pytest.raises(UserError, match=f"there is no file {name}: correct the path"):
        read_own(UserData(path=name, labels=["x"]))
