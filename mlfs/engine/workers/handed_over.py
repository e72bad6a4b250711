"""Hand cells to a dask cluster, and those of a worker that has fallen silent to another worker.

A worker whose process is stopped, or whose machine hangs, keeps its connection: dask waits for it
for five minutes or longer. Every call to the cluster has a deadline.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import UserError, WorkersLost
from ...protocols import Cell, Record
from .beside import ClusterRun, run_beside
from .run_cell import failure

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE = 60.0  # seconds that a scheduler may take to answer when it may have much to do
_LOOK = 2.0  # seconds until the workers of the cluster are looked at again
# seconds without a sign of life after which a worker gets no cell and keeps none; the first import
# of mlfs from a slow disk silences it for a while, too
_SILENT = 120.0
_AWAKE = 5.0  # seconds: if there are more between two looks, this process was suspended
_TIMES = 3  # that a cell may be taken from a silent worker


def within(seconds: float, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a function of dask, which may wait for ever, and raise TimeoutError if it does."""
    done: Future[Any] = Future()

    def call() -> None:
        try:
            done.set_result(function(*args, **options))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    return done.result(seconds)


@dataclass(eq=False)
class _Sent:
    """A cell that the cluster has: its future for the run, and dask's future."""

    cell: Cell
    need: float
    promised: Future[Record]
    remote: Any = None  # None while no worker can take it
    taken: int = 0  # how often it was taken from a silent worker


@dataclass
class _Sign:
    """The last sign of life of a worker, by the scheduler's clock, and how long it is the last."""

    last: float
    silent: float = 0.0


class HandedOver:
    """Hold the cells that a run has handed to a cluster.

    Parameters
    ----------
    client : Client
        The connection to the cluster.
    run : ClusterRun
        What the workers must know.
    clock : callable
        Returns the present time in seconds.
    """

    def __init__(
        self, client: Client, run: ClusterRun, clock: Callable[[], float] = time.monotonic
    ):
        self._clock = clock
        self._client = client
        self._run = run
        self._open: list[_Sent] = []
        self._changing = threading.Lock()
        self._signs: dict[str, _Sign] = {}  # by the worker's address
        self._threads: dict[str, int] = {}  # of the workers that are not silent
        self._looked = -_LOOK

    @property
    def answering(self) -> list[str]:
        """The addresses of the workers that are not silent."""
        return list(self._threads)

    def window(self) -> int:
        """Count the threads of the workers that are not silent; they may come and go.

        No more cells than threads are handed over. If a cell kills its worker, dask also blames
        the cells that wait at this worker.
        """
        now = self._clock()
        if now - self._looked >= _LOOK:
            try:
                self._look(min(now - self._looked, _AWAKE))
            except Exception as error:  # any error means that the scheduler does not answer
                raise _lost(self._client) from error
            self._looked = now
        return sum(self._threads.values())

    def submit(self, cell: Cell, need: float) -> Future[Record]:
        """Hand a cell to the cluster, and return a future of concurrent.futures."""
        sent = _Sent(cell, need, Future())
        sent.promised.set_running_or_notify_cancel()
        self._open.append(sent)
        self._send(sent)
        return sent.promised

    def _send(self, sent: _Sent) -> None:
        options: dict[str, Any] = {}
        if len(self._threads) < len(self._signs):  # others only if all of these are gone
            options = {"workers": self.answering, "allow_other_workers": True}
        try:
            args = run_beside, sent.cell, sent.need, self._run
            remote = within(_PATIENCE, self._client.submit, *args, pure=False, **options)
        except Exception as error:  # the connection broke just now
            raise _lost(self._client) from error
        sent.remote = remote
        # in a new thread, because result() may wait: dask reruns a cell whose result was lost
        remote.add_done_callback(
            lambda _: threading.Thread(
                target=self._settle, args=(sent, remote), daemon=True
            ).start()
        )

    def _settle(self, sent: _Sent, remote: Any) -> None:
        """Take the result from dask, unless the cell was given to another worker."""
        from distributed.scheduler import KilledWorker

        outcome: Record | BaseException
        try:
            outcome = remote.result()
        except KilledWorker as error:
            died = f"{error.allowed_failures + 1} dask workers died while they ran it"
            outcome = failure(f"{died}; out of memory?")
        except BaseException as error:
            outcome = _translated(error, self._client)
        with self._changing:
            if sent.remote is not remote:
                return
            self._open.remove(sent)
        if isinstance(outcome, BaseException):
            sent.promised.set_exception(outcome)
        else:
            sent.promised.set_result(outcome)

    def _look(self, passed: float) -> None:
        """See which workers are silent, `passed` seconds after the last look."""
        scheduler: Any = self._client.scheduler
        # not scheduler_info(), which some versions of dask cut off after five workers
        about = within(_PATIENCE, self._client.sync, scheduler.identity)["workers"]
        signs = {address: _Sign(one["last_seen"]) for address, one in about.items()}
        for address, sign in signs.items():
            before = self._signs.get(address)
            if before is not None and before.last == sign.last:
                sign.silent = before.silent + passed
        self._signs = signs
        silent = {address for address, sign in signs.items() if sign.silent > _SILENT}
        self._threads = {
            address: one["nthreads"] for address, one in about.items() if address not in silent
        }
        if silent:
            self._take_back(silent)
        for sent in [one for one in self._open if one.remote is None]:
            if sent.taken > _TIMES:
                self._open.remove(sent)
                why = f"{sent.taken} dask workers gave no sign of life for {_SILENT:.0f} s"
                sent.promised.set_result(failure(f"{why} while they ran it"))
            elif self._threads:
                self._send(sent)

    def _take_back(self, silent: set[str]) -> None:
        """Take the cells that silent workers run, or whose results only they have."""
        with self._changing:
            remotes = [one.remote for one in self._open if one.remote is not None]
        if not remotes:
            return
        running = within(_PATIENCE, self._client.processing)
        stranded = {key for address in silent for key in running.get(address, ())}
        for key, places in within(_PATIENCE, self._client.who_has, remotes).items():
            if places and silent.issuperset(places):
                stranded.add(key)
        taken = []
        with self._changing:
            for sent in self._open:
                if sent.remote is not None and sent.remote.key in stranded:
                    taken.append(sent.remote)
                    sent.remote, sent.taken = None, sent.taken + 1
        if taken:
            within(_PATIENCE, self._client.cancel, taken)


def _lost(client: Client) -> WorkersLost:
    address = client.scheduler.address if client.scheduler else "its address"
    return WorkersLost(
        f"the dask scheduler at {address} is lost; finished cells are kept, run again to continue, "
        "on this or another cluster"
    )


def _translated(error: BaseException, client: Client) -> BaseException:
    """Return the error to raise for an error of the cluster."""
    if isinstance(error, ImportError):
        return UserError(
            f"the dask workers cannot run cells ({error}): install the same version of mlfs there"
        )
    if isinstance(error, Exception) and client.status == "running" and not _cancelled(error):
        return error
    return _lost(client)


def _cancelled(error: BaseException) -> bool:
    return isinstance(error, asyncio.CancelledError | CancelledError | OSError)
