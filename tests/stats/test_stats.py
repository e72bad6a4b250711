"""Statistics against scipy, Demšar's table, the papers' printed values and exact enumeration."""

import importlib
import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy.spatial
import scipy.stats

from mlfs.papers import printed_values
from mlfs.stats import (
    bonferroni_dunn_cd,
    friedman,
    friedman_of_ranks,
    holm,
    holm_wilcoxon,
    jaccard,
    nemenyi_cd,
    paired_t,
    rank_biserial,
    rank_rows,
    smallest_wilcoxon_p,
    stability,
    wilcoxon,
)
from mlfs.stats.friedman import ranks_of
from mlfs.stats.paired import kendall_tau, t_tails
from mlfs.stats.rounding import mean_ranks

friedman_module = importlib.import_module("mlfs.stats.friedman")  # not the function


def random_table(n, k, seed=0):
    values = np.random.default_rng(seed).random((n, k))
    return pd.DataFrame(values, [f"set{i}" for i in range(n)], [f"m{j}" for j in range(k)])


@pytest.mark.parametrize("n, k", [(8, 5), (14, 4), (3, 9)])
def test_chi2_equals_scipy_without_ties(n, k):
    table = random_table(n, k)
    expected = scipy.stats.friedmanchisquare(*table.to_numpy().T).statistic
    assert friedman(table).chi2 == pytest.approx(expected)
    assert friedman(table, larger_is_better=False).chi2 == pytest.approx(expected)


def test_chi2_with_ties_is_scipys_before_its_correction():
    table = (random_table(10, 5, seed=1) * 4).round()
    ties = sum(
        count**3 - count
        for row in table.to_numpy()
        for count in np.unique(row, return_counts=True)[1]
    )
    assert ties > 0
    correction = 1 - ties / (5 * (5**2 - 1) * 10)
    expected = scipy.stats.friedmanchisquare(*table.to_numpy().T).statistic * correction
    assert friedman(table).chi2 == pytest.approx(expected)


def test_F_F_is_the_anova_of_the_ranks():
    """Iman and Davenport's statistic is the F of a two-way layout on the ranks."""
    table = random_table(11, 4, seed=2)
    ranks = rank_rows(table).to_numpy()
    methods = 11 * ((ranks.mean(axis=0) - 2.5) ** 2).sum()
    rest = ((ranks - 2.5) ** 2).sum() - methods
    F = (methods / 3) / (rest / 30)
    result = friedman(table)
    assert pytest.approx(F) == result.F_F
    assert result.p == pytest.approx(scipy.stats.f.sf(F, 3, 30)) and not result.permuted
    assert result.significant == (result.critical_value < result.F_F)


def all_permutations(ranks):
    """The share of all orders of every row that give so large a chi2, by explicit loops."""
    found = ((ranks.sum(axis=0)) ** 2).sum()
    orders = [list(itertools.permutations(row)) for row in ranks]
    seen = [
        (np.sum(rows, axis=0) ** 2).sum() >= found - 1e-9 for rows in itertools.product(*orders)
    ]
    return np.mean(seen)


@pytest.mark.parametrize("n, k, seed", [(3, 3, 0), (4, 3, 1), (5, 3, 2), (2, 4, 3)])
def test_p_of_few_datasets_is_that_of_all_permutations(n, k, seed):
    table = random_table(n, k, seed)
    result = friedman(table)
    assert result.p == pytest.approx(all_permutations(rank_rows(table).to_numpy()))
    assert result.permuted
    tied = (table * 3).round()
    assert friedman(tied).p == pytest.approx(all_permutations(rank_rows(tied).to_numpy()))


def test_three_datasets_that_agree_are_no_proof():
    result = friedman(pd.DataFrame([[0.3, 0.2, 0.1]] * 3))
    assert math.isinf(result.F_F) and result.p == pytest.approx(1 / 36)


def test_random_permutations_are_near_all_and_always_the_same(monkeypatch):
    table = random_table(4, 4, seed=5)
    exact = friedman(table).p  # of 24^3
    monkeypatch.setattr(friedman_module, "_ENUMERATED", 0)
    drawn = friedman(table).p
    assert drawn == pytest.approx(exact, abs=0.02) and drawn == friedman(table).p
    assert friedman(pd.DataFrame([[0.4, 0.3, 0.2, 0.1]] * 10)).p == pytest.approx(1e-4)


def test_overlapping_splits_widen_the_paired_test():
    a, b = np.array([0.5, 0.6, 0.55, 0.7]), np.array([0.45, 0.5, 0.52, 0.6])
    d = a - b
    for overlap in (0.0, 0.25, 1.0):
        t = d.mean() / math.sqrt(d.var(ddof=1) * (1 / 4 + overlap))
        result = paired_t(a, b, overlap)
        assert result.statistic == pytest.approx(t)
        assert result.p == pytest.approx(2 * scipy.stats.t.sf(t, 3))


@pytest.mark.parametrize("n", [2, 5, 7, 12])
def test_the_smallest_p_of_wilcoxon_is_that_of_all_wins(n):
    a = np.arange(1.0, n + 1)
    assert smallest_wilcoxon_p(n) == pytest.approx(wilcoxon(a, 0 * a).p)


@pytest.mark.parametrize("k, n, printed", [(8, 8, 2.203), (5, 8, 2.714)])
def test_critical_values_equal_those_in_the_rmfl_paper(k, n, printed):
    assert round(friedman(random_table(n, k)).critical_value, 3) == printed


def test_ranks_are_those_computed_by_hand():
    table = pd.DataFrame({"a": [0.9, 0.5, 0.7], "b": [0.8, 0.5, 0.9], "c": [0.8, 0.4, 0.8]})
    assert rank_rows(table).to_numpy().tolist() == [[1, 2.5, 2.5], [1.5, 1.5, 3], [3, 1, 2]]
    worst_first = rank_rows(table, larger_is_better=False).to_numpy()
    assert (worst_first == 4 - rank_rows(table).to_numpy()).all()
    assert friedman(table).ranks["a"] == pytest.approx(5.5 / 3)


def test_methods_ranked_alike_everywhere_give_the_largest_chi2():
    table = pd.DataFrame([[0.3, 0.2, 0.1]] * 5)
    result = friedman(table)
    assert result.chi2 == pytest.approx(5 * 2)  # its largest value, N(K - 1)
    assert math.isinf(result.F_F) and result.significant
    assert result.p == pytest.approx(6 / 6**5)  # each of the six orders, on all five sets


def test_methods_that_never_differ_give_chi2_0_and_p_1():
    result = friedman(pd.DataFrame(np.ones((5, 3))))
    assert (result.chi2, result.F_F, result.p) == (0, 0, 1)
    assert not result.significant


def test_a_dataset_with_a_missing_cell_is_dropped_and_named():
    table = random_table(7, 4)
    table.loc["set2", "m1"] = np.nan
    result = friedman(table)
    assert result.dropped == ("set2",)
    assert result.n == 6
    assert result.chi2 == friedman(table.drop("set2")).chi2
    assert friedman(random_table(7, 4)).dropped == ()


def test_too_small_a_table_is_refused():
    table = random_table(3, 2)
    table.iloc[:2, 0] = np.nan
    with pytest.raises(ValueError, match="2 methods have values on 1 common datasets"):
        friedman(table)


NEMENYI = [1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164]
NEMENYI_10 = [1.645, 2.052, 2.291, 2.460, 2.589, 2.693, 2.780, 2.855, 2.920]
DUNN = [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773]
DUNN_10 = [1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450, 2.498, 2.539]


@pytest.mark.parametrize(
    "difference, alpha, table",
    [
        (nemenyi_cd, 0.05, NEMENYI),
        (nemenyi_cd, 0.10, NEMENYI_10),
        (bonferroni_dunn_cd, 0.05, DUNN),
        (bonferroni_dunn_cd, 0.10, DUNN_10),
    ],
)
def test_quantiles_equal_the_published_table(difference, alpha, table):
    for k, q in enumerate(table, start=2):
        n = 11
        assert difference(k, n, alpha) / math.sqrt(k * (k + 1) / (6 * n)) == pytest.approx(
            q, abs=6e-4
        )


def test_critical_differences_equal_those_in_the_papers():
    assert round(nemenyi_cd(6, 7), 3) == 2.850
    assert round(nemenyi_cd(5, 8), 3) == 2.156
    assert nemenyi_cd(30, 10) > nemenyi_cd(20, 10)  # far beyond printed tables


def test_a_critical_difference_of_one_method_is_refused():
    with pytest.raises(ValueError, match="k >= 2"):
        nemenyi_cd(1, 5)


def test_paired_t_equals_scipy_and_the_formula():
    rng = np.random.default_rng(3)
    a, b = rng.random(12), rng.random(12)
    d = a - b
    result = paired_t(a, b)
    assert result.statistic == pytest.approx(d.mean() / (d.std(ddof=1) / math.sqrt(12)))
    assert result.p == pytest.approx(scipy.stats.ttest_rel(a, b).pvalue)
    assert paired_t(b, a).statistic == pytest.approx(-result.statistic)


def test_wilcoxon_is_the_exact_enumeration():
    a = np.array([0.81, 0.74, 0.69, 0.90, 0.77, 0.62, 0.85])
    b = np.array([0.78, 0.75, 0.60, 0.83, 0.72, 0.66, 0.79])
    rank = scipy.stats.rankdata(np.abs(a - b))
    plus = rank[a > b].sum()
    observed = min(plus, rank.sum() - plus)
    sums = [np.dot(rank, signs) for signs in itertools.product([0, 1], repeat=7)]
    p = 2 * np.mean(np.array(sums) <= observed)
    result = wilcoxon(a, b)
    assert (result.statistic, result.n) == (observed, 7)
    assert result.p == pytest.approx(p)


def test_equal_pairs_have_p_1_and_missing_values_are_left_out():
    same = [0.5, 0.25, 0.75, 0.125]
    for test in (paired_t, wilcoxon):
        assert test(same, same).p == 1
    assert paired_t([0.5, 1.5, 2.5], [0.0, 1.0, 2.0]).p == 0  # always .5 apart
    assert paired_t([0.0, 1.0], [0.5, 1.5]).statistic == -math.inf
    a, b = [1.0, 0.25, np.nan, 4.0, 3.0], [0.5, 0.5, 1.0, 1.0, np.nan]
    assert paired_t(a, b) == paired_t([1.0, 0.25, 4.0], [0.5, 0.5, 1.0])
    assert paired_t(a, b).n == 3


def test_unpaired_input_is_refused():
    with pytest.raises(ValueError, match="not paired"):
        paired_t([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="a paired test needs at least 2"):
        wilcoxon([1.0, np.nan], [0.5, 1.0])


@pytest.mark.parametrize(
    ("metric", "printed"), [("one_error", 19.21), ("ranking_loss", 11.03), ("coverage", 6.79)]
)
def test_printed_ranks_pooled_over_three_tables_give_the_printed_statistics(metric, printed):
    """RMFL's table VII: the ranks of its tables IV to VI, averaged over the missing ratios."""
    cells = printed_values()
    cells = cells[(cells.paper == "rmfl") & cells.table.isin(["IV", "V", "VI"])]
    ranks = cells[cells.metric == metric].pivot_table(
        index="dataset", columns="method", values="printed_rank"
    )
    result = friedman_of_ranks(ranks)
    assert result.n == 8 and pytest.approx(printed, abs=0.04) == result.F_F
    assert result.critical_value == pytest.approx(2.714, abs=5e-4)


def drawn_choices(n, d, seed, chance=None):
    """Binary choices of n repeats, each feature with a chance of its own."""
    rng = np.random.default_rng(seed)
    chance = rng.beta(0.4, 0.6, d) if chance is None else chance
    return (rng.random((n, d)) < chance).astype(int)


def stability_in_loops(Z):
    """Nogueira, Sechidis and Brown's definition 4 and theorem 7, read off term by term."""
    M, d = len(Z), len(Z[0])
    p = [sum(Z[i][f] for i in range(M)) / M for f in range(d)]
    k = [sum(Z[i]) for i in range(M)]
    k_mean = sum(k) / M
    spread = sum(M / (M - 1) * p[f] * (1 - p[f]) for f in range(d)) / d
    scale = k_mean / d * (1 - k_mean / d)
    index = 1 - spread / scale
    phi = []
    for i in range(M):
        agree = sum(Z[i][f] * p[f] for f in range(d)) / d
        inner = 2 * k[i] * k_mean / d**2 - k[i] / d - k_mean / d + 1
        phi.append((agree - k[i] * k_mean / d**2 + index / 2 * inner) / scale)
    phi_mean = sum(phi) / M
    return index, 4 / M**2 * sum((value - phi_mean) ** 2 for value in phi)


@pytest.mark.parametrize("n, d, seed", [(2, 3, 0), (5, 12, 1), (20, 7, 2), (10, 60, 3)])
def test_stability_is_the_papers_formula(n, d, seed):
    Z = drawn_choices(n, d, seed)
    index, variance = stability_in_loops(Z.tolist())
    result = stability(Z, d)
    assert (result.index, result.variance) == pytest.approx((index, variance))
    half = 1.959963985 * math.sqrt(variance)
    assert (result.low, result.high) == pytest.approx((index - half, index + half))
    assert (result.n, result.alpha, result.reason) == (n, 0.05, "")
    assert stability([np.flatnonzero(row).tolist() for row in Z], d) == result


def test_stability_equals_kunchevas_index_for_subsets_of_one_size():
    rng = np.random.default_rng(4)
    d, k = 15, 6
    subsets = [rng.choice(d, k, replace=False).tolist() for _ in range(7)]
    pairs = [
        (len(set(a) & set(b)) * d - k**2) / (k * (d - k))
        for a, b in itertools.combinations(subsets, 2)
    ]
    assert stability(subsets, d).index == pytest.approx(np.mean(pairs))


def test_stability_is_1_for_the_same_choices_and_least_for_opposite_ones():
    result = stability([[3, 1], [1, 3], [3, 1]], 9)
    assert (result.index, result.low, result.high) == pytest.approx((1, 1, 1))
    assert stability([[0, 1], [2, 3]], 4).index == pytest.approx(-1)  # -1/(M - 1), the least


def test_stability_of_random_choices_is_0_on_average():
    rng = np.random.default_rng(5)
    found = [
        stability([rng.permutation(20)[:8].tolist() for _ in range(4)], 20).index
        for _ in range(500)
    ]
    assert abs(np.mean(found)) < 4 * np.std(found) / math.sqrt(500)
    assert np.std(found) < 0.2


def test_stability_does_not_depend_on_the_order_of_repeats_or_features():
    Z = drawn_choices(8, 11, 6)
    rng = np.random.default_rng(6)
    other = Z[rng.permutation(8)][:, rng.permutation(11)]
    a, b = stability(Z, 11), stability(other, 11)
    assert (a.index, a.low, a.high) == pytest.approx((b.index, b.low, b.high))
    swapped = stability(1 - Z, 11)  # to choose is to leave out the rest
    assert (a.index, a.variance) == pytest.approx((swapped.index, swapped.variance))


def test_variance_of_stability_is_near_the_jackknifes():
    Z = drawn_choices(200, 25, 7)
    left = [stability(np.delete(Z, i, axis=0), 25).index for i in range(200)]
    jackknife = 199 / 200 * ((left - np.mean(left)) ** 2).sum()
    assert stability(Z, 25).variance == pytest.approx(jackknife, rel=0.03)


@pytest.mark.parametrize("alpha, expected", [(0.05, 0.95), (0.2, 0.80)])
def test_the_interval_of_stability_covers_the_true_value(alpha, expected):
    chance = np.linspace(0.05, 0.95, 12) ** 2
    size = chance.mean()
    truth = 1 - (chance * (1 - chance)).mean() / (size * (1 - size))
    trials = 600
    results = [stability(drawn_choices(60, 12, 100 + t, chance), 12, alpha) for t in range(trials)]
    covered = np.mean([result.low <= truth <= result.high for result in results])
    assert covered == pytest.approx(expected, abs=0.04)


@pytest.mark.parametrize(
    "choices, reason",
    [
        ([[0, 1]], "fewer than two repeats"),
        ([], "fewer than two repeats"),
        ([[], []], "no feature is chosen"),
        ([[0, 1, 2], [2, 1, 0]], "every feature is chosen"),
    ],
)
def test_undefined_stability_says_why(choices, reason):
    result = stability(choices, 3)
    assert all(map(math.isnan, (result.index, result.low, result.high, result.variance)))
    assert result.reason == reason and result.n == len(choices)


@pytest.mark.parametrize(
    "choices", [[[0, 0], [1]], [[0, 3], [1]], [[-1], [1]], np.eye(2), np.full((2, 3), 2)]
)
def test_impossible_choices_are_refused(choices):
    with pytest.raises(ValueError, match=r"choice"):
        stability(choices, 3)


def test_jaccard_equals_what_is_counted_by_hand_and_scipy():
    assert jaccard([1, 2, 3], [3, 4]) == 1 / 4
    assert jaccard([5, 1], [1, 5]) == 1 == jaccard([], [])
    assert jaccard([1], []) == 0
    a, b = drawn_choices(2, 40, 8).astype(bool)
    expected = 1 - scipy.spatial.distance.jaccard(a, b)
    assert jaccard(np.flatnonzero(a), np.flatnonzero(b)) == pytest.approx(expected)


@pytest.mark.parametrize(("n", "divisor"), [(6, 1), (6, 10), (9, 10), (14, 10), (25, 7), (60, 10)])
def test_wilcoxon_with_ties_is_scipys_of_the_whole_numbers(n, divisor):
    """Tenths break ties by rounding (.3 - .2 is not .2 - .1); whole numbers are exact."""
    rng = np.random.default_rng(n)
    for _ in range(3):
        a, b = rng.integers(0, 8, (2, n)).astype(float)
        expected = scipy.stats.wilcoxon(a, b, zero_method="wilcox")
        ours = wilcoxon(a / divisor, b / divisor)
        assert ours.p == pytest.approx(expected.pvalue, abs=1e-12)
        assert ours.statistic == pytest.approx(expected.statistic)
        assert ours.n == (a != b).sum()


def test_equal_pairs_count_when_the_way_to_the_p_value_is_chosen():
    """14 pairs of which two are equal: scipy takes the normal distribution for all 14."""
    a = np.arange(14.0) ** 2
    b = np.where(np.arange(14) % 3 == 1, a + np.arange(14.0) + 0.5, a - 2 * np.arange(14.0))
    b[[0, 5]] = a[[0, 5]]
    assert wilcoxon(a, b).p == pytest.approx(scipy.stats.wilcoxon(a, b).pvalue, abs=1e-12)


def test_wilcoxon_does_not_depend_on_units_or_direction():
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 9, (2, 12)) / 10
    p = wilcoxon(a, b).p
    assert wilcoxon(b, a).p == pytest.approx(p)
    for unit in (1e-12 / 3, 1e9 / 3):
        assert wilcoxon(unit * a, unit * b).p == pytest.approx(p)


def test_means_of_the_same_scores_in_another_order_share_a_rank():
    a, b = np.mean([0.1, 0.2, 0.3]), np.mean([0.3, 0.2, 0.1])
    assert a != b  # by one rounding
    table = pd.DataFrame({"a": [a], "b": [b], "c": [0.1], "d": [np.nan]})
    assert rank_rows(table).to_numpy()[0, :3].tolist() == [1.5, 1.5, 3]
    assert rank_rows(table).isna()["d"].all()


def test_rank_biserial_equals_what_is_counted_by_hand():
    # differences 3, -1, 2, 0: ranks 3, 1, 2 of which 5 speak for a and 1 for b
    assert rank_biserial([3, 0, 2, 5], [0, 1, 0, 5]) == pytest.approx((5 - 1) / 6)
    assert rank_biserial([1, 2, 3], [0, 0, 0]) == 1
    assert rank_biserial([1, 2], [1, 2]) == 0


def test_holm_rejects_as_his_procedure_does():
    """Step down: the smallest p against level / m, the next against level / (m - 1), and so on."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        p = rng.random(6) ** 3
        for level in (0.01, 0.05, 0.2, 0.6):
            rejected = np.zeros(6, dtype=bool)
            for step, index in enumerate(np.argsort(p)):
                if p[index] > level / (6 - step):
                    break
                rejected[index] = True
            assert ((holm(p) <= level) == rejected).all()
    assert holm([0.5, 0.9]).tolist() == [1.0, 1.0]


def test_holm_wilcoxon_of_all_pairs_and_against_a_control_equals_scipy():
    table = random_table(12, 4, seed=7)
    table["m0"] += 0.8
    table.loc["set3", "m1"] = np.nan
    found = holm_wilcoxon(table)
    pairs = list(itertools.combinations(table.columns, 2))
    assert list(zip(found.method, found.versus)) == pairs
    rest = table.drop("set3")
    for row in found.itertuples():
        a, b = rest[row.method], rest[row.versus]
        assert row.p == pytest.approx(scipy.stats.wilcoxon(a, b).pvalue)
        assert (row.n, row.wins, row.ties, row.losses) == (11, (a > b).sum(), 0, (a < b).sum())
    assert found.p_holm.tolist() == holm(found.p).tolist()
    assert found.differs.tolist() == (found.p_holm < 0.05).tolist() and found.differs.any()
    control = holm_wilcoxon(table, control="m2")
    assert control.method.tolist() == ["m2"] * 3 and control.versus.tolist() == ["m0", "m1", "m3"]
    assert control.effect[0] == -found.effect[1] < 0  # a smaller family, the same pairs
    assert control.p_holm.max() <= 3 * control.p.max()
    lower = holm_wilcoxon(table, larger_is_better=False)
    assert (lower.wins.tolist(), lower.effect.tolist()) == (
        found.losses.tolist(),
        (-found.effect).tolist(),
    )


def test_a_corrected_p_at_the_level_is_no_difference():
    table = random_table(12, 3, seed=7)
    level = holm_wilcoxon(table).p_holm.min()
    assert not holm_wilcoxon(table, alpha=level).differs.any()
    assert holm_wilcoxon(table, alpha=np.nextafter(level, 1)).differs.any()


def test_holm_wilcoxon_refuses_what_it_cannot_compare():
    with pytest.raises(ValueError, match="no column 'x'"):
        holm_wilcoxon(random_table(5, 3), control="x")
    with pytest.raises(ValueError, match="needs 2 of each"):
        holm_wilcoxon(random_table(1, 3))


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 29, 200])
def test_tails_of_student_are_those_of_scipy(freedom):
    for t in [1e-3, 0.01, 0.3, 1.0, 1.5, 2.776, 4.0, 12.7, 100.0, 1e4]:
        expected = 2 * scipy.special.stdtr(freedom, -t)
        assert t_tails(t, freedom) == pytest.approx(expected, rel=1e-12)
        assert t_tails(-t, freedom) == t_tails(t, freedom)
    assert t_tails(0.0, freedom) == 1
    assert t_tails(math.inf, freedom) == t_tails(-math.inf, freedom) == 0


def test_ranks_in_an_array_are_those_of_pandas():
    values = np.random.default_rng(3).integers(0, 4, (40, 6)).astype(float)
    values[values == 3] = np.nan
    for larger in (True, False):
        expected = pd.DataFrame(values).rank(axis=1, ascending=not larger, method="average")
        np.testing.assert_array_equal(ranks_of(values, larger), expected)


def test_kendall_tau_is_that_of_scipy():
    rng = np.random.default_rng(0)
    for n in range(2, 12):
        for _ in range(20):
            a, b = rng.integers(0, 6, n).astype(float), rng.normal(size=n)
            ours, theirs = kendall_tau(a, b), float(scipy.stats.kendalltau(a, b).statistic)
            assert ours == theirs or (np.isnan(ours) and np.isnan(theirs))
    assert np.isnan(kendall_tau([1.0, np.nan, 2.0], [1.0, 2.0, 3.0]))


def test_wilcoxon_is_that_of_scipy_to_the_last_bit():
    rng = np.random.default_rng(0)
    for n in (2, 7, 14, 30, 50, 51):
        a, b = rng.normal(size=n) + 0.2, rng.normal(size=n)
        found, known = wilcoxon(a, b), scipy.stats.wilcoxon(a - b)
        assert (found.statistic, found.p, found.n) == (known.statistic, known.pvalue, n)


def test_ranks_and_critical_values_are_those_of_scipy():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 5, 12).astype(float)
    assert mean_ranks(values).tolist() == scipy.stats.rankdata(values).tolist()
    table = pd.DataFrame(rng.normal(size=(12, 4)))
    found = friedman(table)
    assert found.critical_value == scipy.stats.f.isf(0.05, 3, 33)
    assert found.p == scipy.stats.f.sf(found.F_F, 3, 33)
    assert bonferroni_dunn_cd(4, 6) == scipy.stats.norm.isf(0.05 / 6) * np.sqrt(20 / 36)


def test_random_permutations_are_those_of_the_ranks_themselves():
    ranks = np.array([[1, 2, 3, 4, 5, 6, 7.0]] * 2 + [[2, 1, 3.5, 3.5, 6, 5, 7]] * 2)
    drawn = np.random.default_rng(0).permuted(np.tile(ranks, (9_999, 1, 1)), axis=2)
    seen = (drawn.sum(axis=1) ** 2).sum(axis=1)
    expected = ((seen >= (ranks.sum(axis=0) ** 2).sum() - 1e-9).sum() + 1) / 10_000
    assert friedman_of_ranks(pd.DataFrame(ranks)).p == expected
