"""Make the record of a cell, or the record of its failure."""

from __future__ import annotations

import json
import os
import random
import traceback
import warnings
from concurrent.futures import Future

import numpy as np

from ...errors import UserError
from ...methods.registry import Scope
from ...methods.user_code import told, trace
from ...numerics.params import TooManyWarning
from ...protocols import Cell, Record, protocol
from ...protocols.steps.seeds import seed
from ...system.memory import forget_peak, peak, peak_of_children
from ...system.origin import origin
from .versions import OtherVersions, check_versions
from .watch import OutOfMemory, OutOfTime, WorkerDied

_LONGEST_ERROR, _LONGEST_TRACE = 1000, 20_000  # characters that are kept


def run_cell(cell: Cell) -> Record:
    """Run one cell in this process; any error of its code becomes a record of the failure.

    Parameters
    ----------
    cell : Cell
        The cell.

    Returns
    -------
    Record
        Its record, of plain numbers and texts: nothing in it runs code of a method later.

    Raises
    ------
    UserError
        If this process has other versions of the code than the cell was planned with.
    """
    worker = os.getpid()
    forget_peak()
    _set_seeds(cell)
    try:
        with Scope(sources=cell.code):
            check_versions(cell)
            record = _plain(_run_and_listen(cell))
    except OtherVersions:
        raise
    except BaseException as error:
        record = failure(told(error), trace(error))
    finally:
        if os.getpid() != worker:  # a child that the method forked must not return a second result
            os._exit(0)
    memory = max(peak(), peak_of_children()) if cell.foreign else peak()
    return record.model_copy(update={"made_by": origin(), "memory": round(memory / 1e6, 1)})


def _set_seeds(cell: Cell) -> None:
    """Set the generators that methods of other authors may use from the cell's seed."""
    random.seed(seed(cell, "random"))
    np.random.seed(seed(cell, "numpy.random"))  # noqa: NPY002


def _plain(record: Record) -> Record:
    """Return a record as it will be when it is stored and read again."""
    return Record.model_validate(json.loads(json.dumps(record.model_dump())))


def _run_and_listen(cell: Cell) -> Record:
    """Run a cell, and add its warnings about too large counts to the record."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TooManyWarning)
        record = protocol(cell.settings.protocol).run(cell)
    notes = [str(warning.message) for warning in heard]
    return record.model_copy(update={"notes": list(dict.fromkeys([*record.notes, *notes]))})


def record_from(future: Future[Record]) -> Record:
    """Return the record of a cell that was run in another process.

    Parameters
    ----------
    future : Future
        What the process will return.

    Returns
    -------
    Record
        The record of the cell, or of its failure.

    Raises
    ------
    UserError
        If the workers are gone or have other versions; this is not a failure of the cell.
    """
    try:
        return future.result()
    except UserError:
        raise
    except OutOfMemory as error:
        return failure(str(error)).model_copy(update={"memory": error.limit / 1e6})
    except (OutOfTime, WorkerDied) as error:
        return failure(str(error))
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
