"""Statuses of values: by hand, against scipy's t-test, and how often a wrong value would pass."""

import math

import numpy as np
import pytest
from scipy import stats

from mlfs.report.reproduction.comparison import compare_stated, run_values, swap_rate
from mlfs.report.reproduction.judgement import (
    JUDGED,
    MEANINGS,
    STATUSES,
    Mean,
    allowed,
    allowed_by_print,
    judge,
    usual_distance,
)

from .. import made

UNIT = 0.001


def mean_of(values):
    return Mean(float(np.mean(values)), float(np.std(values, ddof=1)), len(values))


def test_chance_allows_what_welchs_test_does_not_reject():
    rng = np.random.default_rng(0)
    for _ in range(200):
        theirs = rng.normal(0.5, 0.03, rng.integers(2, 11))
        ours = rng.normal(0.52, rng.uniform(0.005, 0.06), rng.integers(2, 11))
        printed, own = mean_of(theirs), mean_of(ours)
        gap = abs(own.value - printed.value)
        p = stats.ttest_ind(ours, theirs, equal_var=False).pvalue
        assert (gap <= allowed(printed, own, 0.0)) == (p >= 0.05)
        assert allowed(printed, own, UNIT) == pytest.approx(allowed(printed, own, 0.0) + UNIT / 2)


def test_one_deviation_counts_for_both_means():
    alone = Mean(0.5, 0.02, 5)
    wanted = stats.t.ppf(0.975, 4) * 0.02 * math.sqrt(1 / 5 + 1 / 10) + UNIT / 2
    assert allowed(alone, Mean(0.5, math.nan, 10), UNIT) == pytest.approx(wanted)
    assert allowed(Mean(0.5, math.nan, 10), alone, UNIT) == pytest.approx(wanted)


def test_a_mean_is_of_one_repeat_unless_more_is_said():
    wanted = stats.t.ppf(0.975, 2) * 0.02 * math.sqrt(2) + UNIT / 2
    assert allowed(Mean(0.5, 0.02), Mean(0.6, 0.02), UNIT) == pytest.approx(wanted)


def test_without_a_deviation_two_and_a_half_digits_are_allowed():
    assert allowed(Mean(0.5), Mean(0.6), 0.0001) == pytest.approx(0.00025)
    assert allowed(Mean(0.5, 0.0, 5), Mean(0.6, 0.0, 5), UNIT) == UNIT / 2
    for gap, status in ((0.00025, "reproduced"), (0.00026, "better"), (-0.00026, "worse")):
        assert judge(Mean(0.5), Mean(0.5 + gap), 0.0001, 0.1, True) == status
        turned = {"better": "worse", "worse": "better"}.get(status, status)
        assert judge(Mean(0.5), Mean(0.5 + gap), 0.0001, 0.1, False) == turned


def test_a_row_that_cannot_tell_methods_apart_reproduces_nothing():
    printed, ours = Mean(0.500, 0.02, 10), Mean(0.510, 0.02, 10)
    assert judge(printed, ours, UNIT, 0.0201, True) == "reproduced"
    assert judge(printed, ours, UNIT, 0.0199, True) == "within chance"
    assert judge(printed, ours, UNIT, math.nan, True) == "within chance"
    assert judge(printed, Mean(0.5, 0.02, 10), UNIT, 0.0, True) == "reproduced"


def test_a_value_does_not_pass_by_our_own_large_deviation():
    """A gap of .08 with a deviation of ours of .08: no row makes that a reproduction."""
    printed, noisy, quiet = Mean(0.494, 0.01, 5), Mean(0.414, 0.08, 5), Mean(0.414, 0.01, 5)
    assert allowed(printed, noisy, UNIT) > 0.08 > allowed_by_print(printed, noisy, UNIT)
    for distance in (0.01, 0.1, 0.2, 1.0):
        assert judge(printed, noisy, UNIT, distance, True) == "within chance"
        assert judge(printed, quiet, UNIT, distance, True) == "worse"
    unprinted = Mean(0.494, math.nan, 5)
    assert judge(unprinted, noisy, UNIT, 1.0, True) == "within chance"
    assert allowed_by_print(printed, Mean(0.4, 0.005, 5), UNIT) == allowed(
        printed, Mean(0.4, 0.005, 5), UNIT
    )


def test_the_usual_distance_is_the_median_over_pairs():
    assert usual_distance([0.1, 0.2, 0.4]) == pytest.approx(0.2)  # of .1, .2 and .3
    assert usual_distance([0.1, 0.2]) == pytest.approx(0.1)
    assert math.isnan(usual_distance([0.1]))


def test_every_status_has_a_meaning():
    assert tuple(MEANINGS) == STATUSES and set(JUDGED) < set(STATUSES)


def another_column(item):
    """The same results, but every column has the values of the next one of its row."""
    heads = item.ranked
    turned = dict(zip(heads, [*heads[1:], heads[0]]))
    return made.Results(
        item.experiment, item.rows.assign(method=item.rows.method.map(turned)), [], [], []
    )


def test_values_of_another_column_seldom_pass():
    runs = made.as_printed()
    wrong_values = compare_stated(run_values([another_column(item) for item in runs]))
    compared = [one for one in wrong_values if one.status in JUDGED]
    assert len(compared) == 1526
    assert sum(one.status == "reproduced" for one in compared) < 0.2 * len(compared)
    right = compare_stated(run_values(runs))
    assert swap_rate(right) < 0.2
    # by the definition: all pairs of a row, each in the place of the other
    rows = {}
    for one in right:
        if one.status != "not comparable":
            rows.setdefault(one.row, []).append(one)
    pairs = [(a, b) for row in rows.values() for a in row for b in row if a is not b]
    wrong = [a.judged_with(b.sides[1]) == "reproduced" for a, b in pairs]
    assert swap_rate(right) == pytest.approx(np.mean(wrong))
