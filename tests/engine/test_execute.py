"""Executing cells: what fails is recorded, however processes are started here."""

import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures import Future
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from mlfs import config
from mlfs.engine.execute import Finished, Running, run_cells
from mlfs.engine.workers.executor import local
from mlfs.engine.workers.run_cell import record_from, run_cell
from mlfs.errors import WorkersLost
from mlfs.protocols.plan import plan, tuners
from mlfs.results.store import Store
from mlfs.system.processes import alive

CONFIG = {
    "name": "e",
    "protocol": "learning",
    "datasets": ["toy_gaussian"],
    "split": {"kind": "holdout", "repeats": 2},
    "methods": ["mlknn", {"rmfl": {"n_factors": 10**14}, "label": "impossible"}],
    "metrics": ["average_precision"],
}


def run(tmp_path, name, executor, **changes):
    experiment = config.parse(CONFIG | changes, source="test")
    store = Store(tmp_path / name)
    store.open(experiment)
    cells = plan(experiment)
    with executor as place:
        events = list(run_cells(cells, store, place, tuners(cells)))
    seen = [event.planned.key for event in events if isinstance(event, Finished)]
    records = {cell.key: store.read(cell) for cell in cells}
    assert set(records) <= set(seen) and len(seen) == len(set(seen))
    busy = [len(event.cells) for event in events if isinstance(event, Running)]
    assert busy and max(busy) <= place.window()
    return {key: record.rows or record.error for key, record in records.items()}


@pytest.fixture(params=["forkserver", "spawn"])
def start(request, monkeypatch):
    """Processes as Linux starts them, and as Windows does, which has no fork."""
    if request.param == "spawn":
        monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])


def test_cells_run_and_fail_alone_however_processes_start(tmp_path, start, capfd):
    found = run(tmp_path, "here", local(1, None))
    assert sum("Unable to allocate" in str(value) for value in found.values()) == 2
    assert sum(isinstance(value, list) for value in found.values()) == 2
    assert capfd.readouterr() == ("", "")


def test_tuning_cells_run_first_and_their_choice_is_used(tmp_path):
    found = run(
        tmp_path,
        "tuned",
        local(1, None),
        protocol="selection",
        methods=["fsnm"],
        tune={"strategy": "random", "budget": 2, "folds": 2, "per": "dataset"},
    )
    assert len(found) == 2 and all(isinstance(rows, list) for rows in found.values())
    experiment = config.parse(
        CONFIG
        | {
            "protocol": "selection",
            "methods": ["fsnm"],
            "tune": {"strategy": "random", "budget": 2, "folds": 2, "per": "dataset"},
        },
        source="test",
    )
    cell = plan(experiment)[0]
    chosen = Store(tmp_path / "tuned").read(cell.tuner).tuned["chosen"]
    again = run_cell(cell.cell.model_copy(update={"tuned": chosen}))
    assert again.rows == found[cell.key]


def test_a_record_says_which_counts_were_too_large_for_the_data():
    experiment = config.parse(CONFIG | {"methods": [{"mlknn": {"k": 5000}}]}, source="test")
    record = run_cell(plan(experiment)[0].cell)
    assert record.status == "done"
    [note] = [note for note in record.notes if note.startswith("k = 5000 is too many")]
    assert "used instead" in note


def test_a_record_says_which_code_and_machine_made_it(tmp_path):
    experiment = config.parse(CONFIG, source="test")
    for name in ("emotions", "no such set"):
        cell = plan(experiment)[0].cell
        record = run_cell(
            cell.model_copy(update={"data": cell.data.model_copy(update={"name": name})})
        )
        assert record.made_by["numpy"] == np.__version__
        assert {"python", "cpu", "mlfs-bench"} <= set(record.made_by)


class Stand(NamedTuple):
    """Stands for a cell."""

    how: str
    foreign: bool = False


def hurt(cell):
    """What it starts must not outlive it, and its number is in the file."""
    how = cell.how
    if how == "die":
        os._exit(9)
    if how == "hang":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(905)"])
        Path(os.environ["MLFS_OF_THE_RUN"]).write_text(str(child.pid))
        time.sleep(905)
    return how, os.environ.get("MLFS_OF_THE_RUN"), threadpool_info()


def test_a_worker_that_dies_is_a_failed_cell(monkeypatch):
    """A process killed for want of memory leaves a record and not a broken run."""
    monkeypatch.setattr("mlfs.engine.workers.executor.run_cell", hurt)
    with local(1, None) as place:
        died, well = [place.submit(Stand(how), 0.0) for how in ("die", "be well")]
        assert record_from(died).error == "its process died (exit code 9); out of memory?"
        assert record_from(well)[0] == "be well"


def test_a_cell_over_its_time_is_killed_with_what_it_started(start, monkeypatch, tmp_path):
    monkeypatch.setattr("mlfs.engine.workers.executor.run_cell", hurt)
    file = tmp_path / "child"
    monkeypatch.setenv("MLFS_OF_THE_RUN", str(file))
    with local(1, 2.0) as place:
        hung, well = [place.submit(Stand(how), 0.0) for how in ("hang", "be well")]
        assert record_from(hung).error == "exceeded the time limit of 2 s"
        how, handed, pools = record_from(well)
        assert (how, handed) == ("be well", str(file))
        assert {pool["num_threads"] for pool in pools} == {1}
        assert not alive(int(file.read_text())), "what a worker started has outlived it"


def test_trouble_of_the_executor_itself_is_a_failed_cell():
    future = Future()
    future.set_exception(ConnectionError("gone"))
    assert record_from(future).error == "ConnectionError: gone"


def test_workers_that_cannot_start_are_no_failure_of_a_cell(monkeypatch):
    monkeypatch.setattr("mlfs.engine.workers.starting.work", os._exit)
    with pytest.raises(WorkersLost, match="run again"), local(1, None) as place:
        record_from(place.submit(Stand("be well"), 0.0))
