"""Bombs: small files that become very large, deep or slow are refused in one sentence."""

import json
import time
import tracemalloc

import numpy as np
import pytest
import zstandard

from mlfs.errors import UserError
from mlfs.protocols.plan import plan
from mlfs.results.packing import Packed, unpack
from mlfs.results.store import Store, description
from mlfs.system import atomic
from mlfs.system.atomic import compress, lines_of, sealed

from .stored import experiment, packed_file, signed_line, stored

MOST = 150e6  # bytes of memory that reading a bomb may take


def zeros(path, megabytes, before=b"", each=b"\0" * 2**20):
    """A frame with much of nothing; a few kB on the disk."""
    packer = zstandard.ZstdCompressor(level=3, write_checksum=True)
    with (
        path.open("wb") as file,
        sealed(file) as out,
        packer.stream_writer(out, closefd=False) as stream,
    ):
        stream.write(before)
        for _ in range(megabytes):
            stream.write(each)
        stream.write(b"\n")


def measured(read):
    """What a reader raises, after it took little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(UserError) as caught:
            read()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < MOST and "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("place", ["header", "cell", "many lines"])
def test_a_packed_file_that_becomes_huge_is_refused(tmp_path, place):
    path = tmp_path / "bomb.jsonl.zst"
    header = {"format": 2, "cells": 1, **description(experiment())}
    before = b"" if place == "header" else json.dumps(header).encode() + b"\n" + b"0" * 64 + b"\t"
    each = b"\n".join([b" " * 1023] * 1024) if place == "many lines" else b"\0" * 2**20
    zeros(path, 400, before, each)
    assert path.stat().st_size < 150_000
    for read in (Packed(path).states, lambda: unpack(Packed(path), tmp_path / "out")):
        assert "get it again" in (text := measured(read)) or "get the file again" in text
    assert not (tmp_path / "out").exists()


def test_a_frame_that_asks_for_a_huge_window_is_refused(tmp_path):
    path = tmp_path / "bomb.jsonl.zst"
    packer = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=27, write_checksum=True)
    )
    about = json.dumps({"format": 2, "cells": 0, **description(experiment())}).encode()
    with (
        path.open("wb") as file,
        sealed(file) as out,
        packer.stream_writer(out, closefd=False) as stream,
    ):
        stream.write(about + b"\n")
    assert "is damaged" in measured(Packed(path).experiment)


@pytest.mark.parametrize("depth", [60, 900, 100_000])
def test_a_deep_description_or_record_is_refused(tmp_path, depth):
    deep = "[" * depth + "]" * depth
    path = tmp_path / "deep.jsonl.zst"
    about = json.dumps({"format": 2, "cells": 0, **description(experiment())})
    with path.open("wb") as file, sealed(file) as stream:
        compress([(about[:-1] + f', "more": {deep}}}').encode()], stream)
    assert "is damaged" in measured(Packed(path).experiment)
    [cell, *_] = plan(experiment())
    line = signed_line(cell.cell.text, info={"deep": "HERE"})
    start = line.partition(b', "digest"')[0].replace(b'"HERE"', deep.encode())
    from mlfs.results.cell_file import signed

    packed = packed_file(tmp_path / "p", [(cell.key.encode(), signed(start))])
    assert packed.states()[cell.key].status == "damaged"
    assert cell.key in measured(lambda: unpack(packed, tmp_path / "out"))


LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(9)
)


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        "a: " + "[" * 100_000,
        "- " * 100_000,
        "? " * 100_000,
        "a: " + "{b: " * 100_000,
        "a: &a [*a]\n",
        "a: !!python/name:os.system\n",
        "a: 1\na: 2\n",
    ],
    ids=["laughs", "brackets", "dashes", "questions", "braces", "endless", "code", "twice"],
)
def test_a_results_folder_may_hold_any_yaml(tmp_path, text):
    """A table refuses it; a run of the config replaces it."""
    store, _ = stored(tmp_path)
    (store.folder / "experiment.yaml").write_text(text)
    assert "experiment.yaml" in measured(store.experiment)
    store.open(experiment())
    assert store.experiment() == experiment()


def test_a_huge_cell_file_is_refused_before_it_is_read(tmp_path):
    store, _ = stored(tmp_path)
    cell, other, *_ = plan(experiment())
    with (store.folder / "cells" / f"{cell.key}.json").open("wb") as file:
        file.truncate(2**34)  # it has no content, but a reader would see 16 GB of zeros
    tracemalloc.start()
    assert store.states()[cell.key].status == "damaged" and store.get(other) is not None
    assert "longer than 32 MB" in store.damage(cell)
    assert store.records().get(cell) is None
    assert tracemalloc.get_traced_memory()[1] < MOST
    tracemalloc.stop()


def test_reading_a_long_line_is_linear(tmp_path):
    """Four times the length takes four times as long, and not sixteen times."""
    rng = np.random.default_rng(0)

    def seconds(megabytes):
        path = tmp_path / "lines.zst"
        noise = rng.integers(32, 256, megabytes << 20, dtype=np.uint8)
        with path.open("wb") as file, sealed(file) as stream:
            compress([noise.tobytes()], stream)
        began = time.process_time()
        [line] = lines_of(path)  # in many steps, since noise cannot be compressed
        assert len(line) == megabytes << 20
        return time.process_time() - began

    short = min(seconds(2) for _ in range(3))
    assert min(seconds(8) for _ in range(3)) < 10 * short + 0.2


def test_lines_up_to_the_limit_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic, "LONGEST", 1000)
    for length, fits in [(999, True), (1000, True), (1002, False)]:
        with (tmp_path / "lines").open("wb") as file, sealed(file) as stream:
            compress([b"a", b"b" * length, b"c"], stream)
        if fits:
            assert [len(line) for line in lines_of(tmp_path / "lines")] == [1, length, 1]
    monkeypatch.setattr(atomic, "_STEP", 1)


def test_what_grows_as_much_as_results_do_is_read(tmp_path):
    """The limit is far above what cells reach, of which the keys and digests cannot shrink."""
    store, packed = stored(tmp_path)
    plain = sum(map(len, lines_of(packed.folder)))
    assert plain < 20 * packed.folder.stat().st_size
    assert Store(store.folder).states().keys() == packed.states().keys()
