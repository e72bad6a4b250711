"""Informations against scikit-learn's mutual information, strata by strata, and known cuts."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.stats import entropy as entropy_of
from sklearn.metrics import mutual_info_score

from mlfs.numerics import information as info

CUTS = [("frequency", 2), ("frequency", 5), ("width", 2), ("width", 4), ("mean", 2)]


def counted_entropy(*columns):
    """Entropy of the joint variable, from the counts of the rows that occur."""
    return entropy_of(np.unique(np.column_stack(columns), axis=0, return_counts=True)[1])


@pytest.fixture(scope="module")
def real_slice(load_slice):
    return load_slice("emotions", 200, 30)


@pytest.mark.parametrize(("kind", "bins"), [("frequency", 2), ("width", 4)])
def test_every_pair_agrees_with_scikit_learn(real_slice, kind, bins):
    X, _ = real_slice
    F = info.discretise(X, kind, bins)
    ours = info.mutual_information(F, F)
    assert ours.shape == (30, 30)
    np.testing.assert_allclose(ours, ours.T, rtol=0, atol=1e-12)
    for i, j in combinations_with_replacement(range(30), 2):
        expected = mutual_info_score(F.values[:, i], F.values[:, j])
        assert ours[i, j] == pytest.approx(expected, rel=0, abs=1e-12)


def test_entropies_of_columns_and_pairs_equal_counted_ones(real_slice):
    X, Y = real_slice
    F, L = info.discretise(X, "frequency", 3), info.binary(Y)
    np.testing.assert_allclose(info.entropy(F), [counted_entropy(a) for a in F.values.T])
    pairs = [[counted_entropy(a, b) for b in L.values.T] for a in F.values.T]
    np.testing.assert_allclose(info.joint_entropy(F, L), pairs)


@pytest.mark.parametrize("bins", [2, 4])
def test_joint_information_obeys_the_chain_rule(real_slice, bins):
    """I((a, c); b) of the joined column, and I(a; b | c) averaged over the strata of c."""
    X, Y = real_slice
    F, L = info.discretise(X, "frequency", bins), info.binary(Y)
    c = info.joint_code(F.columns([3, 7]))
    F = F.columns(slice(5))
    joint = info.joint_information(F, c, L)
    for i, a in enumerate(F.values.T):
        for j, b in enumerate(L.values.T):
            assert joint[i, j] == pytest.approx(mutual_info_score(a * 1000 + c, b), abs=1e-12)
            strata = [
                np.mean(c == state) * mutual_info_score(a[c == state], b[c == state])
                for state in np.unique(c)
            ]
            conditional = joint[i, j] - mutual_info_score(c, b)
            assert conditional == pytest.approx(sum(strata), abs=1e-12)


@pytest.fixture(scope="module")
def with_gaps(real_slice):
    """Features in three bins, and labels of which a third is unknown and one entirely."""
    X, Y = real_slice
    Y = np.where(np.random.default_rng(0).random(Y.shape) < 0.3, np.nan, Y)
    Y[:, 2] = np.nan
    return info.discretise(X[:, :6], "frequency", 3), Y


def test_unknown_labels_leave_out_their_rows_and_no_others(with_gaps):
    F, Y = with_gaps
    L, c = info.binary(Y), F.values[:, 5]
    entropies = info.entropy(L)
    mutual = info.mutual_information(F, L)
    joint = info.joint_information(F, c, L)
    given = info.conditional_information(F, c, L)
    for j, label in enumerate(Y.T):
        known = ~np.isnan(label)
        b = label[known]
        assert entropies[j] == pytest.approx(counted_entropy(b) if len(b) else 0, abs=1e-12)
        for i, a in enumerate(F.values[known].T):
            pair = a * 3 + c[known]
            first, second = ((mutual_info_score(v, b) if len(b) else 0) for v in (a, pair))
            alone = mutual_info_score(c[known], b) if len(b) else 0
            assert mutual[i, j] == pytest.approx(first, abs=1e-12)
            assert joint[i, j] == pytest.approx(second, abs=1e-12)
            assert given[i, j] == pytest.approx(second - alone, abs=1e-12)


def test_labels_without_gaps_have_two_states_and_a_gap_adds_the_unknown_one(with_gaps):
    F, Y = with_gaps
    complete = np.nan_to_num(Y)
    assert info.binary(complete).states == 2 and not info.binary(complete).unknown
    assert info.binary(Y).states == 3 and info.binary(Y).unknown
    same = info.where_known(F, info.binary(complete), 0)
    assert same[0] is F
    some, labels = info.where_known(F, info.binary(Y), 0)
    known = ~np.isnan(Y[:, 0])
    assert np.array_equal(some.values, F.values[known])
    assert np.array_equal(labels.values, info.binary(Y).values[known])


def test_contingency_counts_every_row_once(real_slice):
    X, Y = real_slice
    F, L = info.discretise(X, "width", 4), info.binary(Y)
    table = info.contingency(F, L)
    by_hand = np.zeros((4, 2), dtype=int)
    np.add.at(by_hand, (F.values[:, 2], L.values[:, 1]), 1)
    assert np.array_equal(table[:, :, 2, 1], by_hand)
    assert np.all(table.sum(axis=(0, 1)) == len(X)) and np.all(table >= 0)


def test_joint_code_tells_exactly_the_equal_rows_apart(real_slice):
    F = info.discretise(real_slice[0], "frequency", 2).columns([0, 4, 9])
    code = info.joint_code(F)
    same = (F.values[:, None, :] == F.values[None, :, :]).all(axis=2)
    assert np.array_equal(code[:, None] == code[None, :], same)


def test_equal_frequency_bins_hold_equally_many():
    X = np.random.default_rng(0).permuted(np.tile(np.arange(30.0)[:, None], 4), axis=0)
    for bins in (2, 3, 5, 6):
        codes = info.discretise(X, "frequency", bins).values
        assert all(np.all((codes == state).sum(axis=0) == 30 // bins) for state in range(bins))


def test_thresholds_are_those_computed_by_hand():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0]])
    assert info.discretise(X, "frequency", 2).values.ravel().tolist() == [0, 0, 0, 1, 1]
    assert info.discretise(X, "width", 2).values.ravel().tolist() == [0, 0, 0, 0, 1]
    assert info.discretise(X, "mean").values.ravel().tolist() == [0, 0, 0, 0, 1]
    assert info.discretise(X, "width", 5).values.ravel().tolist() == [0, 0, 0, 1, 4]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("kind", "bins"), CUTS)
def test_two_values_stay_apart_and_a_constant_has_one_state(kind, bins, share):
    """However rare one value is, and however many bins more than values there are."""
    two = (np.arange(50) < 50 * share).astype(float)
    codes = info.discretise(np.column_stack([two, np.full(50, 0.1)]), kind, bins)
    assert mutual_info_score(codes.values[:, 0], two) == pytest.approx(counted_entropy(two))
    assert len(set(codes.values[:, 1])) == 1
    assert codes.values.max() < bins and codes.values.min() >= 0


@pytest.mark.parametrize(("kind", "bins"), [*CUTS, ("frequency", 3), ("frequency", 7)])
def test_duplicated_rows_get_the_same_codes(real_slice, kind, bins):
    X, _ = real_slice
    X = X[:-3]  # 197 rows: no number of bins divides them
    once, twice = info.discretise(X, kind, bins), info.discretise(np.repeat(X, 2, 0), kind, bins)
    assert np.array_equal(twice.values, np.repeat(once.values, 2, axis=0))


@pytest.mark.parametrize(
    ("kind", "bins", "message"),
    [
        ("median", 2, "choose one of frequency, width, mean"),
        ("width", 1, "at least 2"),
        ("frequency", 2.5, "whole number"),
        ("mean", 3, "leave bins at 2"),
    ],
)
def test_bad_discretisation_is_refused(kind, bins, message):
    with pytest.raises(ValueError, match=message):
        info.discretise(np.eye(3), kind, bins)
