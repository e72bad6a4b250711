"""List why cells failed: each cause with its number of cells and one traceback."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..engine.packing import find
from ..engine.plan import Planned, plan, with_tuners
from ..engine.store import Damaged, Store
from ..protocols import Record

_SHOWN = 5  # cells that are listed for each cause


@dataclass(frozen=True)
class Cause:
    """A reason why cells failed, those cells, and the traceback of the first one."""

    reason: str
    cells: list[Planned]
    traceback: str


def causes(store: Store) -> list[Cause]:
    """Return the causes of an experiment's failures, the most frequent first.

    Errors that differ only in numbers, such as a count of rows, are one cause.
    """
    found: dict[str, list[tuple[Planned, Record]]] = {}
    stored = store.records()
    for planned in with_tuners(plan(store.experiment())):
        try:
            record = stored.read(planned)
        except Damaged as error:
            record = Record(status="failed", error=str(error))
        if record is not None and record.status == "failed":
            kind = re.sub(r"\d+(\.\d+)?", "#", record.error)
            found.setdefault(kind, []).append((planned, record))
    groups = sorted(found.values(), key=len, reverse=True)
    return [
        Cause(group[0][1].error, [planned for planned, _ in group], group[0][1].traceback)
        for group in groups
    ]


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
