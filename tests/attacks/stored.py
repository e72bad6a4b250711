"""Stored results to attack: a folder with an index, a packed file, and made-up packed files."""

import json
from hashlib import sha256
from pathlib import Path

from mlfs import config
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.results import index
from mlfs.results.packing import SUFFIX, Packed, pack
from mlfs.results.store import Store, description
from mlfs.system.atomic import compress, sealed

CONFIG = {
    "name": "small",
    "protocol": "learning",
    "datasets": ["emotions", "yeast"],
    "methods": ["mlknn"],
    "split": {"kind": "holdout", "repeats": 15},
    "metrics": ["average_precision", "one_error"],
}


def experiment(**changes):
    return config.parse(CONFIG | changes, source="test")


def stored(folder: Path) -> tuple[Store, Packed]:
    """Thirty cells with scores that all differ, as a folder with an index and as a packed file."""
    made = experiment()
    store = Store(folder / "small")
    store.open(made)
    for i, cell in enumerate(plan(made)):
        rows = [{"average_precision": i / 31, "one_error": 1 - i / 77}]
        store.write(cell, Record(rows=rows, seconds={"fit": i / 7}, notes=["a note"]))
    worth, index._WORTH = index._WORTH, 3
    try:
        store.states()
    finally:
        index._WORTH = worth
    assert (store.folder / "cells" / index.NAME).is_file()
    file = folder / f"packed{SUFFIX}"
    pack(store, file)
    return store, Packed(file)


def signed_line(cell: str, **fields) -> bytes:
    """A cell's line with whatever its record is to say, and with a digest that fits."""
    record = Record().model_dump() | fields
    start = f'{{"cell": {cell}, {json.dumps(record)[1:-1]}'.encode()
    return start + b', "digest": "' + sha256(start).hexdigest().encode() + b'"}'


def packed_file(path: Path, lines: list[tuple[bytes, bytes]], **header) -> Packed:
    """A packed file with sound checksums, whatever its lines and its description say."""
    about = {"format": 2, "cells": len(lines), **description(experiment()), **header}
    with path.open("wb") as file, sealed(file) as stream:
        compress([json.dumps(about).encode()], stream)
        compress([key + b"\t" + content for key, content in lines], stream)
    return Packed(path)


def everything(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
