"""``mlfs estimate``: how long a run will take."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import mirror_option, only_option, results_option


@click.command()
@click.argument("configs", nargs=-1, required=True, type=click.Path(path_type=Path))
@results_option
@only_option
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Number of workers that the hours are for.",
)
@mirror_option
def estimate(configs: tuple[Path, ...], results: Path, only: tuple[str, ...], workers: int) -> None:
    """Estimate how long the unfinished cells of configs will take, and how much memory they need.

    Both are estimated from earlier cells. If no cell was run yet, the size of the data gives only
    a rough guess, so run one repeat first.

    "Off" is the typical factor by which the estimate is too high or too low. It compares each
    finished cell with the estimate from the other cells.

    \b
    mlfs run gmfs_yeast --only repeat=0
    mlfs estimate gmfs_yeast --workers 8
    """
    from ...engine import runner
    from ...report.lists import estimates

    click.echo(estimates.as_text(runner.gather(configs, results, only), workers))
