"""``mlfs active``: choose which rows of your own data to annotate."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click

from ...errors import UserError
from ..options import Group


@click.group(cls=Group)
def active() -> None:
    """Choose what to annotate next in your own data."""


@active.command()
@click.option(
    "--data", type=click.Path(path_type=Path), required=True, help="csv file of the features."
)
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    required=True,
    help="csv file of the labels: 1, 0 or empty.",
)
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
@click.option("--id", "id_column", metavar="COLUMN", help="Column with the names of the rows.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the csv to a file.")
def suggest(output: Path | None, **options: Any) -> None:
    """Print as csv which rows of unlabelled data to annotate next, the most useful first.

    Both files have a header. The label file has one row for each row of data; unknown labels are
    empty.

    With --labels-per-row, single labels are suggested, also of rows that are partly labelled.

    With --id, the rows are named by that column of the data, which is then not a feature. If the
    label file has the same column, its rows may be in any order.

    \b
    mlfs active suggest --data X.csv --labels Y.csv --n 20
    mlfs active suggest --data X.csv --labels Y.csv --n 5 --labels-per-row 3 --output next.csv
    mlfs active suggest --data X.csv --labels Y.csv --id patient
    """
    from ...active.suggest import suggest as choose

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        table = choose(**options)
    for warning in caught:
        click.echo(f"mlfs: warning: {warning.message}", err=True)
    if output is None:
        click.echo(table.to_csv(index=False), nl=False)
        return
    try:
        table.to_csv(output, index=False)
    except OSError as error:
        raise UserError(f"cannot write {output} ({error.strerror}): choose another file") from error
    click.echo(f"{output}: {len(table)} rows to annotate, the most useful first")
    click.echo(f"Next: write the new labels into {options['labels']}, and run the command again")
