"""Bits: what was changed on a disk or on the way is refused, and never gives another number."""

import os

import pytest
import zstandard

from mlfs.protocols.plan import plan
from mlfs.results import index
from mlfs.results.index import Snapshot
from mlfs.system.atomic import compress, lines_of, sealed

from .long_results import attack_flips, attack_packs, numbers
from .run import FAULTS
from .stored import experiment, stored


def test_flipped_bits_give_no_other_number():
    counts = attack_flips(seed=1, count=60)
    assert not any(counts.get(fault) for fault in FAULTS), counts
    assert counts["pack refused"] == counts["cell named"] == counts["index not used"] == 20


def test_every_byte_of_a_packed_file_counts(tmp_path):
    """Every fifth one, to save time."""
    _, packed = stored(tmp_path)
    content = packed.folder.read_bytes()
    for place in range(0, len(content), 5):
        changed = bytes([content[place] ^ (1 << place % 8)])
        packed.folder.write_bytes(content[:place] + changed + content[place + 1 :])
        with pytest.raises(zstandard.ZstdError):
            next(lines_of(packed.folder))
    packed.folder.write_bytes(content)
    assert next(lines_of(packed.folder))


def test_a_damaged_packed_file_is_unpacked_as_a_whole_or_not_at_all():
    counts = attack_packs(seed=1, count=40)
    assert not any(counts.get(fault) for fault in FAULTS), counts
    assert counts["refused"] > 30


def test_every_byte_of_a_cell_file_counts(tmp_path):
    store, _ = stored(tmp_path)
    (store.folder / "cells" / index.NAME).unlink()
    [cell, *_] = plan(experiment())
    path = store.folder / "cells" / f"{cell.key}.json"
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert store.get(cell) is None, place
    path.write_bytes(content)
    assert store.get(cell) is not None


def test_no_line_of_an_index_is_used_before_its_digest(tmp_path):
    """Its last byte is wrong: not even its first line is used."""
    store, _ = stored(tmp_path)
    path = store.folder / "cells" / index.NAME
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    for cell in store.folder.glob("cells/*.json"):  # which only an index could answer for
        about = cell.stat()
        cell.write_bytes(b" " * about.st_size)
        os.utime(cell, ns=(about.st_atime_ns, about.st_mtime_ns))
    states = Snapshot(store.folder / "cells").states
    assert {state.status for state in states.values()} == {"damaged"}
    assert numbers(store) == {}


def test_a_wrong_line_in_a_sound_index_gives_no_number(tmp_path):
    """Whoever writes an index with sound checksums cannot change the records in it."""
    store, _ = stored(tmp_path)
    right = numbers(store)
    path = store.folder / "cells" / index.NAME
    parts = [line.partition(b', "rows"') for line in lines_of(path)]  # the cells stay as they are
    lines = [start + rows + rest.replace(b"0.", b"1.", 1) for start, rows, rest in parts]
    assert lines != list(lines_of(path))
    with path.open("wb") as file, sealed(file) as stream:
        compress(lines, stream)
    for key, text in numbers_that_are_done(store).items():
        assert text == right[key]


def numbers_that_are_done(store):
    records = store.records()
    found = {cell.key: records.get(cell) for cell in plan(experiment())}
    return {key: repr(record) for key, record in found.items() if record is not None}
