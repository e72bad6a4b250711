"""A dask cluster gives what local workers give, keeps their rules, and may be lost at any time."""

import json
import subprocess
import threading
import time
from contextlib import suppress

import psutil
import pytest

from mlfs.engine import runner
from mlfs.engine.execute import Finished, Waiting
from mlfs.engine.workers import handed_over
from mlfs.engine.workers.dask_cluster import cluster
from mlfs.errors import UserError, WorkersLost
from mlfs.system.processes import alive

from ...helpers import LONG, python, start_python, wait_until

distributed = pytest.importorskip("distributed", reason="needs the extra 'dask'")

MODULE = """\
import os
import subprocess
import sys
import time
import psutil
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_info


class Good(BaseEstimator):
    def fit(self, X, Y):
        self.scores_ = X.std(axis=0)


class Slow(Good):
    def fit(self, X, Y):
        time.sleep(0.05)
        super().fit(X, Y)


class Tells(Good):
    def fit(self, X, Y):
        print("NOISE")
        threads = max(pool["num_threads"] for pool in threadpool_info())
        raise RuntimeError(f"{threads} thread, {os.environ['MLFS_OF_THE_RUN']}")


class Hangs(Good):
    def fit(self, X, Y):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(907)"])
        with open(CHILD, "w") as file:
            file.write(str(child.pid))
        time.sleep(900)


class Dies(Good):
    def fit(self, X, Y):
        os._exit(9)


class KillsItsWorker(Good):
    def fit(self, X, Y):
        psutil.Process().parent().parent().parent().kill()
        time.sleep(900)


class StopsItsWorker(Good):
    def __init__(self, times=1):
        self.times = times

    def fit(self, X, Y):
        super().fit(X, Y)
        worker = psutil.Process().parent().parent().parent()
        with open(STOPPED, "a+") as file:
            file.seek(0)
            if len(file.readlines()) < self.times:
                file.write(f"{worker.pid}\\n")
                file.flush()
                worker.suspend()
"""
CONFIG = "name: c\nprotocol: planted\nmetrics: [relevant_found]\n"


def work(folder, methods, results, repeats=1):
    child = f"CHILD, STOPPED = {str(folder / 'child')!r}, {str(folder / 'stopped')!r}\n"
    (folder / "mine.py").write_text(MODULE + child)
    text = f"{CONFIG}repeats: {repeats}\nmethods: [{methods}]\n"
    (folder / "config.yaml").write_text(text)
    return runner.gather([folder / "config.yaml"], folder / results)


def outcomes(folder, methods, results, **options):
    """What each method gave: its rows, or its error."""
    events = runner.run(work(folder, methods, results), runner.Options(**options))
    found = [event for event in events if isinstance(event, Finished)]
    return {one.planned.label: str(one.record.rows or one.record.error) for one in found}


def child_lives(folder):
    """Whether what the cell of `Hangs` has started is still there; None before it has begun."""
    file = folder / "child"
    return alive(int(file.read_text())) if file.exists() and file.read_text() else None


@pytest.fixture(scope="module")
def address():
    """A cluster with a worker process, whose death is the fault of the cell that it ran."""
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as started,
    ):
        yield started.scheduler_address


def test_cells_keep_the_rules_of_local_workers(tmp_path, address, monkeypatch, capfd):
    """One thread of BLAS, our environment, a time that is kept, silence, the same results."""
    names = "mine:Good, fsnm, mine:Tells, mine:Hangs, mine:Dies"
    monkeypatch.setenv("MLFS_OF_THE_RUN", "known")
    there = outcomes(tmp_path, names, "there", executor="dask", scheduler=address, timeout=12)
    assert there["Tells"] == "RuntimeError: 1 thread, known"
    assert there["Hangs"] == "exceeded the time limit of 12 s"
    assert there["Dies"] == "its process died (exit code 9); out of memory?"
    assert child_lives(tmp_path) is False
    assert "NOISE" not in "".join(capfd.readouterr())
    here = outcomes(tmp_path, "mine:Good, fsnm", "here", workers=1)
    assert here.items() <= there.items() and "relevant_found" in here["fsnm"]


def test_a_cell_that_kills_its_dask_worker_fails_and_the_others_run(tmp_path, address):
    there = outcomes(
        tmp_path, "mine:KillsItsWorker, mine:Good", "killed", executor="dask", scheduler=address
    )
    # as many as the cluster allows, which is not known here
    assert there["KillsItsWorker"] == "1 dask workers died while they ran it; out of memory?"
    assert "relevant_found" in there["Good"]


def stopped(folder):
    """Numbers of the dask workers that cells of `StopsItsWorker` have stopped."""
    file = folder / "stopped"
    return list(map(int, file.read_text().split())) if file.exists() else []


@pytest.fixture
def awake(tmp_path):
    """Ends the workers that the test has stopped; dask starts others."""
    yield
    for number in stopped(tmp_path):
        with suppress(psutil.Error):
            psutil.Process(number).kill()


def test_stopping_has_a_deadline_even_if_a_worker_hangs(tmp_path, address, monkeypatch, awake):
    """Its process is stopped, and keeps its connection: dask would wait for minutes."""
    monkeypatch.setattr("mlfs.engine.workers.dask_cluster._ANSWER", 2.0)
    planned = work(tmp_path, "mine:StopsItsWorker", "hung")
    events = runner.run(planned, runner.Options(executor="dask", scheduler=address))
    for _ in events:
        if stopped(tmp_path):
            break
    began = time.monotonic()
    events.close()
    assert time.monotonic() - began < 100, "dask's own deadline is 300 s"
    assert not planned[0].store.states() and not (planned[0].store.folder / ".claims").exists()


@pytest.mark.slow
def test_a_worker_that_hangs_loses_its_cells(tmp_path, monkeypatch, awake):
    """A busy machine keeps a worker silent for some seconds, so what counts are many."""
    monkeypatch.setattr(handed_over, "_SILENT", 40.0)
    monkeypatch.setattr(handed_over, "_TIMES", 1)
    about = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(processes=True, **about) as started:
        options = {"executor": "dask", "scheduler": started.scheduler_address}
        outcomes(tmp_path, "mine:Good, fsnm", "warm", **options)  # importing silences them, too
        there = outcomes(tmp_path, "mine:StopsItsWorker, mine:Good", "first", **options)
        assert len(stopped(tmp_path)) == 1 and alive(stopped(tmp_path)[0])
        assert there["StopsItsWorker"] == there["Good"] and "relevant_found" in there["Good"]
        [item] = work(tmp_path, "{mine:StopsItsWorker: {times: 2}}", "second")
        events = runner.run([item], runner.Options(**options))
        assert any(isinstance(one, Waiting) and "none answers" in one.reason for one in events)
        events.close()
        assert len(stopped(tmp_path)) == 2 and not item.store.states()
        for number in stopped(tmp_path):
            psutil.Process(number).kill()


def test_a_run_that_ends_early_leaves_nothing_at_work(tmp_path, address):
    planned = work(tmp_path, "mine:Hangs", "cut")
    events = runner.run(planned, runner.Options(executor="dask", scheduler=address))
    for _ in events:
        if child_lives(tmp_path):
            break
    events.close()
    wait_until(lambda: child_lives(tmp_path) is False, "what the cell started has ended")
    assert not planned[0].store.states() and not (planned[0].store.folder / ".claims").exists()


def test_a_cluster_of_its_own_is_started_on_this_machine(tmp_path):
    names = "mine:Good, mine:Dies"
    there = outcomes(tmp_path, names, "own", executor="dask", workers=2)
    assert there == outcomes(tmp_path, names, "here", workers=1)


def test_no_scheduler_is_said(monkeypatch):
    monkeypatch.setattr("mlfs.engine.workers.dask_cluster._ANSWER", 1)
    with (
        pytest.raises(UserError, match=r"no dask scheduler answers at tcp://127.0.0.1:1: start"),
        cluster("tcp://127.0.0.1:1", 1, None),
    ):
        pass


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"executor": "spark"}, "choose local or dask"),
        ({"scheduler": "tcp://a:1"}, "add --executor dask"),
        ({"executor": "dask", "scheduler": "tcp://a:1", "workers": 2}, "for this machine"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, words):
    with pytest.raises(UserError, match=words):
        runner.Options(**options)


class Cluster:
    """A scheduler and two workers, as on three machines; the first worker has no nanny."""

    def __init__(self, folder):
        known = folder / "scheduler.json"
        self.file = ("--scheduler-file", str(known), "--no-dashboard")
        self.folder = folder
        self.scheduler = self.start("dask_scheduler", "--port=0", "--host=127.0.0.1")
        self.first = self.start("dask_worker", "--nthreads=1", "--no-nanny")
        self.second = self.start("dask_worker", "--nthreads=1")
        wait_until(known.exists, "the scheduler has written its address")
        self.address = json.loads(known.read_text())["address"]

    def start(self, program, *args):
        command = ["-m", f"distributed.cli.{program}", *self.file, *args]
        return start_python(*command, cwd=self.folder, stderr=subprocess.DEVNULL)

    def end(self):
        for process in (self.first, self.second, self.scheduler):
            process.terminate()
        for process in (self.first, self.second, self.scheduler):
            process.wait(LONG)


@pytest.mark.slow
def test_a_worker_and_then_the_scheduler_are_lost_and_the_table_is_the_same(tmp_path):
    """Sixty cells: the lost worker's run elsewhere; then a sentence, and the rest runs here."""
    methods, started = "mine:Slow, mine:Good, fsnm", Cluster(tmp_path)
    undisturbed = work(tmp_path, methods, "whole", repeats=20)
    list(runner.run(undisturbed, runner.Options(workers=1)))
    [cut] = work(tmp_path, methods, "cut", repeats=20)
    options = runner.Options(executor="dask", scheduler=started.address)
    done = 0
    try:
        with pytest.raises(WorkersLost, match=r"scheduler at tcp://.* is lost; .* run again"):
            for event in runner.run([cut], options):
                assert not isinstance(event, Finished) or event.record.status == "done"
                done += isinstance(event, Finished)
                if done >= 10 and started.first.poll() is None:
                    started.first.kill()
                if done >= 25 and started.scheduler.poll() is None:
                    started.scheduler.kill()
    finally:
        started.end()
    states = cut.store.states()
    assert 25 <= len(states) < 60, "killed too late to show anything"
    assert {state.status for state in states.values()} == {"done"}
    before = {key: cut.store.stamp(key) for key in states}
    again = list(runner.run([cut], runner.Options(workers=1)))
    assert sum(isinstance(event, Finished) for event in again) == 60 - len(before)
    assert {key: cut.store.stamp(key) for key in before} == before
    tables = [stored_table(tmp_path / name / "c") for name in ("whole", "cut")]
    assert tables[0] == tables[1] and "missing: nothing" in tables[0]


def stored_table(folder):
    return python("-m", "mlfs", "table", folder, check=True).stdout


def test_a_cluster_that_does_not_start_is_said(monkeypatch):
    monkeypatch.setattr("mlfs.engine.workers.dask_cluster._STARTED", 0.1)
    monkeypatch.setattr(distributed, "LocalCluster", lambda **_: threading.Event().wait())
    with pytest.raises(UserError, match=r"cannot start a cluster .* in 0 s\): run without"):
        with_own_cluster()

    def refuse(**_):
        raise RuntimeError("Cluster failed to start: no files")

    monkeypatch.setattr(distributed, "LocalCluster", refuse)
    with pytest.raises(UserError, match="no files"):
        with_own_cluster()


def with_own_cluster():
    with cluster(None, 1, None):
        pass
