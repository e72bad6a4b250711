"""Univariate scores against literal sums, scikit-learn and scipy, label by label."""

import warnings

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.feature_selection import f_classif

from mlfs.numerics.information import discretise
from mlfs.selectors import TopMutualInformation, Univariate


def literal_chi2(codes, label):
    rows = [i for i, value in enumerate(label) if not np.isnan(value)]
    total = 0.0
    for a in set(codes):
        for b in (0.0, 1.0):
            both = sum(codes[i] == a and label[i] == b for i in rows)
            expected = sum(codes[i] == a for i in rows) * sum(label[i] == b for i in rows)
            expected /= max(len(rows), 1)
            total += (both - expected) ** 2 / expected if expected else 0.0
    return total


def literal_anova(column, label):
    groups = [[x for x, y in zip(column, label) if y == value] for value in (0.0, 1.0)]
    everything = groups[0] + groups[1]
    if not all(groups) or len(everything) < 3 or len(set(everything)) == 1:
        return 0.0
    mean = sum(everything) / len(everything)
    means = [sum(group) / len(group) for group in groups]
    between = sum(len(group) * (own - mean) ** 2 for group, own in zip(groups, means))
    within = sum((x - own) ** 2 for group, own in zip(groups, means) for x in group)
    return between / (within / (len(everything) - 2))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("join", ["max", "mean", "sum"])
@pytest.mark.parametrize("kind", ["chi2", "anova", "mi"])
def test_order_and_scores_are_literal_on_twenty_sets(small_sets, counted, kind, join, missing):
    joined = {"max": max, "sum": sum, "mean": lambda values: sum(values) / len(values)}[join]
    for X, Y, bins in small_sets(missing):
        at = counted(X, Y, bins)
        scores = []
        for i, f in enumerate(at.features):
            of_labels = {
                "chi2": [literal_chi2(at.columns[f], label) for label in Y.T],
                "anova": [literal_anova(X[:, i], label) for label in Y.T],
                "mi": [at.mutual(f, label) for label in at.labels],
            }[kind]
            scores.append(joined(of_labels))
        model = Univariate(kind=kind, join=join, bins=bins).fit(X, Y)
        np.testing.assert_allclose(model.scores_, scores, rtol=1e-10, atol=1e-10)
        assert model.ranking_.tolist() == np.argsort(-np.round(scores, 9), kind="stable").tolist()


def test_scores_are_those_of_scikit_learn_and_scipy(load_slice):
    X, Y = load_slice("emotions", 200, 20)
    anova = max_of(f_classif(X, label)[0] for label in Y.T)
    np.testing.assert_allclose(Univariate(kind="anova").fit(X, Y).scores_, anova, rtol=1e-10)
    codes = discretise(X, "width", 3).values
    tables = [[np.histogram2d(f, label, bins=(3, 2))[0] for f in codes.T] for label in Y.T]
    chi2 = max_of(
        [chi2_contingency(one[one.any(axis=1)], correction=False)[0] for one in of_label]
        for of_label in tables
    )
    ours = Univariate(kind="chi2", discretise="width", bins=3).fit(X, Y).scores_
    np.testing.assert_allclose(ours, chi2, rtol=1e-9)


def max_of(rows):
    return np.max(list(rows), axis=0)


def test_the_sum_of_information_is_that_of_top_mutual_information(load_slice):
    X, Y = load_slice("emotions", 200, 20)
    ours = Univariate(kind="mi", join="sum").fit(X, Y).scores_
    assert np.array_equal(ours, TopMutualInformation().fit(X, Y).scores_)


def test_a_feature_that_separates_a_label_has_a_large_finite_f_value(load_slice):
    X, Y = load_slice("emotions", 200, 10)
    X[:, 4], X[:, 5] = 3 * Y[:, 0] - 0.1, 0.1  # a copy, and a constant whose mean is not exact
    model = Univariate(kind="anova").fit(X, Y)
    assert model.ranking_[0] == 4 and np.isfinite(model.scores_[4]) and model.scores_[4] > 1e9
    assert model.scores_[5] == 0.0


def test_a_feature_that_is_constant_where_a_label_is_known_scores_nothing():
    """A rare word whose documents are not labelled, with a label that is balanced elsewhere."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    X[:, 1] = 0.1
    X[:5, 1] = 7.3
    Y = (X[:, :1] > 0).astype(float)
    Y[:5] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in ("chi2", "anova", "mi"):
            assert Univariate(kind=kind).fit(X, Y).scores_[1] == 0.0
