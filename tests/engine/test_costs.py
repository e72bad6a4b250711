"""How long cells will take: by their series, their method, their data, or their size."""

import math
from pathlib import Path

import pytest

from mlfs import config
from mlfs.datasets import catalog
from mlfs.engine.costs import Costs, Left, estimate
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results.packing import find
from mlfs.results.store import Store

REFERENCE = Path(__file__).resolve().parents[2] / "results/reference"
CONFIG = {
    "name": "s",
    "protocol": "learning",
    "datasets": ["emotions", "yeast"],
    "methods": ["mlknn", {"rmfl": {"lam1": 1.0}}, {"rmfl": {"lam1": 2.0}, "label": "two"}],
    "split": {"kind": "holdout", "repeats": 3},
    "metrics": ["average_precision"],
}


@pytest.fixture
def cells():
    return plan(config.parse(CONFIG, source="test"))


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "s")
    store.open(config.parse(CONFIG, source="test"))
    return store


def of(cells, dataset, label, repeat=0):
    [one] = [
        one
        for one in cells
        if (one.series.cell.data.name, one.label, one.repeat) == (dataset, label, repeat)
    ]
    return one


def size(name):
    entry = catalog()[name]
    return entry.n * (entry.d + entry.l)


def test_the_nearest_cells_that_are_known_decide(cells):
    costs = Costs()
    costs.learn(of(cells, "emotions", "mlknn").series, 4.0)
    costs.learn(of(cells, "emotions", "mlknn", 1).series, 6.0)
    assert costs.seconds(of(cells, "emotions", "mlknn", 2).series) == 5.0  # of the same series
    grown = 5.0 * size("yeast") / size("emotions")
    assert costs.seconds(of(cells, "yeast", "mlknn").series) == pytest.approx(grown)  # by size
    assert costs.seconds(of(cells, "emotions", "two").series) == 5.0  # the same data
    assert costs.seconds(of(cells, "yeast", "two").series) == pytest.approx(
        grown
    )  # all that is known
    costs.learn(of(cells, "emotions", "rmfl").series, 9.0)
    assert costs.seconds(of(cells, "emotions", "two").series) == 9.0  # the same method and data
    costs.learn(of(cells, "emotions", "rmfl").series, -9.0, -1)
    assert costs.seconds(of(cells, "emotions", "two").series) == 5.0


def test_where_nothing_is_known_larger_data_take_longer(cells):
    costs = Costs()
    assert costs.seconds(of(cells, "yeast", "two").series) > costs.seconds(
        of(cells, "emotions", "two").series
    )


def test_dear_cells_go_first_and_alike_ones_stay_in_order(cells):
    costs = Costs()
    for label, seconds in (("mlknn", 1.0), ("rmfl", 9.0), ("two", 8.5)):
        for name in ("emotions", "yeast"):
            costs.learn(of(cells, name, label).series, seconds)
    labels = [one.label for one in costs.dear_first(cells)]
    assert labels == ["rmfl", "two"] * 6 + ["mlknn"] * 6


def test_an_estimate_tells_what_is_left_and_how_far_off_it_was(cells, store):
    empty = estimate(cells, store.states())
    assert (empty.cells, empty.done) == (18, 0) and math.isnan(empty.off)
    for repeat, seconds in enumerate([2.0, 4.0]):
        for name in ("emotions", "yeast"):
            for label in ("mlknn", "rmfl", "two"):
                taken = {"load": 0.5, "fit": seconds - 0.5}
                store.write(of(cells, name, label, repeat), Record(seconds=taken))
    store.write(of(cells, "yeast", "two", 2), Record(status="failed", seconds={"fit": 99.0}))
    found = estimate(cells, store.states())
    assert (found.cells, found.done) == (18, 12)
    assert found.seconds == pytest.approx(6 * 3.0)
    assert found.dearest == pytest.approx(3.0)
    assert found.off == pytest.approx(2.0)  # 2 was said to take 4, and 4 to take 2
    assert found.hours(2) == pytest.approx(9 / 3600)
    assert found.hours(100) == pytest.approx(3 / 3600)


def test_cells_that_tune_are_part_of_the_estimate(tmp_path):
    tune = {"strategy": "random", "budget": 2, "per": "dataset"}
    changes = {"methods": ["rmfl"], "datasets": ["emotions"], "tune": tune}
    experiment = config.parse(CONFIG | changes, source="test")
    cells, store = plan(experiment), Store(tmp_path / "t")
    store.open(experiment)
    store.write(cells[0].tuner, Record(seconds={"tune": 50.0}, tuned={"chosen": {}}))
    store.write(cells[0], Record(seconds={"fit": 2.0}))
    found = estimate(cells, store.states())
    assert (found.cells, found.done) == (4, 2)
    assert found.seconds == pytest.approx(2 * 2.0)


def test_after_one_repeat_the_estimate_of_the_rest_is_near():
    """The demo, as it was once run: seconds of four repeats foretold by those of the first."""
    [stored] = find(REFERENCE / "gmfs_yeast.jsonl.zst")
    cells, states = plan(stored.experiment()), stored.states()
    first = {one.key: states[one.key] for one in cells if one.repeat == 0}
    left = [one for one in cells if one.repeat > 0]
    found = estimate(cells, first)
    took = sum(states[one.key].seconds for one in left)
    assert len(left) == 56 and found.done == 14
    assert 1 / 1.5 < found.seconds / took < 1.5
    assert 2e8 < found.memory < 2e9


def test_what_is_left_of_a_run_follows_from_what_its_cells_take(cells):
    """Cells of two methods: 3 x 10 s and 3 x 100 s; the dear ones are what is left."""
    some = [one for one in cells if one.series.cell.data.name == "yeast" and one.label != "two"]
    took = {one.key: 10.0 if one.label == "mlknn" else 100.0 for one in some}
    left = Left(some, Costs())
    cheap = [one for one in some if one.label == "mlknn"]
    dear = [one for one in some if one.label != "mlknn"]
    for one in (*cheap, dear[0]):
        left.finish(one, took[one.key])
    assert left.seconds(1) == pytest.approx(200.0)
    assert left.seconds(2) == pytest.approx(100.0)
    assert left.seconds(50) == pytest.approx(100.0)  # a cell is not divided
    for one in dear[1:]:
        left.finish(one, 100.0)
    assert left.seconds(1) == 0.0


def test_costs_of_several_experiments_are_learnt_together(cells):
    one, other, both = Costs(), Costs(), Costs()
    series = cells[0].series
    one.learn(series, 10.0)
    other.learn(series, 30.0)
    both.add(one)
    both.add(other)
    assert both.seconds(series) == pytest.approx(20.0)
