"""The index of cell files: the same answers as the files, whatever happens to either."""

import json
import os

import pytest

from mlfs import config
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results import index
from mlfs.results.cell_file import Damaged, State
from mlfs.results.index import NAME
from mlfs.results.store import Store

CONFIG = {
    "name": "s",
    "protocol": "learning",
    "datasets": ["emotions"],
    "methods": ["mlknn"],
    "split": {"kind": "holdout", "repeats": 8},
    "metrics": ["average_precision"],
}
DONE = State("done", frozenset({"average_precision", "one_error"}))


@pytest.fixture
def cells():
    return plan(config.parse(CONFIG, source="test"))


@pytest.fixture
def store(tmp_path, cells, monkeypatch):
    """Eight cells, of which one failed, in a folder that is worth an index."""
    monkeypatch.setattr(index, "_WORTH", 3)
    store = Store(tmp_path / "s")
    store.open(config.parse(CONFIG, source="test"))
    for i, cell in enumerate(cells[:-1]):
        store.write(cell, Record(rows=[{"average_precision": i / 10, "one_error": 0.5}]))
    store.write(cells[-1], Record(status="failed", error="E"))
    return store


def look(store, cells):
    """What is known of every cell, by the file alone and by way of the index."""
    records = store.records()
    for cell in cells:
        assert records.get(cell) == store.get(cell)
    return [store.states().get(cell.key) for cell in cells]


def test_an_index_is_written_and_tells_the_same(store, cells):
    assert look(store, cells) == [DONE] * 7 + [State("failed")]
    assert (store.folder / "cells" / NAME).is_file()
    assert look(store, cells) == [DONE] * 7 + [State("failed")]


def test_the_files_are_not_read_again_while_the_index_fits(store, cells):
    look(store, cells)
    for path in (store.folder / "cells").glob("*.json"):
        about = path.stat()
        path.write_bytes(b" " * about.st_size)
        os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert store.states()[cells[0].key] == DONE
    assert store.records().read(cells[1]).rows[0]["average_precision"] == 0.1


@pytest.mark.parametrize("changed", [1, 6], ids=["few", "many"])
def test_changed_new_and_removed_files_are_seen(store, cells, changed):
    look(store, cells)
    for cell in cells[:changed]:
        store.write(cell, Record(rows=[{"coverage": 1.0}]))
    (store.folder / "cells" / f"{cells[6].key}.json").unlink()
    wanted = [State("done", frozenset({"coverage"}))] * changed + [DONE] * (6 - changed)
    for _ in range(2):
        assert look(store, cells) == [*wanted, None, State("failed")]
    store.write(cells[6], Record(rows=[{"average_precision": 1.0, "one_error": 0.0}]))
    assert look(store, cells) == [*wanted, DONE, State("failed")]


def test_a_damaged_cell_is_judged_once_and_named(store, cells):
    path = store.folder / "cells" / f"{cells[2].key}.json"
    path.write_text('{"cell":\n 1')
    for _ in range(2):
        assert look(store, cells)[2] == State("damaged")
        with pytest.raises(Damaged, match=path.name):
            store.records().read(cells[2])
    assert path.name in store.damage(cells[2]) and store.damage(cells[1]) == ""


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: b"",
        lambda content: content[:40],
        lambda content: content[:-30],
        lambda content: content[:60] + bytes([content[60] ^ 255]) + content[61:],
        lambda content: b"not zstd at all",
    ],
    ids=["empty", "cut short", "cut at the end", "a bit turned", "text"],
)
def test_a_damaged_index_costs_nothing_but_time(store, cells, spoil):
    expected = look(store, cells)
    path = store.folder / "cells" / NAME
    path.write_bytes(spoil(path.read_bytes()))
    assert look(store, cells) == expected
    assert look(store, cells) == expected


def test_an_index_of_another_format_is_made_anew(store, cells, monkeypatch):
    expected = look(store, cells)
    old = (store.folder / "cells" / NAME).read_bytes()
    monkeypatch.setattr(index, "_FORMAT", 99)
    assert look(store, cells) == expected
    assert (store.folder / "cells" / NAME).read_bytes() != old


def test_where_nothing_can_be_written_reading_works(store, cells, monkeypatch):
    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(index, "atomic_write", refuse)
    assert look(store, cells) == [DONE] * 7 + [State("failed")]
    assert not (store.folder / "cells" / NAME).exists()


def test_few_files_have_no_index(tmp_path, cells):
    store = Store(tmp_path / "few")
    store.open(config.parse(CONFIG, source="test"))
    store.write(cells[0], Record())
    assert look(store, cells)[0] == State("done")
    names = [path.name for path in (store.folder / "cells").iterdir()]
    assert names == [f"{cells[0].key}.json"]
    assert json.loads((store.folder / "cells" / names[0]).read_text())["status"] == "done"


def test_keys_that_are_known_are_not_kept_twice(store, cells):
    """A plan of very many cells has them already."""
    known = [cell.key for cell in cells] + ["f" * 64]
    for _ in ("from the files", "from the index"):
        states = store.states(iter(known))
        assert states == store.states() and len(states) == 8
        assert {id(key) for key in states} <= {id(key) for key in known}
    for path in (store.folder / "cells").iterdir():
        path.unlink()
    assert store.states(known) == {}


def test_a_disk_that_is_full_while_the_index_is_written_gives_no_old_content(
    store, cells, monkeypatch
):
    """The old index still has what the cells said before."""
    look(store, cells)
    for cell in cells[:6]:
        store.write(cell, Record(rows=[{"coverage": 1.0}]))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(index.shutil, "copyfileobj", full)
    snapshot = index.Snapshot(store.folder / "cells")
    assert snapshot.states[cells[0].key].metrics == {"coverage"}
    contents = dict(snapshot.contents())
    assert len(contents) == 8 and b'"coverage"' in contents[cells[0].key]
