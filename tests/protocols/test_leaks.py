"""Nothing of the test part reaches a choice, a fit, a scaler or a tuner.

Each test runs a whole cell twice, the second time on data whose test part was changed, and
compares everything that was decided before the test part is scored.
"""

import dataclasses

import numpy as np
import pytest

from mlfs import config
from mlfs.datasets import load_zero_shot
from mlfs.methods import registry
from mlfs.metrics import METRICS, evaluate
from mlfs.protocols import active, learning, selection, supervised, zeroshot
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.seeds import generator

SELECTION = {
    "name": "leak",
    "protocol": "selection",
    "datasets": ["emotions"],
    "split": {"kind": "holdout", "train": 0.5},
    "mask": {"kind": "hide_positives", "ratio": 0.3},
    "scale": "standard",
    "methods": ["fsnm"],
    "sizes": [5, 20],
    "tune": {"strategy": "random", "budget": 4, "folds": 2},
    "metrics": ["average_precision"],
}
LEARNING = {
    **{key: value for key, value in SELECTION.items() if key != "sizes"},
    "protocol": "learning",
    "methods": ["leml"],
    "mask": {"kind": "drop_per_instance", "ratio": 0.4},
}


def cell_of(content, **changes):
    [one] = plan(config.parse(content | changes, source="test"))
    return one.cell


def rows_of_test_part(cell, data):
    split = cell.settings.split
    return split.indices(data, cell.repeat, lambda turn: generator(cell, "split", repeat=turn))[1]


def flipped_labels(data, rows):
    Y = data.Y.copy()
    Y[rows] = 1 - Y[rows]
    return dataclasses.replace(data, Y=Y)


def wild_features(data, rows):
    X = np.array(data.X)
    X[rows] = 1e4 * np.random.default_rng(0).standard_normal(X[rows].shape)
    return dataclasses.replace(data, X=X)


@pytest.fixture
def spied(monkeypatch):
    """Run a cell on given data; give the record and everything that methods were fitted on."""

    def run(protocol, cell, data):
        fits = []

        def building(name, params, kinds, seed):
            made = registry_build(name, params, kinds, seed)
            original = made.fit

            def fit(X, Y):
                fits.append((name, dict(params), np.array(X), np.array(Y)))
                return original(X, Y)

            made.fit = fit
            return made

        registry_build = ORIGINAL_BUILD
        monkeypatch.setattr(registry, "build", building)
        monkeypatch.setattr(supervised, "load_dataset", lambda _: data)
        return protocol.run(cell), fits

    return run


ORIGINAL_BUILD = registry.build


@pytest.mark.parametrize("change", [flipped_labels, wild_features])
@pytest.mark.parametrize(("protocol", "content"), [(selection, SELECTION), (learning, LEARNING)])
@pytest.mark.parametrize("scale", ["standard", "minmax"])
def test_the_test_part_changes_no_choice_no_fit_and_no_scaling(
    real, spied, protocol, content, change, scale
):
    data = real("emotions")
    cell = cell_of(content, scale=scale)
    record, fits = spied(protocol, cell, data)
    again, fits_again = spied(protocol, cell, change(data, rows_of_test_part(cell, data)))
    assert record.tuned == again.tuned and record.tuned["tried"]
    assert record.features == again.features
    assert len(fits) == len(fits_again) > 8
    for (name, params, X, Y), (name2, params2, X2, Y2) in zip(fits, fits_again):
        assert (name, params) == (name2, params2)
        assert np.array_equal(X, X2) and np.array_equal(Y, Y2, equal_nan=True)
    assert record.rows != again.rows  # the scores did see the change


@pytest.mark.parametrize(("protocol", "content"), [(selection, SELECTION), (learning, LEARNING)])
def test_the_tuner_never_sees_a_test_row(real, monkeypatch, protocol, content):
    """Rows are told apart by their features: no trial scores a row of the test part."""
    data = real("emotions")
    cell = cell_of(content, scale="none")
    rows = {tuple(row) for row in data.X[rows_of_test_part(cell, data)]}
    scored = []
    original = supervised.Task.fold

    def fold(task, fit, score, on_known=False):
        made = original(task, fit, score)
        scored.extend(tuple(row) for row in np.vstack([made.X, made.X_test]))
        return made

    monkeypatch.setattr(supervised.Task, "fold", fold)
    protocol.run(cell)
    train = {tuple(row) for row in data.X} - rows
    assert set(scored) == train


def test_every_metric_of_a_row_is_that_of_the_scores_and_thresholded_labels(real):
    """Predicting every label, or none, would show in Hamming loss and F1."""
    cell = cell_of(LEARNING, methods=["mlknn"], mask="none", tune={"strategy": "none"})
    task = supervised.prepare(cell)
    model = registry.build("mlknn", {}, ("classifier",), 0).fit(task.X, task.Y)
    scores = model.decision_function(task.X_test)
    expected = evaluate(task.Y_test, scores, scores >= 0.5, METRICS)
    [row] = learning.run(cell).rows
    assert row == expected
    share = (scores >= 0.5).mean()
    assert 0.1 < share < 0.6
    everything = evaluate(task.Y_test, scores, np.ones_like(task.Y_test), ["hamming_loss"])
    assert row["hamming_loss"] < everything["hamming_loss"] - 0.2


def test_a_scaler_knows_the_training_part_alone(real):
    cell = cell_of(LEARNING, scale="standard", tune={"strategy": "none"})
    task = supervised.prepare(cell)
    assert np.allclose(task.X.mean(axis=0), 0) and np.allclose(task.X.std(axis=0), 1)
    assert np.abs(task.X_test.mean(axis=0)).max() > 0.02


def test_unseen_classes_change_no_chosen_feature(monkeypatch):
    content = {
        "name": "z",
        "protocol": "zeroshot",
        "datasets": ["digits"],
        "scale": "standard",
        "methods": ["semfs"],
        "sizes": [5, 20],
        "n_starts": 2,
        "metrics": ["acc"],
    }
    cell = cell_of(content)
    data = load_zero_shot("digits")
    X = data.X.copy()
    X[data.test] = 1e3 * np.random.default_rng(0).standard_normal(X[data.test].shape)
    record = zeroshot.run(cell)
    monkeypatch.setattr(zeroshot, "_load", lambda *_: dataclasses.replace(data, X=X))
    again = zeroshot.run(cell)
    assert record.features == again.features and record.rows != again.rows


@pytest.mark.parametrize("strategy", ["miml", "uncertainty", "random", "li_adaptive"])
def test_labels_not_bought_yet_change_no_query(monkeypatch, strategy):
    """Rows that are never bought may carry any labels; others only show once they are bought."""
    content = {
        "name": "a",
        "protocol": "active",
        "datasets": ["toy_gaussian"],
        "methods": [strategy],
        "scale": "standard",
        "pool": 300,
        "test": 100,
        "start": 20,
        "budget": 5,
        "step": 1,
        "model": {"n_factors": 1.0},
        "metrics": ["precision"],
    }
    cell = cell_of(content)
    asked = []
    cls = registry.method(strategy, ("strategy",))
    original = cls.query

    def query(self, pool, model, n):
        picks = original(self, pool, model, n)
        asked.append((pool.Y.copy(), picks.copy()))
        return picks

    monkeypatch.setattr(cls, "query", query)
    draw = active._draw(cell, cell.settings)
    active.run(cell)
    bought = np.concatenate([picks for _, picks in asked])
    known = set(draw.start.tolist())
    for seen, picks in asked:
        rows = np.flatnonzero(~np.isnan(seen).all(axis=1))
        assert known >= set(rows.tolist()) >= set(draw.start.tolist())
        known |= set(picks.tolist())
    never = np.setdiff1d(np.arange(len(draw.Y)), np.concatenate([draw.start, bought]))
    Y = draw.Y.copy()
    Y[never] = 1 - Y[never]
    monkeypatch.setattr(active, "_draw", lambda *_: dataclasses.replace(draw, Y=Y))
    asked.clear()
    active.run(cell)
    assert np.array_equal(np.concatenate([picks for _, picks in asked]), bought)
