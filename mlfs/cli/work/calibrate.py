"""``mlfs calibrate``: find settings that a paper does not report."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import mirror_option, only_option, results_option, stoppable, workers_option


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@results_option
@workers_option
@only_option
@click.option(
    "--open",
    "opened",
    multiple=True,
    type=click.Choice(["scale", "train", "C", "gamma", "mask"]),
    help="Vary only this setting, and keep the others as in the config (default: vary all).",
)
@mirror_option
@stoppable
def calibrate(
    file: Path,
    results: Path,
    workers: int | None,
    only: tuple[str, ...],
    opened: tuple[str, ...],
) -> None:
    """Find the settings that a paper does not report, with its column of no feature selection.

    This tries all combinations of scaling, train share, C, gamma and the way to hide labels, on the
    three smallest datasets. The better combinations are then tried on the larger datasets.
    At the end it prints the keys of the config that have the best setting.

    \b
    mlfs calibrate gmfs_table2 --only dataset=emotions,yeast
    mlfs calibrate gmfs_untuned --open mask
    """
    from ... import calibrate as search

    table = search.calibrate(file, results, workers=workers, only=only, opened=opened)
    click.echo(table.to_string(float_format=lambda value: f"{value:.4f}", na_rep="-"))
    click.echo(f"\n{search.keys_to_set(file, table)}\nNext: set these keys in {file}")
