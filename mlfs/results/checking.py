"""Check stored results as one who received them: digests, keys, versions and checksums of data.

Folders are read file by file, without their index. A damaged packed file is read as far as it can
be, to name the cells that are damaged.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zstandard

from ..errors import UserError
from ..protocols import Experiment
from ..protocols.plan import Planned, plan, with_tuners
from ..system.atomic import split_lines, unpacked
from .cell_file import Damaged, record_of
from .index import read_files
from .packing import Packed
from .store import Store, ignored, restored


@dataclass
class Checked:
    """What was found in the results of one experiment.

    Attributes
    ----------
    place : Path
        The folder or packed file.
    done, failed, planned : int
        How many cells succeeded, how many failed, and how many the experiment has.
    damage : list of str
        What is wrong; each is one sentence that names a file or a cell.
    remarks : list of str
        What a reader must know although nothing is wrong, such as cells of earlier versions.
    """

    place: Path
    done: int = 0
    failed: int = 0
    planned: int = 0
    damage: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if self.damage and not self.planned:
            return f"{self.place}: damaged, so that nothing in it is used"
        counts = f"{self.place}: {self.done} of {self.planned} cells done, {self.failed} failed"
        return f"{counts}, {len(self.damage)} damaged" if self.damage else f"{counts}, all intact"


def check(store: Store, tick: Callable[[], object] = lambda: None) -> Checked:
    """Check the results of one experiment; `tick` is called after every cell."""
    checked = Checked(store.folder)
    try:
        experiment = store.experiment()
        cells = {one.key: one for one in with_tuners(plan(experiment))}
        checked.planned = len(cells)
        others = list[bytes]()
        for key, content in _contents(store):
            sound = _check_cell(checked, store, key, content, cells)
            if sound and key not in cells:
                others.append(content)
            tick()
    except UserError as error:
        named = _damaged_cells(store.folder) if isinstance(store, Packed) else []
        checked.damage += named or [str(error)]
    else:
        checked.remarks += _explain(others, experiment, cells)
    checked.remarks += map(ignored, store.strangers())
    return checked


def _contents(store: Store) -> Iterator[tuple[str, bytes]]:
    """Yield the key and content of every cell, from the cells' own files."""
    if isinstance(store, Packed):
        return store.contents()
    return read_files(store.folder / "cells", store.keys())


def _check_cell(
    checked: Checked, store: Store, key: str, content: bytes, cells: dict[str, Planned]
) -> bool:
    """Count a cell, and tell whether it is sound."""
    try:
        record = record_of(key, content, store.folder)
    except Damaged as error:
        checked.damage.append(f"{error}{_described(key, cells)}")
        return False
    if key in cells:
        checked.done += record.status == "done"
        checked.failed += record.status == "failed"
    return True


def _explain(
    others: list[bytes], experiment: Experiment, cells: dict[str, Planned]
) -> Iterator[str]:
    """Say why sound cells are not among those of the experiment."""
    checksums = {choice.data.name: choice.data.checksum for choice in experiment.datasets}
    versions = dict[str, int | str]()
    for planned in cells.values():
        versions.update(planned.series.cell.versions)
    causes = Counter[str]()
    for content in others:
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            causes[_cause(json.loads(content)["cell"], checksums, versions)] += 1
    for cause, count in causes.most_common():
        yield f"{count} cells are not used by tables: {cause}"


def _cause(cell: Any, checksums: dict[str, str], versions: dict[str, int | str]) -> str:
    name, checksum = cell["data"]["name"], cell["data"]["checksum"]
    if name in checksums and checksums[name] != checksum:
        return f"they were made from other data than today's {name}"
    for method, version in cell["versions"].items():
        if versions.get(method, version) != version:
            return (
                f"they were made by version {version} of {method}, which now is {versions[method]}"
            )
    return "the experiment does not have them"


def _damaged_cells(file: Path) -> list[str]:
    """Name the cells of a damaged packed file that differ from their digests, or cannot be read."""
    damage, key, read = list[str](), "", 0
    count, cells = 0, dict[str, Planned]()
    try:
        with file.open("rb") as stream:
            lines = split_lines(unpacked(stream, step=1))
            header = json.loads(next(lines))
            count = int(header["cells"])
            cells = {one.key: one for one in with_tuners(plan(restored(header, str(file))))}
            order = list(cells)
            for line in lines:
                name, _, content = line.partition(b"\t")
                key, read = name.decode("ascii", "replace"), read + 1
                if key not in cells and count == len(order) >= read:  # the key was changed
                    key = order[read - 1]
                try:
                    record_of(key, content, file)
                except Damaged as error:
                    damage.append(f"{error}{_described(key, cells)}")
        if not damage and read == count:
            damage.append(f"{file} is damaged, although each of its {count} cells has its digest")
    except (OSError, ValueError, KeyError, TypeError, UserError, zstandard.ZstdError) as error:
        why = str(error).rpartition(": ")[2]
        damage.append(f"{file} is damaged {_extent(key, read, count, cells)}: {why}")
    return damage


def _extent(key: str, read: int, count: int, cells: dict[str, Planned]) -> str:
    """Say where a packed file is damaged, and how many of its cells are lost by that.

    Parameters
    ----------
    key : str
        The last cell that was read, if any.
    read, count : int
        How many cells were read, and how many there are.
    cells : dict
        The planned cells by key, in the order of the file.
    """
    if count and read >= count:
        return f"after its last cell, {key}{_described(key, cells)}"
    if count == len(cells) and count:  # all cells are there, so the next one is known
        key, place = list(cells)[read], "from"
    else:
        place = "after" if key else "before its first cell"
    lost = f", so that {count - read} cells are lost" if count else ""
    return f"{place} cell {key}{_described(key, cells)}{lost}" if key else f"{place}{lost}"


def _described(key: str, cells: dict[str, Planned]) -> str:
    return f" ({cells[key].describe()})" if key in cells else ""
