"""The sentences of the verdict: each names its test, and follows the numbers."""

import dataclasses
import re

import pytest

from mlfs.report.overall.cases import KNOWS, ORACLE, SINGLE, ZERO, Entrant
from mlfs.report.overall.contest import Contest
from mlfs.report.overall.verdict_words import sentences, tuning

from .conftest import ENTRANTS, level, noise, usual

TESTS = re.compile(
    r"Friedman|Nemenyi|Wilcoxon|Bayesian signed-rank|bootstrap|Spearman|Pareto front|Nogueira"
)


def said(group):
    return sentences(Contest(group))


def test_every_sentence_names_its_test(grouped):
    lines = said(grouped(usual))
    assert len(lines) >= 11
    for line in lines:
        assert TESTS.search(line), line
        assert line.endswith(".") and "nan" not in line


def test_a_method_made_best_is_named_and_nobody_else(grouped):
    """With a lead on every dataset alpha is first; another lead changes the sentence."""
    for leader in (Entrant("alpha", ZERO), Entrant("gamma", KNOWS)):

        def score(one, name, ratio, leader=leader):
            return level(name) + 0.2 * (one == leader) + noise(one, name, ratio)

        text = " ".join(said(grouped(score)))
        assert f"{leader.name} has the best average rank, 1.00" in text
        assert "differ in average precision" in text


def test_equal_scores_leave_nothing_to_say_but_that(grouped):
    text = " ".join(said(grouped(lambda one, name, ratio: level(name))))
    assert "cannot be told apart" in text and "best average rank" not in text
    assert "Using each label where it is known cannot be told from counting" in text
    assert "none is better and none is worse" in text
    assert "How much of the loss is recovered cannot be said" in text
    assert "lose nothing that a test finds" in text
    assert "0 of 5 selectors are better and 0 worse" in text
    assert "is better than" not in text and "is worse than" not in text


def test_the_sentence_on_knowing_turns_with_the_sign_and_the_size(grouped):
    def with_effect(effect):
        def score(one, name, ratio):
            return level(name) + effect * (one.arm == "available case") + noise(one, name, ratio)

        return next(line for line in said(grouped(score)) if line.startswith("Using each label"))

    assert "is better than counting" in with_effect(0.05)
    assert "is worse than counting" in with_effect(-0.05)
    assert "is above counting unknown labels as 0, but within 0.01 of it" in with_effect(0.005)
    assert "is below" in with_effect(-0.005)


def test_shares_and_losses_are_those_of_the_numbers(grouped):
    text = " ".join(said(grouped(usual)))
    assert re.search(r"the available case recovers (59|60|61) % \[\d+, \d+\]", text)
    assert re.search(r"methods that know recover (79|80|81) % ", text)
    assert "With 70 % hidden the zero-filled methods lose 0.07" in text
    assert "Selection that sees all labels is better than counting" in text
    assert "5 of 5 selectors are better and 0 worse" in text


def test_without_an_oracle_nothing_is_recovered_and_without_ratio_0_nothing_is_lost(grouped):
    few = [one for one in ENTRANTS if one.arm != ORACLE]
    text = " ".join(said(grouped(usual, entrants=few, ratios=(0.4, 0.7))))
    assert "recover" not in text and "lose" not in text and "TODO" not in text


def test_one_positive_per_row_is_no_share_and_learners_do_not_select(grouped):
    few = [one for one in ENTRANTS if one.arm in (ZERO, ORACLE)]
    about = {"kind": SINGLE, "protocol": "learning", "ratios": (0.0, 1.0)}
    text = " ".join(said(grouped(usual, entrants=few, **about)))
    assert "(12 datasets), with one positive label per row, the 2 learners " in text
    assert "With one positive label per row the zero-filled methods lose 0.100" in text
    assert "Learning that sees all labels is better than counting hidden labels as 0" in text
    assert "100 %" not in text and "election" not in text
    assert "recovered" not in text  # nobody is there who could recover anything


def test_where_no_test_can_find_anything_this_is_said(grouped):
    sets = ["yeast", "emotions", "scene", "image", "enron", "medical"]
    text = " ".join(said(grouped(usual, sets=sets)))
    assert "Differences from random features cannot be significant with 6 datasets and 5 " in text
    assert "Differences from zero-filled methods cannot be significant with 6 datasets" in text
    assert "5 selectors are better" not in text
    more = " ".join(said(grouped(usual, sets=[*sets, "arts", "corel5k", "bibtex"])))
    assert "cannot be significant" not in more and "5 of 5 selectors are better" in more


def test_too_few_datasets_claim_nothing(grouped):
    [line] = said(grouped(usual, sets=["yeast", "emotions"]))
    assert line.startswith("2 datasets with results of all methods: too few for Friedman's test")


def test_stability_names_the_ends(grouped):
    group = grouped(usual)
    changed = group.stability | {"alpha (zero-filled)": 0.9, "gamma (knows)": 0.1}
    text = " ".join(said(dataclasses.replace(group, stability=changed)))
    assert "The choice of alpha (zero-filled) is the most stable over repeats, 0.90" in text
    assert "that of gamma (knows) the least, 0.10" in text


@pytest.mark.parametrize(
    ("effect", "words"),
    [(0.05, "tuning is better than defaults"), (-0.05, "worse"), (0.0, "changes nothing")],
)
def test_tuning_is_compared_with_defaults_on_shared_datasets(grouped, effect, words):
    plain = grouped(usual)
    sets = ["yeast", "emotions", "scene", "image", "enron", "medical"]
    tuned = grouped(lambda *case: usual(*case) + effect, sets=sets, tuned=True)
    [line] = tuning([plain], [tuned])
    assert words in line and f"{effect:+.4f}" in line and "6 datasets (Wilcoxon" in line
