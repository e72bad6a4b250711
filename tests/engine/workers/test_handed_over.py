"""Cells of a dask worker that gives no sign of life go to another one; the clock is turned."""

import threading

import pytest

from mlfs.engine.workers import handed_over
from mlfs.engine.workers.beside import ClusterRun
from mlfs.engine.workers.handed_over import HandedOver
from mlfs.errors import WorkersLost
from mlfs.protocols import Record

pytest.importorskip("distributed", reason="needs the extra 'dask'")


class Remote:
    """A future of dask."""

    def __init__(self, key, place):
        self.key, self.place = key, place
        self.done, self.told = False, []

    def add_done_callback(self, call):
        self.told.append(call)

    def result(self):
        return Record(notes=[self.key])

    def finish(self):
        self.done = True
        for call in self.told:
            call(self)


class Cluster:
    """A client of a cluster whose workers beat or do not, as its scheduler would tell."""

    status = "running"

    def __init__(self, *workers):
        self.seen = dict.fromkeys(workers, 0.0)
        self.remotes, self.asked, self.cancelled = [], [], []
        self.scheduler = self
        self.address = "tcp://scheduler"

    def identity(self):
        return {
            "workers": {name: {"last_seen": at, "nthreads": 2} for name, at in self.seen.items()}
        }

    def sync(self, function):
        return function()

    def beat(self, *names):
        for name in names:
            self.seen[name] += 1.0

    def submit(self, *_, workers=None, allow_other_workers=False, pure):
        assert not pure and (workers is None) == (not allow_other_workers)
        self.asked.append(workers)
        place = (workers or list(self.seen))[len(self.remotes) % len(workers or self.seen)]
        self.remotes.append(Remote(f"task {len(self.remotes)}", place))
        return self.remotes[-1]

    def processing(self):
        return {
            name: [one.key for one in self.remotes if one.place == name and not one.done]
            for name in self.seen
        }

    def who_has(self, futures):
        return {one.key: (one.place,) if one.done else () for one in futures}

    def cancel(self, futures):
        self.cancelled += [one.key for one in futures]


class Clock:
    """A clock that only goes on when it is turned."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def turn(self, seconds):
        self.now += seconds


def pass_time(cells, cluster, seconds, beating):
    """Let time pass while some workers beat, as the loop of a run does."""
    for _ in range(int(seconds / 2)):
        cells._clock.turn(2.0)
        cluster.beat(*beating)
        window = cells.window()
    return window


def handed(cluster):
    cells = HandedOver(cluster, ClusterRun(None, None, {}), Clock())
    assert cells.window() == 2 * len(cluster.seen)
    return cells


def test_a_silent_worker_gets_no_cell_and_keeps_none():
    cluster = Cluster("a", "b")
    cells = handed(cluster)
    on_a, on_b = (cells.submit(None, 0.0) for _ in range(2))
    assert [one.place for one in cluster.remotes] == ["a", "b"]
    assert pass_time(cells, cluster, 118, "b") == 4 and not cluster.cancelled
    assert pass_time(cells, cluster, 4, "b") == 2
    assert cells.answering == ["b"] and cluster.cancelled == ["task 0"]
    assert cluster.remotes[2].place == "b" and not on_a.done() and not on_b.done()
    cells.submit(None, 0.0)
    assert cluster.asked == [None, None, ["b"], ["b"]]
    for remote in cluster.remotes[:3]:  # the first one's answer comes too late
        remote.finish()
    assert on_a.result(60).notes == ["task 2"] and on_b.result(60).notes == ["task 1"]
    cluster.beat("a")
    assert pass_time(cells, cluster, 2, "ab") == 4, "it has come back"


def test_a_result_that_only_a_silent_worker_has_is_made_again():
    cluster = Cluster("a", "b")
    cells = handed(cluster)
    promised = cells.submit(None, 0.0)
    cluster.remotes[0].done = True  # and its result cannot be had
    pass_time(cells, cluster, 124, "b")
    assert cluster.cancelled == ["task 0"]
    cluster.remotes[1].finish()
    assert promised.result(60).notes == ["task 1"]


def test_a_cell_that_silences_one_worker_after_the_other_fails():
    names = "abcd"
    cluster = Cluster(*names)
    cells = handed(cluster)
    promised = cells.submit(None, 0.0)
    for i in range(4):
        assert not promised.done()
        silent = {one.place for one in cluster.remotes}
        assert len(silent) == i + 1
        pass_time(cells, cluster, 124, set(names) - silent)
    record = promised.result(60)
    assert record.status == "failed"
    assert record.error == "4 dask workers gave no sign of life for 120 s while they ran it"
    assert len(cluster.remotes) == 4


def test_without_a_worker_that_answers_a_cell_waits_for_one():
    cluster = Cluster("a")
    cells = handed(cluster)
    cells.submit(None, 0.0)
    assert pass_time(cells, cluster, 200, "") == 0
    assert len(cluster.remotes) == 1 and len(cluster.cancelled) == 1
    cluster.seen["b"] = 5.0
    assert pass_time(cells, cluster, 2, "b") == 2
    assert cluster.remotes[1].place == "b"


def test_time_in_which_the_run_is_suspended_does_not_count():
    cluster = Cluster("a")
    cells = handed(cluster)
    for _ in range(20):
        cells._clock.turn(3600.0)
        assert cells.window() == 2
    cells._clock.turn(3600.0)
    for _ in range(8):
        cells._clock.turn(5.0)
        window = cells.window()
    assert window == 0


@pytest.mark.parametrize("call", ["identity", "processing", "who_has", "cancel", "submit"])
def test_every_call_to_the_cluster_has_a_deadline(monkeypatch, call):
    monkeypatch.setattr(handed_over, "_PATIENCE", 0.2)
    cluster = Cluster("a", "b")
    cells = handed(cluster)
    cells.submit(None, 0.0)
    monkeypatch.setattr(cluster, call, lambda *_, **__: threading.Event().wait())
    with pytest.raises(WorkersLost, match="scheduler at tcp://scheduler is lost"):
        pass_time(cells, cluster, 124, "b")
