"""List why cells failed: each cause with its number of cells and one traceback."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ...protocols import Record
from ...protocols.plan import Planned, plan, with_tuners
from ...results.cell_file import Damaged
from ...results.packing import find
from ...results.store import Store

T = TypeVar("T")
_SHOWN = 5  # cells that are listed for each cause


@dataclass(frozen=True)
class Cause:
    """A reason why cells failed, those cells, and the traceback of the first one."""

    reason: str
    cells: list[Planned]
    traceback: str


def causes(store: Store) -> list[Cause]:
    """Return the causes of an experiment's failures, the most frequent first."""
    failed: list[tuple[tuple[Planned, Record], str]] = []
    stored = store.records()
    for planned in with_tuners(plan(store.experiment())):
        try:
            record = stored.read(planned)
        except Damaged as error:
            record = Record(status="failed", error=str(error))
        if record is not None and record.status == "failed":
            failed.append(((planned, record), record.error))
    return [
        Cause(reason, [planned for planned, _ in cells], cells[0][1].traceback)
        for reason, cells in by_cause(failed)
    ]


def by_cause(failed: Iterable[tuple[T, str]]) -> list[tuple[str, list[T]]]:
    """Group what failed by its error; the most frequent error comes first.

    Errors that differ only in numbers, such as a count of rows, are one cause; it is told by the
    first of them.
    """
    groups: dict[str, list[tuple[T, str]]] = {}
    for item, reason in failed:
        groups.setdefault(re.sub(r"\d+(\.\d+)?", "#", reason), []).append((item, reason))
    frequent = sorted(groups.values(), key=len, reverse=True)
    return [(group[0][1], [item for item, _ in group]) for group in frequent]


def as_text(roots: Sequence[Path]) -> str:
    """List all failures of the results at `roots`: reason, cells, and one traceback each."""
    parts = []
    for store in (store for root in roots for store in find(root)):
        some = causes(store)
        total = sum(len(cause.cells) for cause in some)
        if not some:
            parts.append(f"{store.folder}: no failures")
            continue
        parts.append(f"{store.folder}: {total} failed cells, {len(some)} causes")
        for cause in some:
            names = [f"    {planned.describe()}" for planned in cause.cells[:_SHOWN]]
            if len(cause.cells) > _SHOWN:
                names.append(f"    and {len(cause.cells) - _SHOWN} more")
            trace = cause.traceback.rstrip() or "(no traceback)"
            indented = "\n".join(f"    {line}" for line in trace.splitlines())
            parts.append("\n".join([f"{len(cause.cells)} x {cause.reason}", *names, indented]))
        parts.append("Next: fix the cause and run the config again: failed cells are retried")
    return "\n\n".join(parts)
