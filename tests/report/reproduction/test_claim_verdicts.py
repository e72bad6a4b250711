"""Rules that claims are written in: what holds, what is contradicted, and what cannot be told."""

import math

import numpy as np
import pandas as pd
import pytest
from pydantic import TypeAdapter
from scipy import stats as reference

from mlfs import config, papers
from mlfs.papers.claims import Rule, needed
from mlfs.report.reproduction.claim_cases import (
    Case,
    ClaimValues,
    Curve,
    Ours,
    sample_of,
)
from mlfs.report.reproduction.claim_tests import (
    Evidence,
    Sample,
    against_all,
    evidence,
    tally,
)
from mlfs.report.reproduction.claim_verdicts import check, of_paper, on_printed, verdicts
from mlfs.report.reproduction.comparison import compare_stated, run_values
from mlfs.report.tables.dependence import overlap, splits_of
from mlfs.results.read import Results
from mlfs.stats import paired_t

from .. import made

SURE = np.array([-0.01, 0.0, 0.01, 0.005, -0.005])  # five repeats that differ a little
WILD = np.array([-0.3, 0.3, -0.1, 0.2, -0.1])


def scores(mean, spread=SURE, splits=""):
    """Repeats around a mean; those of different methods vary in another order."""
    return sample_of(dict(enumerate(mean + spread)), splits)


class Given(ClaimValues):
    """Cases and curves that are given."""

    def __init__(self, cases=(), curves=None, paper="mfsef", overlap=0.0):
        self.paper, self.overlap = papers.paper(paper), overlap
        self.cases, self.points = list(cases), curves or {}

    def sample(self, key):
        return None

    def rows(self, where):
        return self.cases

    def series(self, where, method, along):
        return {place: Curve(dict(points), self.overlap) for place, points in self.points.items()}


def case(metric="average_precision", dataset="yeast", lacks="", unit=0.0, spread=SURE, **means):
    samples = {
        name: mean if isinstance(mean, Sample) else scores(mean, np.roll(spread, i))
        for i, (name, mean) in enumerate(means.items())
    }
    return Case(dataset, metric, dataset, samples, [*means, *lacks], 0.0, unit)


def ask(source, kind, **keys):
    where = {} if kind in ("critical_difference", "cardinality") else {"tables": ["1"]}
    if kind in ("peak", "trend", "flat"):
        where = {"figure": "1", "datasets": ["yeast"], "metrics": ["acc"], "method": "A"}
        where["along"] = "axis"
    rule = TypeAdapter(Rule).validate_python({"kind": kind, **where, **keys})
    return check(rule, source)


def verdict(*args, **keys):
    return ask(*args, **keys).verdict


GOOD, BAD = {"A": 0.6, "B": 0.4}, {"A": 0.4, "B": 0.6}


def test_a_claim_holds_if_enough_cases_are_significantly_favourable():
    some = Given([case(**GOOD), case(**GOOD), case(**BAD)])
    found = ask(some, "beats", method="A", at_least=0.6)
    assert found.verdict == "holds" and found.p < 0.05
    assert found.numbers == (
        "2 of 3 cases are significantly favourable, 1 contrary; by the means alone 2 would be "
        "favourable; not yeast, average precision (-.2)"
    )
    assert found.test == "A better than all others, in at least 60.0% of the cases"
    assert verdict(some, "beats", method="A") == "contradicted"
    assert verdict(some, "beats", method="A", at_least="most") == "holds"
    assert verdict(some, "beats", method="A", at_least=0.67) == "contradicted"
    losses = Given([case("one_error", **BAD)])
    assert verdict(losses, "beats", method="A") == "holds"


def test_most_is_more_than_half_everywhere():
    assert [needed("most", n) for n in (1, 2, 3, 4, 28)] == [1, 2, 2, 3, 15]
    assert [needed(0.725, 40), needed(0.714, 7), needed(1.0, 5), needed(0.375, 8)] == [29, 5, 5, 3]
    half = Given([case(**GOOD), case(**BAD)])
    assert verdict(half, "beats", method="A", at_least="most") == "contradicted"
    assert verdict(half, "beats", method="A", at_least=0.5) == "holds"


def test_noise_decides_nothing():
    """A shift of the means that the repeats do not bear out is not distinguishable."""
    rng = np.random.default_rng(0)
    for shift in (1e-6, 0.003, -0.003):
        cases = [
            case(
                A=sample_of(dict(enumerate(base + shift + rng.normal(0, 0.05, 5)))), B=scores(base)
            )
            for base in (0.4, 0.5, 0.6)
        ]
        found = ask(Given(cases), "beats", method="A")
        assert found.verdict == "not distinguishable" and found.p > 0.05
    wild = Given([case(spread=WILD, A=0.6, B=0.5)])
    assert verdict(wild, "beats", method="A") == "not distinguishable"
    curve = {("yeast", "acc"): {1.0: scores(0.5, WILD), 2.0: scores(0.6, WILD[::-1])}}
    for kind, keys in (
        ("trend", {"start": 1, "end": 2}),
        ("trend", {"start": 1, "end": 2, "worse": True}),
        ("peak", {"at": 2}),
        ("flat", {"start": 1, "end": 2, "within": 0.01}),
    ):
        assert verdict(Given(curves=curve), kind, **keys) == "not distinguishable"


def test_one_run_decides_nothing():
    some = Given([case(A=Sample(0.9), B=Sample(0.1)), case(A=Sample(0.9), B=Sample(0.1))])
    found = ask(some, "beats", method="A")
    assert found.verdict == "not distinguishable"
    assert "by the means alone 2 would be favourable" in found.numbers


def test_differences_below_the_printed_precision_are_none():
    tiny = {"A": scores(0.5003, SURE), "B": scores(0.5, SURE + 1e-6 * np.arange(5))}
    assert verdict(Given([case(**tiny)]), "beats", method="A") == "holds"
    assert verdict(Given([case(unit=0.001, **tiny)]), "beats", method="A") == "not distinguishable"


def test_only_those_named_are_compared_with():
    some = Given([case(A=0.5, B=0.3, C=0.9)])
    assert verdict(some, "beats", method="A", over=["B"]) == "holds"
    assert verdict(some, "beats", method="A", over=["B", "C"]) == "contradicted"
    assert verdict(some, "beats", method="A", place=2) == "holds"
    assert ask(some, "beats", method="A", place=2).test == "A among the best 2, in every case"
    assert verdict(some, "beats", method="B", place=2) == "contradicted"
    assert verdict(some, "beats", method="B", place=3) == "holds"


def test_cases_without_results_may_go_either_way():
    known, lost = case(**GOOD), case(dataset="scene", A=0.5, lacks="B")
    bad = case(**BAD)
    found = ask(Given([known, lost]), "beats", method="A")
    assert found.verdict == "not distinguishable"
    assert found.numbers.endswith("; 1 without results: scene (B)")
    assert verdict(Given([bad, lost]), "beats", method="A") == "contradicted"  # whatever scene is
    assert verdict(Given([bad, lost]), "beats", method="A", at_least=0.5) == "not distinguishable"
    assert verdict(Given([known, lost]), "beats", method="A", at_least=0.5) == "holds"
    alone = ask(Given([lost]), "beats", method="A")
    assert (alone.verdict, alone.numbers) == ("not run", "1 without results: scene (B)")
    assert ask(Given(), "beats", method="A").numbers == "no values"


def test_features_that_stand_in_for_others_are_not_comparable():
    keys = {"method": "A", "datasets": ["cifar10", "sun"]}
    some = Given([case(dataset="cifar10", **GOOD)], paper="semfs")
    found = ask(some, "beats", **keys)
    assert found.verdict == "not comparable" and "not public" in found.numbers
    both = Given([case(dataset="cifar10", **GOOD), case(dataset="sun", **GOOD)], paper="semfs")
    assert verdict(both, "beats", at_least=0.5, **keys) == "holds"
    assert verdict(both, "beats", **keys) == "not distinguishable"


def test_margins_are_of_the_score_or_relative_and_of_the_best_other():
    some = Given([case(A=0.6, B=0.5, C=0.4), case(A=0.6, B=0.5, C=0.3)])
    found = ask(some, "ahead", method="A", low=0.05)
    assert found.verdict == "holds" and found.numbers.endswith("; +.05 beyond what is asked")
    assert verdict(some, "ahead", method="A", low=0.15) == "contradicted"
    assert verdict(some, "ahead", method="A", low=0.1) == "not distinguishable"
    assert verdict(some, "ahead", method="A", low=0.15, slack=0.1) == "holds"
    assert verdict(some, "ahead", method="A", low=0.1, relative=True) == "holds"
    assert verdict(some, "ahead", method="A", low=0.3, relative=True) == "contradicted"
    relative = ask(some, "ahead", method="A", low=0.1, relative=True)
    assert relative.test.startswith("A ahead of all others by 10 % of theirs or more")
    losses = Given([case("one_error", A=0.4, B=0.5, C=0.6)])
    assert verdict(losses, "ahead", method="A", low=0.05) == "holds"
    assert verdict(losses, "ahead", method="B", low=0.0) == "contradicted"


def test_faster_means_faster_than_each_of_the_others():
    spread = np.array([-0.5, 0.5, 0.2, -0.2, 0.0])
    some = Given([case("selection_seconds", spread=spread, A=10.0, B=170.0, C=30.0)])
    assert verdict(some, "faster", method="A", factor=2) == "holds"
    assert verdict(some, "faster", method="A", factor=2, over=["B"]) == "holds"
    assert verdict(some, "faster", method="A", factor=10, over=["B"]) == "holds"
    assert verdict(some, "faster", method="A", factor=10) == "contradicted"  # C is not so slow
    assert verdict(some, "faster", method="A", factor=20, over=["B"]) == "contradicted"
    assert verdict(some, "faster", method="A", factor=20, over=["B"], slack=0.3) == "holds"
    free = Given([case("selection_seconds", A=Sample(0.0), B=Sample(170.0))])
    assert verdict(free, "faster", method="A", factor=20) == "not distinguishable"


def test_seconds_are_shown_as_ratios():
    some = Given([case("selection_seconds", A=10.0), case("selection_seconds", "scene", A=30.0)])
    found = ask(some, "seconds", method="A", at_most={"yeast": 20, "scene": 10, "image": 5})
    assert (found.verdict, found.numbers) == (
        "not comparable",
        "of the seconds named: yeast 0.5 times, scene 3 times",
    )
    assert verdict(some, "seconds", method="B", at_most={"yeast": 10}) == "not run"


@pytest.fixture
def ranked():
    """Eight sets on which A is always before B, and B before C."""
    return [case(dataset=f"set{i}", A=0.9, B=0.6, C=0.3) for i in range(8)]


def test_claims_on_ranks_hold_where_the_tests_say_so(ranked):
    some = Given(ranked)
    best = ask(some, "average_rank", method="A")
    assert best.verdict == "holds" and best.p == pytest.approx(2 / 2**8)
    assert "average precision 1.00 (best other B 2.00)" in best.numbers
    assert verdict(some, "average_rank", method="B") == "contradicted"
    assert verdict(some, "friedman") == "holds"
    # CD of 3 methods on 8 sets is 1.17: A and C are 2 ranks apart, A and B one
    assert verdict(some, "differs", method="A", over=["C"]) == "holds"
    both = ask(some, "differs", method="A")
    assert both.verdict == "not distinguishable"
    assert "B in average precision (+1.00, CD 1.17)" in both.numbers
    assert verdict(some, "differs", method="A", at_least=0.5) == "holds"
    assert verdict(some, "differs", method="C", over=["A"]) == "contradicted"
    # C and E are 2.5 ranks apart, more than the CD of 2.49, but Friedman finds nothing
    orders = ["34125", "51234", "14325", "23154", "53214", "21345"]
    close = [
        case("one_error", f"set{i}", **{name: int(rank) for name, rank in zip("ABCDE", order)})
        for i, order in enumerate(orders)
    ]
    assert verdict(Given(close), "friedman") == "not distinguishable"
    assert "E in one error (+2.50, CD 2.49)" in ask(Given(close), "differs", method="C").numbers
    assert verdict(Given(close), "differs", method="C", over=["E"]) == "not distinguishable"
    even = [case(dataset=f"set{i}", A=i % 2, B=(i + 1) % 2) for i in range(8)]
    assert verdict(Given(even), "friedman") == "not distinguishable"


def test_a_claim_says_if_it_cannot_be_significant(ranked):
    found = ask(Given(ranked[:5]), "average_rank", method="A")
    assert found.verdict == "not distinguishable"
    assert found.numbers.endswith("; it cannot be significant with 5 sets")
    assert "cannot" not in ask(Given(ranked), "average_rank", method="A").numbers


def test_ranks_of_several_tables_are_averaged_for_each_dataset(ranked):
    other = [case(dataset=one.dataset, A=0.6, B=0.9, C=0.3) for one in ranked]
    found = ask(Given(ranked + other), "average_rank", method="A")
    assert "average precision 1.50" in found.numbers and found.verdict == "not distinguishable"
    assert found.test.endswith(", ranks averaged over the tables")
    # of 8 sets and not of 16 rows
    assert "CD 1.17" in ask(Given(ranked + other), "differs", method="A").numbers


def test_a_test_of_ranks_needs_all_cells(ranked):
    lost = [*ranked, case(dataset="scene", A=0.5, lacks="BC")]
    found = ask(Given(lost), "friedman")
    assert (found.verdict, found.numbers) == ("not run", "1 without results: scene")
    gone = ask(Given(ranked), "average_rank", method="D")
    assert (gone.verdict, gone.numbers) == ("not run", "1 without results: D")
    single = ask(Given(ranked[:1]), "friedman")
    assert single.numbers == "1 without results: a second set or method in average precision"
    assert ask(Given(), "friedman").numbers == "no values"


def own_paper(tmp_path, first, second):
    """A folder with a paper that prints one value (metric, ratio, mean) of A and one of B."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "paper.yaml").write_text(
        "title: M\nauthors: [Me]\nvenue: here\nyear: 2024\ntables: {'1': scores}\n"
    )
    (folder / "printed.csv").write_text(
        f"table,dataset,method,metric,missing_ratio,mean\n1,yeast,A,{first}\n1,yeast,B,{second}\n"
    )
    return folder


def test_a_metric_of_which_nobody_knows_the_direction_is_not_judged(tmp_path, monkeypatch):
    folder = own_paper(tmp_path, "beauty_score,0,1", "beauty_score,0,2")
    (folder / "claims.yaml").write_text(
        "claims:\n  - {claim: A wins., place: here, quote: a, anchors: [a],"
        " rule: {kind: beats, method: A, tables: ['1']}}\n"
    )
    monkeypatch.setenv("MLFS_PAPERS", str(tmp_path))
    [item] = on_printed(papers.paper("mine"))
    assert item.verdict == "not comparable"
    assert item.numbers == "it is not known whether larger is better in beauty score"


def test_arithmetic_needs_no_results():
    found = ask(None, "critical_difference", value=3.27, methods=8, sets=8)
    assert (found.verdict, found.numbers) == ("contradicted", "3.712")
    # 2.8497 and 2.1567: rounded or cut off, but no other value
    for value, methods, sets, expected in (
        (2.85, 6, 7, "holds"),
        (2.84, 6, 7, "holds"),
        (2.86, 6, 7, "contradicted"),
        (2.83, 6, 7, "contradicted"),
        (2.15, 5, 8, "holds"),
        (2.16, 5, 8, "holds"),
        (2.17, 5, 8, "contradicted"),
        (2.1, 5, 8, "holds"),
    ):
        rule = {"value": value, "methods": methods, "sets": sets}
        assert verdict(None, "critical_difference", **rule) == expected, value
    assert ask(None, "cardinality", datasets=["scene"], below=3).numbers == "scene 1.07"
    assert verdict(None, "cardinality", datasets=["scene"], below=3) == "holds"
    assert verdict(None, "cardinality", datasets=["scene", "yeast"], below=3) == "contradicted"
    assert verdict(None, "cardinality", datasets=["scene", "msrc"], below=3) == "not run"
    assert verdict(None, "cardinality", datasets=["yeast", "msrc"], below=3) == "contradicted"


def test_claims_about_curves_are_judged_at_their_points():
    points = {1.0: scores(0.3), 2.0: scores(0.5, SURE[::-1]), 3.0: scores(0.4, np.roll(SURE, 1))}
    some = Given(curves={("yeast", "acc"): points})
    assert verdict(some, "peak", at=2) == "holds"
    found = ask(some, "peak", at=3)
    assert (found.verdict, found.numbers) == ("contradicted", "yeast acc .4, at 2 .5")
    assert verdict(some, "peak", at=1) == "contradicted"
    assert verdict(some, "peak", at=1, worst=True) == "holds"
    assert verdict(some, "peak", at=2, worst=True) == "contradicted"
    # a trend is between its two points, in its direction
    up = ask(some, "trend", start=1, end=3)
    assert (up.verdict, up.numbers) == ("holds", "yeast acc .3 to .4")
    assert up.test == "A better at 3 than at 1"
    assert verdict(some, "trend", start=1, end=3, worse=True) == "contradicted"
    assert verdict(some, "trend", start=2, end=3) == "contradicted"
    assert verdict(some, "trend", start=2, end=3, worse=True) == "holds"
    assert verdict(some, "trend", start=3, end=1) == "contradicted"
    losses = Given(curves={("yeast", "hamming_loss"): points})
    assert verdict(losses, "trend", start=1, end=3) == "contradicted"
    flat = ask(some, "flat", start=2, end=3, within=0.15)
    assert (flat.verdict, flat.numbers) == ("holds", "yeast acc varies by .1")
    assert verdict(some, "flat", start=2, end=3, within=0.05) == "contradicted"
    assert verdict(some, "flat", start=1, end=3, within=0.15) == "contradicted"
    assert verdict(some, "flat", start=2, end=3, within=0.1) == "not distinguishable"
    lost = ask(some, "peak", at=4)
    assert (lost.verdict, lost.numbers) == ("not run", "1 without results: yeast")
    named = Given(
        curves={("yeast", "acc"): {"labels": scores(0.3), "attributes": scores(0.5, WILD / 50)}}
    )
    found = ask(named, "trend", start="labels", end="attributes")
    assert (found.verdict, found.test) == ("holds", "A better at attributes than at labels")
    two = Given(
        curves={
            ("yeast", "acc"): {1.0: scores(0.5), 2.0: scores(0.3, WILD / 50)},
            ("scene", "acc"): {},
        }
    )
    assert verdict(two, "trend", start=1, end=2) == "contradicted"
    assert verdict(two, "trend", start=2, end=1) == "not distinguishable"


def test_evidence_is_that_of_the_paired_test_or_of_welchs():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.5, 0.02, 8), rng.normal(0.48, 0.02, 8)
    ours, other = sample_of(dict(enumerate(a))), sample_of(dict(enumerate(b)))

    def better(x, y):
        return x - y

    paired = evidence(ours, other, better)
    assert paired.favourable == pytest.approx(reference.ttest_rel(a, b).pvalue)
    assert paired.contrary == 1.0 and paired.amount == pytest.approx(np.mean(a - b))
    turned = evidence(other, ours, better)
    assert (turned.contrary, turned.favourable) == (pytest.approx(paired.favourable), 1.0)
    # Nadeau and Bengio: the variance has 1/n + test/train in the place of 1/n
    wide = evidence(ours, other, better, overlap=0.25)
    d = a - b
    t = d.mean() / (d.std(ddof=1) * math.sqrt(1 / 8 + 0.25))
    assert wide.favourable == pytest.approx(2 * reference.t.sf(t, 7))
    # other splits, or only printed deviations: not paired
    unpaired = reference.ttest_ind(a, b, equal_var=False).pvalue
    apart = sample_of(dict(enumerate(b)), "kfold")
    printed = Sample(b.mean(), b.std(ddof=1), 8)
    for one in (apart, printed):
        assert evidence(ours, one, better).favourable == pytest.approx(unpaired, rel=1e-5)


def test_less_than_half_a_printed_digit_is_no_difference():
    ours, other = scores(0.504, SURE / 100), scores(0.5, SURE[::-1] / 100)
    for unit, sure in ((0.0079, True), (0.0081, False)):
        found = evidence(ours, other, lambda x, y: x - y, unit=unit)
        assert (found.favourable < 0.01) == sure and found.amount == pytest.approx(0.004)


def test_among_the_best_two_means_better_than_all_but_one():
    found = [Evidence(0.1, 0.01, 1.0), Evidence(0.2, 0.001, 1.0), Evidence(-0.1, 1.0, 0.02)]
    assert against_all(found).favourable == 1.0
    assert against_all(found).contrary == pytest.approx(3 * 0.02)
    assert against_all(found, 2).favourable == 0.01
    assert against_all(found, 2).contrary == 1.0
    assert against_all(found, 3).favourable == 0.001
    assert against_all(found, 4).favourable == 0.0


def test_cases_are_corrected_for_their_number():
    some = [Evidence(1, p, 1.0) for p in (0.01, 0.02, 0.04)]
    assert (tally(some, 3, 3).outcome, tally(some, 3, 3).favourable) == ("holds", 3)
    less = [Evidence(1, p, 1.0) for p in (0.01, 0.03, 0.04)]
    assert (tally(less, 3, 3).outcome, tally(less, 3, 3).favourable) == ("not distinguishable", 1)
    assert tally(less, 3, 3, corrected=True).outcome == "holds"
    assert tally(less, 1, 3).outcome == "holds" and tally(less, 1, 3).p == pytest.approx(0.03)
    bad = [Evidence(-1, 1.0, 0.001), Evidence(1, 0.001, 1.0)]
    assert tally(bad, 1, 2).outcome == "holds"
    assert tally(bad, 2, 2).outcome == "contradicted" and tally(bad, 2, 2).p < 0.05


def test_training_parts_overlap_by_the_split():
    for split, expected in (
        ({"kind": "holdout", "train": 0.8, "repeats": 5}, 0.25),
        ({"kind": "kfold", "folds": 5}, 0.25),
        ({"kind": "official"}, 0.0),
        ({"kind": "stratified", "folds": 5}, 0.25),
        ({"kind": "stratified", "train": 0.6}, 2 / 3),
        ({"kind": "stratified"}, 0.25),
    ):
        made_up = made.experiment("rmfl", ["II"], ["yeast"], ["RMFL"], ["one_error"], split=split)
        assert overlap(made.results(made_up, {})) == pytest.approx(expected)
    own = {"rmfl": {}, "label": "B", "settings": {"split": {"kind": "kfold", "folds": 4}}}
    made_up = made.experiment("rmfl", ["II"], ["yeast"], ["RMFL", own], ["one_error"])
    splits = splits_of(made.results(made_up, {}))
    assert splits["RMFL"] == "" and "kfold" in splits["B"]


@pytest.mark.parametrize("shared", [0.0, 0.25, 1.0])
def test_every_kind_of_case_is_corrected_for_overlapping_training_parts(shared):
    low, high = scores(0.5), scores(0.52, SURE[::-1])
    differences = [high.repeats[i] - low.repeats[i] for i in range(5)]
    expected = paired_t(differences, [0.0] * 5, shared).p
    curve = Given(curves={("yeast", "acc"): {1.0: low, 2.0: high}}, overlap=shared)
    assert ask(curve, "trend", start=1, end=2).p == pytest.approx(expected)
    assert ask(curve, "peak", at=2).p == pytest.approx(expected)
    one = Case("yeast", "acc", "yeast", {"A": high, "B": low}, ["A", "B"], shared, 0.0)
    assert ask(Given([one]), "beats", method="A").p == pytest.approx(expected)
    # flat: the margin is tested in both directions, and the weaker one counts
    margins = [[0.1 - turn * d for d in differences] for turn in (1, -1)]
    weaker = max(paired_t(margin, [0.0] * 5, shared).p for margin in margins)
    assert ask(curve, "flat", start=1, end=2, within=0.1).p == pytest.approx(weaker)


def judged(results):
    return verdicts(results, compare_stated(run_values(results)))


def test_claims_on_printed_values_are_decided_by_their_deviations_only():
    found = judged(made.as_printed())  # one repeat: nothing can be tested
    sure = {item.claim for item in found if item.verdict in ("holds", "contradicted")}
    ranks = {"friedman", "differs", "average_rank", "critical_difference", "cardinality"}
    for name in papers.names():
        for claim in papers.paper(name).claims().claims:
            assert claim.claim not in sure or claim.rule.kind in ranks, claim.claim


def test_no_verdict_stands_on_a_p_value_above_the_level():
    arithmetic = {"critical_difference", "cardinality"}
    found = judged(made.as_printed())
    for name in papers.names():
        found += on_printed(papers.paper(name))
    kinds = {
        claim.claim: claim.rule.kind
        for name in papers.names()
        for claim in papers.paper(name).claims().claims
    }
    for item in found:
        if item.verdict in ("holds", "contradicted"):
            assert kinds[item.claim] in arithmetic or item.p < 0.05, item


def test_without_results_only_arithmetic_is_decided():
    found = {item.claim: item for item in judged([])}
    decided = {item.claim for item in found.values() if item.verdict != "not run"}
    assert len(decided) == 4  # three critical differences and a cardinality
    first = found["With full labels RMFL ranks first in 72.5 % of the 40 cases."]
    assert first.numbers.startswith("40 without results: yeast (table II); image")


def test_a_mean_over_fewer_repeats_than_others_does_not_compare():
    ours = made.experiment(
        "gmfs", ["2"], ["yeast"], ["All-Fea", "GMFS"], ["average_precision"], [0.2]
    )
    score = {"average_precision": 0.5}
    full = {("yeast", 0.2, r, name): score for r in (0, 1) for name in ("All-Fea", "GMFS")}
    uneven = {key: value for key, value in full.items() if key != ("yeast", 0.2, 1, "GMFS")}
    key = ("2", "yeast", "GMFS", "average_precision", 0.2)
    for values, known in ((full, True), (uneven, False)):
        results = [made.results(ours, values)]
        source = Ours(papers.paper("gmfs"), results, compare_stated(run_values(results)))
        assert (source.sample(key) is not None) is known
        assert (source.overlap(key) > 0) is known  # nothing is known of what was not run
        assert source.overlap(key) >= 0


def test_claims_about_a_third_of_the_labels_find_its_repeats(tmp_path, monkeypatch):
    folder = own_paper(tmp_path, *[f"average_precision,{1 / 3},0.5"] * 2)
    (folder / "claims.yaml").write_text(
        "claims:\n  - {claim: A wins., place: here, quote: a, anchors: [a],"
        " rule: {kind: beats, method: A, tables: ['1']}}\n"
    )
    monkeypatch.setenv("MLFS_PAPERS", str(tmp_path))
    monkeypatch.setitem(made.KINDS, "mine", made.KINDS["gmfs"])
    ours = made.experiment("mine", ["1"], ["yeast"], list("AB"), ["average_precision"], [1 / 3])
    values = {
        ("yeast", 1 / 3, repeat, name): {"average_precision": mean + noise}
        for name, mean in (("A", 0.6), ("B", 0.4))
        for repeat, noise in enumerate(np.roll(SURE, name == "A"))
    }
    results = [made.results(ours, values)]
    paper = papers.paper("mine")
    [found] = of_paper(paper, Ours(paper, results, compare_stated(run_values(results))))
    assert found.verdict == "holds"


def curve(figure, heads, values, **keys):
    """Results of an experiment for a figure of GMFS: (repeat, heading, size) to a score."""
    made_up = config.parse(
        {
            "name": "drawn",
            "protocol": "selection",
            "paper": "gmfs",
            "figures": [figure],
            "datasets": ["emotions"],
            "methods": [{"random": {}, "label": head} for head in heads],
            "sizes": [12, 36, 72],
            "metrics": ["average_precision"],
            **keys,
        },
        source="made up",
    )
    rows = [
        {
            "dataset": "emotions",
            "ratio": 0.0,
            "repeat": repeat,
            "method": head,
            made_up.axis: float(size),
            "average_precision": value,
        }
        for (repeat, head, size), value in values.items()
    ]
    return Results(made_up, pd.DataFrame(rows), [], [], [])


def test_points_and_experiments_of_a_figure_are_chosen():
    heads = ["A", "B"]
    means = {12: (0.5, 0.4), 36: (0.5, 0.65), 72: (0.1, 0.9)}
    values = {
        (repeat, head, n): pair[i] + (SURE if i else SURE[::-1])[repeat] / 10
        for n, pair in means.items()
        for i, head in enumerate(heads)
        for repeat in range(5)
    }
    where = {"figure": "3", "datasets": ["emotions"], "metrics": ["average_precision"]}

    def answer(results, **keys):
        rule = {"kind": "beats", "method": "A", **where, **keys}
        source = Ours(papers.paper("gmfs"), results, [])
        return check(TypeAdapter(Rule).validate_python(rule), source)

    one = [curve("3", heads, values)]
    along = answer(one)  # the means along the curves, .3667 and .65
    assert along.verdict == "contradicted"
    assert along.numbers.endswith("not emotions, average precision (-.2833)")
    assert answer(one, at=12).verdict == "holds"
    assert answer(one, at=36).verdict == "contradicted"
    assert answer(one, up_to=12).verdict == "holds"
    assert answer(one, each_point=True).numbers.startswith("1 of 3 cases are significantly")
    lost = answer(one, at=13)
    assert (lost.verdict, lost.numbers) == ("not run", "1 without results: emotions")
    assert answer(one, experiments=["another"]).verdict == "not run"
    # of two experiments the one with more methods
    third = {**values, **{(r, "C", n): 0.95 + SURE[r] / 20 for n in means for r in range(5)}}
    two = [curve("3", heads, values), curve("3", [*heads, "C"], third, name="larger")]
    assert answer(two, at=12).verdict == "contradicted"
    assert answer(two, at=12, experiments=["drawn"]).verdict == "holds"


def found_in(results, part):
    gmfs = papers.paper("gmfs")
    [item] = [item for item in of_paper(gmfs, Ours(gmfs, results, [])) if part in item.claim]
    return item


def test_a_figure_is_checked_on_the_curves_of_our_experiments():
    heads = ["spike and slab", "Laplace"]
    means = {12: (0.5, 0.4), 36: (0.7, 0.5), 72: (0.6, 0.65)}
    values = {
        (repeat, head, size): pair[i] + (SURE if i else SURE[::-1])[repeat] * size / 500
        for size, pair in means.items()
        for i, head in enumerate(heads)
        for repeat in range(5)
    }
    results = [curve("3", heads, values)]
    better = found_in(results, "spike-and-slab")
    assert better.verdict == "holds"
    assert better.numbers.startswith("2 of 3 cases are significantly favourable, 1 contrary")
    assert "not emotions at 72, average precision" in better.numbers
    assert (
        better.quote
        == "GMFS with spike-and-slab prior generally outperforms GMFS with Laplace prior"
    )
    assert found_in(results, "from 12 to 36").numbers == "emotions average precision .5 to .7"
    assert found_in(results, "from 12 to 36").verdict == "holds"
    assert found_in(results, "best with 36").verdict == "holds"
    assert found_in(results, "from 36 to all 72").verdict == "holds"
    # a repeat that one of them lacks is left out of the comparison
    high = {key: 0.99 for key in values if key[:2] == (1, "Laplace")}
    lone = {key: v for key, v in (values | high).items() if key[:2] != (1, "spike and slab")}
    assert found_in([curve("3", heads, lone)], "spike-and-slab").numbers.startswith("2 of 3")
    assert found_in([curve("2", heads, values)], "spike-and-slab").verdict == "not run"


def test_values_of_a_sweep_are_points_of_a_curve():
    values = {(repeat, "GMFS", 12): 0.5 for repeat in range(5)}
    results = curve("4", ["GMFS"], values)
    rows = [
        results.rows.assign(n_neighbors=k, average_precision=k / 100 + SURE * (k + 1) / 900)
        for k in (0, 10, 20)
    ]
    swept = Results(results.experiment, pd.concat(rows), [], [], [])
    worst = found_in([swept], "without neighbours")
    assert (worst.verdict, worst.numbers) == ("holds", "emotions average precision 0, at 0 0")
