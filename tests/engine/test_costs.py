"""How long cells will take: by their series, or by rates of what methods state."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from mlfs import config
from mlfs.engine.costs import Costs, Left, estimate
from mlfs.methods.docstrings import Size
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


def test_cells_of_the_same_series_give_their_mean(cells):
    costs = Costs()
    costs.learn(of(cells, "emotions", "mlknn").series, 4.0)
    costs.learn(of(cells, "emotions", "mlknn", 1).series, 6.0)
    assert costs.seconds(of(cells, "emotions", "mlknn", 2).series) == 5.0
    costs.learn(of(cells, "emotions", "mlknn").series, -4.0, -1)
    assert costs.seconds(of(cells, "emotions", "mlknn", 2).series) == 6.0


def test_the_same_method_on_the_same_data_takes_as_long(cells):
    costs = Costs()
    costs.learn(of(cells, "emotions", "mlknn").series, 1.0)
    costs.learn(of(cells, "emotions", "rmfl").series, 900.0)
    assert costs.seconds(of(cells, "emotions", "two").series) == pytest.approx(900.0)


def shaped(*shapes, methods=("mlknn",), **changes):
    """Series of made-up data: one for each shape and method."""
    found = []
    content = CONFIG | {"datasets": ["emotions"], "methods": list(methods)} | changes
    for shape in shapes:
        for one in plan(config.parse(content, source="test")):
            if one.repeat == 0:
                data = one.series.cell.data.model_copy(
                    update={"shape": shape, "name": str(shape), "checksum": str(shape)}
                )
                cell = one.series.cell.model_copy(update={"data": data})
                found.append(replace(one.series, cell=cell))
    return found


def test_what_is_fixed_does_not_grow_with_the_data():
    """Cells of .5 s plus 1e-10 s per step of ML-kNN, O(n² d + n l): the rule is found again."""
    shapes = (1000, 10, 5), (3000, 30, 5), (30_000, 50, 5), (300_000, 50, 5)
    small, other, large, huge = shaped(*shapes, split={"kind": "holdout"})

    def took(series):
        n, d, l = series.cell.data.shape  # noqa: E741
        n *= 0.8  # the training part
        return 0.5 + 1e-10 * (n * n * d + n * l)

    costs = Costs()
    for one in (small, other, large):
        costs.learn(one, took(one))
    assert took(huge) > 280
    assert costs.seconds(huge) == pytest.approx(took(huge), rel=0.35)
    tiny = shaped((600, 8, 5))[0]
    assert costs.seconds(tiny) == pytest.approx(0.5, rel=0.35)  # not 0.5 * 600 / 1000


def test_a_method_that_was_never_run_is_as_fast_as_the_others():
    """When a machine is a hundred times slower, estimates of other methods follow."""
    shapes = [(500, 50, 5), (1000, 100, 10)]
    known = shaped(*shapes, methods=("rmfl", "leml", "lsml", "glocal"))
    slow, fast = Costs(), Costs()
    for one in known:
        fast.learn(one, Costs().seconds(one))
        slow.learn(one, 100 * Costs().seconds(one))
    other = shaped((900, 90, 7), methods=("llsf",))[0]
    assert slow.seconds(other) > 20 * fast.seconds(other)


def test_another_way_to_treat_unknown_labels_takes_the_time_of_the_method():
    """Until it is known itself: ML-kNN is a hundred times slower here than it states."""
    [zero, more] = shaped((3000, 50, 5), (9000, 50, 5), methods=("mlknn",), missing="zero")
    [other] = shaped((20000, 50, 5), methods=("mlknn",), missing="available")
    [same] = shaped((20000, 50, 5), methods=("mlknn",), missing="zero")
    costs = Costs()
    for one in (zero, more):
        costs.learn(one, 100 * Costs().seconds(one))
    assert costs.seconds(other) == pytest.approx(costs.seconds(same))
    costs.learn(other, 9 * costs.seconds(same))
    [last] = shaped((30000, 50, 5), methods=("mlknn",), missing="available")
    [first] = shaped((30000, 50, 5), methods=("mlknn",), missing="zero")
    assert costs.seconds(last) > 3 * costs.seconds(first)


def test_steps_follow_what_a_method_states():
    """A selection of two sizes judged by two classifiers, tuned by 4 points in 2 folds."""
    size = {"protocol": "selection", "sizes": ["10", "0.5"], "split": {"kind": "holdout"}}
    ways = [{"classifier": "mlknn"}, {"classifier": "br_logistic"}]
    [one] = shaped((100, 40, 3), methods=("top_mi",), evaluations=ways, **size)
    fits = list(one.cell.settings.fits(one.cell, Size(100, 40, 3)))
    assert [(fit.method, fit.size.n, fit.size.d, fit.times) for fit in fits] == [
        ("top_mi", 80, 40, 1),
        ("mlknn", 80, 10, 1),
        ("mlknn", 80, 20, 1),
        ("br_logistic", 80, 10, 1),
        ("br_logistic", 80, 20, 1),
    ]
    tune = {"strategy": "random", "budget": 4, "folds": 2}
    [one] = shaped((100, 40, 3), methods=("fsnm",), evaluations=ways, tune=tune, **size)
    fits = list(one.cell.settings.fits(one.cell, Size(100, 40, 3)))
    assert [(fit.method, fit.size.n, fit.size.d, fit.times) for fit in fits[:2]] == [
        ("fsnm", 40, 40, 8),
        ("mlknn", 40, 20, 8),  # the middle size, by the first classifier
    ]
    assert len(fits) == 2 + 5


def test_protocols_say_how_often_they_fit():
    mask = {"kind": "drop_entries", "ratio": 0.3}
    completion = {k: v for k, v in CONFIG.items() if k != "split"}
    completion |= {"protocol": "completion", "mask": mask, "metrics": ["macro_auc"], "folds": 4}
    [one, *_] = plan(config.parse(completion, source="test"))
    [fit] = one.series.cell.settings.fits(one.series.cell, Size(100, 40, 3))
    assert (fit.method, fit.size, fit.times) == ("mlknn", Size(100, 40, 3), 4)
    active = {"name": "a", "protocol": "active", "datasets": ["emotions"], "methods": ["random"]}
    active |= {"budget": 30, "step": 10, "start": 20, "metrics": ["precision"]}
    [one] = plan(config.parse(active, source="test"))
    query, model, scored = one.series.cell.settings.fits(one.series.cell, Size(100, 40, 6))
    assert (query.size.n, query.times, model.size.n, model.times) == (100, 3, 35, 4)
    assert "n³" in model.terms
    test = one.series.cell.settings.test
    assert (scored.size.l, scored.times, scored.terms) == (3, 4 * test, ("l³",))  # k = l/2
    [one] = plan(config.parse(active | {"model": {"n_factors": 1.0}}, source="test"))
    assert len(list(one.series.cell.settings.fits(one.series.cell, Size(100, 40, 6)))) == 2
    labels = active | {"mode": "diagnosis", "test": 5, "metrics": ["f1"]}
    [one] = plan(config.parse(labels, source="test"))
    bought, _ = one.series.cell.settings.fits(one.series.cell, Size(100, 40, 3))
    assert (bought.method, bought.times, bought.terms) == ("diagnosis", 5 * 30, ("l",))


def test_without_finished_cells_estimates_are_near_what_the_reference_results_took():
    """The rates that come with mlfs: sums within a factor of 3 on most, of 12 on all experiments.

    Features of images are not known before they are computed, so that of cifar10 nothing is known.
    """
    off = {}
    for store in find(REFERENCE):
        states = {key: one for key, one in store.states().items() if one.status == "done"}
        cells = [one for one in plan(store.experiment()) if one.key in states]
        costs, truth = Costs(), sum(states[one.key].seconds for one in cells)
        guess = sum(costs.seconds(one.series) for one in cells)
        off[store.folder.name.partition(".")[0]] = abs(math.log(guess / truth))
    off = {name: value for name, value in off.items() if "cifar" not in name}
    assert len(off) > 40 and max(off.values()) < math.log(12), off
    near = [value < math.log(3) for value in off.values()]
    assert sum(near) >= 0.7 * len(near), off
    grand = [value for name, value in off.items() if name.startswith("grand_")]
    assert max(grand) < math.log(4)


def test_off_compares_each_cell_with_an_estimate_that_does_not_know_it(cells, store):
    """Every cell is the only one of its series, so that each estimate comes from other data."""
    some = [of(cells, name, "mlknn") for name in ("emotions", "yeast")]
    took = dict(zip([one.key for one in some], (1.0, 500.0)))
    for one in some:
        store.write(one, Record(seconds={"fit": took[one.key]}))
    ratios = []
    for one, other in (some, some[::-1]):
        costs = Costs()
        costs.learn(other.series, took[other.key])
        ratios.append(abs(math.log(costs.seconds(one.series) / took[one.key])))
    off = estimate(some, store.states()).off
    assert off == pytest.approx(math.exp(sum(ratios) / 2), rel=0.02) and off > 2


def test_experiments_learn_from_each_other(cells, store):
    """Nothing of these cells is finished, but another experiment ran the method on the data."""
    costs = Costs()
    costs.learn(of(cells, "emotions", "rmfl").series, 70.0)
    left = [of(cells, "emotions", "two", repeat) for repeat in range(3)]
    assert estimate(left, store.states(), costs).seconds == pytest.approx(3 * 70.0)


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
    for one in cells[1:]:
        store.write(one, Record(seconds={"fit": 2.0}))
    found = estimate(cells, store.states())
    assert (found.done, found.seconds, found.dearest, found.memory) == (4, 0.0, 0.0, 0.0)


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


def test_a_slow_dataset_is_half_as_slow_in_logarithms_for_a_method_that_was_not_run_on_it():
    """ML-kNN takes 16 times as long on one of two sets of a size: another method 4 times."""
    sizes, methods = [(500, 50, 5), (501, 50, 5)], ("mlknn", "llsf")
    fast, other, slow, another = shaped(*sizes, methods=methods)
    costs = Costs()
    costs.learn(fast, 1.0)
    costs.learn(slow, 16.0)
    assert costs.seconds(another) / costs.seconds(other) == pytest.approx(4.0, rel=0.02)
