"""``mlfs plot``: draw the figures of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..options import mirror_option, output_option


@click.command()
@click.argument("results", type=click.Path(path_type=Path), required=False)
@output_option(
    "Folder for the figures (default: in RESULTS, or beside a packed file; for results that "
    "come with mlfs: figures/NAME in this folder)."
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
    "--against",
    type=click.Choice(["seconds"]),
    default=None,
    help="Draw only the scores of methods against the seconds that they need.",
)
@click.option(
    "--width",
    type=click.FloatRange(1, 40),
    metavar="INCHES",
    help="Make every figure exactly this wide, e.g. 3.5 for a column of a paper.",
)
@click.option("--font", default="", metavar="NAME", help="Font of all texts, such as serif.")
@click.option(
    "--caption/--no-caption",
    default=True,
    show_default=True,
    help="Say above each figure what it shows; a paper has its own captions.",
)
@click.option(
    "--dpi", type=click.IntRange(50, 2400), default=300, show_default=True, help="Dots of a png."
)
@click.option(
    "--waterfall", metavar="DATASET", help="Draw only the feature values of this dataset."
)
@mirror_option
def plot(
    results: Path | None,
    output: Path | None,
    waterfall: str | None,
    against: str | None,
    **options: Any,
) -> None:
    """Draw curves, sweeps and critical differences.

    Every figure says what its values are means of. Each dataset and missing ratio has one panel.
    Standard deviations over repeats are bars if there are few points, and bands if there are many.
    The method of the paper is black; hollow marks are the printed values. Lines also differ in
    dashes and markers, so that they can be distinguished without colours.

    A figure with very many lines is drawn only if its metric is named.

    If the config has a 'control', the other methods are compared with it by Bonferroni-Dunn;
    otherwise all methods are compared by Nemenyi.

    \b
    mlfs plot results/mfsef_curve
    mlfs plot results/gmfs_yeast --metric average_precision --ratio 0.4 --format pdf
    mlfs plot results/gmfs_yeast --width 3.5 --font serif --no-caption --format pdf
    mlfs plot results/gmfs_yeast --against seconds
    mlfs plot --waterfall arts --output figures
    """
    from ...report.figures import plot_files
    from ...report.figures.style import Print

    options["width"] = options["width"] or 0.0
    printed = Print(**{name: options.pop(name) for name in ("width", "font", "caption", "dpi")})
    wanted = options | {"against": against or "", "printed": printed}
    files, notes = plot_files.write(results, output, waterfall, **wanted)
    for line in (*files, *notes):
        click.echo(line)
    if results:
        click.echo(f"Next: mlfs table {results}")
