"""The R reader: scene as published for R equals scene as published for Mulan."""

import numpy as np
import pandas as pd
import pytest
import rdata
import scipy.sparse as sp

from mlfs.datasets import catalog, load
from mlfs.datasets.formats.rda import _gather, read_rda
from mlfs.errors import UserError


def test_scene_equals_the_arff(mirror):
    ours = load("scene")
    parsed = read_rda(mirror / "scene.rda")
    # R read the decimals to the last bit but one
    np.testing.assert_allclose(parsed.X, ours.X, rtol=1e-14)
    assert np.array_equal(parsed.Y, ours.Y)
    assert parsed.feature_names == ours.feature_names
    assert parsed.label_names == ours.label_names


def test_columns_become_a_sparse_matrix():
    X = sp.random(40, 30, density=0.05, random_state=0).toarray()
    gathered = _gather(list(X.T))
    assert sp.issparse(gathered)
    assert np.array_equal(gathered.toarray(), X)


def test_a_file_that_is_no_r_data_is_refused(tmp_path):
    (tmp_path / "a.rda").write_bytes(b"RDX3\nnothing of the kind")
    with pytest.raises(UserError, match=r"a\.rda cannot be read as an mldr dataset"):
        read_rda(tmp_path / "a.rda")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"attributesIndexes": [1, 9]}, r"column 9 of 4"),
        ({"attributesIndexes": [0, 1]}, "0, negative or there twice"),
        ({"attributesIndexes": [1, 1]}, "0, negative or there twice"),
        ({"values": {"a": [1.0, np.nan]}}, "values that are not finite numbers"),
        ({"values": {"t": [1.0, 7.0]}}, "labels are not 0 and 1"),
        ({"values": {"t": ["0", "2"]}}, "labels are not 0 and 1"),
        ({"values": {"a": ["x", None]}}, "column 'a' of words has a missing value"),
    ],
)
def test_tables_that_do_not_fit_are_refused(tmp_path, changed, told):
    values = {"a": [1.0, 2.0], "b": [0.0, 3.0], "t": [1.0, 0.0], "u": [1.0, 1.0]}
    table = pd.DataFrame(values | changed.get("values", {}))
    table = table.astype(dict.fromkeys(table.select_dtypes(exclude="number"), object))
    table.columns = pd.Index(list(values), dtype=object)
    labels = pd.DataFrame([3, 4], index=pd.Index(["t", "u"], dtype=object), dtype=np.int32)
    labels.columns = pd.Index(["index"], dtype=object)
    places = np.array(changed.get("attributesIndexes", [1, 2]), dtype=np.int32)
    content = {"dataset": table, "labels": labels, "attributesIndexes": places}
    rdata.write_rda(tmp_path / "a.rda", {"a": content})
    with pytest.raises(UserError, match=rf"a\.rda cannot be read as an mldr dataset .*{told}"):
        read_rda(tmp_path / "a.rda")


MLDR = [e.name for e in catalog().values() if e.reader == "rda" and e.family != "rcv1"]


LARGE = {"ng20", "ohsumed", "stackex_cooking", "stackex_cs"}  # seconds each


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in LARGE else n for n in MLDR]
)
def test_labels_are_counted_as_the_file_counts_them(mirror, name):
    """The file has its own counts, made by mldr."""
    data = load(name)
    (mldr,) = rdata.read_rda(mirror / f"{name}.rda", constructor_dict=PANDAS).values()
    counts = mldr["labels"]["count"]
    assert data.label_names == list(counts.index)
    assert np.array_equal(data.Y.sum(axis=0), counts)
    assert data.Y.sum(axis=1).mean() == pytest.approx(mldr["measures"]["cardinality"][0])
    if name not in ("birds", "flags"):
        table = mldr["dataset"].iloc[:, np.asarray(mldr["attributesIndexes"]) - 1]
        X = data.X.toarray() if sp.issparse(data.X) else data.X
        assert np.array_equal(X, table) and data.feature_names == list(table)


PANDAS = {**rdata.conversion.DEFAULT_CLASS_MAP, "mldr": lambda content, attributes: content}


@pytest.mark.parametrize(("name", "words", "width"), [("birds", 2, 260), ("flags", 9, 19)])
def test_words_become_columns_of_0_and_1(mirror, name, words, width):
    """As pandas does it, but for words 0 and 1, which it would make two columns."""
    data = load(name)
    (mldr,) = rdata.read_rda(mirror / f"{name}.rda", constructor_dict=PANDAS).values()
    table = mldr["dataset"].iloc[:, np.asarray(mldr["attributesIndexes"]) - 1]
    texts = [column for column in table if not pd.api.types.is_numeric_dtype(table[column])]
    assert (len(texts), table.shape[1]) == (words, width)
    binary = [column for column in texts if set(table[column]) == {"0", "1"}]
    table = table.astype(dict.fromkeys(binary, float))
    theirs = pd.get_dummies(table, prefix_sep="=", dtype=float)
    assert np.array_equal(data.X, theirs[data.feature_names])
    assert data.X.shape == theirs.shape
    order = [name for name in data.feature_names if name.startswith(("location=", "language="))]
    assert order == sorted(order, key=lambda name: int(name.partition("=")[2]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "leaks", "rows", "label"),
    [("rcv1subset1", 92, 92, "Class33"), ("rcv1subset2", 1538, 844, "Class22")],
)
def test_cleaning_restores_unit_rows(mirror, name, leaks, rows, label):
    data, clean = load(name), load(name, clean=True)
    norms = np.sqrt(np.asarray(clean.X.multiply(clean.X).sum(axis=1)).ravel())
    np.testing.assert_allclose(norms, 1, atol=1e-3)
    removed = (data.X - clean.X).tocoo()
    assert (removed.data == 1).all()
    assert (removed.nnz, len(set(removed.row.tolist()))) == (leaks, rows)
    # the leak: every touched row carries one and the same label
    shared = data.Y[np.unique(removed.row)].all(axis=0)
    assert [data.label_names[i] for i in np.flatnonzero(shared)] == [label]
    assert data.checksum != clean.checksum
