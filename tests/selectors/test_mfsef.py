"""MFSEF against its algorithm written out with scikit-learn's mutual information."""

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from mlfs.numerics.information import discretise
from mlfs.selectors import MFSEF, MFSLS, TopMutualInformation


def joint_entropy(a, b):
    """H(a, b) = H(a) + H(b) - I(a; b), with I(a; a) for H(a)."""
    return mutual_info_score(a, a) + mutual_info_score(b, b) - mutual_info_score(a, b)


SHARED = {"information": mutual_info_score, "joint_entropy": joint_entropy}


@pytest.mark.parametrize("redundancy", SHARED)
def test_output_follows_the_published_algorithm(load_slice, redundancy):
    X, Y = load_slice("emotions", 200, 20)
    model = MFSEF(n_experts=2, redundancy=redundancy, discretise="width", bins=3).fit(X, Y)
    shared = SHARED[redundancy]
    f = discretise(X, "width", 3).values.T
    alone = [sum(mutual_info_score(f[i], label) for label in Y.T) for i in range(20)]
    E = sorted(range(20), key=lambda i: -alone[i])[:2]
    joined = [f[i] + 3 * f[E[0]] + 9 * f[E[1]] for i in range(20)]
    relevance = [sum(mutual_info_score(column, label) for label in Y.T) for column in joined]
    sequence = sorted(range(20), key=lambda i: -round(relevance[i], 9))
    expected = list(E)
    for part, kept in [(sequence[:7], 5), (sequence[7:14], 3), (sequence[14:], 1)]:
        total = {i: sum(shared(f[i], f[g]) for g in part if g != i) for i in part}
        ascending = sorted(part, key=lambda i: (round(total[i], 9), i))
        expected += [i for i in ascending if i not in E][:kept]
    np.testing.assert_allclose(model.relevance_, relevance, atol=1e-9)
    assert model.experts_.tolist() == E
    assert model.n_selected_ == 11
    assert model.ranking_[:11].tolist() == expected
    assert model.ranking_[11:].tolist() == [i for i in sequence if i not in expected]
    other = MFSEF(
        n_experts=2, discretise="width", bins=3, redundancy=(set(SHARED) - {redundancy}).pop()
    )
    assert set(other.fit(X, Y).ranking_[:11].tolist()) != set(expected)


@pytest.mark.parametrize(
    ("d", "expected"),
    [(462, 160), (606, 208), (793, 270), (438, 151), (4, 4), (90, 34), (210, 74)],
)
def test_the_number_of_features_that_come_out_is_the_papers(d, expected):
    """4 + ⌈.6m⌉ + ⌈.3m⌉ + ⌈.1m⌉ with m = ⌈d/3⌉: 93 + 47 + 16 for arts."""
    assert MFSEF.n_output(d) == expected
    X = np.random.default_rng(0).normal(size=(20, 75))
    model = MFSEF(ratios=(0.28, 0.3, 0.1)).fit(X, X[:, :2] > 0)
    assert model.n_selected_ == 4 + 7 + 8 + 3  # .28 · 25 is 7


def test_experts_are_not_chosen_twice(load_slice):
    """They stay in the sequence: with everything kept they would come out again."""
    X, Y = load_slice("emotions", 200, 20)
    model = MFSEF(ratios=(1, 1, 1)).fit(X, Y)
    assert sorted(model.ranking_) == list(range(20))
    assert model.n_selected_ == 20


def test_without_experts_it_is_mfsls(load_slice):
    X, Y = load_slice("emotions", 200)
    assert np.array_equal(MFSEF(n_experts=0).fit(X, Y).ranking_, MFSLS().fit(X, Y).ranking_)


def test_experts_are_the_most_informative_or_those_given(load_slice):
    X, Y = load_slice("emotions", 200)
    chosen = MFSEF().fit(X, Y)
    assert np.array_equal(chosen.experts_, TopMutualInformation().fit(X, Y).ranking_[:4])
    given = MFSEF(experts=chosen.experts_.tolist(), n_experts=0).fit(X, Y)
    assert np.array_equal(given.ranking_, chosen.ranking_)
    assert MFSEF(experts=[9, 3]).fit(X, Y).ranking_[:2].tolist() == [9, 3]


def test_waterfall_experts_are_high_and_steady():
    """Four of sixteen columns lie near 1 and hardly move: these are the experts."""
    rng = np.random.default_rng(0)
    low, steady = rng.uniform(size=(200, 12)), 1 - 0.01 * rng.uniform(size=(200, 4))
    low[0], low[1], steady[0] = 0, 1, 0  # all reach from about 0 to about 1
    Y = (low[:, :3] > 0.5).astype(float)
    X = np.hstack([low, steady])
    assert sorted(MFSEF(experts="waterfall").fit(X, Y).experts_) == [12, 13, 14, 15]
    assert set(MFSEF().fit(X, Y).experts_) >= {0, 1, 2}
    filled = MFSEF(experts="waterfall", n_experts=7).fit(X, Y).experts_
    assert sorted(filled) == [0, 1, 2, 12, 13, 14, 15]


def test_a_waterfall_does_not_depend_on_where_a_feature_starts():
    """Every feature is scaled to 0..1 first, so a shift of one changes nothing."""
    rng = np.random.default_rng(0)
    X, Y = rng.uniform(size=(60, 12)) ** rng.uniform(0.2, 5, 12), rng.integers(0, 2, (60, 3))
    shifted = X + rng.uniform(-9, 9, 12)
    fits = [MFSEF(experts="waterfall").fit(given, Y.astype(float)) for given in (X, shifted)]
    assert fits[0].experts_.tolist() == fits[1].experts_.tolist()


@pytest.mark.parametrize("experts", ["mi", "waterfall"])
@pytest.mark.parametrize("kind", ["frequency", "width", "mean"])
def test_duplicated_rows_and_permuted_features_do_not_matter(load_slice, experts, kind):
    """Duplicated rows change nothing; permuted features permute the ranking."""
    X, Y = load_slice("emotions", 251)
    order = np.random.default_rng(0).permutation(X.shape[1])
    model = MFSEF(experts=experts, discretise=kind)
    ranking = model.fit(X, Y).ranking_
    twice = model.fit(np.repeat(X, 2, axis=0), np.repeat(Y, 2, axis=0)).ranking_
    assert np.array_equal(twice, ranking)
    assert np.array_equal(order[model.fit(X[:, order], Y).ranking_], ranking)


def test_a_copy_of_a_label_comes_first(load_slice):
    X, Y = load_slice("emotions", 593)
    for label in Y.T:
        X[:, 40] = label
        assert MFSEF().fit(X, Y).ranking_[0] == 40


def test_constant_features_have_the_least_relevance_and_are_no_experts(load_slice):
    """Constants tell nothing beyond the experts: theirs is the least relevance."""
    X, Y = load_slice("emotions", 200, 30)
    X[:, [2, 11]], X[:, 5] = 4.0, X[:, 5] > 0
    model = MFSEF(bins=4).fit(X, Y)
    assert sorted(model.ranking_) == list(range(30))
    assert np.all(model.relevance_[[2, 11]] == model.relevance_.min())
    assert not np.isin([2, 11], model.experts_).any()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_experts": -1}, "'n_experts' parameter of MFSEF .* Got -1"),
        ({"experts": [1, 1]}, "distinct"),
        ({"experts": [9]}, r"0\.\.8"),
        ({"experts": "best"}, "'experts' parameter of MFSEF .* Got 'best'"),
        ({"ratios": (-0.6, 0.3, 0.1)}, "between 0 and 1"),
        ({"n_subspaces": 2}, "3 ratios for 2 subspaces"),
        ({"discretise": "none"}, "'discretise' parameter of MFSEF .* Got 'none'"),
    ],
)
def test_bad_parameters_are_refused(params, message):
    X = np.random.default_rng(0).normal(size=(20, 9))
    with pytest.raises(ValueError, match=message):
        MFSEF(**params).fit(X, X[:, :2] > 0)
