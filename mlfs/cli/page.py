"""``mlfs report``: everything on one page."""

from __future__ import annotations

from pathlib import Path

import click

from .group import mirror_option


@click.command("report")
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("report.html"),
    show_default=True,
    help="File to write.",
)
@mirror_option
def page(results: tuple[Path, ...], output: Path) -> None:
    """Write one page that shows how much of each paper holds.

    A map of all printed cells, coloured by how they stand; tables, critical differences, curves,
    chosen features; what was run, with which settings, versions and machines; and the configs to
    download. It is one file that asks for nothing from elsewhere, for a screen, a phone or paper.

    Without RESULTS, those in 'results' are taken, else the reference results of mlfs.

    \b
    mlfs report
    mlfs report results/rmfl_table4 -o rmfl.html
    """
    from ..report.page import write

    click.echo(write(results, output))
