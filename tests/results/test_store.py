"""The store: atomic, readable, and only ever one experiment's."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from mlfs import config
from mlfs.engine import runner
from mlfs.errors import UserError
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results import read
from mlfs.results.cell_file import Damaged, State, finished, signed
from mlfs.results.packing import find
from mlfs.results.store import Store

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
    store.write(cell, Record(status="failed", error="E", traceback="T"))
    assert not finished(cell, store.states()[cell.key]) and store.read(cell).error == "E"
    good = Record(rows=[{"average_precision": 0.5, "x": None}], features=[[2, 1]], n_features=3)
    store.write(cell, good)
    assert finished(cell, store.states()[cell.key]) and store.read(cell) == good


def test_a_done_cell_that_lacks_a_metric_is_unfinished(experiment):
    [cell] = plan(experiment)
    state = State("done", frozenset({"average_precision"}))
    assert finished(cell, state, ["average_precision"])
    assert not finished(cell, state, ["average_precision", "one_error"])


def again(text):
    """The text of a changed cell file with the digest of what it contains now."""
    return signed(text.partition(', "digest"')[0].encode()).decode() + "\n"


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text[:20], "cut off"),
        (lambda text: "", "cut off"),
        (lambda text: "[]", "not a cell of mlfs"),
        (lambda text: "null", "not a cell of mlfs"),
        (lambda text: json.dumps({"status": "done"}), "not a cell of mlfs"),
        (lambda text: again(text.replace('"done"', '"odd"')), "not a cell of mlfs"),
        (lambda text: again(text.replace('"repeat":0', '"repeat":1')), "another cell"),
        (lambda text: text.replace("0.5", "0.6"), "its digest does not match"),
        (lambda text: text.replace(text[-10:], '0123456"}\n'), "its digest does not match"),
        (lambda text: text + " ", "has no digest"),
        (lambda text: text.partition(', "digest"')[0] + "}", "has no digest"),
        (lambda text: "[" * 100_000, "cut off"),
        (lambda text: again(text.replace('"notes": []', '"notes": ["\\ud800"]')), "unreadable"),
        (lambda text: again(text.replace('"notes": []', '"notes": ["\0"]')), "unreadable"),
        (lambda text: " " * 2**25 + text, "longer than 32 MB"),
    ],
)
def test_a_damaged_or_foreign_file_is_named(store, experiment, spoil, said):
    [cell] = plan(experiment)
    store.write(cell, Record(rows=[{"average_precision": 0.5}]))
    [path] = (store.folder / "cells").iterdir()
    path.write_text(spoil(path.read_text()))
    with pytest.raises(Damaged, match=said) as caught:
        store.read(cell)
    assert path.name in str(caught.value)
    assert store.get(cell) is None


def test_the_digest_is_that_of_all_before_it(store, experiment):
    [cell] = plan(experiment)
    store.write(cell, Record(rows=[{"average_precision": 0.5}]))
    line = (store.folder / "cells" / f"{cell.key}.json").read_bytes()
    start, digest = line.split(b', "digest": "')
    assert digest.decode() == hashlib.sha256(start).hexdigest() + '"}\n'
    assert json.loads(line)["cell"] == cell.cell.to_json()


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (Record(rows=[{"one_error": "=cmd"}]), "one_error is '=cmd'"),
        (Record(rows=[{"one_error": 0.5}, {"one_error": float("inf")}]), "one_error is 'inf'"),
        (Record(rows=[{"one_error": -1e308}]), "one_error is '-1e.308'"),
        (Record(rows=[{"one_error": True}]), "one_error is 'True'"),
        (Record(rows=[{"one_error": [0.5]}]), "one_error is"),
        (Record(features=[[0, 1], [0, 3]], n_features=3), "3 features do not have"),
        (Record(features=[[-1]], n_features=3), "3 features do not have"),
        (Record(features=[[1, 1]], n_features=3), "one twice"),
        (Record(seconds={"fit": -1.0}), "time or memory is impossible"),
        (Record(memory=float("nan")), "time or memory is impossible"),
        (Record(info={"a": eval("[" * 30 + "]" * 30)}), "nested too deeply"),
    ],
)
def test_impossible_numbers_are_refused_although_their_digest_fits(store, experiment, record, said):
    [cell] = plan(experiment)
    store.write(cell, record)
    with pytest.raises(Damaged, match=said):
        store.read(cell)
    assert store.states()[cell.key].status == "damaged"


def test_possible_numbers_are_taken(store, experiment):
    [cell] = plan(experiment)
    rows = [{"one_error": float("nan"), "coverage": None, "n": 10**6, "x": -1e99}]
    record = Record(rows=rows, features=[[2, 0], []], n_features=3, info={"a": [[[{}]]]})
    store.write(cell, record)
    assert repr(store.read(cell)) == repr(record)


def test_a_full_disk_is_said_and_leaves_nothing_half_written(store, experiment, monkeypatch):
    """The rename fails as it does on a full disk: no part file stays, the old record does."""
    [cell] = plan(experiment)
    store.write(cell, Record())

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UserError, match="full: free some space"):
        store.write(cell, Record(notes=["new"]))
    assert [path.suffix for path in (store.folder / "cells").iterdir()] == [".json"]
    assert store.read(cell).notes == []


def test_a_config_that_would_hide_finished_cells_is_refused(store, experiment):
    other = config.parse(CONFIG | {"seed": 5}, source="test")
    store.open(other)  # nothing is finished yet, so nothing is hidden
    store.open(experiment)
    [cell] = plan(experiment)
    store.write(cell, Record(rows=[{"average_precision": 0.5}]))
    with pytest.raises(UserError, match=r"1 finished cells .* differs in seed"):
        store.open(other)
    assert store.experiment() == experiment
    store.open(config.parse(CONFIG | {"title": "new", "cost": 3}, source="test"))


def test_a_config_may_grow_in_its_own_folder(store):
    store.open(config.parse(CONFIG | {"datasets": ["emotions", "yeast"]}, source="test"))
    assert len(store.experiment().datasets) == 2


def test_a_folder_with_other_files_is_refused(tmp_path, experiment):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(UserError, match="neither empty nor a results folder"):
        Store(tmp_path).open(experiment)


def test_results_are_found_in_a_folder_and_below_it(store, tmp_path):
    assert [s.folder for s in find(tmp_path)] == [store.folder]
    assert [s.folder for s in find(store.folder)] == [store.folder]
    with pytest.raises(UserError, match="no results in"):
        find(tmp_path / "nowhere")


def test_a_folder_that_another_run_is_just_making_is_taken(tmp_path, experiment):
    (tmp_path / "s/.claims").mkdir(parents=True)
    (tmp_path / "s/.part-experiment").touch()
    store = Store(tmp_path / "s")
    store.open(experiment)
    assert store.experiment() == experiment


def test_files_are_as_open_to_others_as_the_user_wants(store, experiment):
    [cell] = plan(experiment)
    before = os.umask(0o027)
    try:
        store.write(cell, Record())
    finally:
        os.umask(before)
    [path] = (store.folder / "cells").iterdir()
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_disk_that_was_full_at_the_start_does_not_spoil_the_folder(
    tmp_path, experiment, monkeypatch
):
    """Wherever it stops, the folder is taken again once there is room."""
    done = set()
    for operation in ("mkdir", "replace"):
        for allowed in range(3):
            folder, left = tmp_path / f"{operation}{allowed}", [allowed]
            real = getattr(Path, operation)

            def full(*args, real=real, left=left, **kwargs):
                left[0] -= 1
                if left[0] < 0:
                    raise OSError(28, "No space left on device")
                return real(*args, **kwargs)

            with monkeypatch.context() as patch:
                patch.setattr(Path, operation, full)
                try:
                    Store(folder).open(experiment)
                    done.add("opened")
                except UserError as error:
                    assert "full: free some space" in str(error)
                    done.add("refused")
            Store(folder).open(experiment)
            assert Store(folder).experiment() == experiment
    assert done == {"opened", "refused"}


@pytest.mark.parametrize("fate", ["lost", "garbled", "empty", "changed", "without a digest"])
def test_a_lost_description_costs_no_cells(store, experiment, fate):
    [cell] = plan(experiment)
    store.write(cell, Record(rows=[{"average_precision": 0.5}]))
    about = store.folder / "experiment.yaml"
    text = about.read_text()
    about.unlink()
    contents = {
        "garbled": b"\xff\x00{[",
        "empty": b"",
        "changed": text.replace("average_precision", "one_error").encode(),
        "without a digest": text.partition("digest:")[0].encode(),
    }
    if fate != "lost":
        about.write_bytes(contents[fate])
    with pytest.raises(UserError, match="run its config again, which keeps all cells"):
        store.experiment()
    store.open(experiment)
    assert store.experiment() == experiment
    assert store.read(cell).rows == [{"average_precision": 0.5}]


def test_a_finished_run_and_a_table_need_not_write(tmp_path, monkeypatch):
    """Root may write anywhere, so the functions that write refuse as a read-only disk does."""
    path = tmp_path / "c.yaml"
    path.write_text(
        "name: c\nprotocol: planted\nmethods: [random]\nmetrics: [relevant_found]\nrepeats: 1\n"
    )
    work = runner.gather([path], tmp_path)
    [item] = work
    item.store.open(item.experiment)
    for cell in item.cells:
        item.store.write(cell, Record(rows=[{"relevant_found": 0.5}]))

    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    for name in ("mkdir", "replace", "touch", "write_text", "write_bytes", "unlink"):
        monkeypatch.setattr(Path, name, refuse)
    events = list(runner.run(runner.gather([path], tmp_path), runner.Options(workers=1)))
    assert events[-1].failed == 0 and len(events) == 1
    assert read.read(item.store).rows.relevant_found.tolist() == [0.5]
