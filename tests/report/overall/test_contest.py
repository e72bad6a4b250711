"""Ranks, tests and shares of made-up groups, against the definitions."""

import numpy as np
import pandas as pd
import pytest

from mlfs import stats
from mlfs.report.overall import properties
from mlfs.report.overall.cases import AVAILABLE, CONTROL, KNOWS, ORACLE, ZERO, Entrant
from mlfs.report.overall.contest import Contest, share_of

from .conftest import ENTRANTS, SETS, level, usual


def test_ranks_leave_out_oracles_and_controls_and_a_family_counts_once(grouped):
    contest = Contest(grouped(usual))
    assert {one.arm for one in contest.ranked} == {ZERO, AVAILABLE, KNOWS}
    assert contest.of_sets.n == 12 and contest.of_families.n == 9
    gains = contest.group.gains()[[one.name for one in contest.ranked]]
    ranks = gains.rank(axis=1, ascending=False)
    yahoo = ranks.loc[["arts", "business", "health", "science"]].mean()
    others = ranks.drop(["arts", "business", "health", "science"])
    expected = (others.sum() + yahoo) / 9
    pd.testing.assert_series_equal(contest.of_families.ranks, expected)
    assert contest.best == Entrant("gamma", KNOWS)
    assert contest.cd == pytest.approx(stats.nemenyi_cd(5, 9))


def test_scores_are_means_over_hidden_ratios(grouped):
    group = grouped(lambda one, name, ratio: ratio)
    assert (group.scores() == 0.55).all(axis=None) and (group.scores(0.7) == 0.7).all(axis=None)
    assert group.hidden == [0.4, 0.7]
    lacks = group.values.drop(("yeast", 0.7))
    assert "yeast" not in grouped(usual, values=lacks).scores().index


def test_lower_scores_are_better_where_the_metric_says_so(grouped):
    contest = Contest(grouped(lambda *case: -usual(*case), larger=False))
    assert contest.best == Entrant("gamma", KNOWS)
    assert contest.arms[AVAILABLE].difference == pytest.approx(0.03, abs=1e-3)
    assert contest.recovered(Entrant("alpha", AVAILABLE)).value == pytest.approx(0.6, abs=0.02)
    assert contest.losses.at["alpha (zero-filled)", 0.7] == pytest.approx(0.07, abs=1e-3)


def test_arms_are_compared_through_the_methods_that_both_have(grouped):
    contest = Contest(grouped(usual))
    gains = contest.group.gains()
    mine = gains[["alpha (available case)", "beta (available case)"]].mean(axis=1)
    zero = gains[["alpha (zero-filled)", "beta (zero-filled)"]].mean(axis=1)
    found = contest.arms[AVAILABLE]
    assert found.difference == pytest.approx((mine - zero).mean())
    assert found.p == stats.wilcoxon(mine, zero).p == pytest.approx(2 / 2**12)
    assert found.p_families == pytest.approx(2 / 2**9)
    assert (found.wins, found.losses) == (12, 0) and found.bayes.better > 0.99
    assert found.bayes == stats.bayesian_signed_rank(mine, zero, rope=0.01, draws=10_000)
    p = [test.p for test in contest.arms.values()]
    np.testing.assert_allclose([t.p_holm for t in contest.arms.values()], stats.holm(p))
    # gamma has no zero-filled form: it is compared with all zero-filled methods
    knows = gains["gamma (knows)"] - zero
    assert contest.arms[KNOWS].difference == pytest.approx(knows.mean())
    own = contest.against_zero[Entrant("alpha", AVAILABLE)]
    assert own.other == "alpha (zero-filled)"
    assert contest.against_zero[Entrant("gamma", KNOWS)].other == "the mean of the zero-filled"


def test_recovered_share_is_a_ratio_of_means_with_a_bootstrap_over_datasets(grouped):
    contest = Contest(grouped(usual))
    gains = contest.group.gains()
    alpha = {arm: gains[Entrant("alpha", arm).name] for arm in (ZERO, AVAILABLE, ORACLE)}
    expected = (alpha[AVAILABLE] - alpha[ZERO]).mean() / (alpha[ORACLE] - alpha[ZERO]).mean()
    found = contest.recovered(Entrant("alpha", AVAILABLE))
    assert found.value == pytest.approx(expected) and found.low < found.value < found.high
    assert contest.recovered(Entrant("alpha", ORACLE)).value == pytest.approx(1)
    assert contest.recovered(Entrant("alpha", ZERO)).value == pytest.approx(0)
    assert contest.recovered(Entrant("gamma", KNOWS)).value == pytest.approx(0.8, abs=0.02)
    assert contest.recovered_by_arm[AVAILABLE].value == pytest.approx(0.6, abs=0.02)


def test_the_interval_of_a_share_is_that_of_resampled_pairs():
    rng = np.random.default_rng(0)
    whole = rng.uniform(0.5, 1.5, 40)
    part = 0.5 * whole + rng.normal(0, 0.1, 40)
    found = share_of(part, whole)
    shares = []
    for _ in range(4000):
        rows = rng.integers(40, size=40)
        shares.append(part[rows].mean() / whole[rows].mean())
    low, high = np.quantile(shares, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.005)
    assert found.high == pytest.approx(high, abs=0.005)
    assert not share_of(part, -whole).known
    assert not share_of(part, rng.normal(0.01, 1, 40)).known  # the oracle is not reliably better


def test_the_front_has_who_is_neither_slower_nor_worse(grouped):
    names = ["a", "b", "c", "d", "e"]
    entrants = [Entrant(name, ZERO) for name in names]
    scores = dict(zip(names, (0.5, 0.6, 0.55, 0.6, 0.7)))
    seconds = {f"{n} (zero-filled)": s for n, s in zip(names, (1.0, 2.0, 3.0, 4.0, 5.0))}
    made = grouped(lambda one, *_: scores[one.method], entrants=entrants, seconds=seconds)
    assert [one.method for one in Contest(made).front] == ["a", "b", "e"]
    even = dict.fromkeys(seconds, 1.0)
    made = grouped(lambda one, *_: scores[one.method], entrants=entrants, seconds=even)
    assert [one.method for one in Contest(made).front] == ["e"]


def test_an_advantage_that_follows_a_property_is_found(grouped):
    """The best entrant's lead is the number of labels of the dataset, up to a factor."""
    labels = properties.facts(SETS)["l"]

    def score(one, name, ratio):
        return level(name) + (labels[name] / 1000 if one.arm == KNOWS else 0)

    found = properties.associations(Contest(grouped(score)))
    lead = [one for one in found if one.trait == "labels" and one.found]
    assert {one.advantage for one in lead} >= {"gamma (knows) over the others"}
    assert all(one.rho == pytest.approx(1) and one.n == 12 for one in lead)
    facts = properties.facts(["yeast", "no such set"])
    assert facts.loc["yeast"].tolist() == [2417, 103, 14, 4.237, 4.237 / 14]
    assert list(facts.index) == ["yeast"]


def test_properties_are_those_of_the_labels_that_are_used(grouped):
    """Of reutersk500 twenty labels are used: how many of them a row has is not known."""
    facts = properties.facts(["reutersk500", "yeast"], {"reutersk500": 20})
    assert facts.loc["reutersk500", ["n", "d", "l"]].tolist() == [6000, 500, 20]
    assert facts.loc["reutersk500", ["cardinality", "density"]].isna().all()
    assert facts.loc["yeast"].tolist() == [2417, 103, 14, 4.237, 4.237 / 14]
    made = grouped(
        lambda one, name, ratio: level(name) + (one.arm == KNOWS),
        fewer_labels=dict.fromkeys(SETS, 3),
    )
    assert set(properties.winners(Contest(made))["labels"]) == {3.0}


def test_who_wins_is_counted_and_ties_are_nobodys(grouped):
    def score(one, name, ratio):
        return level(name) + (one.arm == KNOWS and name != "yeast")

    who = properties.winners(Contest(grouped(score)))
    assert dict(zip(who.winner, who.sets)) == {"gamma (knows)": 11, "several": 1}


def test_controls_are_compared_with_every_ranked_entrant(grouped):
    contest = Contest(grouped(usual))
    [(control, tests)] = contest.against_controls.items()
    assert control == ENTRANTS[-1] and control.arm == CONTROL and control.name == "random"
    assert len(tests) == 5 and all(test.differs and test.difference > 0.05 for test in tests)


def test_two_datasets_are_too_few_to_compare_with_the_zero_filled(grouped):
    def score(entrant, dataset, ratio):
        few = entrant.method == "alpha" and entrant.arm == AVAILABLE
        return (
            np.nan if few and dataset not in ("yeast", "scene") else usual(entrant, dataset, ratio)
        )

    found = {one.name for one in Contest(grouped(score)).against_zero}
    assert "beta (available case)" in found and "alpha (available case)" not in found


def test_who_is_level_with_the_best_is_within_the_critical_difference(grouped):
    contest = Contest(grouped(usual))
    ranks = contest.decisive.ranks
    near = [one for one in contest.order if ranks[one.name] - ranks.min() <= contest.cd]
    assert contest.decisive.significant and len(near) < len(contest.order)
    assert contest.level_with_best == near and near[0] == contest.best
    nobody = Contest(grouped(lambda one, name, ratio: hash_of(one.name + name)))
    assert not nobody.decisive.significant and nobody.level_with_best == nobody.order


def hash_of(text):
    return np.random.default_rng(list(text.encode())).random()
