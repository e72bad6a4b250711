"""The active protocol: curves of the right shape, the same draw for all strategies."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mlfs import config
from mlfs.active import BayesianCompressedSensing
from mlfs.active.curve import full_pool_precision
from mlfs.methods.registry import Scope
from mlfs.protocols import active
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.seeds import seed

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


@pytest.fixture
def with_holes(tmp_path):
    """Sixty rows, three labels: every fifth row has no known label, every third has two."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 4))
    Y = (X[:, :3] > 0).astype(float)
    Y[::3, 1] = np.nan
    Y[::5] = np.nan
    pd.DataFrame(X, columns=list("abcd")).to_csv(tmp_path / "X.csv", index=False)
    pd.DataFrame(Y, columns=list("uvw")).to_csv(tmp_path / "Y.csv", index=False)
    content = BASE | {
        "datasets": [{"name": "mine", "path": "X.csv", "labels": "Y.csv"}],
        "start": 10,
    }

    def cells(**changes):
        scope = Scope(folder=tmp_path)
        return [one.cell for one in plan(config.parse(content | changes, source="t", scope=scope))]

    return X, Y, cells


def rows_of(X, drawn):
    """The rows of the data that are in a part, which is not scaled."""
    return [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in drawn]


def test_a_bought_point_shows_its_known_labels_and_rows_without_any_are_left_out(with_holes):
    X, Y, cells = with_holes
    [cell] = cells(methods=["random"], scale="none", pool=30, test=10)
    draw = draw_of(cell)
    pool, test = rows_of(X, draw.X), rows_of(X, draw.test[0])
    assert not {*pool, *test} & set(range(0, 60, 5)) and not {*pool} & {*test}
    assert np.array_equal(draw.Y, Y[pool], equal_nan=True)
    assert "12 of 60 rows have no known label, and are left out" in draw.notes
    record = active.run(cell)
    assert [row["n_bought"] for row in record.rows] == [0, 3, 6]
    assert "a bought point shows its known labels only; scores are over known labels" in (
        record.notes
    )


def test_points_of_data_with_holes_are_scored_over_known_labels(with_holes):
    """The precision at the start, by hand: the share of known labels at the top that are 1."""
    _X, _Y, cells = with_holes
    [cell] = cells(methods=["random"], scale="none", pool=30, test=10)
    draw = draw_of(cell)
    model = BayesianCompressedSensing(n_factors=1.0, random_state=seed(cell, "method"))
    scores = model.fit(draw.X[:10], draw.Y[:10]).decision_function(draw.test[0])
    hits = []
    for row, given in zip(draw.test[1], scores):
        known = ~np.isnan(row)
        if len({*row[known]}) == 2:  # a known relevant and a known irrelevant label
            hits.append(row[known][np.argmax(given[known])])
    assert active.run(cell).rows[0]["precision_at_1"] == pytest.approx(np.mean(hits))


@pytest.mark.parametrize("mode", ["diagnosis", "generalised"])
def test_single_labels_are_bought_of_completely_known_rows_only(with_holes, mode):
    X, Y, cells = with_holes
    metric = {"mode": mode, "metrics": ["f1"], "methods": ["random"], "budget": 2, "step": 10}
    [cell] = cells(scale="none", pool=24, test=8, **metric)
    draw = draw_of(cell)
    used = [*rows_of(X, draw.X), *rows_of(X, draw.test[0])]
    assert not np.isnan(Y[used]).any()
    assert f"{60 - 32} of 60 rows have an unknown label, and are left out" in draw.notes
    assert all(0 <= row["f1"] <= 1 for row in active.run(cell).rows)


def test_too_few_rows_that_can_be_bought_are_a_sentence(with_holes):
    _, _, cells = with_holes
    [cell] = cells(methods=["random"], start=48, pool=60, test=10)
    with pytest.raises(ValueError, match="mine has 48 rows to buy from, and 'start' is 48: lower"):
        active.run(cell)
