"""MFSLS against its steps written out with scikit-learn's mutual information."""

from collections import Counter
from itertools import product
from math import ceil, log

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from mlfs.numerics.information import discretise
from mlfs.selectors import MFSLS


def joint_entropy(a, b):
    """-Σ p log p over the pairs of values that occur."""
    counts = Counter(zip(a.tolist(), b.tolist())).values()
    return -sum(count / len(a) * log(count / len(a)) for count in counts)


SHARED = {"information": mutual_info_score, "joint_entropy": joint_entropy}


@pytest.mark.parametrize("redundancy", SHARED)
def test_output_follows_the_published_steps(load_slice, redundancy):
    X, Y = load_slice("emotions", 200, 20)
    model = MFSLS(redundancy=redundancy, discretise="width", bins=3).fit(X, Y)
    shared = SHARED[redundancy]
    f = discretise(X, "width", 3).values.T
    relevance = [sum(mutual_info_score(f[i], label) for label in Y.T) for i in range(20)]
    sequence = sorted(range(20), key=lambda i: -round(relevance[i], 9))
    expected = []
    for part, kept in [(sequence[:7], 5), (sequence[7:14], 3), (sequence[14:], 1)]:
        total = {i: sum(shared(f[i], f[g]) for g in part if g != i) for i in part}
        expected += sorted(part, key=lambda i: (round(total[i], 9), i))[:kept]
    np.testing.assert_allclose(model.relevance_, relevance, atol=1e-9)
    assert model.n_selected_ == 9
    assert model.ranking_[:9].tolist() == expected
    assert model.ranking_[9:].tolist() == [i for i in sequence if i not in expected]


def test_the_two_redundancies_keep_different_features(load_slice):
    X, Y = load_slice("emotions", 200, 20)
    kept = [set(MFSLS(redundancy=one).fit(X, Y).ranking_[:9].tolist()) for one in SHARED]
    assert kept[0] != kept[1]


def test_joint_entropy_prefers_features_that_are_nearly_constant():
    """Columns that are 1 in a half, a quarter, an eighth and a sixteenth of the rows."""
    bits = np.array(list(product([0, 1], repeat=8)))
    X = np.column_stack([bits[:, : i + 1].all(axis=1) for i in (3, 0, 2, 1)])
    model = MFSLS(n_subspaces=1, ratios=[1.0], redundancy="joint_entropy")
    assert model.fit(X.astype(float), bits[:, 6:].astype(float)).ranking_.tolist() == [0, 2, 3, 1]


@pytest.mark.parametrize("d", [1, 2, 5, 31])
def test_ranking_is_complete_for_any_number_of_features(load_slice, d):
    X, Y = load_slice("emotions", 100, d)
    model = MFSLS().fit(X, Y)
    size = ceil(d / 3)
    assert sorted(model.ranking_) == list(range(d))
    assert model.n_selected_ == min(d, ceil(0.6 * size) + ceil(0.3 * size) + ceil(0.1 * size))


def test_a_share_of_a_subspace_that_is_a_whole_number_is_not_rounded_up():
    X = np.random.default_rng(0).normal(size=(20, 75))
    model = MFSLS(ratios=(0.28, 0.2, 0.1)).fit(X, X[:, :2] > 0)
    assert model.n_selected_ == 7 + 5 + 3  # .28 · 25 is 7, though 7.000000000000001 in binary


def test_one_subspace_kept_whole_is_the_order_of_redundancy(load_slice):
    """Independent columns beside copies of one column: the copies are redundant, come last."""
    X, Y = load_slice("emotions", 400, 6)
    X = np.hstack([X, X[:, [0]], X[:, [0]]])
    model = MFSLS(n_subspaces=1, ratios=[1.0]).fit(X, Y)
    assert model.n_selected_ == 8
    assert model.ranking_[5:].tolist() == [0, 6, 7]


def test_duplicating_rows_changes_nothing(load_slice):
    X, Y = load_slice("emotions", 151)
    twice = MFSLS().fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2, axis=0))
    assert np.array_equal(twice.ranking_, MFSLS().fit(X, Y).ranking_)


def test_permuting_features_permutes_the_ranking(load_slice):
    X, Y = load_slice("emotions", 300)
    order = np.random.default_rng(0).permutation(X.shape[1])
    assert np.array_equal(order[MFSLS().fit(X[:, order], Y).ranking_], MFSLS().fit(X, Y).ranking_)


def test_a_copy_of_a_label_is_the_most_relevant(load_slice):
    """The output is ordered by redundancy, so the copy leads the sequence, not the ranking."""
    X, Y = load_slice("emotions", 593)
    X[:, 40] = Y[:, 2]
    assert np.argmax(MFSLS().fit(X, Y).relevance_) == 40


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"ratios": (0.6, -0.3, 0.1)}, "between 0 and 1"),
        ({"ratios": (1.2, 0.3, 0.1)}, "between 0 and 1"),
        ({"ratios": (0.6, 0.4)}, "2 ratios for 3 subspaces"),
        ({"redundancy": "entropy"}, "'redundancy' parameter of MFSLS .* Got 'entropy'"),
        ({"n_subspaces": 0, "ratios": ()}, "'n_subspaces' parameter of MFSLS .* Got 0"),
    ],
)
def test_bad_subspaces_are_refused(params, message):
    X = np.random.default_rng(0).normal(size=(20, 9))
    with pytest.raises(ValueError, match=message):
        MFSLS(**params).fit(X, X[:, :2] > 0)
