"""How to run: where, on how many workers, and within which limits."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError
from . import memory
from .cluster import cluster
from .executor import Executor, local

EXECUTORS = ("local", "dask")


@dataclass(frozen=True)
class Options:
    """How to run.

    Parameters
    ----------
    executor : {"local", "dask"}
        What runs the cells: processes of this machine, or a dask cluster.
    scheduler : str, optional
        Address of the cluster; without it one is started on this machine.
    workers : int, optional
        How many on this machine; one per core by default.
    timeout : float, optional
        Seconds a cell may take.
    memory : str, optional
        For all cells that run at once, such as "20GB"; what is free by default. On a cluster, for
        those of one dask worker.
    retry_failed : bool
        Run only what failed before.
    force : bool
        Run again what is done.
    skip_missing : bool
        Leave out datasets that cannot be obtained, rather than stop.
    reuse : path, optional
        Take finished cells from these results instead of running them.
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

    def __post_init__(self) -> None:
        self._bytes  # noqa: B018 (a mistake in it is said at once)
        if self.executor not in EXECUTORS:
            raise UserError(f"no executor '{self.executor}': choose {' or '.join(EXECUTORS)}")
        if self.reuse is not None and (self.force or self.retry_failed):
            raise UserError("--reuse takes what is done, --force and --retry-failed run it again")
        if self.scheduler and self.executor != "dask":
            raise UserError("a scheduler is a dask cluster's: add --executor dask")
        if self.scheduler and self.workers:
            raise UserError(
                "--workers is for this machine: a cluster has the workers that you started for it"
            )

    @property
    def place(self) -> str:
        """Where the cells run, in words."""
        if self.scheduler:
            return f"dask at {self.scheduler}"
        return f"{self._count} workers" + (" of dask" if self.executor == "dask" else "")

    @property
    def _count(self) -> int:
        return self.workers or os.cpu_count() or 1

    @property
    def _bytes(self) -> float | None:
        return None if self.memory is None else memory.parse(self.memory)

    def open(self) -> AbstractContextManager[Executor]:
        """Start the workers, or find the cluster."""
        if self.executor == "dask":
            return cluster(self.scheduler, self._count, self.timeout, self._bytes)
        return local(self._count, self.timeout, self._bytes)
