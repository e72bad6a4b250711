"""PMU against a literal transcription of its definition, and against invariances."""

from collections import Counter
from itertools import combinations
from math import log2

import numpy as np
import pytest

from mlfs.numerics.information import discretise
from mlfs.selectors import PMU


def literal_pmu(columns, labels, picks):
    """Greedy selection by the printed criterion, entropy by entropy, in bits."""
    known = {}

    def H(*names):
        names = tuple(sorted(set(names)))
        if names not in known:
            counts = Counter(zip(*(variables[name] for name in names)))
            n = sum(counts.values())
            known[names] = -sum(c / n * log2(c / n) for c in counts.values())
        return known[names]

    def mutual(a, b):
        return H(a) + H(b) - H(a, b)

    def co(a, b, c):
        return H(a) + H(b) + H(c) - H(a, b) - H(a, c) - H(b, c) + H(a, b, c)

    variables = {f"f{i}": list(column) for i, column in enumerate(columns.T)}
    variables |= {f"l{j}": list(label) for j, label in enumerate(labels.T)}
    L = [f"l{j}" for j in range(labels.shape[1])]
    S = []
    while len(S) < picks:
        J = {}
        for i in range(columns.shape[1]):
            f = f"f{i}"
            if i not in S:
                J[i] = sum(mutual(f, label) for label in L)
                J[i] -= sum(co(f, f"f{s}", label) for s in S for label in L)
                J[i] -= sum(co(f, a, b) for a, b in combinations(L, 2))
        S.append(max(J, key=lambda i: (round(J[i], 9), -i)))
    return S


def test_the_first_twenty_picks_on_emotions_are_literal(real):
    data = real("emotions")
    codes = discretise(np.asarray(data.X, dtype=float), "frequency", 2).values
    expected = literal_pmu(codes, data.Y.astype(int), 20)
    assert PMU(bins=2).fit(data.X, data.Y).ranking_[:20].tolist() == expected


def test_ordered_pairs_of_labels_would_give_another_order(small_sets, counted, greedy):
    """A public program sums over all (l, l'), l = l' among them: another criterion."""

    def differs(X, Y, bins):
        at = counted(X, Y, bins)

        def J(f, S):
            picks = sum(at.co(f, s, label) for s in S for label in at.labels)
            return (
                at.relevance(f) - picks - sum(at.co(f, a, b) for a in at.labels for b in at.labels)
            )

        return greedy(at.features, J)[0] != PMU(bins=bins).fit(X, Y).ranking_.tolist()

    assert any(differs(*data) for data in small_sets())


def test_all_picks_with_three_bins_are_literal(load_slice):
    X, Y = load_slice("yeast", 120, 12)
    Y = Y[:, :4]
    expected = literal_pmu(discretise(X, "frequency", 3).values, Y.astype(int), 12)
    assert PMU(bins=3).fit(X, Y).ranking_.tolist() == expected


def test_fewer_picks_are_the_beginning_of_all_picks(load_slice):
    X, Y = load_slice("emotions", 300)
    everything = PMU().fit(X, Y)
    some = PMU(n_ranked=15).fit(X, Y)
    assert np.array_equal(some.ranking_[:15], everything.ranking_[:15])
    assert sorted(some.ranking_) == list(range(X.shape[1]))
    assert np.all(np.diff(some.gains_[some.ranking_[15:]]) <= 1e-9)


def test_duplicating_rows_changes_nothing(load_slice):
    X, Y = load_slice("emotions", 151, 40)
    twice = PMU().fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2, axis=0))
    assert np.array_equal(twice.ranking_, PMU().fit(X, Y).ranking_)


def test_permuting_features_permutes_the_ranking(load_slice):
    X, Y = load_slice("emotions", 300, 40)
    order = np.random.default_rng(0).permutation(40)
    assert np.array_equal(order[PMU().fit(X[:, order], Y).ranking_], PMU().fit(X, Y).ranking_)


def test_a_copy_of_a_label_comes_first(load_slice):
    X, Y = load_slice("emotions", 593)
    for label in Y.T:
        X[:, 40] = label
        assert PMU(n_ranked=1).fit(X, Y).ranking_[0] == 40


def test_constant_features_gain_nothing_with_one_label(load_slice):
    """Without label pairs the first pick is the top of mutual information; constants have J = 0."""
    X, Y = load_slice("emotions", 200, 10)
    X[:, 4] = 3.0
    model = PMU().fit(X, Y[:, :1])
    assert sorted(model.ranking_) == list(range(10))
    assert model.gains_[4] == pytest.approx(0, abs=1e-12)


def test_a_negative_number_of_picks_is_refused():
    X = np.random.default_rng(0).normal(size=(20, 10))
    with pytest.raises(ValueError, match=r"'n_ranked' parameter .* Got -1"):
        PMU(n_ranked=-1).fit(X, X[:, :2] > 0)
