"""What a check of received results finds, and how it names it."""

import shutil

import pytest
import zstandard

from mlfs import config
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results.checking import check
from mlfs.results.packing import SUFFIX, Packed, pack
from mlfs.results.store import Store

CONFIG = {
    "name": "s",
    "protocol": "learning",
    "datasets": ["emotions"],
    "methods": ["mlknn"],
    "split": {"kind": "holdout", "repeats": 40},
    "metrics": ["average_precision"],
}


@pytest.fixture(scope="module")
def experiment():
    return config.parse(CONFIG, source="test")


@pytest.fixture(scope="module")
def kept(tmp_path_factory, experiment):
    """Forty cells of which one failed, as a folder and as a packed file."""
    store = Store(tmp_path_factory.mktemp("kept") / "s")
    store.open(experiment)
    for i, cell in enumerate(plan(experiment)[:-1]):
        store.write(cell, Record(rows=[{"average_precision": i / 77}], notes=[f"{i / 7}"]))
    store.write(plan(experiment)[-1], Record(status="failed", error="E"))
    pack(store, store.folder.with_name(f"s{SUFFIX}"))
    return store


@pytest.fixture
def store(kept, tmp_path):
    shutil.copytree(kept.folder, tmp_path / "s")
    return Store(tmp_path / "s")


def unpacked_description(content):
    """The first frame of a packed file."""
    return zstandard.ZstdDecompressor().decompressobj().decompress(content)


def cell_path(store, cell):
    return store.folder / "cells" / f"{cell.key}.json"


def test_sound_results_are_counted(kept):
    for store in (kept, Packed(kept.folder.with_name(f"s{SUFFIX}"))):
        found = check(store)
        assert (found.done, found.failed, found.planned) == (39, 1, 40)
        assert found.damage == found.remarks == []
        assert "39 of 40 cells done, 1 failed, all intact" in str(found)


def test_changed_cells_and_files_that_are_no_cells_are_named(store, experiment):
    """Also where an index would still answer."""
    first, second, *_ = plan(experiment)
    path = cell_path(store, first)
    path.write_text(path.read_text().replace("emotions", "emotionz"))
    cell_path(store, second).write_bytes(cell_path(store, first).read_bytes())
    copy = path.with_name(f"{first.key} (1).json")
    copy.write_text("{}")
    found = check(store)
    assert len(found.damage) == 2 and found.done == 37 and "2 damaged" in str(found)
    for cell in (first, second):
        [text] = [text for text in found.damage if cell.key in text]
        assert cell.describe() in text
    assert [copy.name in text for text in found.remarks] == [True]


def test_a_description_that_was_changed_is_damage(store):
    about = store.folder / "experiment.yaml"
    about.write_text(about.read_text().replace("seed: 0", "seed: 1"))
    found = check(store)
    assert len(found.damage) == 1 and "experiment.yaml" in found.damage[0]


def test_cells_of_other_versions_data_or_configs_are_explained(store, experiment):
    first = plan(experiment)[0]
    others = [
        {"versions": {**first.cell.versions, "mlknn": 99}},
        {"data": first.cell.data.model_copy(update={"checksum": "0"})},
        {"seed": 4},
    ]
    for change in others:
        cell = first.cell.model_copy(update=change)
        series = type(first.series)(cell, 0, "mlknn", {})
        store.write(type(first)(series, 0, cell.key), Record())
    found = check(store)
    assert not found.damage and found.done == 39
    assert sorted(text.partition(": ")[2][:30] for text in found.remarks) == [
        "the experiment does not have t",
        "they were made by version 99 o",
        "they were made from other data",
    ]


def test_a_bit_changed_anywhere_in_a_packed_file_is_found_and_a_cell_named(kept, experiment):
    """Every 37th byte, each time another bit."""
    file = kept.folder.with_name(f"s{SUFFIX}")
    content = file.read_bytes()
    spoilt = file.with_name(f"spoilt{SUFFIX}")
    keys = {cell.key for cell in plan(experiment)}
    named = 0
    places = range(0, len(content), 37)
    for place in places:
        bit = 1 << place % 8
        spoilt.write_bytes(content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :])
        found = check(Packed(spoilt))
        assert found.damage, place
        named += any(key in text for key in keys for text in found.damage)
    description = len(zstandard.compress(unpacked_description(content), level=6))
    # the others are before the first cell or in the digest of the file
    assert named >= len(places) - (description + 40) / 37 - 2


def test_a_bit_that_zstd_ignores_is_found_and_the_file_named(kept):
    """The fifth bit of a frame's fifth byte has no meaning."""
    file = kept.folder.with_name(f"s{SUFFIX}")
    content = file.read_bytes()
    ignored = content[:4] + bytes([content[4] ^ 16]) + content[5:]
    assert unpacked_description(ignored) == unpacked_description(content)
    spoilt = file.with_name(f"ignored{SUFFIX}")
    spoilt.write_bytes(ignored)
    found = check(Packed(spoilt))
    assert str(found) == f"{spoilt}: damaged, so that nothing in it is used"
    [damage] = found.damage
    assert damage == f"{spoilt} is damaged, although each of its 40 cells has its digest"
    for place in range(len(content) - 40, len(content)):  # the digest itself
        changed = bytes([content[place] ^ (1 << place % 8)])
        spoilt.write_bytes(content[:place] + changed + content[place + 1 :])
        [damage] = check(Packed(spoilt)).damage
        assert str(spoilt) in damage and "is damaged" in damage
