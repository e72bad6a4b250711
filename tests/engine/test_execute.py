"""Executors: what fails is recorded, and a dask cluster gives what local workers give."""

import os
import time
from concurrent.futures import Future

import numpy as np
import pytest

from mlfs import config
from mlfs.engine.execute import Finished, Running, _outcome, dask, local, run_cell, run_cells
from mlfs.engine.plan import plan
from mlfs.engine.store import Store
from mlfs.errors import UserError

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
        events = list(run_cells(cells, store, place))
    seen = [event.planned.key for event in events if isinstance(event, Finished)]
    records = {cell.key: store.read(cell) for cell in cells}
    assert set(records) <= set(seen) and len(seen) == len(set(seen))
    busy = [len(event.cells) for event in events if isinstance(event, Running)]
    assert busy and max(busy) <= place.window
    return {key: record.rows or record.error for key, record in records.items()}


def test_a_dask_cluster_gives_what_local_workers_give(tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs the extra 'dask'")
    here = run(tmp_path, "here", local(1, None))
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        there = run(tmp_path, "there", dask(cluster.scheduler_address))
    assert here == there
    assert sum("Unable to allocate" in str(value) for value in here.values()) == 2


def test_no_scheduler_is_said():
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    with pytest.raises(UserError, match="no dask scheduler answers"), dask("tcp://127.0.0.1:1"):
        pass


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


def test_a_worker_that_dies_is_a_failed_cell(monkeypatch):
    """A process killed for want of memory leaves a record and not a broken run."""
    monkeypatch.setattr("mlfs.engine.execute.run_cell", os._exit)
    with local(1, None) as place:
        outcome = _outcome(place.submit(9))
    assert outcome.status == "failed"
    assert "process died" in outcome.error


def test_a_cell_over_its_time_is_killed(monkeypatch):
    monkeypatch.setattr("mlfs.engine.execute.run_cell", time.sleep)
    began = time.monotonic()
    with local(1, 1.0) as place:
        outcome = _outcome(place.submit(60))
    assert "time limit of 1 s" in outcome.error
    assert time.monotonic() - began < 50


def test_trouble_of_the_executor_itself_is_a_failed_cell():
    future = Future()
    future.set_exception(ConnectionError("gone"))
    assert _outcome(future).error == "ConnectionError: gone"
