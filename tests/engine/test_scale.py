"""Many cells: what planning, looking through results, and each cell of a run may cost."""

import os
import subprocess
import time
from itertools import pairwise

import psutil
import pytest

from mlfs import config
from mlfs.engine import runner
from mlfs.engine.execute import Finished
from mlfs.engine.workers.run_cell import run_cell
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results.store import Store

from ..helpers import python, start_python

MODULE = """\
import time
from sklearn.base import BaseEstimator


class Sleeps(BaseEstimator):
    def __init__(self, pause=0.0):
        self.pause = pause

    def fit(self, X, Y):
        time.sleep(self.pause)
        self.scores_ = X[0]
"""
CONFIG = """\
name: many
protocol: planted
repeats: {repeats}
methods: [{method}]
metrics: [relevant_found]
"""
OWN = "{{mine:Sleeps: {{pause: {pause}}}}}"
pytestmark = pytest.mark.slow


def write(folder, repeats, pause=0.0, method=OWN):
    (folder / "mine.py").write_text(MODULE)
    path = folder / "many.yaml"
    path.write_text(CONFIG.format(repeats=repeats, method=method.format(pause=pause)))
    return path


# a small process in between: the peak of a process begins with the memory of the one that starts it
MEASURE = """\
import resource, subprocess, sys
code = subprocess.run([sys.executable, *sys.argv[1:]]).returncode
spent = resource.getrusage(resource.RUSAGE_CHILDREN)
print(spent.ru_utime + spent.ru_stime, spent.ru_maxrss * 1024 / 1e6)
sys.exit(code)
"""


def measured(*args):
    """Processor seconds, peak megabytes and output of Python code that must succeed."""
    ran = python("-c", MEASURE, *args, timeout=None)
    assert ran.returncode == 0, ran.stderr
    *output, last = ran.stdout.splitlines()
    seconds, megabytes = map(float, last.split())
    print(f"\n{args[2]}: {seconds:.1f} s of a processor, {megabytes:.0f} MB")
    return seconds, megabytes, "\n".join([*output, ran.stderr])


PLAIN = """\
import json, sys
from hashlib import sha256
from pathlib import Path
for path in Path(sys.argv[1]).glob("*.json"):
    content = path.read_bytes()
    sha256(content).hexdigest()
    json.loads(content)
"""
IDLE_PLAIN = 1.6  # seconds of a processor that PLAIN needs for 100,000 cells on an idle machine
IDLE_CELL = 2.5e-3  # and those of a cell


def busy(seconds, idle):
    """How much longer the processor needs for the same work because others use its caches."""
    return max(1.0, seconds / idle)


def test_a_hundred_thousand_done_cells_are_looked_through_in_seconds(tmp_path):
    path = write(tmp_path, 100_000)
    experiment, store = config.load(path), Store(tmp_path / "r" / "many")
    store.open(experiment)
    for i, cell in enumerate(plan(experiment)):
        row = {"relevant_found": i % 10 / 10, "informative_found": 1.0, "hidden_auc": None}
        made = {"numpy": "2.0", "cpu": "of a usual length, 2 cores"}
        store.write(cell, Record(rows=[row], seconds={"fit": 0.01}, made_by=made))
    for _ in ("makes the index", "reads it"):
        plain, _, _ = measured("-c", PLAIN, store.folder / "cells")
        most = 8 * busy(plain, IDLE_PLAIN)
        command = ("-m", "mlfs", "run", path, "--results", tmp_path / "r")
        seconds, megabytes, output = measured(*command)
        assert "100000 done, 0 failed" in output and seconds < most and megabytes < 300
    seconds, _, output = measured("-m", "mlfs", "table", tmp_path / "r" / "many")
    assert "over 100000 repeats" in output and seconds < most


def test_a_million_cells_are_planned_within_a_minute(tmp_path):
    path = write(tmp_path, 1_000_000)
    code = f"""if True:
        from pathlib import Path
        from mlfs import config
        from mlfs.protocols.plan import plan
        print(len(plan(config.load(Path({str(path)!r})))))
    """
    began = time.monotonic()
    process = start_python("-c", code, stdout=subprocess.PIPE)
    assert process.stdout.read() == b"1000000\n"
    _, _, spent = os.wait4(process.pid, 0)
    process.returncode = 0
    print(f"\n{time.monotonic() - began:.1f} s, {spent.ru_maxrss / 1024:.0f} MB")
    assert spent.ru_utime + spent.ru_stime < 60 and spent.ru_maxrss / 1024 < 2000


def spent_by(process):
    """Processor seconds of a process and of all below it, also of those that have ended."""
    try:
        return sum(process.cpu_times()[:4]) + sum(map(spent_by, process.children()))
    except psutil.NoSuchProcess:  # just now: its time is its parent's from the next look on
        return 0.0


def run_alone(cells):
    """Processor seconds of some cells in this process."""
    began = time.process_time()
    for one in cells:
        run_cell(one.cell)
    return time.process_time() - began


@pytest.mark.parametrize(
    ("method", "cells", "most"),
    [("random", 1500, 2.0), ("random", 100_000, 2.0), (OWN, 1500, 120.0)],
    ids=["few", "many", "own method"],
)
def test_a_cell_costs_the_run_a_few_milliseconds(tmp_path, method, cells, most):
    """Processor seconds of the run and its workers, less those of the cells: others may be busy.

    A method of the user's own needs a new process for each cell. The best of several hundreds of
    cells counts, since the speed of a machine that others use changes from second to second.
    """
    work = runner.gather([write(tmp_path, cells, method=method)], tmp_path / "r")
    done, spent = 0, {}
    events = runner.run(work, runner.Options(workers=1))
    for event in events:
        done += isinstance(event, Finished)
        if done % 200 == 0 and done and done not in spent:
            spent[done] = time.process_time() + sum(map(spent_by, psutil.Process().children()))
        if done == 1200:
            break
    events.close()
    each = min(later - earlier for earlier, later in pairwise(spent.values())) / 200
    bare = min(run_alone(work[0].cells[i : i + 100]) for i in (0, 100, 200)) / 100
    print(f"\n{cells} cells: {each * 1e3:.2f} ms each, of which {bare * 1e3:.2f} are the cell's")
    assert each - bare < 1e-3 * most * busy(bare, IDLE_CELL)


def test_two_workers_are_nearly_twice_as_fast_as_one(tmp_path):
    """Two hundred cells that wait half a second: it shows on a busy machine, too."""
    took = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        work = runner.gather([write(folder, 200, 0.5)], folder / "r")
        began = time.monotonic()
        done = sum(
            isinstance(one, Finished) for one in runner.run(work, runner.Options(workers=workers))
        )
        took.append(time.monotonic() - began)
        assert done == 200
    print(f"\none {took[0]:.1f} s, two {took[1]:.1f} s: {took[0] / took[1]:.2f} times as fast")
    assert took[0] / took[1] > 1.8
