"""The measured curves: what they must add up to, on real slices."""

from typing import ClassVar

import numpy as np
import pytest

from mlfs.active import MIML, BayesianCompressedSensing, LiAdaptive, Random
from mlfs.active.curve import (
    choosing_seconds,
    compare_inferences,
    diagnosis_curve,
    generalised_curve,
    learning_curve,
)
from mlfs.methods import registry
from mlfs.metrics import precision_at_k

STRATEGIES = registry.methods(["strategy"])


@pytest.fixture(scope="module")
def data(yeast_slice):
    return yeast_slice(160)


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_the_whole_pool_gives_the_same_model_whoever_chose(data, name):
    X, Y = data
    start, test = np.arange(20), (X[60:], Y[60:])
    model = BayesianCompressedSensing(random_state=0)
    curve = learning_curve(
        X[:60], Y[:60], start, STRATEGIES[name](), model, budget=40, step=15, test=test
    )
    assert curve["n_bought"].tolist() == [0, 15, 30, 40]
    assert (np.diff(curve["seconds"]) >= 0).all()
    fitted = BayesianCompressedSensing(random_state=0).fit(X[:20], Y[:20])
    for i, rows in ((0, slice(20)), (-1, slice(60))):
        scores = fitted.condition(X[rows], Y[rows]).decision_function(X[60:])
        expected = [precision_at_k(Y[60:], scores, k) for k in (1, 2, 3)]
        found = curve.iloc[i][["precision_at_1", "precision_at_2", "precision_at_3"]]
        assert found.tolist() == pytest.approx(expected, abs=0.011)  # rounding can swap a tie
        assert curve["precision"].iloc[i] == pytest.approx(np.mean(expected), abs=0.011)
    assert not hasattr(model, "Phi_")


def test_diagnosis_recovers_all_when_all_is_bought(data):
    X, Y = data
    for criterion in ("miml", "uncertainty", "random"):
        curve = diagnosis_curve(
            X[:100],
            Y[:100],
            (X[100:130], Y[100:130]),
            STRATEGIES[criterion](),
            BayesianCompressedSensing(n_factors=1.0, random_state=0),
            budget=Y.shape[1],
            random_state=0,
        )
        assert curve["n_bought"].tolist() == list(range(Y.shape[1] + 1))
        assert curve["f1"].iloc[-1] == curve["micro_f1"].iloc[-1] == 1.0
        assert curve["micro_f1"].iloc[0] < 0.9


def test_generalised_recovers_all_when_all_is_bought(data):
    X, Y = data
    curve = generalised_curve(
        X[:100],
        Y[:100],
        (X[100:110], Y[100:110]),
        MIML(),
        BayesianCompressedSensing(n_factors=1.0, random_state=0),
        labels_per_point=Y.shape[1],
    )
    assert curve["n_bought"].tolist() == list(range(11))
    assert curve["f1"].iloc[-1] == curve["micro_f1"].iloc[-1] == 1.0


def test_generalised_with_some_labels_beats_none(data):
    X, Y = data
    test = (X[100:120], Y[100:120])
    model = BayesianCompressedSensing(n_factors=1.0, random_state=0)
    curve = generalised_curve(
        X[:100],
        Y[:100],
        test,
        Random(random_state=0),
        model,
        labels_per_point=7,
        random_state=0,
    )
    assert curve["micro_f1"].iloc[-1] > curve["micro_f1"].iloc[0] + 0.05


def test_inferences_side_by_side_equal_the_posterior_of_each(data):
    X, Y = data
    table = compare_inferences(
        X[:100], Y[:100], X[100:105], BayesianCompressedSensing(random_state=0)
    )
    assert len(table) == 5 * Y.shape[1]
    row = table[(table["point"] == 2) & (table["label"] == 3)].iloc[0]
    found = BayesianCompressedSensing(random_state=0).fit(X[:100], Y[:100]).posterior(X[100:105])
    assert row["mean_ml_oss"] == found.mean[2, 3]
    assert row["variance_ml_oss"] == found.variance[2, 3]
    assert (table["variance_ml_oss"] > table["variance_bml_cs"]).mean() > 0.8


@pytest.mark.parametrize(("one_at_a_time", "asked"), [(True, [1] * 5), (False, [5])])
def test_the_clock_runs_over_as_many_choices_as_are_asked_for(data, one_at_a_time, asked):
    """One by one, labels revealed after each, where the strategy needs that; else all at once."""

    class Noting(Random):
        seen: ClassVar = []

        def query(self, pool, model, n):
            self.seen.append((n, len(pool.labelled)))
            return super().query(pool, model, n)

    Noting.one_at_a_time, Noting.seen = one_at_a_time, []
    model = BayesianCompressedSensing(random_state=0)
    choosing_seconds(*data, np.arange(30), Noting(random_state=0), model, 5)
    known = range(30, 35) if one_at_a_time else [30]
    assert Noting.seen == list(zip(asked, known))


@pytest.mark.parametrize("strategy", [MIML(), LiAdaptive(random_state=0)])
def test_choosing_takes_a_positive_number_of_seconds(data, strategy):
    X, Y = data
    found = choosing_seconds(
        X, Y, np.arange(30), strategy, BayesianCompressedSensing(random_state=0), 5
    )
    assert set(found) == {"seconds_learning", "seconds_choosing"}
    assert min(found.values()) > 0
