"""Packed results: one file that reads like the folder it was made from."""

from hashlib import sha256

import pytest
import zstandard

from mlfs import config
from mlfs.errors import UserError
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results.packing import SUFFIX, Packed, find, pack, unpack
from mlfs.results.store import Store
from mlfs.system.atomic import compress, sealed

CONFIG = {
    "name": "s",
    "protocol": "selection",
    "datasets": ["emotions"],
    "methods": ["fsnm", "all"],
    "split": {"kind": "holdout", "repeats": 3},
    "tune": {"strategy": "grid", "per": "dataset"},
    "metrics": ["average_precision"],
}


@pytest.fixture
def experiment():
    return config.parse(CONFIG, source="test")


@pytest.fixture
def store(tmp_path, experiment):
    """Five of six cells, one of them failed, a tuning, and a cell that the config had before."""
    store = Store(tmp_path / "s")
    store.open(experiment)
    cells = plan(experiment)
    store.write(cells[0].tuner, Record(tuned={"chosen": {"gamma": 1.0}}))
    for i, cell in enumerate(cells[:4]):
        store.write(cell, Record(rows=[{"average_precision": i / 7, "coverage": float("nan")}]))
    store.write(cells[4], Record(status="failed", error="ä\n"))
    earlier = config.parse(CONFIG | {"seed": 1}, source="test")
    store.write(plan(earlier)[0], Record())
    return store


def test_a_packed_file_reads_like_its_folder(store, tmp_path, experiment):
    file = tmp_path / f"out/s{SUFFIX}"
    assert pack(store, file) == (6, 1, [])
    packed = Packed(file)
    assert packed.experiment() == experiment
    states = store.states()
    for planned in plan(experiment):
        for cell in filter(None, (planned, planned.tuner)):
            read = [one.read(cell) for one in (packed, store, packed.records())]
            assert len({repr(one) for one in read}) == 1  # nan is not equal to itself
            assert packed.states().get(cell.key) == states.get(cell.key)
    with pytest.raises(UserError, match="unpack"):
        packed.open(experiment)


def test_the_same_results_make_the_same_file(store, tmp_path):
    pack(store, tmp_path / "a")
    pack(store, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_unpacking_gives_the_folder_back(store, tmp_path, experiment):
    file, ticks = tmp_path / f"s{SUFFIX}", []
    pack(store, file, lambda: ticks.append(1))
    assert unpack(Packed(file), tmp_path / "again", lambda: ticks.append(2)) == (6, 0)
    assert ticks == 6 * [1] + 6 * [2]
    again = Store(tmp_path / "again")
    assert again.experiment() == experiment
    for path in (again.folder / "cells").iterdir():
        assert path.read_bytes() == (store.folder / "cells" / path.name).read_bytes()
    assert len(again.states()) == 6


def test_results_are_found_packed_or_not(store, tmp_path):
    pack(store, tmp_path / f"t{SUFFIX}")
    pack(store, tmp_path / f"s{SUFFIX}")  # the folder of the same name goes first
    found = find(tmp_path)
    assert [one.folder.name for one in found] == ["s", f"t{SUFFIX}"]
    assert [type(one) for one in found] == [Store, Packed]
    for path in (tmp_path / "t", tmp_path / f"t{SUFFIX}"):
        [one] = find(path)
        assert one.folder == tmp_path / f"t{SUFFIX}"
    [one] = find(tmp_path / "s")
    assert type(one) is Store


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content[:-12],
        lambda content: content[:-1],
        lambda content: content[:-80] + bytes([content[-80] ^ 255]) + content[-79:],
        lambda content: b"some text\n",
    ],
    ids=["empty", "half", "12 bytes less", "one less", "a bit turned", "text"],
)
def test_a_damaged_file_is_one_sentence(store, tmp_path, spoil):
    file = tmp_path / f"s{SUFFIX}"
    pack(store, file)
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(UserError, match="is damaged, is not a packed file"):
        packed = Packed(file)
        packed.experiment()
        packed.states()


def test_damaged_cells_are_not_packed(store, tmp_path, experiment):
    path = store.folder / "cells" / f"{plan(experiment)[1].key}.json"
    path.write_text("{")
    kept, others, [damage] = pack(store, tmp_path / "p")
    assert (kept, others) == (5, 1) and path.name in damage
    assert Packed(tmp_path / "p").read(plan(experiment)[1]) is None


def test_a_file_of_an_earlier_version_is_refused(store, tmp_path):
    """Such a file has no digest at its end, or another format."""
    old = tmp_path / f"old{SUFFIX}"
    pack(store, old)
    old.write_bytes(old.read_bytes()[:-40])
    with pytest.raises(UserError, match="was packed by an earlier mlfs"):
        Packed(old).experiment()
    for form, why in [(1, "an earlier mlfs"), (99, "a newer mlfs")]:
        with old.open("wb") as file, sealed(file) as stream:
            compress([b'{"format": %d, "cells": 0}' % form], stream)
        with pytest.raises(UserError, match=why):
            Packed(old).experiment()


def test_a_packed_file_ends_with_the_digest_of_all_its_other_bytes(store, tmp_path):
    pack(store, tmp_path / "p")
    content = (tmp_path / "p").read_bytes()
    frame = (0x184D2A50).to_bytes(4, "little") + (32).to_bytes(4, "little")  # which zstd skips
    assert content[-40:] == frame + sha256(content[:-40]).digest()
    unpacker = zstandard.ZstdDecompressor()
    with unpacker.stream_reader(content, read_across_frames=True) as stream:
        assert len(stream.read().splitlines()) == 7


def test_unpacking_keeps_what_is_finished(store, tmp_path, experiment):
    """A failed cell never replaces a finished one; one with more metrics does."""
    cells = plan(experiment)
    folder = tmp_path / "t"
    mine = Store(folder)
    mine.open(experiment)
    mine.write(cells[0], Record(rows=[{"average_precision": 0.9, "coverage": 1.0}]))  # stays
    mine.write(cells[1], Record(rows=[{"average_precision": 0.9}]))  # lacks the coverage
    mine.write(cells[2], Record(status="failed", error="mine"))
    mine.write(cells[4], Record(rows=[{"average_precision": 0.9}]))  # failed in the file
    (folder / "cells" / f"{cells[3].key}.json").write_text("{")
    pack(store, tmp_path / "p")
    assert unpack(Packed(tmp_path / "p"), folder) == (4, 2)
    found = [mine.read(cell).rows[0]["average_precision"] for cell in cells[:5]]
    assert found == [0.9, 1 / 7, 2 / 7, 3 / 7, 0.9]
    assert {path.name for path in tmp_path.iterdir()} == {"s", "t", "p"}
