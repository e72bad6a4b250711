"""Metrics against a literal transcription of their definitions, scikit-learn and brute force."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlfs import metrics
from mlfs.errors import UserError


@st.composite
def tied(draw):
    """Labels with empty and full rows, and scores of which many are equal."""
    shape = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    Y = draw(arrays(np.uint8, shape, elements=st.integers(0, 1)))
    S = draw(arrays(float, shape, elements=st.sampled_from([-1.0, 0.0, 0.25, 1.0])))
    P = draw(arrays(np.uint8, shape, elements=st.integers(0, 1)))
    return Y, S, P


# ---- the definitions, one instance and one label at a time


def slow_rank(scores, j):
    """1 + the labels ahead of j: those scored higher, and equal ones of larger index."""
    ahead = [i for i, s in enumerate(scores) if s > scores[j] or (s == scores[j] and i > j)]
    return 1 + len(ahead)


def slow_rows(Y, S):
    for y, s in zip(Y, S):
        yes = [j for j in range(len(y)) if y[j] == 1]
        no = [j for j in range(len(y)) if y[j] == 0]
        yield s, yes, no


def average(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def slow_average_precision(Y, S):
    def of_row(s, yes):
        ranks = [slow_rank(s, j) for j in yes]
        return average(sum(other <= rank for other in ranks) / rank for rank in ranks)

    return average(of_row(s, yes) for s, yes, no in slow_rows(Y, S) if yes and no)


def slow_ranking_loss(Y, S):
    return average(
        average(s[j] <= s[i] for j in yes for i in no)
        for s, yes, no in slow_rows(Y, S)
        if yes and no
    )


def slow_one_error(Y, S):
    return average(
        not any(s[j] == max(s) for j in yes) for s, yes, no in slow_rows(Y, S) if yes and no
    )


def slow_coverage(Y, S):
    return (
        average(max((slow_rank(s, j) for j in yes), default=0) for s, yes, _ in slow_rows(Y, S)) - 1
    )


def slow_precision_at_k(Y, S, k):
    return average(sum(slow_rank(s, j) <= k for j in yes) / k for s, yes, _ in slow_rows(Y, S))


@settings(max_examples=150, deadline=None)
@given(tied())
def test_zhang_is_the_literal_definition(case):
    Y, S, _ = case
    l = Y.shape[1]  # noqa: E741
    same = {"nan_ok": True, "abs": 1e-12}
    assert metrics.average_precision(Y, S) == pytest.approx(slow_average_precision(Y, S), **same)
    assert metrics.ranking_loss(Y, S) == pytest.approx(slow_ranking_loss(Y, S), **same)
    assert metrics.one_error(Y, S) == pytest.approx(slow_one_error(Y, S), **same)
    assert metrics.coverage(Y, S) == pytest.approx(slow_coverage(Y, S), **same)
    assert metrics.coverage(Y, S, normalize=True) == pytest.approx(slow_coverage(Y, S) / l, **same)
    for k in range(1, l + 1):
        expected = slow_precision_at_k(Y, S, k)
        assert metrics.precision_at_k(Y, S, k) == pytest.approx(expected, **same)


@settings(max_examples=120, deadline=None)
@given(tied())
def test_sklearn_ties_equal_scikit_learn(case):
    Y, S, _ = case
    if Y.shape[1] == 1:
        return  # scikit-learn takes one column for single-label targets
    same = {"abs": 1e-12}
    assert metrics.average_precision(Y, S, ties="sklearn") == pytest.approx(
        sk.label_ranking_average_precision_score(Y, S), **same
    )
    assert metrics.ranking_loss(Y, S, ties="sklearn") == pytest.approx(
        sk.label_ranking_loss(Y, S), **same
    )
    assert metrics.coverage(Y, S, ties="sklearn") == pytest.approx(sk.coverage_error(Y, S), **same)


@settings(max_examples=100, deadline=None)
@given(tied())
def test_label_metrics_equal_scikit_learn(case):
    Y, _, P = case
    assert metrics.hamming_loss(Y, P) == pytest.approx(np.mean(Y != P))
    if Y.shape[1] > 1:
        for average_, ours in (("macro", metrics.macro_f1), ("micro", metrics.micro_f1)):
            theirs = sk.f1_score(Y, P, average=average_, zero_division=0)
            assert ours(Y, P) == pytest.approx(theirs, abs=1e-12)


def test_two_equal_scores_depend_on_which_label_is_relevant():
    S = [[0.5, 0.5]]
    for Y, ap, depth in (([[1, 0]], 0.5, 1), ([[0, 1]], 1.0, 0)):
        assert metrics.average_precision(Y, S) == ap
        assert metrics.coverage(Y, S) == depth
        assert metrics.one_error(Y, S) == 0


def test_full_and_empty_rows_leave_three_metrics_and_stay_in_two():
    Y = np.array([[0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 1, 0]])
    S = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.2, 0.1]])
    # the last row alone: ranks 1 and 3, precisions 1 and 2/3; one of four pairs is wrong
    assert metrics.average_precision(Y, S) == pytest.approx(5 / 6)
    assert metrics.ranking_loss(Y, S) == pytest.approx(1 / 4)
    assert metrics.one_error(Y, S) == 0
    assert metrics.coverage(Y, S) == pytest.approx((0 + 4 + 3) / 3 - 1)
    assert metrics.hamming_loss(Y, np.zeros_like(Y)) == pytest.approx(6 / 12)


def test_perfect_scores_are_best_and_reversed_ones_are_worst():
    rng = np.random.default_rng(0)
    Y = rng.random((50, 12)) < 0.3
    Y[:, 0], Y[:, 1] = True, False
    noise = rng.random(Y.shape) / 2
    cardinality = Y.sum(axis=1).mean()
    assert metrics.average_precision(Y, Y + noise) == 1
    assert metrics.ranking_loss(Y, Y + noise) == 0
    assert metrics.coverage(Y, Y + noise) == pytest.approx(cardinality - 1)
    assert metrics.one_error(Y, Y + noise) == 0
    assert metrics.ranking_loss(Y, noise - Y) == 1
    assert metrics.one_error(Y, noise - Y) == 1
    assert metrics.precision_at_k(Y, noise - Y, 1) == 0


def test_nothing_left_to_average_is_nan():
    Y, S = np.ones((3, 2)), np.zeros((3, 2))
    for metric in (metrics.average_precision, metrics.ranking_loss, metrics.one_error):
        assert math.isnan(metric(Y, S))


def test_acc_is_the_best_of_all_matchings():
    rng = np.random.default_rng(1)
    classes, clusters = rng.integers(0, 4, 60), rng.integers(0, 5, 60)
    best = max(
        np.mean([match[c] == k for c, k in zip(clusters, classes)])
        for match in itertools.permutations(range(5))
    )
    assert metrics.acc(classes, clusters) == pytest.approx(best)
    assert metrics.acc(classes, (classes + 1) % 4) == 1


def test_nmi_equals_what_is_counted_by_hand():
    # two halves against four quarters: I = log 2, entropies log 2 and log 4
    assert metrics.nmi([0, 0, 1, 1], [0, 1, 2, 3]) == pytest.approx(1 / 1.5)
    assert metrics.nmi([0, 0, 1, 1], [5, 5, 3, 3]) == pytest.approx(1)
    assert metrics.nmi([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(0)


def test_evaluate_leaves_out_what_too_few_labels_cannot_have():
    Y = np.array([[1, 0], [0, 1], [1, 1]])
    values = metrics.evaluate(Y, Y, Y, metrics.METRICS)
    assert np.isnan(values.pop("precision_at_3"))
    assert not np.isnan(list(values.values())).any()
    values = metrics.evaluate(Y[:, :1], Y[:, :1], Y[:, :1], metrics.METRICS)
    assert np.isnan(values["precision_at_2"]) and values["micro_f1"] == 1


def test_evaluate_gives_each_metric_what_it_needs():
    rng = np.random.default_rng(2)
    Y, S = rng.integers(0, 2, (30, 5)), rng.random((30, 5))
    P = (S > 0.5).astype(int)
    values = metrics.evaluate(Y, S, P, metrics.METRICS)
    assert list(values) == list(metrics.METRICS)
    assert values["hamming_loss"] == metrics.hamming_loss(Y, P)
    assert values["normalized_coverage"] == pytest.approx(values["coverage"] / 5)
    assert values["precision_at_2"] == metrics.precision_at_k(Y, S, 2)
    assert values["micro_f1"] == metrics.micro_f1(Y, P)


def test_larger_is_better_says_which_way():
    """Perfect answers beat reversed ones in the direction the registry names."""
    Y = np.array([[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0]])
    good = metrics.evaluate(Y, Y, Y, metrics.METRICS)
    bad = metrics.evaluate(Y, -Y, 1 - Y, metrics.METRICS)
    for name, metric in metrics.METRICS.items():
        assert (good[name] > bad[name]) == metric.larger_is_better, name


def test_sparse_and_float32_labels_count_the_same():
    Y = np.array([[1, 0, 1], [0, 0, 1]])
    S = np.array([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2]], dtype=np.float32)
    expected = metrics.average_precision(Y, S)
    assert metrics.average_precision(sp.csr_matrix(Y), S) == expected
    assert metrics.average_precision(Y.astype(np.float32), S) == expected


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: metrics.average_precision([[1, -1]], [[0, 1]]), "replace -1"),
        (lambda: metrics.average_precision([[1, np.inf]], [[0, 1]]), "replace -1"),
        (lambda: metrics.hamming_loss([[1, 0]], [[1, np.nan]]), "predicted labels are nan"),
        (lambda: metrics.macro_auc([["a", "b"]], [[0, 1]]), "MultiLabelBinarizer"),
        (lambda: metrics.exact_match([["a"], ["b", "c"]], [[0, 1]]), "MultiLabelBinarizer"),
        (lambda: metrics.ranking_loss([[1, 0]], [[0, np.nan]]), "some scores are nan"),
        (lambda: metrics.one_error([[1, 0]], [[0.0]]), "do not match"),
        (lambda: metrics.hamming_loss([1, 0], [1, 0]), "two n x l arrays"),
        (lambda: metrics.hamming_loss(np.ones((0, 2)), np.ones((0, 2))), "two n x l arrays"),
        (lambda: metrics.precision_at_k([[1, 0]], [[0, 1]], 3), "choose 1..2"),
        (lambda: metrics.coverage([[1, 0]], [[0, 1]], ties="huang"), "use 'zhang' or 'sklearn'"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_unknown_metric_is_named_with_the_nearest():
    with pytest.raises(UserError, match="did you mean 'one_error'"):
        metrics.evaluate([[1, 0]], [[0, 1]], [[0, 1]], ["one_eror"])
