"""Run cells in worker processes that can be timed out, or on a dask cluster."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass

from pebble import ProcessExpired

from ..errors import UserError
from ..own import brief
from ..params import TooManyWarning
from ..protocols import Cell, Record, protocol
from ..registry import Scope
from .origin import origin
from .plan import Planned
from .store import Store, finished
from .workers import workers

_TICK = 1.0  # seconds between two looks at what runs now
_LONGEST_ERROR, _LONGEST_TRACE = 1000, 20_000  # characters that are kept


@dataclass(frozen=True)
class Executor:
    """Somewhere to run cells.

    Parameters
    ----------
    submit : callable
        Takes a cell and gives the future of its record.
    window : int
        How many cells to hand over at once: enough that no worker waits.
    """

    submit: Callable[[Cell], Future[Record]]
    window: int


@dataclass(frozen=True)
class Running:
    """What is being worked on now."""

    cells: list[Planned]


@dataclass(frozen=True)
class Finished:
    """A cell that was run, and what was stored of it."""

    planned: Planned
    record: Record


def run_cells(
    cells: list[Planned], store: Store, executor: Executor, redo: bool = False
) -> Iterator[Running | Finished]:
    """Run cells, store every outcome as it comes, and tell.

    Cells that tune for others go first, unless they are done (or `redo` asks for all again); a
    cell whose tuner failed is recorded as failed.
    """
    for stage in (tuners(cells, store, redo), cells):
        waiting = iter(stage)
        at_work: dict[Future[Record], Planned] = {}
        while True:
            for planned in waiting:
                cell = _ready(planned, store)
                if cell is None:
                    yield _keep(planned, failure("its tuning failed"), store)
                    continue
                at_work[executor.submit(cell)] = planned
                if len(at_work) >= executor.window:
                    break
            if not at_work:
                break
            yield Running([planned for future, planned in at_work.items() if future.running()])
            ended, _ = wait(at_work, timeout=_TICK, return_when=FIRST_COMPLETED)
            for future in ended:
                yield _keep(at_work.pop(future), _outcome(future), store)


def tuners(cells: list[Planned], store: Store, redo: bool) -> list[Planned]:
    """The cells that must tune for others first."""
    needed = {one.tuner.key: one.tuner for one in cells if one.tuner}
    states = store.states() if needed and not redo else {}
    return [tuner for key, tuner in needed.items() if not finished(tuner, states.get(key))]


def _keep(planned: Planned, record: Record, store: Store) -> Finished:
    store.write(planned, record)
    return Finished(planned, record)


def _ready(planned: Planned, store: Store) -> Cell | None:
    """The cell with the parameters that were tuned for it; None if that tuning failed."""
    if planned.tuner is None:
        return planned.cell
    record = store.get(planned.tuner)
    if record is None or record.tuned is None:
        return None
    return planned.cell.model_copy(update={"tuned": record.tuned["chosen"]})


def _outcome(future: Future[Record]) -> Record:
    try:
        return future.result()
    except TimeoutError as error:
        return failure(f"exceeded the time limit of {error.args[1]:g} s")
    except ProcessExpired as error:
        return failure(f"its process died (exit code {error.exitcode}); out of memory?")
    except Exception as error:  # a cluster's own trouble must not stop the run
        return failure(f"{type(error).__name__}: {error}", traceback.format_exc())


def failure(reason: str, trace: str = "") -> Record:
    """The record of a cell that could not be finished; texts of any length and letters."""
    return Record(
        status="failed",
        error=_storable(" ".join(reason.split()), _LONGEST_ERROR),
        traceback=_storable(trace, _LONGEST_TRACE),
    )


def _storable(text: str, most: int) -> str:
    """A text that JSON and terminals can show: half surrogates replaced, the middle cut out."""
    text = text.encode("utf-8", "replace").decode()
    half = most // 2
    return text if len(text) <= most else f"{text[:half]} [...] {text[-half:]}"


def run_cell(cell: Cell) -> Record:
    """Run one cell here; whatever its code raises becomes a record of the failure."""
    worker = os.getpid()
    try:
        with Scope(sources=cell.code):
            record = _run_and_listen(cell)
    except UserError as error:
        record = failure(str(error), traceback.format_exc())
    except SystemExit as error:
        record = failure(f"it called sys.exit({error.code!r})", traceback.format_exc())
    except BaseException as error:
        record = failure(brief(error), traceback.format_exc())
    finally:
        if os.getpid() != worker:  # a child that the method forked must not give a result, too
            os._exit(0)
    return record.model_copy(update={"made_by": origin()})


def _run_and_listen(cell: Cell) -> Record:
    """Run a cell, and note which counts were too large for its data."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TooManyWarning)
        record = protocol(cell.settings.protocol).run(cell)
    notes = [str(warning.message) for warning in heard]
    return record.model_copy(update={"notes": list(dict.fromkeys([*record.notes, *notes]))})


@contextmanager
def local(jobs: int, timeout: float | None) -> Iterator[Executor]:
    """Worker processes on this machine; a cell over its time is killed."""
    with workers(jobs, timeout) as submit:
        yield Executor(lambda cell: submit(run_cell, cell), window=2 * jobs)


@contextmanager
def dask(address: str) -> Iterator[Executor]:
    """The workers of a dask.distributed cluster, found by the address of its scheduler."""
    try:
        from distributed import Client
    except ImportError as error:
        raise UserError("--dask needs an extra: pip install 'mlfs-bench[dask]'") from error
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise UserError(
            f"no dask scheduler answers at {address}: start one, or mend --dask"
        ) from error
    with client:
        pool = client.get_executor(pure=False)
        workers = sum(client.nthreads().values()) or 1
        yield Executor(lambda cell: pool.submit(run_cell, cell), window=2 * workers)
