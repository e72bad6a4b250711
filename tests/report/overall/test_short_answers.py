"""The answers in a few lines follow the numbers."""

import pytest

from mlfs.report.overall.cases import (
    CONTROL,
    INVISIBLE,
    KNOWS,
    NOTHING,
    PLAIN,
    VISIBLE,
    ZERO,
    Entrant,
)
from mlfs.report.overall.contest import Contest
from mlfs.report.overall.short_answers import in_short

from .conftest import level, noise, usual

NAMES = ("alpha", "beta", "gamma", "delta")
PLAINLY = [*(Entrant(name, PLAIN) for name in NAMES), Entrant("random", CONTROL)]


def said(*groups):
    return in_short([Contest(group) for group in groups])


@pytest.fixture
def nothing(grouped):
    def make(score, **changes):
        about = {"entrants": PLAINLY, "ratios": (0.0,), "kind": NOTHING, "panel": "given"}
        return grouped(score, **about | changes)

    return make


def by_place(order):
    return lambda one, name, ratio: level(name) - 0.05 * order.index(one.method)


@pytest.mark.parametrize("order", ["alpha beta gamma delta", "delta alpha beta gamma"])
def test_the_first_are_named_in_their_order(nothing, order):
    names = order.split()
    [which, pay] = said(nothing(by_place([*names, "random"])))
    first, second, third, _ = names
    assert which == (
        f"Which selector? Nothing hidden: {first}, {second} and {third}. Of the other 3, 1 is not "
        "distinguished from the first. (Average ranks on 12 datasets; tests of Friedman and "
        "Nemenyi.)"
    )
    assert pay == (
        "Do they pay? Nothing hidden: of 4 selectors, 4 better and 0 worse than random features "
        "(+0.050 to +0.200) in average precision. (Wilcoxon's signed ranks, Holm's correction.)"
    )


def test_equal_scores_say_so(nothing, grouped):
    def same(one, name, ratio):
        return level(name)

    [which, pay] = said(nothing(same))
    assert "the 4 selectors cannot be told apart (p = 1). (Average ranks on 12 datasets" in which
    assert "distinguished" not in which
    assert "0 better and 0 worse than random features (+0.000 to +0.000" in pay
    knowing = said(grouped(same, panel="given"))[-1]
    assert knowing.count("+0.000 with labels unknown (not significant)") == 3


def test_knowing_pays_where_it_does(grouped):
    [which, knowing] = said(grouped(usual, panel="given"))
    assert "Labels unknown: gamma (knows), " in which and "alpha (zero" not in which
    assert knowing.startswith(
        "Does knowing pay? Gains of selectors in average precision over counting what is missing "
        "as 0. Each label used where it is known: +0.030 with labels unknown (p = 0.00"
    )
    assert "; a way of its own: +0.040 with labels unknown (p" in knowing

    def little(one, name, ratio):
        return level(name) - 0.005 * (one.arm == KNOWS) + noise(one, name, ratio)

    knowing = said(grouped(little, panel="given"))[-1]
    assert "a way of its own: -0.005 with labels unknown (p = " in knowing
    assert ", within .01)" in knowing
    few = said(grouped(usual, panel="given", sets=["yeast", "emotions", "scene", "image"]))[-1]
    assert (
        "a way of its own: +0.04" in few and "with labels unknown (too few datasets to test)" in few
    )


@pytest.mark.parametrize(("kind", "name"), [(VISIBLE, "alpha (zero-filled)"), (INVISIBLE, "alpha")])
def test_zero_filling_is_named_where_it_is_one_of_several_ways(grouped, kind, name):
    def filled(one, dataset, ratio):
        return (
            level(dataset) + 0.1 * (one.arm == ZERO) - 0.01 * [*NAMES, "random"].index(one.method)
        )

    which = said(grouped(filled, panel="given", kind=kind))[0]
    assert f": {name}, " in which and ("zero-filled" in which) is (kind == VISIBLE)


def test_kinds_are_told_apart_and_full_labels_left_out(nothing, grouped):
    lines = said(
        nothing(by_place([*NAMES, "random"])), grouped(usual), grouped(usual, panel="given")
    )
    assert [line.partition("?")[0] for line in lines] == [
        "Which selector",
        "Do they pay",
        "Does knowing pay",
    ]
    assert lines[0].count("Nothing hidden: ") == lines[0].count(". Labels unknown: ") == 1


def test_tuning_and_other_protocols_have_lines_of_their_own(nothing, grouped):
    plain = grouped(usual, panel="given")
    tuned = grouped(lambda *case: usual(*case) + 0.02, panel="given", tuned=True)
    learners = nothing(by_place([*NAMES, "random"]), protocol="learning", entrants=PLAINLY[:4])
    lines = said(plain, tuned, learners)
    [line] = [line for line in lines if line.startswith("Does tuning pay? ")]
    assert "Gains in average precision over defaults: +0.0200 with labels unknown (p = 0.0" in line
    assert lines[-1].startswith("Which learner? Nothing hidden: alpha, beta")
