"""Files of numpy and LIBSVM files: what is read, and what is said of files that cannot be."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.datasets.formats.arrays import read_arrays, read_libsvm
from mlfs.errors import UserError

X = np.array([[1.5, 0.0, -2.0], [0.0, 4.0, 1e-3]])
Y = np.array([[1, 0], [0, 1]])


def saved(path, save, *arrays, **named):
    save(path, *arrays, **named)
    return path


def test_arrays_are_read_alone_sparse_and_with_labels(tmp_path):
    for table in (
        read_arrays(saved(tmp_path / "a.npy", np.save, X)),
        read_arrays(saved(tmp_path / "b.npz", np.savez, features=X)),
    ):
        assert np.array_equal(table.values, X) and table.names == ["Att1", "Att2", "Att3"]
        assert table.labels is None
    sparse = read_arrays(saved(tmp_path / "c.npz", sp.save_npz, sp.csr_matrix(X)))
    assert sp.issparse(sparse.values) and np.array_equal(sparse.values.toarray(), X)
    both = read_arrays(saved(tmp_path / "d.npz", np.savez, X=X, Y=Y))
    assert np.array_equal(both.values, X) and both.names == ["Att1", "Att2", "Att3"]
    assert np.array_equal(both.labels.values, Y) and both.labels.names == ["Class1", "Class2"]
    column = read_arrays(saved(tmp_path / "e.npy", np.save, np.array([True, False])))
    assert column.values.tolist() == [[1.0], [0.0]] and column.values.dtype == float


def test_python_objects_are_refused_and_damage_is_named(tmp_path):
    objects = saved(tmp_path / "a.npy", np.save, np.array([{"a": 1}]), allow_pickle=True)
    with pytest.raises(UserError, match=r"a\.npy contains Python objects, .*: save numbers"):
        read_arrays(objects)
    whole = saved(tmp_path / "b.npy", np.save, X).read_bytes()
    (tmp_path / "b.npy").write_bytes(whole[:-8])
    with pytest.raises(UserError, match=r"b\.npy is damaged and cannot be read"):
        read_arrays(tmp_path / "b.npy")
    (tmp_path / "c.npy").write_text("1,2\n")
    with pytest.raises(UserError, match="is not a file of numpy"):
        read_arrays(tmp_path / "c.npy")


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"X": X, "Z": Y}, "contains X, Z: save one array, or X and Y"),
        ({"Y": Y, "Z": Y}, "contains Y, Z"),
        ({"X": np.zeros((2, 2, 2))}, "an array of 3 dimensions: save one of 2"),
        ({"X": np.array([["a"]])}, "contains <U1 and not numbers: save it as float"),
        ({"X": np.array([[1j]])}, "contains complex128 and not numbers"),
        ({"X": X, "Y": np.array([["a"], ["b"]])}, "contains <U1 and not numbers"),
        (
            {"X": np.zeros((1, 5_000_001), dtype=np.int8)},
            "5,000,001 columns, but at most 5,000,000",
        ),
    ],
)
def test_arrays_that_are_no_table_are_refused(tmp_path, arrays, said):
    with pytest.raises(UserError, match=said):
        read_arrays(saved(tmp_path / "a.npz", np.savez, **arrays))


def written(path, *lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_libsvm_files_share_columns_and_labels(tmp_path):
    train = written(tmp_path / "train", "2,5 1:0.5 3:1", "10 2:2", " 1:7")
    test = written(tmp_path / "test", "0.5 4:1.5 # a comment")
    first, second = read_libsvm([train, test])
    assert first.values.toarray().tolist() == [[0.5, 0, 1, 0], [0, 2, 0, 0], [7, 0, 0, 0]]
    assert second.values.toarray().tolist() == [[0, 0, 0, 1.5]]
    assert first.names == second.names == ["Att1", "Att2", "Att3", "Att4"]
    # labels in the order of their numbers, not of their texts; a whole number has no decimals
    assert first.labels.names == second.labels.names == ["0.5", "2", "5", "10"]
    assert first.labels.values.tolist() == [[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert second.labels.values.tolist() == [[1, 0, 0, 0]]
    assert first.path == str(train) and second.path == str(test)


@pytest.mark.parametrize("wrong", ["1,2 a:1", "1 2:x", "1,, 2:3", "a 1:2", "1 1:2 3"])
def test_the_line_of_a_libsvm_file_that_is_wrong_is_named(tmp_path, wrong):
    good = written(tmp_path / "good", "1 1:1", "1,2 qid:3 2:-1.5e-3", "1 # nothing")
    bad = written(tmp_path / "bad", "1 1:1", wrong, "1 1:1")
    with pytest.raises(UserError, match="bad, line 2 is not 'label,label position:value"):
        read_libsvm([good, bad])


def test_labels_of_a_libsvm_file_are_finite_and_rows_are_there(tmp_path):
    fine, bad = written(tmp_path / "fine", "1 1:1"), written(tmp_path / "bad", "inf 1:1")
    with pytest.raises(UserError, match="bad has a label that is not a finite number"):
        read_libsvm([fine, bad])
    with pytest.raises(UserError, match="bad has a label that is not a finite number"):
        read_libsvm([bad])
    with pytest.raises(UserError, match="empty is empty: write one line for each row"):
        read_libsvm([fine, written(tmp_path / "empty", "")])
