"""PPT-MI against a literal transcription of its two steps."""

import numpy as np
import pytest

from mlfs.selectors import PPTMI


def test_order_and_gains_are_literal_on_twenty_sets(small_sets, counted, greedy):
    dropped = 0
    for X, Y, bins in small_sets():
        sets = [tuple(row) for row in Y]
        kept = [i for i, one in enumerate(sets) if sets.count(one) >= 3]
        if len({sets[i] for i in kept}) < 2:
            kept = list(range(len(sets)))
        names = sorted({sets[i] for i in kept})
        c = np.array([[names.index(sets[i])] for i in kept], dtype=float)
        at = counted(X[kept], c, bins)

        def J(f, S, at=at):
            redundancy = sum(at.mutual(f, s) for s in S) / len(S) if S else 0
            return at.mutual(f, at.labels[0]) - redundancy

        order, gains = greedy(at.features, J)
        model = PPTMI(min_count=3, bins=bins).fit(X, Y)
        assert model.n_samples_ == len(kept)
        np.testing.assert_allclose(model.gains_, gains, rtol=0, atol=1e-10)
        assert model.ranking_.tolist() == order
        dropped += len(kept) < len(sets)
    assert dropped >= 5


def test_a_label_set_that_occurs_six_times_stays_and_one_of_five_goes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(31, 4))
    Y = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [20, 6, 5], axis=0)
    assert PPTMI().fit(X, Y).n_samples_ == 26


def test_without_two_frequent_label_sets_all_instances_stay_with_a_warning():
    X = np.random.default_rng(0).normal(size=(20, 3))
    Y = (X[:, :2] > 0).astype(float)
    with pytest.warns(UserWarning, match=r"^fewer than two label sets occur min_count = 15 times"):
        model = PPTMI(min_count=15).fit(X, Y)
    assert model.n_samples_ == 20 and model.ranking_[2] == 2


def test_labels_that_are_all_alike_make_one_class():
    X = np.random.default_rng(0).normal(size=(20, 3))
    assert PPTMI(n_ranked=1).fit(X, np.ones((20, 2))).gains_[0] == pytest.approx(0, abs=1e-12)
