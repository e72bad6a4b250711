"""What a paper prints must fit together: each rule on a small paper, and all on the real ones."""

import json
import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from mlfs import papers
from mlfs.report.reproduction import audit as report
from mlfs.report.reproduction import audit_rules
from mlfs.report.reproduction.audit import audit
from mlfs.report.reproduction.printed_values import PrintedValue
from mlfs.report.tables.metric_facts import chance, directions, limits


@pytest.fixture(scope="module")
def rmfl():
    return audit(papers.paper("rmfl"))


def of(found, rule):
    return [finding for finding in found if finding.rule == rule]


def printed(rows, **more):
    """Printed values from (table, dataset, method, metric, mean); more is for all, or for each."""
    found = []
    for i, (*place, mean) in enumerate(rows):
        rest = {name: v[i] if isinstance(v, list) else v for name, v in more.items()}
        found.append(PrintedValue(*place, **({"ratio": 0.0, "corrected": mean} | rest), mean=mean))
    return found


def row(*values, metric="one_error", dataset="yeast", table="1"):
    return [(table, dataset, name, metric, value) for name, value in zip("ABCDEFGH", values)]


def test_the_audit_finds_25_ranks_of_rmfl_that_contradict_their_values(rmfl):
    found = of(rmfl, "rank")
    assert len(found) == 25 and not any(finding.misprint for finding in found)
    printed = papers.paper("rmfl").printed()
    noted = printed[printed.note.str.contains("contradicts")]
    assert {(f.table, f.dataset, f.method, f.metric) for f in found} == set(
        zip(noted.table, noted.dataset, noted.method, noted.metric)
    )
    for finding in found:
        assert (
            f"value gives {finding.text[-1]}"
            in noted[
                (noted.table == finding.table)
                & (noted.dataset == finding.dataset)
                & (noted.method == finding.method)
                & (noted.metric == finding.metric)
            ].note.item()
        )


def test_the_audit_finds_the_wrong_critical_difference_of_rmfl(rmfl):
    [finding] = of(rmfl, "critical difference")
    assert finding.table == "II"
    assert "printed CD 3.27; for 8 methods on 8 sets Nemenyi's is 3.71" in finding.text


def test_the_shifted_column_of_rmfl_is_the_only_misprint(rmfl):
    found = of(rmfl, "decimal shift")
    assert {(f.table, f.method) for f in found} == {("IX", "RMFL")} and len(found) == 10
    assert [f for f in rmfl if f.misprint] == found
    assert ".0186 is about a tenth of the right value: another table prints .209" in found[0].text


def test_the_audit_finds_three_friedman_values_of_rmfl_from_pooled_ranks(rmfl):
    found = [finding for finding in of(rmfl, "friedman") if finding.table == "IV V VI"]
    assert len(found) == 5 and all("averaged over 3 tables" in f.text for f in found)
    exact = {f.metric for f in found if " is that of ranks averaged" in f.text}
    assert exact == {"one_error", "ranking_loss", "normalized_coverage"}


def test_fasttags_coverage_falls_as_labels_go_missing(rmfl):
    [finding] = of(rmfl, "better with less")
    assert (finding.method, finding.metric) == ("FastTag", "normalized_coverage")
    assert finding.table == "II IV V VI" and "on all 8 sets" in finding.text


def test_glocals_32_hamming_losses_are_the_label_density(rmfl):
    found = of(rmfl, "label density")
    assert Counter(finding.method for finding in found) == {"GLOCAL": 32, "LSML": 2}
    assert {f.table for f in found if f.method == "GLOCAL"} == {"II", "IV", "V", "VI"}


def test_the_audit_of_rmfl_finds_wrong_bold_marks_and_two_values(rmfl):
    assert [(f.table, f.dataset) for f in of(rmfl, "bold")] == [
        ("II", "education"),
        ("II", "social"),
        ("II", "scene"),
        ("II", "social"),
        ("IV", "emotions"),
        ("IX", "yeast"),
        ("IX", "image"),
    ]
    [finding] = of(rmfl, "two values")
    assert "tables II and IX differ in 10 of 10 values" in finding.text
    assert len(of(rmfl, "average rank")) == 6
    assert any(
        f.table == "VI" and f.method == "GLOCAL" and "printed 3.325" in f.text
        for f in of(rmfl, "average rank")
    )
    columns = {(f.table, f.method, f.ratio) for f in of(rmfl, "below chance")}
    assert ("VI", "LEML", 0.8) in columns and ("II", "RMFL", 0.0) not in columns
    assert Counter(f.table for f in of(rmfl, "friedman")) == {"II": 5, "IV V VI": 5}
    assert [f.rule for f in rmfl] == sorted((f.rule for f in rmfl), key=list(report.TITLES).index)


@pytest.mark.parametrize("name", ["gmfs", "mfsef", "miml", "semfs"])
def test_the_other_papers_fit_together(name):
    assert audit(papers.paper(name)) == []


def test_equal_values_may_have_any_of_the_ranks_they_share():
    some = printed(row(0.1, 0.2, 0.2, 0.3), rank=[1, 3, 2, 4])
    assert not list(audit_rules.ranks(some))
    some = printed(row(0.1, 0.2, 0.2, 0.3), rank=[1, 2.5, 2.5, 3])
    [finding] = audit_rules.ranks(some)
    assert finding.method == "D" and finding.text == "printed rank 3, but .3 has rank 4"
    some = printed(row(0.1, 0.2, 0.2), rank=[2, 1, 3])
    assert [f.text for f in audit_rules.ranks(some)] == [
        "printed rank 2, but .1 has rank 1",
        "printed rank 1, but .2 has rank 2 to 3",
    ]
    up = printed(row(0.1, 0.2, metric="average_precision"), rank=[2, 1])
    assert not list(audit_rules.ranks(up))
    assert not list(audit_rules.ranks(printed(row(1, 2, metric="mine"), rank=[2, 1])))


def test_a_bold_value_is_the_best_unless_the_best_is_bold_too():
    some = printed(row(0.1, 0.2, 0.3), bold=[True, True, False])
    assert not list(audit_rules.marks(some))  # not significantly worse
    some = printed(row(0.1, 0.2, 0.1), bold=[False, True, False])
    [finding] = audit_rules.marks(some)
    assert finding.method == "B" and finding.text == ".2 is bold, but A, C has .1"
    assert not list(audit_rules.marks(printed(row(0.1, 0.2), bold=False)))
    up = printed(row(0.1, 0.2, metric="average_precision"), bold=[True, False])
    assert [f.method for f in audit_rules.marks(up)] == ["A"]


def test_a_column_is_shifted_only_as_a_whole():
    whole = [
        pair for name in ("yeast", "scene", "image") for pair in row(0.03, 0.3, 0.32, dataset=name)
    ]
    found = list(audit_rules.shifted(printed(whole)))
    assert [f.method for f in found] == ["A"] * 3 and all(f.misprint for f in found)
    assert "the other columns have about .31" in found[0].text
    whole[0] = ("1", "yeast", "A", "one_error", 0.3)
    assert not list(audit_rules.shifted(printed(whole)))
    fifth = [(t, d, m, metric, 0.06 if m == "A" else v) for t, d, m, metric, v in whole]
    assert not list(audit_rules.shifted(printed(fifth)))  # bad or good, but no slip of the pen
    # seconds have no upper end: a method may be ten times faster than others
    fast = [(t, d, m, "selection_seconds", v) for t, d, m, _, v in whole[3:] + whole[3:6]]
    fast = [(t, f"{d}{i}", m, s, v) for i, (t, d, m, s, v) in enumerate(fast)]
    assert not list(audit_rules.shifted(printed(fast)))
    two = [*row(3.0, table="1"), *row(0.3, table="2"), *row(30.0, metric="coverage", table="1")]
    two += [*row(3.0, metric="coverage", table="2"), *row(0.2, metric="ranking_loss", table="2")]
    two += [*row(2.0, metric="ranking_loss", table="1")]
    assert {f.table: f.text.split(":")[0] for f in audit_rules.shifted(printed(two))} == {
        "1": "2 is about ten times the right value",
        "2": ".2 is about a tenth of the right value",
    }


def test_values_that_a_metric_cannot_have_are_found():
    some = printed(row(-0.1, 0.0, 1.0, 1.1), std=[0.1, 0.1, -0.1, 0.1])
    assert [(f.method, f.text) for f in audit_rules.out_of_range(some)] == [
        ("A", "-.1 is outside 0 to 1"),
        ("C", "the deviation -.1 is below 0"),
        ("D", "1.1 is outside 0 to 1"),
    ]
    assert not list(audit_rules.out_of_range(printed(row(3.0, metric="coverage"))))
    assert limits("mine") == (-math.inf, math.inf) and limits("selection_seconds")[0] == 0


@pytest.mark.parametrize("l, r", [(6, 2), (14, 4)])
def test_chance_levels_are_those_of_random_orders(l, r, monkeypatch):  # noqa: E741
    """Drawn: as many labels for every instance, scores that know nothing."""
    from mlfs import metrics
    from mlfs.report.tables import metric_facts

    entry = type("Entry", (), {"l": l, "cardinality": float(r)})
    monkeypatch.setattr(metric_facts.datasets, "catalog", lambda: {"made": entry})
    monkeypatch.setattr(metric_facts, "density", lambda name: r / l)
    rng = np.random.default_rng(0)
    S, Y = rng.random((20000, l)), np.zeros((20000, l))
    Y[:, :r] = 1
    for name in (
        "average_precision",
        "ranking_loss",
        "one_error",
        "coverage",
        "normalized_coverage",
    ):
        drawn = metrics.METRICS[name].function(Y, S)
        assert chance(name, "made")[0] == pytest.approx(drawn, rel=0.02)
    assert chance("hamming_loss", "made")[0] == metrics.hamming_loss(Y, np.zeros_like(Y))
    assert chance("micro_f1", "made") is None


def test_a_column_below_chance_names_its_sets():
    some = printed(
        row(0.52, 0.54, metric="ranking_loss")
        + row(0.6, 0.4, metric="ranking_loss", dataset="scene")
    )
    found = list(audit_rules.below_chance(some))
    assert [(f.method, f.text) for f in found] == [
        ("A", "worse than a random order on 1 of 2 sets: scene .6 (.5)"),
        ("B", "worse than a random order on 1 of 2 sets: yeast .54 (.5)"),
    ]
    unknown = printed(row(0.9, metric="ranking_loss", dataset="nobody's"))
    assert not list(audit_rules.below_chance(unknown))


def test_a_small_density_tells_only_with_others():
    """corel5k's density is .0094: any good method comes near it."""
    alone = printed([("1", "corel5k", "A", "hamming_loss", 0.009)])
    assert not list(audit_rules.at_density(alone))
    telling = [("1", n, "A", "hamming_loss", v) for n, v in (("yeast", 0.303), ("scene", 0.179))]
    some = printed([*telling, ("1", "corel5k", "A", "hamming_loss", 0.009)])
    assert {f.dataset for f in audit_rules.at_density(some)} == {"yeast", "scene"}
    more = printed(
        [
            *telling,
            ("1", "emotions", "A", "hamming_loss", 0.311),
            ("1", "corel5k", "A", "hamming_loss", 0.009),
        ]
    )
    assert {f.dataset for f in audit_rules.at_density(more)} == {
        "yeast",
        "scene",
        "emotions",
        "corel5k",
    }
    far = [replace(cell, mean=0.02) if cell.dataset == "corel5k" else cell for cell in more]
    assert "corel5k" not in {f.dataset for f in audit_rules.at_density(far)}
    near = [*far, replace(far[-1], dataset="science", mean=0.036)]  # as its density, by chance
    assert {f.dataset for f in audit_rules.at_density(near)} == {"yeast", "scene", "emotions"}
    assert not list(audit_rules.at_density(printed([("1", "yeast", "A", "hamming_loss", 0.3)])))


def falling(sets, values):
    """Cells of one method at no and at half of the labels missing, the same on all sets."""
    parts = [
        printed(
            [("1", name, "A", metric, pair[i]) for name in sets for metric, pair in values.items()],
            ratio=ratio,
        )
        for i, ratio in enumerate((0.0, 0.5))
    ]
    return [cell for part in parts for cell in part]


def test_a_score_that_gets_better_with_fewer_labels_is_found():
    worse = {"one_error": (0.2, 0.3), "average_precision": (0.7, 0.6)}
    sets = ["yeast", "scene", "image"]
    [finding] = audit_rules.improves(falling(sets, worse | {"coverage": (5.0, 4.0)}))
    assert finding.metric == "coverage" and "on all 3 sets" in finding.text
    assert "(one error, average precision)" in finding.text
    assert not list(audit_rules.improves(falling(sets[:2], worse | {"coverage": (5.0, 4.0)})))
    assert not list(
        audit_rules.improves(falling(sets, {"coverage": (5.0, 4.0), "one_error": (0.2, 0.3)}))
    )
    assert not list(audit_rules.improves(falling(sets, worse | {"coverage": (4.0, 4.0)})))
    better = {"one_error": (0.3, 0.2), "average_precision": (0.6, 0.7), "coverage": (5.0, 4.0)}
    assert not list(audit_rules.improves(falling(sets, better)))


def statistics(*lines):
    columns = ["place", "statistic", "tables", "metric", "method", "value"]
    return pd.DataFrame([("here", *line) for line in lines], columns=columns)


def recomputed(some, *lines):
    return [f.text for f in audit_rules.recomputed(some, statistics(*lines))]


@pytest.fixture
def ranked():
    """Three methods on four sets, with their right ranks."""
    values = {"yeast": (1, 2, 3), "scene": (1, 3, 2), "image": (2, 1, 3), "emotions": (1, 2, 3)}
    rows = [
        pair for name, of in values.items() for pair in row(*(v / 10 for v in of), dataset=name)
    ]
    return printed(rows, rank=[rank for of in values.values() for rank in of])


def test_average_ranks_and_means_are_computed_again(ranked):
    right = ("average_rank", "1", "one_error", "A", 1.25), ("mean", "1", "one_error", "C", 0.275)
    assert recomputed(ranked, *right) == []
    assert recomputed(ranked, ("average_rank", "1", "one_error", "A", 1.5)) == [
        "printed 1.5; the printed ranks give 1.250, the printed values 1.250"
    ]
    assert recomputed(ranked, ("mean", "1", "one_error", "C", 0.285)) == [
        "printed .285; the printed values give .275"
    ]
    # 3.3 and 3.25 in one place are printed to two digits
    assert (
        len(
            recomputed(
                ranked, ("mean", "1", "one_error", "C", 0.3), ("mean", "1", "one_error", "A", 0.125)
            )
        )
        == 1
    )
    assert recomputed(ranked, ("mean", "1", "one_error", "Z", 0.1)) == [
        "printed .1, but the table has no such column"
    ]
    assert recomputed(ranked, ("mean", "1", "ranking_loss", "A", 0.1)) == []


def test_friedmans_statistic_is_computed_again(ranked):
    # average ranks 1.25, 2, 2.75: chi2 = 4 (1.5625 + 4 + 7.5625 - 12) = 4.5, F_F = 13.5 / 3.5
    assert recomputed(ranked, ("friedman", "1", "one_error", "", 3.86)) == []
    [text] = recomputed(ranked, ("friedman", "1", "one_error", "", 5.86))
    assert text == "printed F_F 5.86; computed again from printed ranks: 3.86; printed values: 3.86"
    # the same table once more: pooled ranks are the same, and all rows count twice
    twice = [*ranked, *(replace(cell, table="2") for cell in ranked)]
    [text] = recomputed(twice, ("friedman", "1 2", "one_error", "", 3.86))
    assert "is that of ranks averaged over 2 tables on the same 4 sets" in text
    [text] = recomputed(twice, ("friedman", "1 2", "one_error", "", 9.0))
    assert text.startswith("printed F_F 9 counts 4 sets once for each of 2 tables")


def test_critical_values_are_computed_again(ranked):
    right = ("critical_value", "1", "", "", 5.143), ("critical_difference", "1", "", "", 1.65)
    assert recomputed(ranked, *right) == []
    assert recomputed(ranked, ("critical_value", "1", "", "", 5.5)) == [
        "printed 5.5; for 3 methods on 4 sets it is 5.143"
    ]
    [text] = recomputed(ranked, ("critical_difference", "1", "", "", 1.75))
    assert text.startswith("printed CD 1.75; for 3 methods on 4 sets Nemenyi's is 1.66")


def test_every_metric_of_every_protocol_has_a_direction():
    known = directions()
    assert known["average_precision"] and not known["selection_seconds"] and known["nmi"]


def test_the_report_fits_80_columns_in_text_and_says_the_same_in_other_formats(rmfl, monkeypatch):
    monkeypatch.setattr(report, "audit", lambda paper: rmfl)  # once is enough
    with papers.only(["rmfl"]):
        text, plain, md = (report.as_text(kind) for kind in ("text", "json", "md"))
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    for line, after in pairwise(lines):  # a line goes on in the next one only if it is full
        if after.startswith(" " * 4):
            assert len(f"{line} {after.split()[0]}") > 80
    assert text.startswith("rmfl: 1260 printed values and 129 printed statistics; 107 findings, 10")
    assert "\nrank (25): printed ranks that the printed values contradict\n" in text
    assert "  table IV, emotions, RMFL, one error at 40%: printed rank 1, but .316 has" in text
    data = json.loads(plain)
    assert len(data["rmfl"]) == len(rmfl)
    assert data["rmfl"][0]["rule"] == "rank" and data["rmfl"][0]["misprint"] is False
    assert md.startswith("## Regularized Matrix Factorization")
    assert "### Printed ranks that the printed values contradict (25)\n\n- table II, corel5k" in md
    assert md.count("\n- ") == len(rmfl)


def test_without_names_all_papers_are_checked(monkeypatch):
    monkeypatch.setattr(report, "audit", lambda paper: [])
    assert list(json.loads(report.as_text("json"))) == papers.names()
