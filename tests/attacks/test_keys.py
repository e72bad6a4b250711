"""Keys and names: nothing is written outside the folder, and nothing but cells is read."""

import sys

import pytest

from mlfs.errors import UserError
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results.packing import Packed, pack, unpack
from mlfs.results.store import Store, _digest

from .stored import everything, experiment, packed_file, signed_line, stored

KEY = b"0" * 64


@pytest.mark.parametrize(
    "key",
    [
        b"../../outside",
        b"../" + KEY,
        b"/tmp/mlfs-outside",
        b"..",
        b"",
        b"a/" + KEY[2:],
        KEY[1:],
        KEY + b"0",
        b"A" * 64,
        b"\xff" * 64,
        b"\0" * 64,
        b" " + KEY[1:],
        KEY[1:] + b"\r",
        "٠".encode() * 64,
    ],
)
def test_a_packed_file_with_other_names_than_keys_is_refused(tmp_path, key):
    [cell, *_] = plan(experiment())
    line = signed_line(cell.cell.text)
    packed = packed_file(tmp_path / "p", [(cell.key.encode(), line), (key, line)])
    before = everything(tmp_path)
    for read in (lambda: unpack(packed, tmp_path / "in/side"), packed.states, packed.records):
        with pytest.raises(UserError, match="is damaged, is not a packed file"):
            read()
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    "content",
    [
        b'{"cell": {}}',
        b"\xff\xfe",
        b"\0" * 400,
        signed_line("{}"),
        signed_line("{}", notes=["\0"]),
        b"",
    ],
)
def test_content_is_checked_before_anything_is_written(tmp_path, content):
    """The last cell of a file is wrong: the first ones are not written either."""
    *good, bad = plan(experiment())
    lines = [(cell.key.encode(), signed_line(cell.cell.text)) for cell in good]
    packed = packed_file(tmp_path / "p", [*lines, (bad.key.encode(), content)])
    before = everything(tmp_path)
    with pytest.raises(UserError, match=f"{bad.key} .*: get the file again; nothing was written"):
        unpack(packed, tmp_path / "out")
    assert everything(tmp_path) == before and not (tmp_path / "out").exists()


def test_a_cell_that_is_there_twice_is_refused(tmp_path):
    [cell, *_] = plan(experiment())
    lines = [(cell.key.encode(), signed_line(cell.cell.text, notes=[note])) for note in "ab"]
    with pytest.raises(UserError, match="is damaged"):
        unpack(packed_file(tmp_path / "p", lines), tmp_path / "out")


@pytest.mark.parametrize("name", ["../x", "/x", "a\0b", "a\nb"])
def test_the_name_of_a_packed_experiment_names_no_file(tmp_path, name):
    """The name of the file names the folder, and a name that is no name is refused."""
    about = {"experiment": experiment().model_dump(mode="json") | {"name": name}, "methods": {}}
    packed = packed_file(tmp_path / "p", [], **about, digest=_digest(about))
    with pytest.raises(UserError):
        unpack(packed, tmp_path / "out")
    assert {path.name for path in tmp_path.iterdir()} == {"p"}


def test_a_full_disk_while_unpacking_leaves_the_folder_as_it_was(tmp_path, monkeypatch):
    store, packed = stored(tmp_path)
    before = everything(store.folder)
    for cell in plan(experiment())[:9]:
        (store.folder / "cells" / f"{cell.key}.json").unlink()
    left = everything(store.folder)
    put, room = Store.put, [5]

    def full(self, key, content):
        room[0] -= 1
        if room[0] < 0:
            raise UserError("the disk is full")
        put(self, key, content)

    monkeypatch.setattr(Store, "put", full)
    with pytest.raises(UserError, match="full"):
        unpack(packed, store.folder)
    assert everything(store.folder) == left
    assert {path.name for path in tmp_path.iterdir()} == {"small", packed.folder.name}
    room[0] = 100
    assert unpack(packed, store.folder) == (9, 21)
    after = everything(store.folder)
    assert {path: after[path] for path in before if path.endswith(".json")} == {
        path: content for path, content in before.items() if path.endswith(".json")
    }


@pytest.mark.parametrize("suffix", [" (1).json", ".sync-conflict.json", "~.json", ".JSON"])
def test_files_of_a_sync_client_hide_no_cell_and_are_named(tmp_path, suffix):
    store, _ = stored(tmp_path)
    cells = plan(experiment())
    path = store.folder / "cells" / f"{cells[0].key}.json"
    copy = path.with_name(f"{cells[0].key}{suffix}")
    copy.write_bytes(path.read_bytes().replace(b"a note", b"a lie"))
    for _ in range(2):
        assert set(store.states()) == {cell.key for cell in cells}
        assert store.records().read(cells[0]).notes == ["a note"]
    assert [one.name for one in store.strangers()] == ([] if suffix == ".JSON" else [copy.name])
    store.open(experiment(title="of the same cells"))
    assert pack(store, tmp_path / "p")[:2] == (30, 0)
    assert Packed(tmp_path / "p").read(cells[0]).notes == ["a note"]


def test_a_cell_under_another_key_is_refused(tmp_path):
    store, _ = stored(tmp_path)
    first, second, *_ = plan(experiment())
    folder = store.folder / "cells"
    (folder / f"{second.key}.json").write_bytes((folder / f"{first.key}.json").read_bytes())
    assert store.get(second) is None and "another cell" in store.damage(second)
    assert store.states()[second.key].status == "damaged"


def test_a_record_of_an_earlier_version_counts_as_not_done_and_is_named(tmp_path):
    store, _ = stored(tmp_path)
    [cell, *_] = plan(experiment())
    path = store.folder / "cells" / f"{cell.key}.json"
    path.write_bytes(path.read_bytes().partition(b', "digest"')[0] + b"}\n")
    assert store.states()[cell.key].status == "damaged"
    assert f"{path.name} has no digest" in store.damage(cell)
    store.write(cell, Record())
    assert store.states()[cell.key].status == "done"


@pytest.mark.parametrize("recorded", [False, True])
def test_reading_results_imports_no_module_that_they_name(tmp_path, monkeypatch, recorded):
    """Neither from beside the file nor from a place where packages are installed."""
    (tmp_path / "evil_code.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    about = {
        "experiment": experiment().model_dump(mode="json") | {"methods": ["evil_code:Method"]},
        "methods": {"evil_code:Method": {"version": "1", "tuned": []}} if recorded else {},
    }
    packed = packed_file(tmp_path / "p", [], **about, digest=_digest(about))
    if recorded:
        assert len(plan(packed.experiment())) == 30
        unpack(packed, tmp_path / "out")
        assert len(plan(Store(tmp_path / "out").experiment())) == 30
    else:
        with pytest.raises(UserError, match="do not record 'evil_code:Method'"):
            packed.experiment()
    assert "evil_code" not in sys.modules


@pytest.mark.parametrize("what", [{"version": 1, "tuned": []}, {"version": "1"}, [], "x", None])
def test_what_is_recorded_of_methods_is_checked(tmp_path, what):
    about = {"experiment": experiment().model_dump(mode="json"), "methods": {"a:B": what}}
    packed = packed_file(tmp_path / "p", [], **about, digest=_digest(about))
    with pytest.raises(UserError, match="is damaged"):
        packed.experiment()
