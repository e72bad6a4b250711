"""Statistics against scipy, Demšar's table, the papers' printed values and exact enumeration."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from mlfs.papers import printed_cells
from mlfs.stats import (
    bonferroni_dunn_cd,
    friedman,
    friedman_of_ranks,
    nemenyi_cd,
    paired_t,
    rank_rows,
    wilcoxon,
)


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
    table = random_table(9, 4, seed=2)
    ranks = rank_rows(table).to_numpy()
    methods = 9 * ((ranks.mean(axis=0) - 2.5) ** 2).sum()
    rest = ((ranks - 2.5) ** 2).sum() - methods
    F = (methods / 3) / (rest / 24)
    result = friedman(table)
    assert pytest.approx(F) == result.F_F
    assert result.p == pytest.approx(scipy.stats.f.sf(F, 3, 24))
    assert result.significant == (result.critical_value < result.F_F)


@pytest.mark.parametrize("k, n, printed", [(8, 8, 2.203), (5, 8, 2.714)])
def test_critical_values_printed_in_the_rmfl_paper(k, n, printed):
    assert round(friedman(random_table(n, k)).critical_value, 3) == printed


def test_ranks_by_hand():
    table = pd.DataFrame({"a": [0.9, 0.5, 0.7], "b": [0.8, 0.5, 0.9], "c": [0.8, 0.4, 0.8]})
    assert rank_rows(table).to_numpy().tolist() == [[1, 2.5, 2.5], [1.5, 1.5, 3], [3, 1, 2]]
    worst_first = rank_rows(table, larger_is_better=False).to_numpy()
    assert (worst_first == 4 - rank_rows(table).to_numpy()).all()
    assert friedman(table).ranks["a"] == pytest.approx(5.5 / 3)


def test_methods_ranked_alike_everywhere():
    table = pd.DataFrame([[0.3, 0.2, 0.1]] * 5)
    result = friedman(table)
    assert result.chi2 == pytest.approx(5 * 2)  # its largest value, N(K - 1)
    assert math.isinf(result.F_F) and result.p == 0 and result.significant


def test_methods_that_never_differ():
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


def test_critical_differences_named_in_the_papers():
    assert round(nemenyi_cd(6, 7), 3) == 2.850
    assert round(nemenyi_cd(5, 8), 3) == 2.156
    assert nemenyi_cd(30, 10) > nemenyi_cd(20, 10)  # far beyond printed tables


def test_no_difference_of_one_method():
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


def test_equal_pairs_and_missing_values():
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
    with pytest.raises(ValueError, match="a paired test needs 2"):
        wilcoxon([1.0, np.nan], [0.5, 1.0])


@pytest.mark.parametrize(
    ("metric", "printed"), [("one_error", 19.21), ("ranking_loss", 11.03), ("coverage", 6.79)]
)
def test_printed_ranks_pooled_over_three_tables_give_the_printed_statistics(metric, printed):
    """RMFL's table VII: the ranks of its tables IV to VI, averaged over the missing ratios."""
    cells = printed_cells()
    cells = cells[(cells.paper == "rmfl") & cells.table.isin(["IV", "V", "VI"])]
    ranks = cells[cells.metric == metric].pivot_table(
        index="dataset", columns="method", values="printed_rank"
    )
    result = friedman_of_ranks(ranks)
    assert result.n == 8 and pytest.approx(printed, abs=0.04) == result.F_F
    assert result.critical_value == pytest.approx(2.714, abs=5e-4)
