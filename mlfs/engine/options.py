"""The options of a run: where it runs, with how many workers, and within which limits."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError, count_of
from ..system import memory
from .workers.dask_cluster import cluster
from .workers.executor import Executor, local

EXECUTORS = ("local", "dask")


@dataclass(frozen=True)
class Options:
    """Hold the options of a run.

    Parameters
    ----------
    executor : {"local", "dask"}
        What runs the cells: processes of this machine, or a dask cluster.
    scheduler : str, optional
        Address of the cluster's scheduler; by default a cluster is started on this machine.
    workers : int, optional
        Number of workers on this machine; by default one per core.
    timeout : float, optional
        Seconds that a cell may take.
    memory : str, optional
        Memory for all cells that run at the same time, such as "20GB"; by default the free
        memory. On a cluster it is for the cells of one dask worker.
    retry_failed : bool
        Run only the cells that failed before.
    force : bool
        Run finished cells again.
    skip_missing : bool
        Skip datasets that cannot be obtained, instead of stopping.
    reuse : path, optional
        Take finished cells from these results instead of running them.
    sync : bool
        Whether every finished cell is on the disk before the run goes on, so that a power cut
        loses none.
    """

    executor: str = "local"
    scheduler: str | None = None
    workers: int | None = None
    timeout: float | None = None
    memory: str | None = None
    retry_failed: bool = False
    force: bool = False
    skip_missing: bool = False
    reuse: Path | None = None
    sync: bool = True

    def __post_init__(self) -> None:
        self._bytes  # noqa: B018 (to report a mistake in it before the run starts)
        if self.executor not in EXECUTORS:
            raise UserError(f"no executor '{self.executor}': choose {' or '.join(EXECUTORS)}")
        if self.reuse is not None and (self.force or self.retry_failed):
            raise UserError(
                "--reuse cannot be used with --force or --retry-failed, which run cells again: "
                "leave one out"
            )
        if self.scheduler and self.executor != "dask":
            raise UserError("--scheduler is only for a dask cluster: add --executor dask")
        if self.scheduler and self.workers:
            raise UserError(
                "--workers is only for this machine, and a cluster has its own workers: leave "
                "--workers out"
            )

    @property
    def place(self) -> str:
        """A text that says where the cells run."""
        if self.scheduler:
            return f"dask at {self.scheduler}"
        workers = count_of(self._count, "worker")
        return workers + (" of dask" if self.executor == "dask" else "")

    @property
    def _count(self) -> int:
        return self.workers or os.cpu_count() or 1

    @property
    def _bytes(self) -> float | None:
        return None if self.memory is None else memory.parse(self.memory)

    def open(self) -> AbstractContextManager[Executor]:
        """Start the workers, or connect to the cluster."""
        if self.executor == "dask":
            return cluster(self.scheduler, self._count, self.timeout, self._bytes)
        return local(self._count, self.timeout, self._bytes)
