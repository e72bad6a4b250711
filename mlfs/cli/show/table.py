"""``mlfs table``: print the tables of results."""

from __future__ import annotations

import gc
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from ...system.light_imports import left_out
from ..options import format_option

_NOT_OVERALL = ("compare", "tests", "pool", "in_full")


@click.command()
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@click.option("--metric", multiple=True, help="Only these metrics (default: the config's).")
@format_option("md", "csv", "latex", "html", "json")
@click.option(
    "--by",
    type=click.Choice(["dataset", "size"]),
    default="dataset",
    show_default=True,
    help="What the rows are. 'size' prints one table per dataset, with the points of the curves.",
)
@click.option("--compare", is_flag=True, help="Put the printed value and the gap beside ours.")
@click.option(
    "--stats/--no-stats",
    default=True,
    show_default=True,
    help="Print the results of the tests as sentences below each table (md, latex, html).",
)
@click.option(
    "--tests", is_flag=True, help="Print only the tests, one row for each pair of methods."
)
@click.option(
    "--rope",
    type=click.FloatRange(0),
    metavar="X",
    help="With --tests: also how probable it is that a method is better than, practically equal to "
    "or worse than another (Bayesian signed-rank test), where differences up to X do not matter.",
)
@click.option(
    "--pool",
    is_flag=True,
    help="Print one Friedman test per metric, with ranks averaged over all tables.",
)
@click.option(
    "--overall",
    is_flag=True,
    help="Print what all results say together: a verdict in words, ranks over datasets and "
    "families, tests against zero-filling, and score against seconds.",
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
    "--all",
    "whole",
    is_flag=True,
    help="Print the tables of all experiments in a folder, not an overview.",
)
@click.option(
    "--width",
    type=click.IntRange(20),
    metavar="N",
    help="Divide tables into blocks that are at most N characters wide (default: the width of the "
    "terminal; in a file or pipe tables are not divided).",
)
def table(
    results: tuple[Path, ...],
    metric: tuple[str, ...],
    width: int | None,
    overall: bool,
    **options: Any,
) -> None:
    """Print the tables of RESULTS (default: results).

    If RESULTS is a folder with several experiments, an overview is printed: for each experiment a
    line with its finished cells, the method with the best average rank, and the command that
    prints its tables. --all prints all tables; so do the formats for programs, --metric, --by size,
    --at, --tests, --pool and --long.

    A value is the mean over repeats; the value of a repeat is the mean of its curve. ± is the
    standard deviation over repeats. Bold values, from five repeats on, are the best one and the
    next ones that are not significantly worse (paired t-test over repeats, 5 %, corrected for
    overlapping training parts and by Holm). Ranks are in square brackets. A star means that the
    methods of this row have different repeats.

    The tests over datasets are Friedman, Nemenyi, Bonferroni-Dunn if the config has a control, and
    Wilcoxon with Holm's correction. --format json has "values" and "tests". --format csv has the
    values, or with --tests the pairs of methods; pandas.read_csv reads both.

    --overall compares methods over all given results, for one metric: kinds of missing labels,
    tuned parameters, and classifiers trained on full labels are kept apart. A family of datasets
    counts once. The name of a config with several experiments means all of them.

    \b
    mlfs table results/mfsef_original --compare
    mlfs table results
    mlfs table results --all --compare
    mlfs table results --metric average_precision --format latex
    mlfs table results/rmfl_table2 --tests --format csv > tests.csv
    mlfs table results/mfsef --tests --rope 0.01
    mlfs table results/rmfl_table4 results/rmfl_table5 results/rmfl_table6 --pool
    mlfs table results/gmfs_yeast --by size
    mlfs table results/gmfs_yeast --format html > tables.html
    mlfs table results/semfs_digits --at 20
    mlfs table results/reference/gmfs_table3 --overall
    """
    gc.set_threshold(100_000, 50)  # next to nothing can be freed before the tables are printed
    if width is None and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
    folders = results or (Path("results"),)
    if overall:
        from ...report.overall import overall_text

        given = [name for name in _NOT_OVERALL if options[name]]
        numbers = [name for name in ("at", "rope") if options[name] is not None]
        if given or numbers or options["by"] != "dataset":
            raise click.UsageError("--overall goes with --metric, --format and --width only")
        click.echo(overall_text.as_text(folders, list(metric), options["kind"], width))
        return
    with left_out("pyarrow"):
        from ...report.tables.table_text import as_text

    click.echo(as_text(folders, list(metric), width=width, **options))
