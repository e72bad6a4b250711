"""Several runs on one folder: each cell is run once, whoever is killed and whenever."""

import multiprocessing
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from mlfs import config
from mlfs.engine import options as where
from mlfs.engine import runner
from mlfs.engine.execute import Finished, Waiting
from mlfs.engine.runner import Began, Ended
from mlfs.engine.workers.executor import Executor
from mlfs.engine.workers.run_cell import run_cell
from mlfs.protocols.plan import plan
from mlfs.results.leases import Leases
from mlfs.results.store import Store

from ..helpers import LONG, wait_until

# every run of a cell leaves a line: which cell, and when
MODULE = """\
import time
from sklearn.base import BaseEstimator


class Counted(BaseEstimator):
    def __init__(self, pause=0.02, fails=False):
        self.pause = pause
        self.fails = fails

    def fit(self, X, Y):
        with open({lines!r}, "a") as lines:
            lines.write(f"{{float(X.sum())!r}} {{time.time()}}\\n")
        time.sleep(self.pause)
        if self.fails:
            raise RuntimeError("always")
        self.scores_ = X.std(axis=0)
"""
CONFIG = """\
name: shared
protocol: planted
repeats: {repeats}
methods: [{{mine:Counted: {{pause: {pause}, fails: {fails}}}}}]
metrics: [relevant_found]
"""


class Folder:
    """A config, the folder that runs of it share, and a count of all cells that were begun."""

    def __init__(self, folder, repeats, pause=0.02, fails="false"):
        self.folder, self.lines = folder, folder / "runs"
        (folder / "mine.py").write_text(MODULE.format(lines=str(self.lines)))
        self.config = folder / "config.yaml"
        self.config.write_text(CONFIG.format(repeats=repeats, pause=pause, fails=fails))
        self.lines.touch()
        self.store = Store(folder / "results/shared")

    @property
    def paths(self):
        return [self.config], self.folder / "results"

    def start(self, workers=False):
        """A run in a process of its own, forked from one that has imported all."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["mlfs.api", "mlfs.protocols.selection"])
        process = context.Process(target=run, args=(*self.paths, workers))
        process.start()
        return process

    def runs(self):
        """The time of every run of a cell, by what tells the cell."""
        found = {}
        for line in self.lines.read_text().splitlines():
            cell, began = line.split()
            found.setdefault(cell, []).append(float(began))
        return found

    def rows(self):
        cells = plan(config.load_all(self.config)[0])
        return [str(self.store.read(one) and self.store.read(one).rows) for one in cells]


@contextmanager
def thread(*_):
    """In place of a worker process, which takes seconds to start."""
    with ThreadPoolExecutor(1) as pool:
        yield Executor(lambda cell, need: pool.submit(run_cell, cell), lambda: 2)


def run(configs, results, workers):
    if not workers:
        where.local = thread
    for event in runner.run(runner.gather(configs, results), runner.Options(workers=1)):
        if isinstance(event, Ended):
            [item] = event.work
            sys.exit(0 if item.counts() == (len(item.cells), 0) else 1)


def test_three_runs_at_once_do_each_cell_once(tmp_path):
    shared = Folder(tmp_path, repeats=60)
    for process in [shared.start() for _ in range(3)]:
        process.join(LONG)
        assert process.exitcode == 0, "each waits for what the others do"
    runs = shared.runs()
    assert len(runs) == 60 and all(len(times) == 1 for times in runs.values())
    assert not (shared.store.folder / ".claims").exists()


def started(shared, **options):
    """A run that has chosen its cells, and has not begun to work."""
    events = runner.run(runner.gather(*shared.paths), runner.Options(workers=1, **options))
    assert isinstance(next(events), Began)
    return events


@pytest.mark.parametrize("options", [{}, {"retry_failed": True}, {"force": True}], ids=str)
def test_what_another_run_has_tried_again_meanwhile_is_taken_from_it(tmp_path, options):
    """Cells that failed before: two runs try them again, and each is tried once."""
    shared = Folder(tmp_path, repeats=2, fails="true")
    first = started(shared)
    assert sum(isinstance(event, Finished) for event in first) == 2
    one = started(shared, **options)
    two = started(shared, **options)
    for events in (one, two):
        found = [event.record.error for event in events if isinstance(event, Finished)]
        assert found == ["RuntimeError: always"] * 2
    assert sorted(map(len, shared.runs().values())) == [2, 2]
    third = started(shared, **options)
    list(third)
    assert sorted(map(len, shared.runs().values())) == [3, 3]


def test_a_run_waits_for_what_another_does_and_takes_over_what_it_gives_up(tmp_path):
    shared = Folder(tmp_path, repeats=1)
    events = started(shared)
    [cell] = plan(config.load_all(shared.config)[0])
    with Leases(shared.store.folder / ".claims") as other:
        assert other.take(cell.key)
        assert next(events) == Waiting("1 cells are being run by other runs")
    assert [type(event) for event in events if isinstance(event, Finished)] == [Finished]


def disturbed(shared, cells, kills, workers):
    """Keep three runs going on one folder until all is done, and kill one now and then.

    Gives the stamp under which every cell was first seen.
    """
    rng, first = random.Random(0), {}

    def look():
        for path in (shared.store.folder / "cells").glob("*.json"):
            first.setdefault(path.stem, shared.store.stamp(path.stem))
        return len(first)

    runs = [shared.start(workers) for _ in range(3)]
    for _ in range(kills):
        enough = len(first) + rng.randrange(cells // kills)  # such that all kills come in time
        until = time.monotonic() + rng.uniform(0, 0.5)
        wait_until(
            lambda: look() >= enough and time.monotonic() > until,  # noqa: B023
            "enough cells are done for the next kill",
        )
        i = rng.randrange(3)
        runs[i].kill()
        runs[i] = shared.start(workers)
    left = cells - len(first)
    wait_until(
        lambda: look() and not any(process.is_alive() for process in runs), "the last runs end"
    )
    assert left and [process.exitcode for process in runs] == [0, 0, 0]
    return first


def check(shared, whole, first):
    """Nothing lost, nothing run again after it was stored, the same results.

    Gives how many runs of cells were cut off.
    """
    assert not (shared.store.folder / ".claims").exists()
    assert shared.rows() == whole.rows()
    keys = [one.key for one in plan(config.load_all(shared.config)[0])]
    assert first == {key: shared.store.stamp(key) for key in keys}, "a cell was stored twice"
    runs = shared.runs()
    for key, cell in zip(keys, whole.runs(), strict=True):  # one worker runs them in order
        assert max(runs[cell]) * 1e9 < first[key] >> 40, "a cell was run after it was stored"
    return sum(map(len, runs.values())) - len(keys)


def kill_often(folder, cells, pause, kills, workers):
    folders = [folder / name for name in ("whole", "cut")]
    for one in folders:
        one.mkdir()
    whole, cut = [Folder(one, cells, pause) for one in folders]
    undisturbed = whole.start()
    first = disturbed(cut, cells, kills, workers)
    undisturbed.join(LONG)
    assert undisturbed.exitcode == 0
    return check(cut, whole, first)


def test_runs_that_are_killed_lose_nothing_and_repeat_nothing(tmp_path):
    kill_often(tmp_path, cells=60, pause=0.1, kills=6, workers=False)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [False, True], ids=["threads", "workers"])
def test_fifty_kills_of_three_runs_on_one_folder(tmp_path, workers):
    cut_off = kill_often(tmp_path, cells=500, pause=0.1, kills=50, workers=workers)
    print(f"{cut_off} runs of cells were cut off and begun anew")
