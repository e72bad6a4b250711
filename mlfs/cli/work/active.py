"""``mlfs active``: choose which rows of your own data to annotate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..options import Group, force_option, impute_option, output_option, own_options, show_notes


@click.group(cls=Group)
def active() -> None:
    """Choose what to annotate next in your own data."""


@active.command()
@own_options
@impute_option
@click.option(
    "--n", type=click.IntRange(1), default=20, show_default=True, help="Number of rows to suggest."
)
@click.option(
    "--strategy",
    default="miml",
    show_default=True,
    help="Name of a strategy ('mlfs methods list').",
)
@click.option(
    "--labels-per-row", type=click.IntRange(1), help="Suggest up to this many labels of each row."
)
@output_option("Write the csv to a file.")
@force_option
def suggest(own: Any, output: Path | None, force: bool, **options: Any) -> None:
    """Print as csv which rows of unlabelled data to annotate next, the most useful first.

    X.csv has the features and Y.csv the labels, with one row for each row of features: 1, 0, or
    nothing if a label is not known. Or name one file, and its label columns with --labels.

    With --labels-per-row, single labels are suggested, also of rows that are partly labelled.

    With --id, the rows are named by that column.

    \b
    mlfs active suggest X.csv Y.csv --n 20
    mlfs active suggest X.csv Y.csv --n 5 --labels-per-row 3 -o next.csv
    mlfs active suggest all.csv --labels a,b,c --id patient
    """
    from ...active.suggest import suggest as choose
    from ...datasets.user.own_table import read_table
    from ...own.output import check_output, write_table

    check_output(output, force)
    table = read_table(own)
    suggestions = choose(table, **options)
    show_notes(table)
    if output is None:
        click.echo(suggestions.to_csv(index=False), nl=False)
        return
    write_table(suggestions, output)
    click.echo(f"{output}: {len(suggestions)} rows to annotate, the most useful first")
    click.echo(f"Next: write the new labels into {table.label_place}, and run the command again")
