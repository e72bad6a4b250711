"""Run cells on a dask cluster: one that runs already, or a new one on this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from ...errors import UserError
from .beside import ClusterRun, end_pool
from .executor import Executor
from .handed_over import HandedOver, within
from .pool import environment

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

_ANSWER = 10.0  # seconds that a scheduler may take to answer
_STARTED = 60.0  # seconds that a cluster on this machine may take to start


@contextmanager
def cluster(
    scheduler: str | None, workers: int, timeout: float | None, memory: float | None = None
) -> Iterator[Executor]:
    """Connect to the cluster whose scheduler has this address, or start a new one.

    If a worker is lost, the cluster itself runs the cell on another one. If a worker hangs, this
    run takes the cell from it.

    Parameters
    ----------
    scheduler : str or None
        Address of the scheduler; None starts a cluster on this machine.
    workers : int
        Number of workers of a new cluster.
    timeout : float or None
        Seconds that a cell may take.
    memory : float, optional
        Bytes for the cells that one dask worker runs at the same time. By default the free
        memory, up to the worker's own limit.

    Yields
    ------
    Executor
        The cluster.
    """
    try:
        import distributed
    except ImportError as error:
        raise UserError("--executor dask needs an extra: pip install 'mlfs-bench[dask]'") from error
    with _silent(), ExitStack() as stack:
        if scheduler is None:
            # each cell runs in a separate process: here one thread for each is enough
            try:
                own = within(
                    _STARTED,
                    distributed.LocalCluster,
                    n_workers=1,
                    threads_per_worker=workers,
                    processes=False,
                    dashboard_address="127.0.0.1:0",  # any free port
                    memory_limit=0,  # the cells' processes need the memory, and we watch these
                )
            except (OSError, RuntimeError) as error:
                why = str(error) or f"no answer in {_STARTED:.0f} s"
                raise UserError(
                    f"dask cannot start a cluster on this machine ({why}): run without --executor "
                    "dask"
                ) from error
            stack.callback(_close, own)
            scheduler = own.scheduler_address
        try:
            client = within(3 * _ANSWER, distributed.Client, scheduler, timeout=_ANSWER)
        except (OSError, ValueError) as error:
            raise UserError(
                f"no dask scheduler answers at {scheduler}: start one, or correct --scheduler"
            ) from error
        run = ClusterRun(timeout, memory, environment())
        cells = HandedOver(client, run)
        stack.callback(_leave, client, run, cells)
        yield Executor(cells.submit, cells.window)


@contextmanager
def _silent() -> Iterator[None]:
    """Hide dask's log messages: a lost connection is reported by our own sentence."""
    from distributed.utils import silence_logging_cmgr

    with ExitStack() as stack:
        for name in ("distributed", "distributed.client"):
            stack.enter_context(silence_logging_cmgr(logging.CRITICAL + 1, name))
        yield


def _leave(client: Client, run: ClusterRun, cells: HandedOver) -> None:
    """End this run's processes on the cluster and disconnect; ignore errors of a lost cluster."""
    with suppress(Exception):
        if client.status == "running":
            those = {"workers": cells.answering, "on_error": "ignore"}
            within(_ANSWER, client.run, end_pool, run.name, **those)
    with suppress(Exception):
        within(_ANSWER, client.close, timeout=2)


def _close(own: LocalCluster) -> None:
    """End a cluster that was started here; ignore errors."""
    with suppress(Exception):
        within(_ANSWER, own.close, timeout=_ANSWER)
