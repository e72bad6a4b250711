"""Make the record of a cell, or the record of its failure."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import MutableMapping
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

from pebble import ProcessExpired

from ...errors import UserError, WorkersLost
from ...methods.registry import Scope
from ...methods.user_code import brief
from ...numerics.params import TooManyWarning
from ...protocols import Cell, Record, protocol
from ...system.memory import excess, forget_peak, peak
from ...system.origin import origin

_LONGEST_ERROR, _LONGEST_TRACE = 1000, 20_000  # characters that are kept


def run_cell(cell: Cell) -> Record:
    """Run one cell in this process; any error of its code becomes a record of the failure."""
    worker = os.getpid()
    forget_peak()
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
        if os.getpid() != worker:  # a child that the method forked must not return a second result
            os._exit(0)
    return record.model_copy(update={"made_by": origin(), "memory": round(peak() / 1e6, 1)})


def _run_and_listen(cell: Cell) -> Record:
    """Run a cell, and add its warnings about too large counts to the record."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TooManyWarning)
        record = protocol(cell.settings.protocol).run(cell)
    notes = [str(warning.message) for warning in heard]
    return record.model_copy(update={"notes": list(dict.fromkeys([*record.notes, *notes]))})


def record_from(future: Future[Record], killed: MutableMapping[int, float] | None = None) -> Record:
    """Return the record of a cell that was run in another process.

    Parameters
    ----------
    future : Future
        What the process will return.
    killed : mapping, optional
        For each killed process, by number: the limit of memory, in bytes, that it exceeded.

    Returns
    -------
    Record
        The record of the cell, or of its failure.

    Raises
    ------
    WorkersLost
        If the workers are gone; this is not a failure of the cell.
    """
    try:
        return future.result()
    except WorkersLost:
        raise
    except BrokenProcessPool as error:
        raise WorkersLost(
            "the worker processes have ended; finished cells are kept, run again to continue"
        ) from error
    except TimeoutError as error:
        return failure(f"exceeded the time limit of {error.args[1]:g} s")
    except ProcessExpired as error:
        limit = (killed or {}).pop(error.pid, None)
        if limit is not None:
            return failure(excess(limit)).model_copy(update={"memory": limit / 1e6})
        return failure(f"its process died (exit code {error.exitcode}); out of memory?")
    except Exception as error:  # an error of the process pool itself must not stop the run
        return failure(f"{type(error).__name__}: {error}", traceback.format_exc())


def failure(reason: str, trace: str = "") -> Record:
    """Return the record of a cell that failed; the texts may be long and contain any character."""
    return Record(
        status="failed",
        error=_storable(" ".join(reason.split()), _LONGEST_ERROR),
        traceback=_storable(trace, _LONGEST_TRACE),
    )


def _storable(text: str, most: int) -> str:
    """Return a text that can be stored and shown: without surrogates, and not too long."""
    text = text.encode("utf-8", "replace").decode()
    half = most // 2
    return text if len(text) <= most else f"{text[:half]} [...] {text[-half:]}"
