"""Run cells on an executor, beside other runs on the same folder, and store what they give."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from ..protocols import Cell, Record
from .claims import Claims
from .executor import Executor
from .index import Stamp
from .needs import Needs
from .outcome import failure, outcome
from .plan import Planned
from .store import CLAIMS, Store, finished, unwritable

_TICK = 1.0  # seconds between two looks at what runs now, here and elsewhere


@dataclass(frozen=True)
class Running:
    """What is being worked on now."""

    cells: list[Planned]


@dataclass(frozen=True)
class Waiting:
    """Nothing runs here now, and why."""

    reason: str


@dataclass(frozen=True)
class Finished:
    """A cell that was run, here or by another run on the folder, and what was stored of it."""

    planned: Planned
    record: Record


@dataclass
class _Run:
    """What all cells of a run share."""

    store: Store
    executor: Executor
    claims: Claims
    before: Mapping[str, Stamp]
    needs: Needs

    def stored(self, planned: Planned) -> Record | None:
        """Return what another run has stored of a cell since it was chosen."""
        stamp = self.store.stamp(planned.key)
        if stamp is None or stamp == self.before.get(planned.key):
            return None
        return self.store.get(planned)

    def keep(self, planned: Planned, record: Record) -> Finished:
        self.store.write(planned, record)
        self.claims.release(planned.key)  # only now: whoever gets it looks for what is stored
        self.needs.learn(planned.series, record.status, record.memory)
        return Finished(planned, record)


def run_cells(
    cells: list[Planned],
    store: Store,
    executor: Executor,
    before: Mapping[str, Stamp] | None = None,
    redo: bool = False,
    needs: Needs | None = None,
) -> Iterator[Running | Waiting | Finished]:
    """Run cells, store every outcome as it comes, and tell.

    Cells that tune for others go first, unless they are done (or `redo` asks for all again); a
    cell whose tuner failed is recorded as failed. Cells that another run works on are left to it
    and waited for.

    Parameters
    ----------
    before : mapping, optional
        The stamps of the cells that were stored when the cells were chosen. What has another
        stamp by now is the work of another run, and is not done again.
    needs : Needs, optional
        How much memory the cells will need; by default, as the size of the data tells.
    """
    try:
        with Claims(store.folder / CLAIMS) as claims:
            run = _Run(store, executor, claims, before or {}, needs or Needs())
            yield from _run_stage(run, tuners(cells, store, redo))
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
            if not run.claims.take(planned.key):
                elsewhere.append(planned)
                continue
            record = run.stored(planned)
            if record is not None:
                run.claims.release(planned.key)
                yield Finished(planned, record)
                continue
            cell = _ready(planned, run.store)
            if cell is None:
                yield run.keep(planned, failure("its tuning failed"))
                continue
            at_work[run.executor.submit(cell, run.needs.of(planned.series))] = planned
        if at_work:
            yield Running([planned for future, planned in at_work.items() if future.running()])
            ended, _ = wait(at_work, timeout=_TICK, return_when=FIRST_COMPLETED)
            for future in sorted(ended, key=_broken):
                yield run.keep(at_work.pop(future), outcome(future, run.executor.killed))
        elif elsewhere or waiting:
            others = f"{len(elsewhere)} cells are being run by others"
            yield Waiting(others if window else "no worker is connected to the cluster")
            time.sleep(_TICK)
        if not waiting:  # they may have been stored or given up
            waiting.extend(elsewhere)
            elsewhere.clear()


def _fits(run: _Run, planned: Planned, at_work: Iterable[Planned]) -> bool:
    """Whether there is memory for a cell beside those at work."""
    others = (run.needs.of(other.series) for other in at_work)
    return run.executor.fits(run.needs.of(planned.series), others)


def _broken(future: Future[Record]) -> bool:
    """Whether it gave no record: those come last, since one may tell that the workers are lost."""
    return future.exception() is not None


def tuners(cells: list[Planned], store: Store, redo: bool) -> list[Planned]:
    """Return the cells that must tune for others first."""
    needed = {one.tuner.key: one.tuner for one in cells if one.tuner}
    states = store.states() if needed and not redo else {}
    return [tuner for key, tuner in needed.items() if not finished(tuner, states.get(key))]


def _ready(planned: Planned, store: Store) -> Cell | None:
    """Return the cell with the parameters that were tuned for it; None if that tuning failed."""
    if planned.tuner is None:
        return planned.cell
    record = store.get(planned.tuner)
    if record is None or record.tuned is None:
        return None
    return planned.cell.model_copy(update={"tuned": record.tuned["chosen"]})
