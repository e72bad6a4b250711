"""``mlfs features``: print which features were chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..options import format_option, mirror_option


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
@format_option("md", "csv", "json")
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
    from ...report.lists.feature_tables import as_text

    click.echo(as_text(results or (Path("results"),), **options))
