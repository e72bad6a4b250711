"""``mlfs table``, ``plot``, ``features`` and ``failures``: the commands that look at results."""

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
)
@click.option(
    "--by",
    type=click.Choice(["dataset", "size"]),
    default="dataset",
    show_default=True,
    help="What the rows are; by size there is a table per dataset, with the points of its curves.",
)
@click.option("--compare", is_flag=True, help="Put the printed figure and the gap beside ours.")
@click.option(
    "--stats/--no-stats",
    default=True,
    show_default=True,
    help="What the tests find, in words below a table (md, latex).",
)
@click.option("--tests", is_flag=True, help="Only the tests: a row per pair of methods.")
@click.option(
    "--pool", is_flag=True, help="One Friedman test per metric, ranks averaged over all tables."
)
@click.option(
    "--at",
    type=float,
    metavar="X",
    help="Only this point of the curves, such as 20 features (default: the mean along them).",
)
@click.option("--long", "in_full", is_flag=True, help="Every cell and point, as csv (or json).")
@click.option(
    "--width",
    type=click.IntRange(20),
    metavar="N",
    help="Break tables into blocks of columns of N characters (default: the terminal's width; "
    "not broken in a file or pipe).",
)
def table(
    results: tuple[Path, ...], metric: tuple[str, ...], width: int | None, **options: Any
) -> None:
    """Print the tables of results folders, or of all below them (default: results).

    A figure is the mean over repeats, each the mean along its curve; ± is the deviation over
    repeats. Bold: the best, and those not significantly worse (paired t-test over repeats, 5 %).
    Square brackets: the rank. A star: methods of this row have different repeats.

    Tests over datasets: Friedman, Nemenyi, Bonferroni-Dunn where the config has a control, and
    Wilcoxon with Holm's correction. --format json holds "cells" and "tests"; --format csv holds the
    cells, and with --tests the pairs of methods: pandas.read_csv reads both.

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
    "--top", type=click.IntRange(1), default=10, show_default=True, help="Features to list."
)
@click.option(
    "--size", type=click.IntRange(1), metavar="K", help="Look at the choices of K features."
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["md", "csv", "json"]),
    default="md",
    show_default=True,
)
@mirror_option
def features(results: tuple[Path, ...], **options: Any) -> None:
    """Print which features were chosen, how stably, and how alike by two methods.

    For each dataset and missing ratio: the features chosen most often over repeats, the stability
    index of Nogueira, Sechidis and Brown (1: always the same features, 0: as by chance), and how
    much two methods agree. Without --size, each method's largest choice is looked at. Features
    without a name are counted from 0.

    \b
    mlfs features results/gmfs_yeast --size 20
    mlfs features results/gmfs_yeast --top 50 --format csv
    """
    from ..report import show

    click.echo(show.features(results or (Path("results"),), **options))


@click.command()
@click.argument("results", type=click.Path(path_type=Path), required=False)
@click.option("--output", type=click.Path(path_type=Path), help="Folder (default: in the results).")
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
    help="Format of the files; may stand several times.",
)
@click.option(
    "--bands/--no-bands", default=True, show_default=True, help="Deviations, as bands or bars."
)
@click.option(
    "--waterfall", metavar="DATASET", help="Draw the feature values of a dataset instead."
)
@mirror_option
def plot(results: Path | None, output: Path | None, waterfall: str | None, **wanted: Any) -> None:
    """Draw curves, sweeps and critical differences.

    Every figure says what it is a mean of. Each dataset and missing ratio has a panel of its own.
    Deviations over repeats are bars at few points and bands at many. The method of the paper is
    black; hollow marks are what the paper prints. Lines differ in colour, dash and marker, so that
    a grey print will do. A config's 'control' is tested by Bonferroni-Dunn, otherwise all methods
    by Nemenyi.

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
    """Say why cells failed: each cause with its cells and one traceback (default: results).

    \b
    mlfs failures results/gmfs_yeast
    """
    from ..report.failures import as_text

    click.echo(as_text(results or (Path("results"),)))
