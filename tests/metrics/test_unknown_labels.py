"""Metrics of a truth with holes against explicit loops, and what must not change a score."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk

from mlfs import metrics
from mlfs.metrics import METRICS

CASES = 80


def cases(seed, holes=0.4):
    """Small sets with ties, full, empty and wholly unknown rows and labels."""
    rng = np.random.default_rng(seed)
    for i in range(CASES):
        n, l = rng.integers(1, 9), rng.integers(1, 7)  # noqa: E741
        Y = (rng.random((n, l)) < rng.choice([0.15, 0.5, 0.85])).astype(float)
        Y[rng.random((n, l)) < holes * rng.random() * 1.8] = np.nan
        if i % 5 == 0:
            Y[rng.integers(n)] = np.nan
        if i % 7 == 0:
            Y[:, rng.integers(l)] = np.nan
        S = rng.choice([-1.0, 0.0, 0.25, 0.5, 3.0], (n, l)) if i % 2 else rng.normal(size=(n, l))
        yield Y, S, (rng.random((n, l)) < 0.5).astype(int)


# ---- the definitions, one instance, one label and one entry at a time


def average(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def rows(Y, S):
    """The scores of the known labels of a row, and their labels, for rows that count."""
    for y, s in zip(Y, S):
        known = [(float(s[j]), int(y[j])) for j in range(len(y)) if not math.isnan(y[j])]
        values = [value for _, value in known]
        if 0 in values and 1 in values:
            yield [score for score, _ in known], values


def ahead(scores, i):
    """The rank of a label: equal ones of larger index are before it."""
    return 1 + sum(
        1 for j, other in enumerate(scores) if other > scores[i] or (other == scores[i] and j > i)
    )


def loop_average_precision(Y, S):
    total = []
    for s, y in rows(Y, S):
        ranks = [ahead(s, i) for i in range(len(y)) if y[i]]
        total.append(average(sum(other <= rank for other in ranks) / rank for rank in ranks))
    return average(total)


def loop_average_precision_sklearn(Y, S):
    total = []
    for s, y in rows(Y, S):
        each = []
        for i in range(len(y)):
            if y[i]:
                above = [y[j] for j in range(len(y)) if s[j] >= s[i]]
                each.append(sum(above) / len(above))
        total.append(average(each))
    return average(total)


def loop_ranking_loss(Y, S):
    return average(
        average(s[i] <= s[j] for i in range(len(y)) for j in range(len(y)) if y[i] > y[j])
        for s, y in rows(Y, S)
    )


def loop_one_error(Y, S):
    return average(not any(y[i] and s[i] == max(s) for i in range(len(y))) for s, y in rows(Y, S))


def deepest(s, y):
    return max(ahead(s, i) for i in range(len(y)) if y[i])


def loop_coverage(Y, S):
    return average(deepest(s, y) - 1 for s, y in rows(Y, S))


def loop_coverage_sklearn(Y, S):
    return average(
        max(sum(other >= s[i] for other in s) for i in range(len(y)) if y[i]) for s, y in rows(Y, S)
    )


def loop_normalized_coverage(Y, S):
    return average((deepest(s, y) - 1) / len(y) for s, y in rows(Y, S))


def loop_precision(k):
    def value(Y, S):
        if Y.shape[1] < k:
            return math.nan
        return average(
            sum(y[i] for i in range(len(y)) if ahead(s, i) <= k) / min(k, len(y))
            for s, y in rows(Y, S)
        )

    return value


def entries(Y, V):
    """All known entries: their label and their score or prediction."""
    return [
        (int(Y[i, j]), float(V[i, j]))
        for i in range(len(Y))
        for j in range(Y.shape[1])
        if not math.isnan(Y[i, j])
    ]


def by_label(Y, V):
    return [entries(Y[:, [j]], V[:, [j]]) for j in range(Y.shape[1])]


def by_row(Y, V):
    return [entries(Y[[i]], V[[i]]) for i in range(len(Y))]


def loop_hamming_loss(Y, P):
    return average(y != p for y, p in entries(Y, P))


def f1(pairs):
    right = sum(y == p == 1 for y, p in pairs)
    return 2 * right / max(sum(y for y, _ in pairs) + sum(p for _, p in pairs), 1)


def jaccard(pairs):
    return sum(y == p == 1 for y, p in pairs) / max(sum(y == 1 or p == 1 for y, p in pairs), 1)


def auc(pairs):
    """The share of pairs of a positive and a negative in the right order; ties count a half."""
    return average((s > t) + (s == t) / 2 for y, s in pairs if y == 1 for z, t in pairs if z == 0)


def precision(pairs):
    """The mean over positives of the precision among all that are scored as high."""
    each = []
    for y, s in pairs:
        if y == 1:
            above = [z for z, t in pairs if t >= s]
            each.append(sum(above) / len(above))
    return average(each)


def over(value, parts):
    def found(Y, V):
        values = [value(pairs) for pairs in parts(Y, V) if pairs]
        return average(v for v in values if not math.isnan(v))

    return found


def together(value):
    return lambda Y, V: value(entries(Y, V)) if entries(Y, V) else math.nan


LOOPS = {
    "average_precision": loop_average_precision,
    "hamming_loss": loop_hamming_loss,
    "ranking_loss": loop_ranking_loss,
    "one_error": loop_one_error,
    "coverage": loop_coverage,
    "normalized_coverage": loop_normalized_coverage,
    "precision_at_1": loop_precision(1),
    "precision_at_2": loop_precision(2),
    "precision_at_3": loop_precision(3),
    "macro_f1": over(f1, by_label),
    "micro_f1": together(f1),
    "macro_auc": over(auc, by_label),
    "micro_auc": together(auc),
    "macro_average_precision": over(precision, by_label),
    "samples_jaccard": over(jaccard, by_row),
    "macro_jaccard": over(jaccard, by_label),
    "micro_jaccard": together(jaccard),
    "exact_match": over(lambda pairs: float(all(y == p for y, p in pairs)), by_row),
}


def given(metric, S, P):
    return S if METRICS[metric].needs == "scores" else P


def test_every_metric_has_a_loop():
    assert set(LOOPS) == set(METRICS)


@pytest.mark.parametrize("name", LOOPS)
def test_metrics_with_holes_are_the_literal_definitions(name):
    defined = 0
    for Y, S, P in cases(seed=1):
        if not np.isnan(Y).any():
            continue
        value = metrics.evaluate(Y, S, P, [name])[name]
        expected = LOOPS[name](Y, given(name, S, P))
        assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)
        defined += not math.isnan(expected)
    assert defined > CASES / 4


def test_the_other_convention_of_ties_with_holes():
    for Y, S, _ in cases(seed=2):
        if np.isnan(Y).any():
            same = {"abs": 1e-12, "nan_ok": True}
            precision_ = metrics.average_precision(Y, S, ties="sklearn")
            assert precision_ == pytest.approx(loop_average_precision_sklearn(Y, S), **same)
            loss = metrics.ranking_loss(Y, S, ties="sklearn")
            assert loss == pytest.approx(loop_ranking_loss(Y, S), **same)
            depth = metrics.coverage(Y, S, ties="sklearn")
            assert depth == pytest.approx(loop_coverage_sklearn(Y, S), **same)


@pytest.mark.parametrize("name", [name for name in LOOPS if METRICS[name].by_label])
def test_the_mean_of_the_labels_values_is_the_macro_metric(name):
    for Y, S, P in cases(seed=3):
        values = METRICS[name].by_label(Y, given(name, S, P))
        assert values.shape == (Y.shape[1],)
        known = values[~np.isnan(values)]
        macro = METRICS[name].function(Y, given(name, S, P))
        assert macro == pytest.approx(known.mean() if len(known) else math.nan, nan_ok=True)
        for j, value in enumerate(values):
            alone = METRICS[name].function(Y[:, [j]], given(name, S, P)[:, [j]])
            assert value == pytest.approx(alone, abs=1e-12, nan_ok=True)


# ---- what lies behind a hole cannot matter


def test_nothing_behind_an_unknown_label_changes_a_score():
    """0 or 1 behind a mask, and other scores and predictions there, leave every digit as it is."""
    rng = np.random.default_rng(4)
    containers = itertools.cycle(
        [
            lambda hidden, holes: np.ma.masked_array(hidden, mask=holes),
            lambda hidden, holes: pd.DataFrame(hidden).astype("Int64").mask(holes),
            lambda hidden, holes: np.where(holes, None, hidden.astype(object)),
        ]
    )
    for (Y, S, P), container in zip(cases(seed=4), containers):
        holes = np.isnan(Y)
        values = metrics.evaluate(Y, S, P, METRICS)
        for behind in (0, 1):
            hidden = np.where(holes, behind, Y).astype(int)
            np.testing.assert_equal(
                metrics.evaluate(container(hidden, holes), S, P, METRICS), values
            )
        S_other = np.where(holes, rng.choice([-np.inf, -9.0, 0.25, 9.0, np.inf], S.shape), S)
        P_other = np.where(holes, 1 - P, P)
        np.testing.assert_equal(metrics.evaluate(Y, S_other, P_other, METRICS), values)


@pytest.mark.parametrize("name", LOOPS)
def test_a_known_label_does_change_a_score(name):
    """So the test above would see a metric that ignores the truth."""
    rng = np.random.default_rng(5)
    Y = rng.integers(0, 2, (30, 5)).astype(float)
    S, P = rng.normal(size=Y.shape), rng.integers(0, 2, Y.shape)
    Y[rng.random(Y.shape) < 0.2] = np.nan
    values = [metrics.evaluate(Y, S, P, [name])[name]]
    for i, j in zip(*np.nonzero(~np.isnan(Y))):
        other = Y.copy()
        other[i, j] = 1 - other[i, j]
        values.append(metrics.evaluate(other, S, P, [name])[name])
    assert len(set(values)) > 1


def test_a_truth_without_known_labels_has_no_score():
    Y = np.full((4, 3), np.nan)
    found = metrics.evaluate(Y, np.zeros((4, 3)), np.zeros((4, 3)), METRICS)
    assert all(math.isnan(value) for value in found.values())


# ---- a complete truth


@pytest.mark.parametrize(
    "name, theirs",
    {
        "macro_auc": lambda Y, S, P: sk.roc_auc_score(Y, S, average="macro"),
        "micro_auc": lambda Y, S, P: sk.roc_auc_score(Y, S, average="micro"),
        "macro_average_precision": lambda Y, S, P: sk.average_precision_score(Y, S),
        "samples_jaccard": lambda Y, S, P: sk.jaccard_score(
            Y, P, average="samples", zero_division=0
        ),
        "macro_jaccard": lambda Y, S, P: sk.jaccard_score(Y, P, average="macro", zero_division=0),
        "micro_jaccard": lambda Y, S, P: sk.jaccard_score(Y, P, average="micro", zero_division=0),
        "exact_match": lambda Y, S, P: sk.accuracy_score(Y, P),
    }.items(),
)
def test_complete_truths_agree_with_scikit_learn(name, theirs):
    rng = np.random.default_rng(6)
    for i in range(CASES):
        shape = rng.integers(4, 12), rng.integers(2, 6)
        Y = rng.integers(0, 2, shape)
        Y[0], Y[1] = 1, 0  # scikit-learn wants both values of each label
        S = rng.choice([0.0, 0.2, 0.7], shape) if i % 2 else rng.normal(size=shape)
        P = (rng.random(shape) < 0.4).astype(int)
        value = metrics.evaluate(Y, S, P, [name])[name]
        assert value == pytest.approx(theirs(Y, S, P), abs=1e-12)
        as_floats = metrics.evaluate(Y.astype(float), S, P, [name])[name]
        assert as_floats == value


def test_labels_with_one_value_leave_the_mean_of_areas():
    Y = np.array([[1, 0, 1], [0, 0, 1], [1, 0, 1]])
    S = np.array([[0.9, 0.1, 0.5], [0.3, 0.2, 0.5], [0.2, 0.9, 0.5]])
    assert metrics.macro_auc(Y, S) == pytest.approx(0.5)
    assert metrics.auc_by_label(Y, S) == pytest.approx([0.5, math.nan, math.nan], nan_ok=True)
    # the third label has positives only: all precisions are 1
    assert metrics.macro_average_precision(Y, S) == pytest.approx(((1 + 2 / 3) / 2 + 1) / 2)
    assert math.isnan(metrics.macro_auc(Y[:, 1:], S[:, 1:]))
