"""The active protocol: curves of the right shape, the same draw for all strategies."""

import dataclasses

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mlfs import config
from mlfs.active import BayesianCompressedSensing
from mlfs.active.curve import full_pool_precision
from mlfs.protocols import active
from mlfs.protocols.plan import plan

BASE = {
    "name": "a",
    "protocol": "active",
    "datasets": ["toy_gaussian"],
    "repeats": 1,
    "methods": ["miml", "random"],
    "scale": "standard",
    "pool": 1000,
    "start": 20,
    "budget": 6,
    "step": 3,
    "model": {"n_factors": 1.0},
    "metrics": ["precision"],
}


def specs(**changes):
    return [one.cell for one in plan(config.parse(BASE | changes, source="test"))]


def draw_of(cell):
    return active._draw(cell, cell.settings)


def test_a_curve_has_a_row_per_step_and_all_strategies_begin_alike():
    curves = [active.run(spec).rows for spec in specs()]
    for rows in curves:
        assert [row["n_bought"] for row in rows] == [0, 3, 6]
        assert all(0 <= row["precision"] <= 1 for row in rows)
    assert curves[0][0]["precision"] == curves[1][0]["precision"]


def test_every_repeat_draws_a_toy_set_of_its_own():
    first, second = specs(methods=["random"], repeats=2)
    assert not np.array_equal(draw_of(first).X, draw_of(second).X)


@pytest.mark.usefixtures("benchmarks")
def test_pool_and_test_part_are_disjoint_draws(real):
    [spec] = specs(datasets=["yeast"], methods=["random"], pool=300, test=100, scale="unit")
    draw = draw_of(spec)
    assert draw.X.shape[0] == 300 and draw.test[0].shape[0] == 100
    assert np.allclose(np.linalg.norm(draw.X, axis=1), 1)
    rows = np.vstack([draw.X, draw.test[0]])
    assert len(np.unique(rows.round(9), axis=0)) == len(rows)
    assert active.run(spec).rows[-1]["n_bought"] == 6


@pytest.mark.parametrize(
    ("scale", "scaler"), [("standard", StandardScaler()), ("minmax", MinMaxScaler())]
)
@pytest.mark.parametrize("hold_out", [False, True])  # a test part of 100 rows, or a third of all
def test_the_scaler_knows_the_pool_alone(real, monkeypatch, scale, scaler, hold_out):
    sizes = {"pool": 1000, "test": 2000} if hold_out else {"pool": 300, "test": 100}
    [spec] = specs(
        datasets=["emotions"], methods=["random"], scale=scale, hold_out=hold_out, **sizes
    )
    data = real("emotions")
    order = active.generator(spec, "split").permutation(593)
    held = 593 // 3 if hold_out else 100
    test, pool = order[:held], order[held:][: sizes["pool"]]
    draw = draw_of(spec)
    np.testing.assert_allclose(draw.X, scaler.fit_transform(data.X[pool]))
    np.testing.assert_allclose(draw.test[0], scaler.transform(data.X[test]))
    X = np.array(data.X)
    X[test] = 1e4 * np.random.default_rng(0).standard_normal(X[test].shape)
    changed = dataclasses.replace(data, X=X)
    monkeypatch.setattr(active, "load_dataset", lambda data: changed)
    again = draw_of(spec)
    assert np.array_equal(again.X, draw.X) and not np.allclose(again.test[0], draw.test[0])


@pytest.mark.usefixtures("benchmarks")
def test_points_needed_are_the_first_that_reach_the_score_of_the_whole_pool():
    [spec] = specs(
        datasets=["emotions"], methods=["random"], hold_out=True, budget=300, step=50, scale="unit"
    )
    draw = draw_of(spec)
    assert len(draw.test[1]) == 593 // 3 and len(draw.Y) == 593 - 593 // 3
    curve = active.run(spec).rows
    model = BayesianCompressedSensing(n_factors=1.0)
    seed = active.seed(spec, "method")
    goal = full_pool_precision(
        draw.X, draw.Y, draw.start, model.set_params(random_state=seed), draw.test
    )
    reached = [row["n_bought"] for row in curve if row["precision"] >= goal]
    needed = curve[0]["points_needed"]
    assert needed == min(reached) if reached else needed is None


@pytest.mark.parametrize("mode", ["points", "seconds"])
@pytest.mark.parametrize(
    ("limit", "words"), [(1, "tried 1 nominees per pick of up to"), (None, "")]
)
def test_a_limit_on_nominees_is_noted(mode, limit, words):
    method = {"name": "li_adaptive", "params": {"max_nominees": limit}}
    metric = {"points": "precision", "seconds": "selection_seconds"}[mode]
    changes = {
        "mode": mode,
        "metrics": [metric],
        "budget": 2,
        "step": 1 if mode == "points" else 10,
    }
    [spec] = specs(methods=[method], **changes)
    notes = active.run(spec).notes
    assert len(notes) == (1 if words else 0)
    assert all(note.startswith("toy_gaussian: LiAdaptive") and words in note for note in notes)


@pytest.mark.parametrize(
    ("mode", "column"),
    [
        ("diagnosis", "f1"),
        ("generalised", "micro_f1"),
        ("inferences", "mean_correlation"),
        ("seconds", "selection_seconds"),
    ],
)
def test_the_other_modes_record_what_they_promise(mode, column):
    budget = {"budget": 200 if mode == "inferences" else 3}
    model = {"n_factors": 0.5}
    [spec] = specs(
        mode=mode, methods=["miml"], test=4, step=10, metrics=[column], model=model, **budget
    )
    rows = active.run(spec).rows
    assert all(np.isfinite(row[column]) for row in rows)
