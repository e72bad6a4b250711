"""Memory: what cells may have, what they will need, and an end to those who take more."""

import os
import time
from typing import NamedTuple

import numpy as np
import psutil
import pytest

from mlfs import config
from mlfs.engine import memory_needs, runner
from mlfs.engine.execute import Finished
from mlfs.engine.workers.executor import local
from mlfs.engine.workers.run_cell import record_from, run_cell
from mlfs.errors import UserError
from mlfs.protocols.plan import plan
from mlfs.results.cell_file import State
from mlfs.system import memory
from mlfs.system.memory import MemoryBudget

CONFIG = {
    "name": "m",
    "protocol": "learning",
    "datasets": ["emotions", "bibtex"],
    "methods": ["mlknn", "llsf"],
    "split": {"kind": "holdout", "repeats": 2},
    "metrics": ["average_precision"],
}


def of(cells, dataset, label):
    return next(
        one.series for one in cells if (one.series.cell.data.name, one.label) == (dataset, label)
    )


@pytest.mark.parametrize(
    ("text", "amount"),
    [("20GB", 2e10), ("1.5g", 1.5e9), (" 800 MB", 8e8), ("1MiB", 2.0**20), ("2GiB", 2.0**31)],
)
def test_amounts_of_memory_are_understood(text, amount):
    assert memory.parse(text) == amount


@pytest.mark.parametrize("text", ["much", "0GB", "-1GB", "20XB", "", "5iB", "1e3GB"])
def test_what_is_no_amount_is_said(text):
    with pytest.raises(UserError, match="write an amount such as 20GB"):
        runner.Options(memory=text)


def test_what_is_free_keeps_to_the_machine_and_to_a_container(tmp_path, monkeypatch):
    assert 0 < memory.free() < psutil.virtual_memory().total
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    assert memory.free() == pytest.approx(0.9 * 2e6)
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.free() > 1e8


def test_large_cells_get_more_parts_and_run_with_fewer_beside_them():
    budget = MemoryBudget(8e9, 4)
    assert [budget.parts_of(need) for need in (0.0, 2e9, 2.1e9, 6e9, 9e9)] == [1, 1, 2, 3, 4]
    assert [budget.limit(need) for need in (1.0, 3e9, 99e9)] == [2e9, 4e9, 8e9]
    assert budget.fits(0, [0] * 4) and not budget.fits(0, [0] * 5)  # one waits at the workers
    assert budget.fits(3e9, [0, 0]) and not budget.fits(3e9, [0, 0, 0])
    assert not budget.fits(0, [99e9]) and budget.fits(99e9, [])


def test_earlier_cells_tell_what_the_next_will_need():
    cells = plan(config.parse(CONFIG, source="test"))
    first = of(cells, "emotions", "mlknn")
    assert memory_needs.expected(of(cells, "bibtex", "llsf")) > 4 * 8 * 7395 * 1836  # made dense
    assert memory_needs.expected(of(cells, "bibtex", "mlknn")) < 5e8  # stays sparse
    states = {cells[0].key: State("done", memory=300.0)}
    known = memory_needs.learn(cells, states)
    assert cells[0].series is first and known.of(first) == pytest.approx(1.2 * 300e6)
    other = of(cells, "emotions", "llsf")
    assert known.of(other) == memory_needs.expected(other)
    known.learn(first, "failed", 1000.0)
    assert known.of(first) == pytest.approx(2000e6), "it gets twice of what was too little"


def test_a_record_tells_the_most_that_its_cell_had(monkeypatch):
    cell = plan(config.parse(CONFIG | {"datasets": ["toy_gaussian"]}, source="test"))[0].cell
    few = run_cell(cell).memory
    assert 50 < few < 5000

    class Grabs:
        @staticmethod
        def run(cell):
            np.ones(50_000_000)
            raise RuntimeError

    monkeypatch.setattr("mlfs.engine.workers.run_cell.protocol", lambda name: Grabs)
    assert run_cell(cell).memory > few + 350
    monkeypatch.undo()
    assert run_cell(cell).memory < few + 350, "the next one starts anew"


def test_keys_do_not_know_of_memory_and_shapes():
    cell = plan(config.parse(CONFIG, source="test"))[0].cell
    assert cell.data.shape == (593, 72, 6) and "shape" not in cell.text
    bare = cell.model_copy(update={"data": cell.data.model_copy(update={"shape": None})})
    assert bare.key == cell.key


class Stand(NamedTuple):
    """Stands for a cell."""

    how: str
    foreign: bool = False


def grab(cell):
    """Takes 600 MB itself, or by a child, or little."""
    how = cell.how
    if how == "child":
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            return "outlived its child"
    if how != "little":
        kept = []
        for _ in range(60):
            kept.append(np.ones(1_250_000))
            time.sleep(0.01)
        time.sleep(60)
    return how


def test_a_cell_over_its_memory_fails_with_a_sentence_and_the_others_run(monkeypatch):
    monkeypatch.setattr("mlfs.engine.workers.executor.run_cell", grab)
    with local(1, 50.0, memory=5e8) as place:
        futures = [place.submit(Stand(how), 0.0) for how in ("itself", "child", "little")]
        found = [record_from(future) for future in futures]
    said = "needed more than 500 MB of memory: run with fewer --workers or a larger --memory"
    assert [one.error for one in found[:2]] == [said, said]
    assert found[0].memory == 500.0 and found[2] == "little"


MODULE = """\
import time
import numpy as np
from sklearn.base import BaseEstimator


class Grabs(BaseEstimator):
    def fit(self, X, Y):
        kept = np.ones(150_000_000)
        time.sleep(60)


class Good(BaseEstimator):
    def fit(self, X, Y):
        self.scores_ = X.std(axis=0)
"""


@pytest.mark.parametrize("executor", ["local", "dask"])
def test_both_executors_keep_to_the_memory_and_give_more_the_next_time(tmp_path, executor):
    if executor == "dask":
        pytest.importorskip("distributed", reason="needs the extra 'dask'")
    (tmp_path / "mine.py").write_text(MODULE)
    (tmp_path / "c.yaml").write_text(
        "name: c\nprotocol: planted\nmetrics: [relevant_found]\nmethods: [mine:Grabs, mine:Good]\n"
        "repeats: 1\n"
    )
    options = runner.Options(executor=executor, workers=2, memory="1.6GB")
    work = runner.gather([tmp_path / "c.yaml"], tmp_path / "r")
    events = [one for one in runner.run(work, options) if isinstance(one, Finished)]
    found = {one.planned.label: one.record.error for one in events}
    assert found["Grabs"].startswith("needed more than 800 MB of memory: run with fewer")
    assert found["Good"] == ""
    [item] = work
    again = memory_needs.learn(item.cells, item.store.states())
    assert again.of(item.cells[0].series) == pytest.approx(1.6e9)
