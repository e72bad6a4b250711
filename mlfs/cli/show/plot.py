"""``mlfs plot``: draw the figures of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..options import mirror_option


@click.command()
@click.argument("results", type=click.Path(path_type=Path), required=False)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for the figures (default: in RESULTS, or beside a packed file).",
)
@click.option(
    "--metric", "metrics", multiple=True, help="Only these metrics (default: the config's)."
)
@click.option(
    "--ratio",
    "ratios",
    type=float,
    multiple=True,
    metavar="X",
    help="Only these shares of hidden labels, such as 0.4.",
)
@click.option(
    "--format",
    "kinds",
    type=click.Choice(["svg", "png", "pdf"]),
    multiple=True,
    default=("svg", "png"),
    show_default=True,
    help="Format of the files; can be used several times.",
)
@click.option(
    "--bands/--no-bands",
    default=True,
    show_default=True,
    help="Draw standard deviations, as bands or bars.",
)
@click.option(
    "--waterfall", metavar="DATASET", help="Draw only the feature values of this dataset."
)
@mirror_option
def plot(results: Path | None, output: Path | None, waterfall: str | None, **wanted: Any) -> None:
    """Draw curves, sweeps and critical differences.

    Every figure says what its values are means of. Each dataset and missing ratio has one panel.
    Standard deviations over repeats are bars if there are few points, and bands if there are many.
    The method of the paper is black; hollow marks are the printed values. Lines also differ in
    dashes and markers, so that they can be distinguished without colours.

    If the config has a 'control', the other methods are compared with it by Bonferroni-Dunn;
    otherwise all methods are compared by Nemenyi.

    \b
    mlfs plot results/mfsef_curve
    mlfs plot results/gmfs_yeast --metric average_precision --ratio 0.4 --format pdf
    mlfs plot --waterfall arts --output figures
    """
    from ...report.figures import plot_files

    for file in plot_files.write(results, output, waterfall, **wanted):
        click.echo(file)
    if results:
        click.echo(f"Next: mlfs table {results} --compare")
