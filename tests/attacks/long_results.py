"""Long attacks on stored results: flipped bits and damaged packed files; each returns its counts.

A wrong number, or a file where none belongs, is counted as what `run` calls a fault.
"""

import random
import tempfile
from collections import Counter
from pathlib import Path

from mlfs.errors import UserError
from mlfs.protocols.plan import plan
from mlfs.results import index
from mlfs.results.checking import check
from mlfs.results.packing import Packed, unpack
from mlfs.results.store import Store

from .stored import everything, experiment, stored


def flip(content: bytes, dice: random.Random) -> bytes:
    """Content with one bit changed."""
    place = dice.randrange(len(content))
    changed = bytes([content[place] ^ (1 << dice.randrange(8))])
    return content[:place] + changed + content[place + 1 :]


def cut(content: bytes, dice: random.Random) -> bytes:
    """Content without an end, a beginning or a middle part, or with a part repeated."""
    first, second = sorted(dice.randrange(len(content) + 1) for _ in range(2))
    parts = [content[:first], content[first:second], content[second:]]
    return b"".join(dice.choice([parts[:1], parts[:2], [parts[0], parts[2]], parts + parts[1:]]))


def numbers(store: Store) -> dict[str, str]:
    """What tables would use: the record of every cell that is done, by key, read in all ways."""
    found = {}
    states, records = store.states(), store.records()
    for cell in plan(experiment()):
        record = records.get(cell)
        state = states.get(cell.key)
        assert (record is not None) == (state is not None and state.status != "damaged")
        if record is not None and record.status == "done":
            found[cell.key] = repr(record)
    return found


def attack_flips(seed: int, count: int) -> dict[str, int]:
    """Change single bits of cell files, of the index and of packed files.

    Every number that can then be read is as it was; damage to the index costs no cell; damage to a
    packed file refuses all of it, and `check` reports it.
    """
    dice, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        store, packed = stored(Path(folder))
        right = numbers(store)
        assert len(right) == len(plan(experiment()))
        cells = sorted((store.folder / "cells").glob("*.json"))
        listed = store.folder / "cells" / index.NAME
        for i in range(count):
            kind = ("cell", "index", "pack")[i % 3]
            path = {"cell": dice.choice(cells), "index": listed, "pack": packed.folder}[kind]
            content = path.read_bytes()
            path.write_bytes(flip(content, dice))
            try:
                found = numbers(store if kind != "pack" else Packed(path))
            except UserError as error:
                counts["tracebacks"] += "\n" in str(error)
                found = {}
            counts["wrong numbers"] += any(right[key] != text for key, text in found.items())
            lost = right.keys() - found.keys()
            damage = check(Packed(path) if kind == "pack" else store).damage
            if kind == "cell":
                counts["lost cells"] += not lost <= {path.stem}
                counts["cell named"] += len(damage) == 1 and path.stem in damage[0]
                counts["cell refused" if lost else "cell read from the index"] += 1
            elif kind == "index":
                counts["lost cells"] += bool(lost)
                counts["index not used"] += 1
            else:
                counts["wrong numbers"] += bool(found) or not damage
                counts["pack refused"] += not found
            path.write_bytes(content)
    return dict(counts)


def attack_packs(seed: int, count: int) -> dict[str, int]:
    """Cut, repeat and flip parts of a packed file, and unpack it: all of it, or nothing.

    A file that is cut into nothing new counts as unchanged.
    """
    dice, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        store, packed = stored(Path(folder))
        right = numbers(store)
        content = packed.folder.read_bytes()
        spoilt, target = Path(folder) / "spoilt.jsonl.zst", Path(folder) / "target"
        target.mkdir()
        for _ in range(count):
            spoilt.write_bytes(dice.choice([cut, flip])(content, dice))
            try:
                unpack(Packed(spoilt), target / "out")
            except UserError as error:
                counts["tracebacks"] += "\n" in str(error)
                counts["wrong numbers"] += bool(everything(target))
                counts["refused"] += 1
                continue
            counts["wrong numbers"] += spoilt.read_bytes() != content
            counts["wrong numbers"] += numbers(Store(target / "out")) != right
            counts["unchanged"] += 1
            for path in sorted(target.rglob("*"), reverse=True):
                path.unlink() if path.is_file() else path.rmdir()
    return dict(counts)
