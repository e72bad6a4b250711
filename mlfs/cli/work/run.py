"""``mlfs run``: run experiments, or continue them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ...errors import count_of
from ..options import mirror_option, only_option, results_option, stoppable, workers_option


@click.command()
@click.argument("configs", nargs=-1, required=True, type=click.Path(path_type=Path))
@results_option
@click.option(
    "--executor",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Run cells in processes of this machine, or on a dask cluster.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="The scheduler of the dask cluster (default: start a cluster on this machine).",
)
@workers_option
@only_option
@click.option(
    "--quick",
    is_flag=True,
    help="Run only a small part of each config, as NAME-quick: one dataset, ratio and repeat, no "
    "tuning, and a tenth of the budget of active learning.",
)
@click.option("--dry-run", is_flag=True, help="List the cells and stop.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), help="Seconds that a cell may take."
)
@click.option(
    "--memory",
    metavar="SIZE",
    help="Memory for all cells that run at the same time, e.g. 20GB (default: the free memory).",
)
@click.option("--force", is_flag=True, help="Run finished cells again.")
@click.option("--retry-failed", is_flag=True, help="Run only the cells that failed before.")
@click.option(
    "--reuse",
    metavar="RESULTS",
    type=click.Path(path_type=Path),
    help="Take finished cells from these results, such as results/reference, and run the others.",
)
@click.option("--skip-missing", is_flag=True, help="Skip datasets that are not available.")
@click.option(
    "--no-sync",
    "sync",
    flag_value=False,
    default=True,
    help="Do not wait for the disk after each cell: faster for cells of a few milliseconds, but a "
    "power cut may lose some.",
)
@mirror_option
@stoppable
def run(
    configs: tuple[Path, ...],
    results: Path,
    only: tuple[str, ...],
    quick: bool,
    dry_run: bool,
    **options: Any,
) -> None:
    """Run experiments: config files, or names of configs that come with mlfs.

    Finished cells are not run again. In a config, module:Class names your own method, in a file
    beside the config or in an installed package.

    The memory that a cell needs is estimated from earlier cells, or from the size of its data. If
    it needs much, fewer other cells run at the same time. A cell that needs more than its part
    fails, and gets twice as much in the next run. On a cluster, --memory is for the cells of one
    dask worker.

    If a cell fails, its error is recorded, and the next run tries it again. A cell without a metric
    of the config is unfinished. Several runs of a config, also on several machines, may share a
    results folder: each cell is run by one of them.

    Exit codes: 0: all cells are done. 1: some cells failed. 2: there is a mistake in the command or
    the config. 3: the dask scheduler or all workers were lost; run again to continue. 130 or 143:
    stopped by Ctrl-C or SIGTERM.

    \b
    mlfs run mfsef_original
    mlfs run my.yaml
    mlfs run configs/*.yaml --workers 2 --timeout 600 --memory 8GB
    mlfs run gmfs_yeast --reuse results/reference
    mlfs run my.yaml --executor dask --scheduler tcp://10.0.0.1:8786
    mlfs run configs/yeast.yaml --only method=mlknn,libsvm --only repeat=0 --dry-run
    """
    from ...engine import runner
    from ...progress import execute

    how = runner.Options(**options)
    work = runner.gather(configs, results, only, quick, how.skip_missing)
    if dry_run:
        for _ in runner.choose(work, how):
            pass  # what is wrong with stored cells is told by the run
        for item in work:
            todo = {planned.key for planned in item.todo}
            for planned in item.cells:
                taken = f"from {how.reuse}" if planned.key in item.reused else "done"
                state = "to run" if planned.key in todo else taken
                click.echo(f"{item.experiment.name}: {planned.describe()} ({state})")
        cells, left = sum(len(i.cells) for i in work), sum(len(i.todo) for i in work)
        click.echo(f"{count_of(cells, 'cell')}, {left} to run. Next: run without --dry-run")
        return
    sys.exit(1 if execute(work, how) else 0)
