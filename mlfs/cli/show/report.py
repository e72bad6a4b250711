"""``mlfs report``: write all results on one page."""

from __future__ import annotations

import gc
from pathlib import Path

import click

from ..options import output_option, paper_option, sources_option


@click.command("report")
@sources_option
@paper_option
@output_option("File to write.", default="report.html", dir_okay=False)
def report(results: tuple[Path, ...], output: Path) -> None:
    """Write one page that shows how much of each paper is reproduced.

    It has a map of all printed values, coloured by how well they are reproduced; tables, critical
    differences, curves and chosen features; the settings, versions and machines of the runs; and
    the configs to download. The page is one file that needs no network. It can also be printed.

    Without RESULTS, the page shows the results in the folder 'results', or the results that come
    with mlfs if there is no such folder. --reference always means those that come with mlfs.

    \b
    mlfs report
    mlfs report --reference --paper rmfl
    mlfs report results/rmfl_table4 -o rmfl.html
    """
    from ...report.page.render import write

    gc.set_threshold(100_000, 50)  # next to nothing can be freed before the page is written
    click.echo(write(results, output))
