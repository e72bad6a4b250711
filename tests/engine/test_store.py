"""The store: atomic, readable, and only ever one experiment's."""

import json
from pathlib import Path

import pytest

from mlfs import config
from mlfs.engine.plan import plan
from mlfs.engine.store import Store, find
from mlfs.errors import UserError

CONFIG = {
    "name": "s",
    "protocol": "learning",
    "datasets": ["emotions"],
    "methods": ["mlknn"],
    "metrics": ["average_precision"],
}


@pytest.fixture
def experiment():
    return config.parse(CONFIG, source="test")


@pytest.fixture
def store(tmp_path, experiment):
    store = Store(tmp_path / "s")
    store.open(experiment)
    return store


def test_a_record_comes_back_and_failures_are_not_done(store, experiment):
    [cell] = plan(experiment)
    assert store.read(cell) is None
    store.write(cell, {"status": "failed", "error": "E", "traceback": "T"})
    assert not store.done(cell) and store.read(cell)["error"] == "E"
    store.write(cell, {"status": "done", "rows": [{"average_precision": 0.5}]})
    assert store.done(cell) and store.read(cell)["spec"] == cell.spec


def test_a_damaged_record_counts_as_not_there(store, experiment):
    [cell] = plan(experiment)
    store.write(cell, {"status": "done", "rows": []})
    [path] = (store.folder / "cells").iterdir()
    path.write_text(path.read_text()[:20])
    assert store.read(cell) is None
    path.write_text(json.dumps({"status": "odd"}))
    assert store.read(cell) is None


def test_a_full_disk_is_said_and_leaves_nothing_half_written(store, experiment, monkeypatch):
    """The rename fails as it does on a full disk: no part file stays, the old record does."""
    [cell] = plan(experiment)
    store.write(cell, {"status": "done", "rows": []})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UserError, match="full: free some space"):
        store.write(cell, {"status": "done", "rows": [1]})
    assert [path.suffix for path in (store.folder / "cells").iterdir()] == [".json"]
    assert store.read(cell)["rows"] == []


def test_the_folder_of_another_experiment_is_refused(store):
    other = config.parse(CONFIG | {"seed": 5}, source="test")
    with pytest.raises(UserError, match=r"another experiment \(seed: 0, here 5\)"):
        store.open(other)


def test_a_config_may_grow_in_its_own_folder(store):
    store.open(config.parse(CONFIG | {"datasets": ["emotions", "yeast"]}, source="test"))
    assert len(store.experiment().datasets) == 2


def test_a_folder_with_other_files_is_refused(tmp_path, experiment):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(UserError, match="not a results folder"):
        Store(tmp_path).open(experiment)


def test_finding_results(store, tmp_path):
    assert [s.folder for s in find(tmp_path)] == [store.folder]
    assert [s.folder for s in find(store.folder)] == [store.folder]
    with pytest.raises(UserError, match="no results in"):
        find(tmp_path / "nowhere")


def test_experiment_yaml_says_what_made_the_results(store):
    text = (store.folder / "experiment.yaml").read_text()
    for word in ("numpy", "python", "cpu", "commit", "seed: 0"):
        assert word in text
