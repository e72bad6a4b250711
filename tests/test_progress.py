"""What is shown while cells run: a bar on a terminal, a line a minute elsewhere."""

import io
from types import SimpleNamespace

import pytest

from mlfs import config, progress
from mlfs.engine.costs import Costs, Left
from mlfs.engine.execute import Finished, Running
from mlfs.engine.runner import Began, Ended, Work
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results.store import Store

CONTENT = {
    "name": "p",
    "protocol": "learning",
    "datasets": ["toy_gaussian"],
    "split": {"kind": "holdout", "repeats": 3},
    "methods": ["mlknn"],
    "metrics": ["average_precision"],
}


@pytest.fixture
def work(tmp_path):
    experiment = config.parse(CONTENT, source="test")
    return Work(experiment, Store(tmp_path / "p"), plan(experiment))


def events(work, clock):
    """Three cells of 40 seconds each, the second of which fails."""
    yield Began([work], 3, 0, Left(work.cells, Costs()))
    for i, planned in enumerate(work.cells):
        yield Running([planned])
        clock.now += 40
        status = {"status": "failed", "error": "boom"} if i == 1 else {}
        yield Finished(planned, Record(seconds={"fit": 40.0}, **status))
    yield Ended([work], 1)


class Clock:
    now = 0.0


def test_piped_to_a_file_it_prints_a_line_a_minute(work, monkeypatch, capsys):
    monkeypatch.setattr(progress.time, "monotonic", lambda: Clock.now)
    assert progress.show(events(work, Clock), "1 worker") == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "p: 3 cells, 1 worker",
        "failed: toy_gaussian, mlknn, repeat 1: boom",
        "2 of 3 cells, 1 failed, about 00:40 left; now toy_gaussian, mlknn, repeat 2",
    ]


def test_a_terminal_gets_a_bar_that_names_what_runs_now(work, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(progress.sys, "stderr", terminal)
    progress.show(events(work, Clock), "1 worker")
    shown = terminal.getvalue()
    assert "p: 3 cells, 1 worker" in shown and "3/3" in shown
    assert "1 failed" in shown and "toy_gaussian, mlknn, repeat 2" in shown
    assert "failed: toy_gaussian, mlknn, repeat 1: boom" in shown


def test_the_bar_tells_the_time_that_the_cells_left_will_take(work):
    bar = progress._Bar(total=3, bar_format=progress._BAR, file=io.StringIO())
    bar.update()
    bar.left = 3720.0
    assert "<1:02:00" in str(bar)
    bar.close()


def test_a_cell_that_runs_longer_than_expected_is_expected_to_need_as_long_again(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    shown = progress._Shown("here", summary=True)
    cells = [SimpleNamespace(key="a", describe=lambda: "a")]
    shown._running(SimpleNamespace(cells=cells))
    now[0] = 60.0
    shown._running(SimpleNamespace(cells=cells))
    assert shown._seconds() == 60.0
    shown._running(SimpleNamespace(cells=[SimpleNamespace(key="b", describe=lambda: "b")]))
    assert shown._seconds() == 0.0
