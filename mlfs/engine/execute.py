"""Run cells on an executor and store their records; other runs may share the folder."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from ..protocols import Cell, Record
from ..protocols.plan import Planned
from ..results.cell_file import flaw
from ..results.index import Stamp
from ..results.leases import Leases
from ..results.store import LEASES, Store, unwritable
from .memory_needs import MemoryNeeds
from .workers.executor import Executor
from .workers.run_cell import failure, record_from

_TICK = 1.0  # seconds between two checks of the cells that run here and in other runs
_NO_WORKER = "no worker is connected to the cluster, or none answers"


@dataclass(frozen=True)
class Running:
    """Tell which cells run now."""

    cells: list[Planned]


@dataclass(frozen=True)
class Waiting:
    """Tell why no cell runs here now."""

    reason: str


@dataclass(frozen=True)
class Finished:
    """Tell that a cell was run, by this or another run on the folder, with its stored record."""

    planned: Planned
    record: Record


@dataclass
class _Run:
    """Hold what all cells of a run share."""

    store: Store
    executor: Executor
    leases: Leases
    before: Mapping[str, Stamp]
    needs: MemoryNeeds

    def stored(self, planned: Planned) -> Record | None:
        """Return the record that another run has stored since the cell was chosen, if any."""
        stamp = self.store.stamp(planned.key)
        if stamp is None or stamp == self.before.get(planned.key):
            return None
        return self.store.get(planned)

    def keep(self, planned: Planned, record: Record) -> Finished:
        why = flaw(record)
        if why:  # it could not be read again
            record = failure(f"its results cannot be used: {why}")
        self.store.write(planned, record)
        self.leases.release(planned.key)  # only now: the next owner then finds the stored record
        self.needs.learn(planned.series, record.status, record.memory)
        return Finished(planned, record)


def run_cells(
    cells: list[Planned],
    store: Store,
    executor: Executor,
    tunings: Sequence[Planned] = (),
    before: Mapping[str, Stamp] | None = None,
    needs: MemoryNeeds | None = None,
) -> Iterator[Running | Waiting | Finished]:
    """Run cells, store each record at once, and yield what happens.

    Tunings run first. If a tuning is not stored or failed, the cells that need it are recorded as
    failed. Cells that another run works on are left to that run, and waited for.

    Parameters
    ----------
    cells : list of Planned
        The cells to run.
    store : Store
        Where their records are stored.
    executor : Executor
        What runs the cells.
    tunings : sequence of Planned
        The unfinished cells that tune for these cells.
    before : mapping, optional
        The stamps of stored cells when the cells were chosen. A cell whose stamp has changed
        since then was stored by another run, and is not run again.
    needs : MemoryNeeds, optional
        How much memory the cells will need; by default estimated from the size of the data.

    Yields
    ------
    Running, Waiting or Finished
        What happens.
    """
    try:
        with Leases(store.folder / LEASES) as leases:
            run = _Run(store, executor, leases, before or {}, needs or MemoryNeeds())
            yield from _run_stage(run, tunings)
            yield from _run_stage(run, cells)
    except OSError as error:
        raise unwritable(store.folder, error) from error


def _run_stage(run: _Run, cells: Iterable[Planned]) -> Iterator[Running | Waiting | Finished]:
    waiting, elsewhere = deque(cells), list[Planned]()
    at_work: dict[Future[Record], Planned] = {}
    while waiting or elsewhere or at_work:
        window = run.executor.window()
        while waiting and len(at_work) < window and _fits(run, waiting[0], at_work.values()):
            planned = waiting.popleft()
            if not run.leases.take(planned.key):
                elsewhere.append(planned)
                continue
            record = run.stored(planned)
            if record is not None:
                run.leases.release(planned.key)
                yield Finished(planned, record)
                continue
            cell = _ready(planned, run.store)
            if cell is None:
                yield run.keep(planned, failure("its tuning failed"))
                continue
            at_work[run.executor.submit(cell, run.needs.of(planned.series))] = planned
        if at_work:
            running = [planned for future, planned in at_work.items() if future.running()]
            yield Running(running) if window else Waiting(_NO_WORKER)
            ended, _ = wait(at_work, timeout=_TICK, return_when=FIRST_COMPLETED)
            for future in sorted(ended, key=_broken):
                yield run.keep(at_work.pop(future), record_from(future))
        elif elsewhere or waiting:
            others = f"{len(elsewhere)} cells are being run by other runs"
            yield Waiting(others if window else _NO_WORKER)
            time.sleep(_TICK)
        if not waiting:  # the other run may have stored the cells, or may have died
            waiting.extend(elsewhere)
            elsewhere.clear()


def _fits(run: _Run, planned: Planned, at_work: Iterable[Planned]) -> bool:
    """Tell whether there is enough memory for a cell beside those that run."""
    others = (run.needs.of(other.series) for other in at_work)
    return run.executor.fits(run.needs.of(planned.series), others)


def _broken(future: Future[Record]) -> bool:
    """Tell whether a future has no record.

    These are handled last: one of them may show that the workers are lost, which ends the run.
    """
    return future.exception() is not None


def _ready(planned: Planned, store: Store) -> Cell | None:
    """Return the cell with its tuned parameters; None if the tuning failed."""
    if planned.tuner is None:
        return planned.cell
    record = store.get(planned.tuner)
    if record is None or record.tuned is None:
        return None
    return planned.cell.model_copy(update={"tuned": record.tuned["chosen"]})
