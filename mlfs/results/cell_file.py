"""What the file of a stored cell contains: the cell and its record, as one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..protocols import Record
from ..protocols.cell import key_of
from ..protocols.plan import Planned

_BEFORE, _AFTER = '{"cell": ', ', "status": '  # what surrounds the cell's text in its file


class Damaged(Exception):
    """Report that a stored cell exists but cannot be used; the message says why."""


class State(NamedTuple):
    """Hold whether a stored cell is finished, and how much time and memory it took."""

    status: str  # "done", "failed" or "damaged"
    metrics: frozenset[str] = frozenset()
    seconds: float = 0.0
    memory: float = 0.0  # megabytes


def content_of(planned: Planned, record: Record) -> str:
    """Return the content of a cell's file."""
    cell, made = planned.cell.text, json.dumps(record.model_dump(), allow_nan=True)
    return f"{_BEFORE}{cell}, {made[1:]}\n"


def record_of(key: str, content: bytes, where: Path) -> Record:
    """Return the record in the stored content of a cell; raise Damaged if it cannot be used."""
    try:
        text = content.decode()
        fields = json.loads(text)
        if not isinstance(fields, dict) or "cell" not in fields:
            raise Damaged(f"{_place(key, where)} is not a cell of mlfs")
        if not _is_of(key, text, fields.pop("cell")):
            raise Damaged(f"{_place(key, where)} contains another cell")
        return Record.model_validate(fields)
    except ValidationError as error:
        raise Damaged(f"{_place(key, where)} is not a cell of mlfs") from error
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{_place(key, where)} is cut off or unreadable") from error


def _is_of(key: str, text: str, cell: Any) -> bool:
    """Tell whether the text of a cell file, and the cell in it, belong to a key.

    The key is the checksum of the cell's text. `content_of` puts this text first in the file, so
    usually its checksum can be computed at once. Otherwise the text is made again from `cell`.
    """
    end = text.find(_AFTER)
    written = text.startswith(_BEFORE) and sha256(text[len(_BEFORE) : end].encode()).hexdigest()
    return written == key or key_of(cell) == key


def _place(key: str, where: Path) -> str:
    return f"{where / 'cells' / key}.json" if where.is_dir() else f"cell {key} of {where}"


def state_of(record: Record) -> State:
    """Return the state of a cell with this record."""
    metrics = frozenset[str]().union(*record.rows)
    return State(record.status, metrics, sum(record.seconds.values()), record.memory)


def stored_state(key: str, content: bytes) -> State:
    """Return the state of a cell, given its key and the content of its file."""
    try:
        return state_of(record_of(key, content, Path()))
    except Damaged:
        return State("damaged")


def finished(planned: Planned, state: State | None, metrics: Iterable[str] = ()) -> bool:
    """Tell whether a stored cell succeeded and has all these metrics."""
    if state is None or state.status != "done":
        return False
    return planned.series.cell.stage == "tune" or state.metrics.issuperset(metrics)
