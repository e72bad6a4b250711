"""A run from start to end: what is read and planned, and how often."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import yaml

from mlfs.engine import options, runner
from mlfs.engine.runner import Began, Ended
from mlfs.engine.workers.executor import Executor
from mlfs.engine.workers.run_cell import run_cell
from mlfs.errors import UserError
from mlfs.results import store
from mlfs.results.store import Store

TUNED = {
    "name": "tuned",
    "protocol": "learning",
    "datasets": ["toy_gaussian"],
    "split": {"kind": "holdout", "repeats": 2},
    "methods": [{"mlknn": {}, "search": {"k": [3, 5]}}],
    "metrics": ["average_precision"],
    "tune": {"strategy": "grid", "folds": 2, "per": "dataset"},
}


@contextmanager
def thread(*_):
    """In place of a worker process, which takes seconds to start."""
    with ThreadPoolExecutor(1) as pool:
        yield Executor(lambda cell, need: pool.submit(run_cell, cell), lambda: 1)


@pytest.fixture
def counted(monkeypatch):
    """How often stored states are read and experiments are planned."""
    counts = Counter()

    def count(owner, name):
        function = getattr(owner, name)

        def call(*args):
            counts[name] += 1
            return function(*args)

        monkeypatch.setattr(owner, name, call)

    count(Store, "states")
    count(runner, "plan")
    count(store, "plan")
    monkeypatch.setattr(options, "local", thread)
    return counts


def run(tmp_path, content, conditions=(), **options):
    """The experiment after its run, and how many tunings it began with."""
    path = tmp_path / "config.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(content))
    tunings = 0
    work = runner.gather([path], tmp_path / "results", conditions)
    for event in runner.run(work, runner.Options(workers=1, **options)):
        if isinstance(event, Began):
            tunings = event.tunings
        if isinstance(event, Ended):
            [item] = event.work
            return item, tunings
    raise AssertionError("the run has no end")


def disk(item):
    """The counts by the files alone."""
    records = [item.store.get(cell) for cell in item.cells]
    statuses = [record.status for record in records if record is not None]
    return statuses.count("done"), statuses.count("failed")


def test_states_are_read_once_and_each_experiment_is_planned_once(tmp_path, counted):
    item, tunings = run(tmp_path, TUNED)
    assert (item.counts(), tunings, disk(item)) == ((2, 0), 1, (2, 0))
    assert counted == {"states": 1, "plan": 1}
    counted.clear()
    more = {**TUNED, "methods": [*TUNED["methods"], "br_ridge"]}
    item, tunings = run(tmp_path, more)
    assert (item.counts(), tunings, disk(item)) == ((4, 0), 1, (4, 0))  # only the new one
    assert counted == {"states": 1, "plan": 1}
    counted.clear()
    item, tunings = run(tmp_path, more, force=True)
    assert (item.counts(), tunings, disk(item)) == ((4, 0), 2, (4, 0))
    assert counted == {"states": 1, "plan": 1}


def test_a_part_of_the_cells_hides_no_others_and_another_config_would(tmp_path, counted):
    both = {**TUNED, "methods": ["mlknn", "br_ridge"]}
    run(tmp_path, both)
    counted.clear()
    item, _ = run(tmp_path, {**both, "title": "the same cells"}, ("method=mlknn",))
    assert item.counts() == (2, 0) and counted == {"states": 1, "plan": 1}
    counted.clear()
    with pytest.raises(UserError, match=r"has 2 finished cells .* differs in methods\)"):
        run(tmp_path, {**both, "title": "the same cells", "methods": ["mlknn"]})
    assert counted == {"states": 1, "plan": 2}  # the earlier one, too, to see what would be hidden


def test_a_failed_cell_is_counted_and_counts_no_more_once_it_is_done(tmp_path, counted):
    bad = {**TUNED, "methods": ["mlknn", {"rmfl": {"n_factors": 10**14}, "label": "impossible"}]}
    del bad["tune"]
    item, _ = run(tmp_path, bad)
    assert item.counts() == disk(item) == (2, 2)
    item, _ = run(tmp_path, bad, retry_failed=True)
    assert item.counts() == disk(item) == (2, 2)


def test_cells_that_are_taken_from_other_results_are_stored_and_not_run_again(tmp_path, counted):
    plain = {key: value for key, value in TUNED.items() if key != "tune"}
    before, _ = run(tmp_path / "before", plain, ("repeat=0",))
    item, _ = run(tmp_path / "after", plain, reuse=tmp_path / "before" / "results")
    assert (item.counts(), disk(item)) == ((2, 0), (2, 0))
    [taken] = before.cells
    assert item.store.get(taken) == before.store.get(taken)  # with the seconds of the first run
