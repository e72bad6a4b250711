"""What other programs, or our own writers, write is read back as it was."""

import arff
import numpy as np
import pandas as pd
import rdata
import scipy.io
import scipy.sparse as sp
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.datasets import dump_svmlight_file

from mlfs import config
from mlfs.datasets.formats.arff import read_arff
from mlfs.datasets.formats.mat import read_parts, read_whole
from mlfs.datasets.formats.rda import read_rda
from mlfs.datasets.user import user_data
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results.packing import SUFFIX, Packed, pack
from mlfs.results.store import Store
from mlfs.yaml_lines import parse_yaml

SETTINGS = settings(
    max_examples=30, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
NUMBERS = st.floats(-1e300, 1e300, width=64) | st.sampled_from([0.0, 1.0, -2.5, 5e-324])
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)


@st.composite
def tables(draw):
    """Features with many zeros and labels, of any shape."""
    n, d, labels = draw(st.integers(2, 6)), draw(st.integers(1, 5)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(float, (n, d), elements=NUMBERS, fill=st.just(0.0)))
    return X, draw(hnp.arrays(np.uint8, (n, labels), elements=st.integers(0, 1)))


def equal(data, X, Y) -> None:
    found = data.X.toarray() if sp.issparse(data.X) else data.X
    assert np.array_equal(found, X)
    assert np.array_equal(data.Y, Y)


@SETTINGS
@given(tables())
def test_csv_that_pandas_wrote_reads_back_the_same(tmp_path, table):
    X, Y = table
    frame = pd.DataFrame(X).add_prefix("a").join(pd.DataFrame(Y).add_prefix("l"))
    frame.to_csv(tmp_path / "a.csv", index=False)
    data = user_data.read(tmp_path / "a.csv", -Y.shape[1])
    # pandas reads its own decimals to the last bit but one
    np.testing.assert_allclose(data.X, X, rtol=1e-15)
    assert np.array_equal(data.Y, Y)


@SETTINGS
@given(tables(), st.booleans())
def test_mat_that_scipy_wrote_reads_back_the_same(tmp_path, table, packed):
    X, Y = table
    path = tmp_path / "a.mat"
    whole = {"data": sp.csc_matrix(X) if packed else X, "target": Y.T}
    scipy.io.savemat(path, whole, do_compression=packed)
    equal(read_whole(path), X, Y)
    signs = 2.0 * Y.T - 1
    parts = {"train_data": X[:1], "train_target": signs[:, :1]}
    parts |= {"test_data": X[1:], "test_target": signs[:, 1:]}
    scipy.io.savemat(path, parts, do_compression=packed)
    equal(read_parts(path), X, Y)


@SETTINGS
@given(tables())
def test_rda_that_rdata_wrote_reads_back_the_same(tmp_path, table):
    X, Y = table
    n_features, n_labels = X.shape[1], Y.shape[1]
    names = [f"a{i}" for i in range(n_features)] + [f"l{i}" for i in range(n_labels)]
    frame = pd.DataFrame(np.hstack([X, Y]))
    frame.columns = pd.Index(names, dtype=object)
    places = np.arange(1, len(names) + 1, dtype=np.int32)
    labels = pd.DataFrame({0: places[n_features:]})
    labels.columns = pd.Index(["index"], dtype=object)
    labels.index = pd.Index(names[n_features:], dtype=object)
    content = {"dataset": frame, "labels": labels, "attributesIndexes": places[:n_features]}
    rdata.write_rda(tmp_path / "a.rda", {"a": content})
    parsed = read_rda(tmp_path / "a.rda")
    equal(parsed, X, Y)
    assert parsed.feature_names + parsed.label_names == names


@SETTINGS
@given(tables())
def test_libsvm_that_scikit_learn_wrote_reads_back_the_same(tmp_path, table):
    X, Y = table
    X[:, -1] = 1.0  # or rows of zeros and the last columns would not be told of
    Y[0] = 1
    dump_svmlight_file(X, Y, str(tmp_path / "a.svm"), multilabel=True, zero_based=False)
    data = user_data.read(tmp_path / "a.svm")
    np.testing.assert_allclose(data.X.toarray(), X, rtol=1e-15)  # it writes 16 digits
    assert np.array_equal(data.Y, Y)


@SETTINGS
@given(tables(), st.booleans())
def test_arrays_of_numpy_and_scipy_read_back_the_same(tmp_path, table, sparse):
    X, Y = table
    np.savez_compressed(tmp_path / "a.npz", X=X, Y=Y)
    equal(user_data.read(tmp_path / "a.npz"), X, Y)
    whole = np.hstack([X, Y])
    if sparse:
        sp.save_npz(tmp_path / "b.npz", sp.csr_matrix(whole))
    else:
        np.save(tmp_path / "b.npy", whole)
    equal(user_data.read(tmp_path / f"b.{'npz' if sparse else 'npy'}", -Y.shape[1]), X, Y)


@SETTINGS
@given(tables(), st.lists(WORDS, min_size=2, max_size=5, unique=True), st.booleans())
def test_arff_of_another_writer_reads_back_the_same(tmp_path, table, words, sparse):
    """Words with quotes, backslashes, commas and braces come back, too."""
    X, Y = table
    words = [f"{word}x" for word in words]  # no number
    names = ["word", *(f"a b{i}" for i in range(X.shape[1])), *(f"l{i}" for i in range(Y.shape[1]))]
    kinds: list = [words, *["REAL"] * X.shape[1], *[["0", "1"]] * Y.shape[1]]
    given = [words[i % len(words)] for i in range(len(X))]
    rows: list = [[word, *map(float, x), *map(str, y)] for word, x, y in zip(given, X, Y.tolist())]
    if sparse:
        absent = (0.0, "0", words[0])
        rows = [{i: v for i, v in enumerate(row) if v not in absent} for row in rows]
    content = {"relation": "r", "attributes": list(zip(names, kinds)), "data": rows}
    (tmp_path / "a.arff").write_text(arff.dumps(content), encoding="utf-8")
    found = read_arff(tmp_path / "a.arff")
    values = found.values.toarray() if sp.issparse(found.values) else found.values
    assert sp.issparse(found.values) == sparse and found.names == names
    assert [found.levels[0][int(code)] for code in values[:, 0]] == given
    assert np.array_equal(values[:, 1:], np.hstack([X, Y]))


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@SETTINGS
@given(PLAIN)
def test_yaml_that_pyyaml_wrote_reads_back_the_same(content):
    text = yaml.safe_dump(content, allow_unicode=True)
    ((found, _),) = parse_yaml(text, "test")
    assert found == content


@SETTINGS
@given(
    st.lists(st.dictionaries(WORDS, st.floats(-1e100, 1e100) | st.none(), max_size=3), max_size=3),
    st.lists(st.text(max_size=9), max_size=2),
)
def test_cells_read_back_the_same_from_folders_and_packed(tmp_path_factory, rows, notes):
    folder = tmp_path_factory.mktemp("results") / "tiny"
    experiment = config.parse(
        {
            "name": "tiny",
            "protocol": "selection",
            "datasets": ["emotions"],
            "methods": ["all"],
            "split": {"kind": "holdout"},
            "metrics": ["average_precision"],
        },
        source="test",
    )
    record = Record(rows=rows, notes=notes)
    store = Store(folder)
    store.open(experiment)
    planned = plan(experiment)[0]
    store.write(planned, record)
    assert store.read(planned) == record
    packed = folder.with_name(f"tiny{SUFFIX}")
    pack(store, packed)
    assert Packed(packed).read(planned) == record
    assert Packed(packed).experiment() == experiment
