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
from .memory_needs import MemoryNeeds
from .options import Options
from .workers.run_cell import record_from

_CLOSE = 1e-9  # other machines may round differently


@dataclass(frozen=True)
class Again:
    """Hold a cell that was run again, and how its new scores differ; "" if they do not."""

    store: Path
    planned: Planned
    difference: str = ""

    @property
    def same(self) -> bool:
        """Whether the scores are the same."""
        return not self.difference

    def __str__(self) -> str:
        outcome = "the same scores" if self.same else self.difference
        return f"{self.store}: {self.planned.describe()} run again: {outcome} ({self.planned.key})"


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
            yield Again(store.folder, planned, _difference(old, new))


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


def _difference(old: Record, new: Record) -> str:
    """Return how new scores differ from the stored ones; seconds are not compared."""
    if new.status == "failed":
        return f"it fails now: {new.error}"
    if len(old.rows) != len(new.rows):
        return f"{len(new.rows)} rows instead of {len(old.rows)}"
    for before, after in zip(old.rows, new.rows):
        for name in before:  # there may be metrics that are newer than the stored cell
            if "seconds" not in name and not _same(before[name], after.get(name)):
                return f"{name} is {after.get(name)} instead of {before[name]}"
    if old.features != new.features:
        return "it chose other features"
    return ""


def _same(old: Any, new: Any) -> bool:
    if not isinstance(old, float) or not isinstance(new, float):
        return bool(old == new)  # a count, the name of a classifier, or no value
    return math.isclose(old, new, rel_tol=_CLOSE, abs_tol=_CLOSE) or (old != old and new != new)
