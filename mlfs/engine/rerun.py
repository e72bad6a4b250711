"""Run some stored cells again, and compare the new scores with the stored ones."""

from __future__ import annotations

import math
import random
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..methods.registry import Scope
from ..protocols import Cell, Record
from ..protocols.plan import Planned, plan
from ..results.store import Store
from ..system.origin import other_arithmetic
from .memory_needs import MemoryNeeds
from .options import Options
from .workers.run_cell import record_from

_CLOSE = 1e-9  # the same but for the last digits
# Where sums are rounded differently, a tie or a random start may go another way
_ROUNDING = 0.01  # of 6,384 cells 15 differed by more, at most by .063


@dataclass(frozen=True)
class Again:
    """Hold a cell that was run again, and how its new scores differ; "" if they do not.

    If the difference is as small as rounding makes it, `elsewhere` says what rounds in another way
    here than where the cell was made.
    """

    store: Path
    planned: Planned
    difference: str = ""
    elsewhere: str = ""

    @property
    def sound(self) -> bool:
        """Whether the scores are the same, or differ by rounding on another machine."""
        return not self.difference or bool(self.elsewhere)

    @property
    def outcome(self) -> str:
        """What came out, in words."""
        if self.elsewhere:
            return f"{self.difference}, as rounding can make it ({self.elsewhere})"
        return self.difference or "the same scores"

    def __str__(self) -> str:
        about = f"{self.store}: {self.planned.describe()}"
        return f"{about} run again: {self.outcome} ({self.planned.key})"


def run_again(
    stores: Sequence[Store],
    count: int,
    workers: int | None = None,
    chosen: random.Random | None = None,
    code: Path | None = None,
    foremost: Container[str] = (),
) -> Iterator[Again]:
    """Run finished cells again, chosen at random from all results, and yield what came out.

    Parameters
    ----------
    stores : sequence of Store
        The results.
    count : int
        How many cells are run again.
    workers : int, optional
        Number of worker processes; by default one per core.
    chosen : Random, optional
        What chooses the cells; by default they are others each time.
    code : Path, optional
        A folder with the modules of foreign methods; by default they must be installed.
    foremost : container of str
        Methods whose cells are chosen before all others.

    Yields
    ------
    Again
        The cells, as they finish.
    """
    offered = [(store, one) for store in stores for one in _finished(store)]
    if not offered:
        raise UserError("no cell is finished, so that none can be run again: leave --rerun out")
    sample = (chosen or random.SystemRandom()).sample(offered, len(offered))
    sample.sort(key=lambda one: one[1].series.cell.method.name not in foremost)
    needs = MemoryNeeds()
    with Options(workers=workers).open() as executor:
        at_work = []
        for store, planned in sample[:count]:
            try:
                cell = _ready(planned, store, code)
            except UserError as error:
                yield Again(store.folder, planned, f"cannot be run here: {error}")
                continue
            future = executor.submit(cell, needs.of(planned.series))
            at_work.append((store, planned, future))
        for store, planned, future in at_work:
            new, old = record_from(future), store.read(planned)
            assert old is not None  # it was read before
            yield Again(store.folder, planned, *_difference(old, new))


def _finished(store: Store) -> list[Planned]:
    """Return the finished cells of an experiment, with the code that is installed here."""
    states = store.states()
    return [
        one
        for one in plan(store.experiment())
        if one.key in states and states[one.key].status == "done"
    ]


def _ready(planned: Planned, store: Store, code: Path | None) -> Cell:
    """Return the cell to run: its methods and data are those of this machine, or it is refused."""
    experiment = store.experiment()
    here = experiment.under(Scope(folder=code))  # with the code of this machine
    if planned.key not in {one.key for one in plan(here)}:
        raise UserError("its method has another version here")
    here.prepare(planned.series.cell.data)
    [cell] = [one.cell for one in plan(here) if one.key == planned.key][:1]
    if planned.tuner is None:
        return cell
    record = store.get(planned.tuner)
    if record is None or record.tuned is None:
        raise UserError("the cell that tuned for it is not stored")
    return cell.model_copy(update={"tuned": record.tuned["chosen"]})


def _difference(old: Record, new: Record) -> tuple[str, str]:
    """Return how new scores differ from the stored ones, and what explains it, if it is little.

    Seconds are not compared, nor are metrics that are newer than the stored cell.
    """
    if new.status == "failed":
        return f"it fails now: {new.error}", ""
    if len(old.rows) != len(new.rows):
        return f"{len(new.rows)} rows instead of {len(old.rows)}", ""
    largest, text = 0.0, ""
    for before, after in zip(old.rows, new.rows):
        for name in before:
            distance = 0.0 if "seconds" in name else _distance(before[name], after.get(name))
            if distance > largest:
                largest, text = distance, f"{name} is {after.get(name)} instead of {before[name]}"
    if not text and old.features != new.features:
        text = "it chose other features"
    return text, other_arithmetic(old.made_by) if text and largest <= _ROUNDING else ""


def _distance(old: Any, new: Any) -> float:
    """Return by how much two values differ; inf if they are not both numbers."""
    if not isinstance(old, float) or not isinstance(new, float):
        return 0.0 if old == new else math.inf  # a count, the name of a classifier, or no value
    if math.isclose(old, new, rel_tol=_CLOSE, abs_tol=_CLOSE) or (old != old and new != new):
        return 0.0
    return abs(old - new) if math.isfinite(old) and math.isfinite(new) else math.inf
