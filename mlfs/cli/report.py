"""``mlfs table``, ``plot``, ``features`` and ``failures``: the commands that show results."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import click

from .group import mirror_option


@click.command()
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@click.option("--metric", multiple=True, help="Only these metrics (default: the config's).")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["md", "csv", "latex", "json"]),
    default="md",
    show_default=True,
    help="Format of the output.",
)
@click.option(
    "--by",
    type=click.Choice(["dataset", "size"]),
    default="dataset",
    show_default=True,
    help="What the rows are. 'size' prints one table per dataset, with the points of the curves.",
)
@click.option("--compare", is_flag=True, help="Put the printed figure and the gap beside ours.")
@click.option(
    "--stats/--no-stats",
    default=True,
    show_default=True,
    help="Print the results of the tests as sentences below each table (md, latex).",
)
@click.option(
    "--tests", is_flag=True, help="Print only the tests, one row for each pair of methods."
)
@click.option(
    "--pool",
    is_flag=True,
    help="Print one Friedman test per metric, with ranks averaged over all tables.",
)
@click.option(
    "--at",
    type=float,
    metavar="X",
    help="Use only this point of the curves, such as 20 features (default: the mean of the curve).",
)
@click.option(
    "--long", "in_full", is_flag=True, help="Print every cell and every point, as csv (or json)."
)
@click.option(
    "--width",
    type=click.IntRange(20),
    metavar="N",
    help="Divide tables into blocks that are at most N characters wide (default: the width of the "
    "terminal; in a file or pipe tables are not divided).",
)
def table(
    results: tuple[Path, ...], metric: tuple[str, ...], width: int | None, **options: Any
) -> None:
    """Print the tables of RESULTS, or of all results folders in it (default: results).

    A figure is the mean over repeats; the value of a repeat is the mean of its curve. ± is the
    standard deviation over repeats. Bold figures are the best one, and those that are not
    significantly worse (paired t-test over repeats, 5 %). Ranks are in square brackets. A star
    means that the methods of this row have different repeats.

    The tests over datasets are Friedman, Nemenyi, Bonferroni-Dunn if the config has a control, and
    Wilcoxon with Holm's correction. --format json has "cells" and "tests". --format csv has the
    cells, or with --tests the pairs of methods; pandas.read_csv reads both.

    \b
    mlfs table results/mfsef_original --compare
    mlfs table results/ --metric average_precision --format latex
    mlfs table results/rmfl_table2 --tests --format csv > tests.csv
    mlfs table results/rmfl_table4 results/rmfl_table5 results/rmfl_table6 --pool
    mlfs table results/gmfs_yeast --by size
    mlfs table results/semfs_digits --at 20
    """
    from ..report import show

    if width is None and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
    folders = results or (Path("results"),)
    click.echo(show.tables(folders, list(metric), width=width, **options))


@click.command()
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--top",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of features to list.",
)
@click.option("--size", type=click.IntRange(1), metavar="K", help="Use the subsets of K features.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["md", "csv", "json"]),
    default="md",
    show_default=True,
    help="Format of the output.",
)
@mirror_option
def features(results: tuple[Path, ...], **options: Any) -> None:
    """Print which features were chosen, how stable the choice is, and how methods agree.

    For each dataset and missing ratio this prints the features that were chosen most often over
    repeats. It also prints the stability index of Nogueira, Sechidis and Brown (1: always the same
    features, 0: no better than chance), and how much two methods agree.

    Without --size, the largest subset of each method is used. Features without a name are numbered
    from 0.

    \b
    mlfs features results/gmfs_yeast --size 20
    mlfs features results/gmfs_yeast --top 50 --format csv
    """
    from ..report import show

    click.echo(show.features(results or (Path("results"),), **options))


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
    from ..report import show

    for file in show.figures(results, output, waterfall, **wanted):
        click.echo(file)
    if results:
        click.echo(f"Next: mlfs table {results} --compare")


@click.command()
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
def failures(results: tuple[Path, ...]) -> None:
    """Print why cells failed: each cause with its cells and one traceback (default: results).

    \b
    mlfs failures results/gmfs_yeast
    """
    from ..report.failures import as_text

    click.echo(as_text(results or (Path("results"),)))
