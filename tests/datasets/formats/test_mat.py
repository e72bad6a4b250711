"""The MATLAB readers on the layouts the mirror has, and on wrong files."""

import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from mlfs.datasets.formats.mat import check_mat, load_mat, read_parts, read_whole
from mlfs.errors import UserError

RNG = np.random.default_rng(0)
X = np.round(RNG.random((5, 3)), 3)
Y = RNG.integers(0, 2, (5, 2))


def test_parts_with_signed_labels_are_read_as_0_and_1(tmp_path):
    """Stored as int8 and uint8, as MATLAB does with small whole numbers."""
    sign = (2 * Y.T - 1).astype(np.int8)
    scipy.io.savemat(
        tmp_path / "a.mat",
        {
            "train_data": sp.csc_matrix(X[:3]),
            "test_data": X[3:],
            "train_target": sign[:, :3],
            "test_target": sign[:, 3:],
        },
    )
    parsed = read_parts(tmp_path / "a.mat")
    assert np.array_equal(parsed.X, X)
    assert np.array_equal(parsed.Y, Y)
    assert parsed.n_train == 3
    assert parsed.label_names == ["Class1", "Class2"]


@pytest.mark.parametrize("wrap", [np.asarray, sp.csc_matrix])
def test_a_file_without_split_is_read_dense_or_sparse(tmp_path, wrap):
    target = Y.T.astype(np.uint8)
    scipy.io.savemat(tmp_path / "a.mat", {"data": wrap(X), "target": wrap(target.astype(float))})
    parsed = read_whole(tmp_path / "a.mat", ["one", "two"])
    assert sp.issparse(parsed.X) == (wrap is sp.csc_matrix)
    assert np.array_equal(parsed.X.toarray() if sp.issparse(parsed.X) else parsed.X, X)
    assert np.array_equal(parsed.Y, Y)
    assert parsed.n_train is None


def test_files_that_are_not_matlab_or_lack_a_variable_are_refused(tmp_path):
    (tmp_path / "a.mat").write_bytes(b"nothing of the kind" * 20)
    with pytest.raises(UserError, match=r"a\.mat cannot be read as a MATLAB file"):
        load_mat(tmp_path / "a.mat")
    scipy.io.savemat(tmp_path / "b.mat", {"data": X})
    with pytest.raises(UserError, match=r"b\.mat lacks target"):
        read_whole(tmp_path / "b.mat")


def test_a_flipped_bit_in_a_compressed_file_never_changes_what_is_read(tmp_path):
    """The checksum of the compression is compared; a few bits of padding mean nothing."""
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"data": X, "target": Y.T.astype(float)}, do_compression=True)
    content = path.read_bytes()
    harmless = 0
    for place in range(128, len(content)):
        flipped = bytes([content[place] ^ (1 << place % 8)])
        path.write_bytes(content[:place] + flipped + content[place + 1 :])
        try:
            parsed = read_whole(path)
        except UserError as error:
            assert "a.mat " in str(error)
        else:
            assert np.array_equal(parsed.X, X) and np.array_equal(parsed.Y, Y)
            harmless += 1
    assert harmless < 10


@pytest.mark.parametrize("kind", [0, 8, 10, 11, 14, 15, 19, 200, 60_000])
def test_a_type_of_numbers_that_does_not_exist_is_refused(tmp_path, kind):
    """scipy would look it up beyond the end of its table, and end the process."""
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"data": X, "target": Y.T.astype(float)})
    content = path.read_bytes()
    place = content.index(np.array([9, X.nbytes], dtype="<u4").tobytes())
    spoilt = content[:place] + np.array([kind], dtype="<u4").tobytes() + content[place + 4 :]
    path.write_bytes(spoilt)
    with pytest.raises(UserError, match=rf"a\.mat .*numbers have the type {kind}, which"):
        read_whole(path)


@pytest.mark.parametrize("length", [4, 100, 127, 128 + 4, 200])
def test_a_file_that_is_cut_off_is_refused(tmp_path, length):
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"data": X, "target": Y.T.astype(float)})
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(UserError, match=r"a\.mat cannot be read as a MATLAB file \(.+\)"):
        read_whole(path)


def test_what_matlab_writes_passes():
    """Cells of texts, structs, small elements, and both byte orders of the header."""
    stream = io.BytesIO()
    cells = np.array([["one"], [np.arange(3.0)]], dtype=object)
    scipy.io.savemat(stream, {"cells": cells, "struct": {"a": 1, "b": "x"}, "sparse": sp.eye(3)})
    check_mat(stream.getvalue())
    with pytest.raises(ValueError, match="longer than it can be"):
        check_mat(stream.getvalue()[:126] + b"MI" + stream.getvalue()[128:])


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"data": X * [1, np.nan, 1]}, "'data' has a value that is missing or infinite"),
        ({"data": np.where(X > 0, np.inf, X)}, "'data' has a value that is missing or infinite"),
        ({"data": np.empty((0, 3))}, "'data' has the shape"),
        ({"data": X * 1j}, ".*a matrix has complex numbers"),
        ({"data": "text"}, "'data' does not contain numbers"),
        ({"data": sp.csc_matrix((5, 2_000_000))}, "'data' claims to be a table of 5 x 2,000,000"),
        ({"data": X[:4]}, "4 rows of features, but 5 of labels"),
        ({"target": 7.0 * Y.T}, "other than 0, 1 and -1"),
    ],
)
def test_tables_that_do_not_fit_are_refused(tmp_path, changed, told):
    scipy.io.savemat(tmp_path / "a.mat", {"data": X, "target": Y.T} | changed)
    with pytest.raises(UserError, match=rf"a\.mat.* {told}"):
        read_whole(tmp_path / "a.mat")


def test_names_and_parts_that_do_not_fit_are_refused(tmp_path):
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"data": X, "target": Y.T})
    with pytest.raises(UserError, match="2 labels, but 3 label names"):
        read_whole(path, ["a", "b", "c"])
    parts = {"train_data": X[:3], "train_target": Y[:3].T}
    scipy.io.savemat(path, parts | {"test_data": X[3:, :2], "test_target": Y[3:].T})
    with pytest.raises(UserError, match="differ in shape"):
        read_parts(path)


def test_an_index_beyond_the_shape_is_refused(tmp_path):
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, {"data": sp.csc_matrix(np.eye(5)), "target": Y.T})
    rows = np.arange(5, dtype="<i4")
    spoilt = path.read_bytes().replace(rows[:5].tobytes(), (rows + 99).tobytes(), 1)
    assert spoilt != path.read_bytes()
    path.write_bytes(spoilt)
    with pytest.raises(UserError, match=r"a\.mat cannot be read as a MATLAB file"):
        read_whole(path)
