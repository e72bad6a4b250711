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

    Both are estimated from finished cells, also those of the other configs: from cells of the same
    method on the same data where there are any; else from how the cost of each method grows with
    the data, which 'mlfs methods show' states. If no cell was run yet, the results that come with
    mlfs say how fast a method is. That is a rough guess, often three times too much or too little,
    so run one repeat of some datasets first, also of a large one.

    The time is what cells took, so cells that were run on a busy machine make it longer. "Off" is
    the typical factor by which the estimate is too high or too low. It compares each finished cell
    with the estimate from the other cells.

    \b
    mlfs run gmfs_yeast --only repeat=0
    mlfs estimate gmfs_yeast --workers 8
    """
    from ...engine import runner
    from ...report.lists import estimates

    click.echo(estimates.as_text(runner.gather(configs, results, only), workers, configs))
