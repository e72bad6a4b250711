"""``mlfs report``: write all results on one page."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import mirror_option


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
def report(results: tuple[Path, ...], output: Path) -> None:
    """Write one page that shows how much of each paper is reproduced.

    It has a map of all printed values, coloured by how well they are reproduced; tables, critical
    differences, curves and chosen features; the settings, versions and machines of the runs; and
    the configs to download. The page is one file that needs no network. It can also be printed.

    Without RESULTS, the page shows the results in the folder 'results', or else the reference
    results of mlfs.

    \b
    mlfs report
    mlfs report results/rmfl_table4 -o rmfl.html
    """
    from ...report.page.render import write

    click.echo(write(results, output))
