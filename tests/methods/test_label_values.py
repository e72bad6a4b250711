"""Labels as users pass them to methods: tables with pd.NA, masked arrays, words."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mlfs.label_values import label_array
from mlfs.learners import RMFL
from mlfs.methods.labels import most_frequent
from mlfs.methods.targets import as_target
from mlfs.selectors import FSNM, GMFS

HOLES = np.array([[1, 0, np.nan], [np.nan, 1, 0], [0, 1, 1], [1, np.nan, 0]])
MASK = np.isnan(HOLES)


@pytest.mark.parametrize(
    "given",
    [
        HOLES,
        HOLES.tolist(),
        np.where(MASK, None, HOLES.astype(object)),
        np.ma.masked_array(np.where(MASK, 7, HOLES), mask=MASK),
        pd.DataFrame(HOLES),
        pd.DataFrame(HOLES).astype("Int64"),
        pd.DataFrame(HOLES).astype("boolean"),
        pd.DataFrame(HOLES).astype("Float64"),
        pd.DataFrame(HOLES).astype(object).where(~MASK, pd.NA),
        sp.csr_matrix(HOLES),
    ],
    ids=lambda given: type(given).__name__,
)
def test_every_form_of_unknown_labels_is_nan(given):
    found = label_array(given)
    assert found.dtype == float
    np.testing.assert_array_equal(found, HOLES)
    np.testing.assert_array_equal(as_target(given, n=4, missing=True).Y, HOLES)


def test_complete_labels_keep_their_type():
    assert label_array(np.array([[1, 0]], dtype=np.uint8)).dtype == np.uint8
    assert label_array(pd.DataFrame([[True, False]])).dtype == bool
    assert label_array(["a", "b"]).tolist() == ["a", "b"]  # classes of a one-dimensional y
    column = label_array(pd.Series([1, None, 0], dtype="Int64"))
    np.testing.assert_array_equal(column, [1, np.nan, 0])


@pytest.mark.parametrize(
    "words",
    [
        [["cat", "dog"], ["dog", "cow"]],
        [["cat"], ["dog", "cow"]],
        [{"cat"}, {"dog", "cow"}],
        pd.Series([["cat"], ["dog", "cow"]]),
        pd.DataFrame({"a": ["x", None], "b": ["y", "z"]}),
    ],
    ids=["matrix", "lists", "sets", "series of lists", "table"],
)
def test_words_are_refused_with_the_way_to_turn_them_into_labels(words):
    with pytest.raises(ValueError, match="MultiLabelBinarizer"):
        GMFS().fit(np.eye(2), words)


@pytest.mark.parametrize("method", [GMFS, RMFL])
def test_methods_take_tables_with_holes(method):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    Y = (X[:, :3] > 0).astype(float)
    Y[rng.random(Y.shape) < 0.2] = np.nan
    first, second = (
        method(random_state=0).fit(X, labels) for labels in (Y, pd.DataFrame(Y).astype("Int64"))
    )
    if method is GMFS:
        np.testing.assert_array_equal(first.scores_, second.scores_)
    else:
        np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))


def test_a_method_that_needs_complete_labels_says_so_for_tables_too():
    X = np.random.default_rng(1).normal(size=(20, 4))
    table = pd.DataFrame((X[:, :2] > 0).astype(int)).astype("Int64")
    plain = FSNM().fit(X, table.to_numpy(int))
    np.testing.assert_array_equal(FSNM().fit(X, table).ranking_, plain.ranking_)
    table.iloc[0, 0] = pd.NA
    with pytest.raises(ValueError, match="1 labels are nan and this method cannot use"):
        FSNM().fit(X, table)


def test_the_most_frequent_labels_are_counted_where_they_are_known():
    Y = np.array([[1, 1, np.nan], [np.nan, 0, 1], [1, 0, 1], [1, 1, 1]])
    assert most_frequent(Y, 2).tolist() == [0, 2]
