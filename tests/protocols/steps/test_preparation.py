"""What comes before a method: seconds that add up, scales, folds, and where seeds come from."""

import zlib

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs import config
from mlfs.protocols.plan import plan
from mlfs.protocols.steps import preparation
from mlfs.protocols.steps.preparation import Stopwatch, Task, scale_features
from mlfs.protocols.steps.seeds import generator, seed


def test_seconds_add_up_under_each_name(monkeypatch):
    ticks = iter([10.0, 10.5, 20.0, 21.0, 30.0, 30.25])
    monkeypatch.setattr(preparation, "perf_counter", lambda: next(ticks))
    watch = Stopwatch()
    for name in ("fit", "tune", "fit"):
        with watch(name):
            pass
    assert watch.seconds == {"fit": 0.75, "tune": 1.0}


def test_scales_equal_their_formulas():
    rng = np.random.default_rng(0)
    A, B = 3 + rng.standard_normal((20, 4)), rng.standard_normal((7, 4))
    expected = {
        "none": (A, B),
        "unit": tuple(M / np.sqrt((M**2).sum(axis=1, keepdims=True)) for M in (A, B)),
        "standard": tuple((M - A.mean(axis=0)) / A.std(axis=0) for M in (A, B)),
        "minmax": tuple((M - A.min(axis=0)) / np.ptp(A, axis=0) for M in (A, B)),
    }
    for kind, parts in expected.items():
        for ours, theirs in zip(scale_features(kind, A, B), parts):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("kind", ["standard", "minmax", "unit"])
def test_sparse_features_keep_their_zeros(kind):
    rng = np.random.default_rng(1)
    A = rng.random((20, 4)) * (rng.random((20, 4)) < 0.5)
    spread = {"standard": A.std(axis=0), "minmax": np.abs(A).max(axis=0)}
    spread["unit"] = np.maximum(np.sqrt((A**2).sum(axis=1, keepdims=True)), 1e-300)
    scaled, again = scale_features(kind, sp.csr_matrix(A), sp.csr_matrix(A))
    assert sp.issparse(scaled) and sp.issparse(again)
    np.testing.assert_allclose(scaled.toarray(), A / spread[kind], atol=1e-12)


def test_a_fold_is_of_training_rows_and_scores_hidden_labels_as_irrelevant():
    """What the mask has hidden counts as irrelevant; what the data do not know is left out."""
    X = np.arange(8.0).reshape(4, 2)
    Y = np.array([[1, np.nan], [np.nan, 1], [0, 1], [np.nan, np.nan]])
    full = np.array([[1, 0], [1, 1], [0, 1], [0, np.nan]])
    task = Task(X, Y, -np.ones((1, 2)), np.ones((1, 2)), 5, full)
    fold = task.fold(np.array([0, 2]), np.array([1, 3]))
    np.testing.assert_array_equal(fold.X, X[[0, 2]])
    np.testing.assert_array_equal(fold.Y, Y[[0, 2]])
    np.testing.assert_array_equal(fold.Y_full, full[[0, 2]])
    np.testing.assert_array_equal(fold.X_test, X[[1, 3]])
    np.testing.assert_array_equal(fold.Y_test, [[0, 1], [0, np.nan]])
    assert fold.seed == 5
    known = task.fold(np.array([0, 2]), np.array([1, 3]), on_known=True)
    np.testing.assert_array_equal(known.Y_test, Y[[1, 3]])


def test_random_numbers_come_from_seed_dataset_repeat_and_purpose():
    content = {
        "name": "s",
        "protocol": "learning",
        "seed": 11,
        "datasets": ["emotions"],
        "split": {"kind": "holdout", "repeats": 3},
        "methods": ["leml"],
        "metrics": ["average_precision"],
    }
    cell = plan(config.parse(content, source="test"))[2].cell
    for purpose in ("split", "mask"):
        key = [11, zlib.crc32(b"emotions"), 2, zlib.crc32(purpose.encode())]
        expected = np.random.default_rng(np.random.SeedSequence(key))
        assert np.array_equal(generator(cell, purpose).random(4), expected.random(4))
        expected = np.random.default_rng(np.random.SeedSequence(key))
        assert seed(cell, purpose) == expected.integers(2**31)
    first = np.random.default_rng(np.random.SeedSequence([11, key[1], 0, key[3]]))
    assert generator(cell, "mask", repeat=0).random() == first.random()
