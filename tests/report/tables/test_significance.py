"""Tests of tables in words and as data, against tables whose outcome is known."""

import json
import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from mlfs import stats
from mlfs.errors import UserError
from mlfs.report.tables import paper_tables, significance
from mlfs.results import read

from ..conftest import table_of


def ordered(n=8, methods="abcd"):
    """Datasets that all rank the methods alike, the last one best."""
    values = np.arange(n * len(methods), dtype=float).reshape(n, -1)
    values += np.random.default_rng(0).random(values.shape) / 4
    return pd.DataFrame(values, [f"set{i}" for i in range(n)], list(methods))


def test_the_tests_are_said_in_words():
    text = "\n".join(significance.tests_of(table_of(ordered())).sentences())
    # all rank alike: chi2 is N(k - 1), and 3 and 2 ranks apart are beyond the difference of 1.66
    assert "Over 8 datasets the 4 methods differ (Friedman: chi2 = 24.000, F_F = inf" in text
    cd = 2.569 * math.sqrt(4 * 5 / (6 * 8))
    assert f"By the Nemenyi test (critical difference {cd:.3f})" in text
    assert "d (1.00) ranks better than b (3.00) and a (4.00); c (2.00) ranks better than a" in text
    # the smallest p of 8 pairs, 2 / 2^8, times the number of pairs
    p = 6 * 2 / 2**8
    assert p < 0.05 and f"b is better than a (p = {p:.2g}, 8 wins, 0 ties, 0 losses, " in text
    assert "rank-biserial r = 1.00)" in text


@pytest.mark.parametrize("sign", [1, -1])
def test_probabilities_of_pairs_follow_the_direction_and_the_rope(sign):
    """b is a little better than a, and c much worse; for losses, all signs turn."""
    scores = pd.DataFrame({"a": np.linspace(0.5, 0.6, 8)}, [f"set{i}" for i in range(8)])
    scores = scores.assign(b=scores.a + 0.02, c=scores.a - 0.2)
    tests = significance.tests_of(table_of(sign * scores, larger_is_better=sign == 1))
    assert "p_better" not in tests.pairs
    narrow = tests.with_probabilities(0.01).pairs.set_index(["method", "versus"])
    wide = tests.with_probabilities(0.05).pairs.set_index(["method", "versus"])
    shares = narrow[["p_better", "p_equal", "p_worse"]]
    assert np.allclose(shares.sum(axis=1), 1)
    assert narrow.loc[("a", "b"), "p_worse"] > 0.95 and wide.loc[("a", "b"), "p_equal"] > 0.95
    assert narrow.loc[("a", "c"), "p_better"] > 0.95 and wide.loc[("a", "c"), "p_better"] > 0.95
    expected = stats.bayesian_signed_rank(scores.b, scores.c, rope=0.01)
    assert narrow.loc[("b", "c"), "p_better"] == expected.better


def test_without_a_difference_there_is_no_test_after_it():
    means = pd.DataFrame(np.tile(np.eye(3), (2, 1)), [f"s{i}" for i in range(6)], list("abc"))
    comparison = significance.tests_of(table_of(means))
    text = "\n".join(comparison.sentences())
    assert "do not differ significantly" in text and "Nemenyi" not in text
    # 3 pairs, and the smallest p of 6 sets is 2 / 2^6
    assert "nothing can be significant with 6 datasets and 3 pairs (the smallest p" in text
    assert "possible is 0.094)" in text
    assert text.startswith("a, b and c rank first; all methods are equal.")
    assert comparison.record()["nemenyi"]["differ"] == []


def test_ranks_far_apart_count_only_if_the_friedman_test_finds_a_difference():
    orders = ["34125", "51234", "14325", "23154", "53214", "21345"]
    rows = [[-int(rank) for rank in order] for order in orders]
    comparison = significance.tests_of(table_of(pd.DataFrame(rows, list("uvwxyz"), list("abcde"))))
    ranks = comparison.friedman.ranks
    assert comparison.friedman.p > 0.05 and ranks["e"] - ranks["c"] > comparison.cd
    assert comparison.differing(comparison.cd) == []


def test_a_control_is_tested_by_bonferroni_and_dunn():
    means = ordered(methods="abcdefgh")
    comparison = significance.tests_of(table_of(means, control="e"))
    dunn = stats.bonferroni_dunn_cd(8, 8)
    record = comparison.record()["bonferroni_dunn"]
    assert record == {"control": "e", "cd": dunn, "differ": [("e", "a")]}  # ranks 4 and 8
    assert dunn < comparison.cd  # fewer pairs: a finer test
    (sentence,) = [s for s in comparison.sentences() if s.startswith("By the Bonferroni-Dunn")]
    assert f"(critical difference {dunn:.3f}) e (4.00) ranks better than a (8.00)." in sentence
    assert set(comparison.pairs.method) == {"e"} and len(comparison.pairs) == 7
    best = significance.tests_of(table_of(means, control="h")).record()["bonferroni_dunn"]
    assert best["differ"] == [("h", worse) for worse in "dcba"]
    (worst,) = [
        s
        for s in significance.tests_of(table_of(means, control="a")).sentences()
        if s.startswith("By the Bonferroni-Dunn")
    ]
    assert "h (1.00) ranks better than a (8.00)" in worst


def test_the_control_of_the_config_is_used(run):
    store = run(
        lambda cell: [{"n_features": 5, "average_precision": len(cell.label) / 20}],
        control="MFSEF",
    )
    table = paper_tables.make_tables(read.read(store))[0]
    assert significance.tests_of(table).control == "MFSEF"
    unknown = significance.tests_of(table_of(ordered(), control="nobody"))
    assert unknown.control is None
    assert unknown.sentences()[-1] == "The control nobody is not among the ranked methods."


def test_two_methods_are_compared_by_wilcoxon_alone():
    means = ordered(methods="ab")
    verdict, sentence = significance.tests_of(table_of(means)).sentences()
    assert verdict == "b ranks first; it is better than a, effect large."
    p = scipy.stats.wilcoxon(means.a, means.b).pvalue
    assert sentence.startswith("By Wilcoxon's signed-rank tests of a and b over 8 datasets")
    assert f"b is better than a (p = {p:.2g}, 8 wins" in sentence


def test_a_test_that_could_find_something_and_does_not_says_so():
    rng = np.random.default_rng(3)
    means = pd.DataFrame(rng.random((8, 3)), [f"s{i}" for i in range(8)], list("abc"))
    found = significance.tests_of(table_of(means))
    text = "\n".join(found.sentences())
    assert found.least == pytest.approx(3 * 2 / 2**8) and "no difference is found" in text
    assert found.record()["smallest_possible_p"] == found.least
    p = found.friedman.p
    assert f"no difference between methods can be shown (p = {p:.2g})." in found.verdict()


def test_the_verdict_names_the_best_who_is_near_and_who_is_worse_with_the_effect():
    found = significance.tests_of(table_of(ordered()))
    # ranks 1 to 4, and the critical difference is 1.66
    assert found.verdict() == (
        "d ranks first; no difference between it and c can be shown by the Nemenyi test; it is "
        "better than b and a, effect large."
    )
    assert found.sentences()[0] == found.record()["verdict"] == found.verdict()
    tied = ordered()
    tied["c"], tied["d"] = (
        tied[["c", "d"]].max(axis=1).where(np.arange(8) % 2 == i, tied[["c", "d"]].min(axis=1))
        for i in (0, 1)
    )
    assert significance.tests_of(table_of(tied)).verdict() == (
        "c and d rank first; no difference between them and b can be shown by the Nemenyi test; "
        "both are better than a, effect large."
    )


def test_a_control_that_is_not_first_leaves_the_verdict_to_the_test_of_all_pairs():
    means = ordered(methods="abcdefgh")
    all_pairs = significance.tests_of(table_of(means)).verdict()
    assert all_pairs == (
        "h ranks first; no difference between it and g, f and e can be shown by the Nemenyi test; "
        "it is better than d, c, b and a, effect large."
    )
    assert significance.tests_of(table_of(means, control="e")).verdict() == all_pairs
    assert (
        "by the Bonferroni-Dunn test"
        in significance.tests_of(table_of(means, control="h")).verdict()
    )


@pytest.mark.parametrize(
    ("effect", "word"), [(1.0, "large"), (0.5, "large"), (0.4, "medium"), (0.1, "small")]
)
def test_effects_have_words(effect, word, monkeypatch):
    found = significance.tests_of(table_of(ordered()))
    monkeypatch.setattr(significance.stats, "rank_biserial", lambda a, b: -effect)
    assert found._effect("a", "b") == word


def test_datasets_with_missing_values_are_left_out_and_named():
    means = ordered()
    means.loc["set2", "b"] = np.nan
    comparison = significance.tests_of(table_of(means))
    assert comparison.friedman.n == 7 and comparison.record()["left_out"] == ["set2"]
    assert comparison.sentences()[-1].endswith("values are missing: set2.")


@pytest.mark.parametrize(("n", "methods"), [(2, "abc"), (5, "a")])
def test_too_little_is_not_tested(n, methods):
    assert significance.tests_of(table_of(ordered(n, methods))) is None


def test_sizes_and_swept_values_are_no_datasets(run):
    """Rows of one dataset are not independent: no test over datasets holds for them."""

    def rows(cell):
        return [{"n_features": n, "average_precision": n / len(cell.label)} for n in (1, 2, 3, 4)]

    (table, *_) = paper_tables.make_tables(read.read(run(rows)), by="size")
    assert len(table.rows) == 4 and significance.tests_of(table) is None
    swept = run(
        rows,
        name="swept",
        methods=["mfsef", "mfsls", "pmu"],
        vary={"discretise": ["width", "mean"]},
    )
    (table, *_) = paper_tables.make_tables(read.read(swept))
    assert len(table.rows) == 6 and significance.tests_of(table) is None


def test_the_record_is_json_and_the_frame_has_a_row_per_pair():
    comparison = significance.tests_of(table_of(ordered()))
    record = json.loads(json.dumps(comparison.record(), allow_nan=False))
    assert record["friedman"]["F_F"] is None and record["friedman"]["chi2"] == pytest.approx(24)
    assert [(p["method"], p["versus"]) for p in record["wilcoxon"]][:2] == [("a", "b"), ("a", "c")]
    frame = comparison.frame().set_index(["method", "versus"])
    assert len(frame) == 6
    assert frame.nemenyi_differs.to_dict() == {
        ("a", "b"): False,
        ("a", "c"): True,
        ("a", "d"): True,
        ("b", "c"): False,
        ("b", "d"): True,
        ("c", "d"): False,
    }
    assert frame["rank"]["a", "b"] == 4 and frame.rank_versus["a", "b"] == 3
    assert (frame.effect == -1).all() and (frame.losses == 8).all()


def test_pooled_ranks_are_averaged_over_tables_before_the_test():
    """Two tables that disagree on one dataset: its ranks become 1.5 each, as the papers pool."""
    values = pd.DataFrame([[2.0, 1.0]] * 3, list("uvw"), list("ab"))
    turned = values.copy()
    turned.loc["w"] = [1.0, 2.0]
    found = significance.pooled([table_of(values, ratio=0.2), table_of(turned, ratio=0.4)])
    assert found.a[0] == pytest.approx((1 + 1 + 1.5) / 3)
    assert found.b[0] == pytest.approx((2 + 2 + 1.5) / 3)
    assert found.metric.tolist() == ["average_precision"]


def test_a_dataset_that_one_of_the_pooled_tables_lacks_is_left_out():
    values = pd.DataFrame([[3.0, 2.0, 1.0]] * 4, list("uvwx"), list("abc"))
    holed = values.copy()
    holed.loc["x"] = [1.0, 2.0, np.nan]  # b before a, among two of the three
    found = significance.pooled([table_of(values), table_of(holed, ratio=0.4)])
    assert found[["a", "b", "c"]].to_numpy().tolist() == [[1, 2, 3]]


def test_tables_of_different_methods_are_not_pooled():
    with pytest.raises(UserError, match="cannot be pooled"):
        significance.pooled([table_of(ordered()), table_of(ordered(methods="ab"))])


def test_two_methods_differ_by_wilcoxon_and_not_by_their_ranks():
    """One large loss beside eight wins: ranks are a critical difference apart, but p is .13."""
    means = pd.DataFrame({"a": np.zeros(9), "b": [*np.linspace(0.1, 0.8, 8), -9.0]})
    found = significance.tests_of(table_of(means.set_axis([f"s{i}" for i in range(9)])))
    assert found.friedman.significant and found.differing(found.cd) == [("b", "a")]
    assert found.verdict() == "b ranks first; no difference between it and a can be shown."


def test_the_effect_is_that_of_the_first_of_those_that_share_the_first_rank():
    """Both c and d lose twice to a, c narrowly and d by far."""
    a = np.full(12, 5.0)
    c = np.array([4.9, 4.8, *[6.0] * 4, *[7.0] * 6]) + np.linspace(0, 0.01, 12)
    d = np.array([*[7.0] * 6, *[6.0] * 4, -80.0, -90.0]) + np.linspace(0.01, 0, 12)
    means = pd.DataFrame({"c": c, "d": d, "a": a}, [f"s{i}" for i in range(12)])
    for order, effect in (("cda", "large"), ("dca", "medium")):
        found = significance.tests_of(table_of(means[list(order)]))
        first, second, _ = order
        assert found.verdict() == (
            f"{first} and {second} rank first; both are better than a, effect {effect}."
        )


def test_ranks_as_far_apart_as_the_critical_difference_do_not_differ():
    found = significance.tests_of(table_of(ordered()))  # ranks 1 to 4
    assert found.differing(2.0) == [("d", "a")]


def test_a_span_of_ranks_joins_at_least_two_and_none_lies_in_another():
    def spans(*ranks, cd):
        return significance.groups(pd.Series(ranks), cd, None)

    assert spans(1.0, 3.0, 5.0, cd=1.5) == []
    assert spans(1.0, 2.0, 2.5, 4.0, cd=1.5) == [(1.0, 2.5), (2.5, 4.0)]
