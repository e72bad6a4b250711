"""What the file of a stored cell contains: the cell, its record and a digest, as one line of JSON.

The digest is the SHA-256 of all that stands before it in the line, so a line that was changed, by
a disk or by hand, is never used. The key is the SHA-256 of the cell, and names its file.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from ..protocols import Record
from ..protocols.plan import Planned
from ..system.atomic import LONGEST

_BEFORE, _AFTER = b'{"cell": ', b', "status": '  # what surrounds the cell's text in its file
_KEY = re.compile("[0-9a-f]{64}")
_WORDS = {"classifier", "train_on"}  # columns of rows that say how features were judged
_DIGEST = b', "digest": "%s"}'  # how a line ends
_LENGTH = len(_DIGEST % bytes(64))
_DEEPEST = 20  # most levels of nesting in what a method reports
_LARGEST = 1e100  # a score beyond this cannot be averaged


class Damaged(Exception):
    """Report that a stored cell exists but cannot be used; the message says why."""


class State(NamedTuple):
    """Hold whether a stored cell is finished, and how much time and memory it took."""

    status: str  # "done", "failed" or "damaged"
    metrics: frozenset[str] = frozenset()
    seconds: float = 0.0
    memory: float = 0.0  # megabytes


def is_key(text: str) -> bool:
    """Tell whether a text is the key of a cell: 64 hexadecimal digits, nothing else."""
    return _KEY.fullmatch(text) is not None


def content_of(planned: Planned, record: Record) -> bytes:
    """Return the content of a cell's file."""
    made = json.dumps(record.model_dump(), allow_nan=True)
    return signed(f"{_BEFORE.decode()}{planned.cell.text}, {made[1:-1]}".encode()) + b"\n"


def signed(start: bytes) -> bytes:
    """Return a line of JSON, of which all but the closing bracket is given, with its digest."""
    return start + _DIGEST % sha256(start).hexdigest().encode()


def record_of(key: str, content: bytes, where: Path) -> Record:
    """Return the record in the stored content of a cell; raise Damaged if it cannot be used."""
    why = _mismatch(key, content)
    try:
        if why:
            raise Damaged(why)
        fields = json.loads(content.decode())
        if b"\\ud" in content:  # half of a character, which can be neither shown nor written
            json.dumps(fields, ensure_ascii=False).encode()
        del fields["cell"], fields["digest"]
        record = Record.model_validate(fields)
    except (ValidationError, TypeError, KeyError) as error:
        raise Damaged(f"{_place(key, where)} is not a cell of mlfs") from error
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{_place(key, where)} is cut off or unreadable") from error
    except Damaged as error:
        raise Damaged(f"{_place(key, where)} {error}") from None
    why = flaw(record)
    if why:
        raise Damaged(f"{_place(key, where)} is not a cell of mlfs: {why}")
    return record


def _mismatch(key: str, content: bytes) -> str:
    """Return why content is not that of a key's cell as it was written; "" if it is.

    `content_of` puts the cell's text first and the digest last, so neither must be looked for.
    """
    if len(content) > LONGEST:
        return f"is longer than {LONGEST >> 20} MB"
    line = content.removesuffix(b"\n")
    start, end = line[:-_LENGTH], line[-_LENGTH:]
    if end != _DIGEST % sha256(start).hexdigest().encode():
        return _without_digest(line, end)
    cell = start[len(_BEFORE) : start.find(_AFTER)]
    if not start.startswith(_BEFORE) or sha256(cell).hexdigest() != key:
        return "contains another cell"
    return ""


def _without_digest(line: bytes, end: bytes) -> str:
    """Return what is wrong with a line that does not end with its digest."""
    if end.startswith(_DIGEST[:13]):
        return "was changed after it was written: its digest does not match"
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return "is cut off or unreadable"
    if not isinstance(fields, dict) or "cell" not in fields:
        return "is not a cell of mlfs"
    return "has no digest, since an earlier mlfs wrote it"


def flaw(record: Record) -> str:
    """Return why the numbers of a record cannot be used; an empty text if they can."""
    for row in record.rows:
        for name, value in row.items():
            if value is None or (type(value) in (int, float) and not abs(value) > _LARGEST):
                continue
            if name in _WORDS and isinstance(value, str):
                continue
            return f"{name} is {str(value)[:40]!r}, which is not a usable number"
    for cost in (*record.seconds.values(), record.memory):
        if not 0 <= cost < math.inf:
            return "its time or memory is impossible"
    for chosen in record.features:
        if chosen and (
            len(set(chosen)) < len(chosen) or min(chosen) < 0 or max(chosen) >= record.n_features
        ):
            return f"it chose features that {record.n_features} features do not have, or one twice"
    if too_deep(record.info, _DEEPEST) or too_deep(record.tuned, _DEEPEST):
        return "it is nested too deeply"
    return ""


def too_deep(content: Any, levels: int) -> bool:
    """Tell whether lists and mappings are nested in more than some levels."""
    if not isinstance(content, dict | list):
        return False
    inner = content.values() if isinstance(content, dict) else content
    return levels == 0 or any(
        too_deep(one, levels - 1) for one in inner if type(one) in (dict, list)
    )


def _place(key: str, where: Path) -> str:
    return f"{where / 'cells' / key}.json" if where.is_dir() else f"cell {key} of {where}"


def state_of(record: Record) -> State:
    """Return the state of a cell with this record."""
    metrics = _shared(frozenset[str]().union(*record.rows))
    return State(record.status, metrics, sum(record.seconds.values()), _same(record.memory))


@functools.lru_cache(1024)
def _shared(metrics: frozenset[str]) -> frozenset[str]:
    """Return an equal set that was given before, if any: many cells have the same metrics."""
    return metrics


@functools.lru_cache(1024)
def _same(memory: float) -> float:
    """Return an equal number that was given before, if any: it has one digit after the point."""
    return memory


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
