"""Long attacks on stored results: flipped bits and damaged packed files; each returns its counts.

A function takes a seed and a number of attacks. It fails at the first wrong number, and at
anything that is written where it does not belong.
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


def flip_bits(seed: int, count: int) -> dict[str, int]:
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
            if kind == "cell":
                found = numbers(store)
                assert right.keys() - found.keys() <= {path.stem}
                damage = check(store).damage
                assert len(damage) == 1 and path.stem in damage[0]
                counts["cell: refused" if path.stem not in found else "cell: from the index"] += 1
            elif kind == "index":
                found = numbers(store)
                assert found.keys() == right.keys()
                counts["index: not used"] += 1
            else:
                assert check(Packed(path)).damage
                try:
                    found = numbers(Packed(path))
                except UserError:
                    found = {}
                assert not found
                counts["pack: refused"] += 1
            assert all(right[key] == text for key, text in found.items())
            path.write_bytes(content)
    return dict(counts)


def damage_packs(seed: int, count: int) -> dict[str, int]:
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
                assert "\n" not in str(error) and not everything(target)
                counts["refused"] += 1
                continue
            assert spoilt.read_bytes() == content and numbers(Store(target / "out")) == right
            counts["unchanged"] += 1
            for path in sorted(target.rglob("*"), reverse=True):
                path.unlink() if path.is_file() else path.rmdir()
    return dict(counts)
