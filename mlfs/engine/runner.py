"""Run configs from start to end: plan, check the data, execute, store, and say what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from .. import config
from ..errors import UserError
from ..protocols import Experiment
from . import execute, plan
from .plan import Cell
from .store import Store


@dataclass
class Work:
    """An experiment, where its results are kept, and which of its cells to look at."""

    experiment: Experiment
    store: Store
    cells: list[Cell]

    def todo(self, retry_failed: bool) -> list[Cell]:
        if retry_failed:
            records = {cell.key: self.store.read(cell) for cell in self.cells}
            return [c for c in self.cells if (records[c.key] or {}).get("status") == "failed"]
        return [cell for cell in self.cells if not self.store.done(cell)]


def run(
    configs: Sequence[Path],
    results: Path,
    *,
    jobs: int,
    only: tuple[str, ...] = (),
    quick: bool = False,
    dry_run: bool = False,
    timeout: float | None = None,
    retry_failed: bool = False,
    skip_missing: bool = False,
    scheduler: str | None = None,
) -> int:
    """Run all configs, cheapest first, and return how many cells failed."""
    work = _gather(configs, results, only, quick)
    if dry_run:
        for item in work:
            for cell in item.cells:
                state = "done" if item.store.done(cell) else "to run"
                click.echo(f"{item.experiment.name}: {cell.describe()} ({state})")
        click.echo(f"{sum(len(item.cells) for item in work)} cells. Next: run without --dry-run")
        return 0
    failed = execute_all(
        work,
        jobs=jobs,
        timeout=timeout,
        retry_failed=retry_failed,
        skip_missing=skip_missing,
        scheduler=scheduler,
    )
    for item in work:
        _summarise(item)
    return failed


def execute_all(
    work: list[Work],
    *,
    jobs: int,
    timeout: float | None = None,
    retry_failed: bool = False,
    skip_missing: bool = False,
    scheduler: str | None = None,
) -> int:
    """Run what is unfinished of some experiments and return how many cells failed."""
    todo = [(item, item.todo(retry_failed)) for item in work]
    for item, cells in todo:
        # what is missing or damaged is said before any work
        for name, clean in sorted({(c.spec["dataset"], c.spec["clean"]) for c in cells}):
            try:
                item.experiment.prepare(name, clean)
            except UserError as error:
                if not skip_missing:
                    raise
                click.echo(f"{item.experiment.name}: skipping {name}: {error}")
                cells[:] = [cell for cell in cells if cell.spec["dataset"] != name]
    for item in work:
        item.store.open(item.experiment)
    return _execute(todo, jobs, timeout, scheduler) if any(cells for _, cells in todo) else 0


def _gather(
    configs: Sequence[Path], results: Path, conditions: tuple[str, ...], quick: bool
) -> list[Work]:
    work = []
    for experiment in (one for path in configs for one in config.load_all(path)):
        if quick:
            experiment = experiment.slice()
        cells = plan.only(plan.plan(experiment), conditions)
        work.append(Work(experiment, Store(results / experiment.name), cells))
    if not any(item.cells for item in work):
        raise UserError(f"no cell fits --only {' '.join(conditions)}: --dry-run lists them all")
    names = [item.experiment.name for item in work]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"two configs are named '{name}': give each a name of its own")
    return sorted(work, key=lambda item: item.experiment.cost)


def _execute(
    todo: list[tuple[Work, list[Cell]]], jobs: int, timeout: float | None, scheduler: str | None
) -> int:
    failed = 0
    busy = [(item, cells) for item, cells in todo if cells]
    title = busy[0][0].experiment.name if len(busy) == 1 else f"{len(busy)} experiments"
    total = sum(len(cells) for _, cells in busy)
    tuners = {
        cell.tuner.key
        for item, cells in busy
        for cell in cells
        if cell.tuner and not item.store.done(cell.tuner)
    }
    what = f"{total} cells" + (f" and {len(tuners)} tunings" if tuners else "")
    place = "dask" if scheduler else f"{jobs} workers"
    with (
        tqdm(total=total + len(tuners), desc=f"{title}: {what}, {place}", unit="cell") as bar,
        execute.dask(scheduler) if scheduler else execute.local(jobs, timeout) as submit,
    ):

        def report(cell: Cell, outcome: dict[str, Any]) -> None:
            nonlocal failed
            if outcome["status"] == "failed":
                failed += 1
                bar.write(f"failed: {cell.describe()}: {outcome['error']}")
            bar.set_postfix_str(f"{failed} failed", refresh=False)
            bar.update()

        try:
            for item, cells in busy:
                execute.run_cells(cells, item.store, submit, report)
        except KeyboardInterrupt:
            raise UserError("stopped; what is finished is kept, run again to go on") from None
    return failed


def _summarise(item: Work) -> None:
    records = [item.store.read(cell) for cell in item.cells]
    done = sum(record is not None and record["status"] == "done" for record in records)
    failed = sum(record is not None and record["status"] == "failed" for record in records)
    compare = " --compare" if item.experiment.paper else ""
    click.echo(
        f"{item.store.folder}: {done} done, {failed} failed.  "
        f"Next: mlfs table {item.store.folder}{compare}"
    )
