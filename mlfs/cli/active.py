"""``mlfs active``: annotate data of your own."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click

from ..errors import UserError
from .group import Group


@click.group(cls=Group)
def active() -> None:
    """Choose what to annotate next in data of your own."""


@active.command()
@click.option("--data", type=click.Path(path_type=Path), required=True, help="csv of features.")
@click.option(
    "--labels", type=click.Path(path_type=Path), required=True, help="csv of labels: 1, 0 or empty."
)
@click.option("--n", type=int, default=20, show_default=True, help="Rows to suggest.")
@click.option("--strategy", default="miml", show_default=True)
@click.option("--labels-per-row", type=int, help="Suggest up to this many labels of each row.")
@click.option("--id", "id_column", metavar="COLUMN", help="The column that names the rows.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the csv to a file.")
def suggest(output: Path | None, **options: Any) -> None:
    """Say which rows of unlabelled data to annotate next, in order, as csv.

    Both files have a header; the label file has one row per row of data, empty where unknown.

    With --labels-per-row single labels are suggested, also of rows that are partly labelled.

    With --id rows are named by that column of the data, which is then no feature; if the label
    file has the column, too, its rows may come in any order.

    \b
    mlfs active suggest --data X.csv --labels Y.csv --n 20
    mlfs active suggest --data X.csv --labels Y.csv --n 5 --labels-per-row 3 --output next.csv
    mlfs active suggest --data X.csv --labels Y.csv --id patient
    """
    from ..active.suggest import suggest as choose

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
        raise UserError(f"cannot write {output} ({error.strerror}): give another file") from error
    click.echo(f"{output}: {len(table)} rows to annotate, the most useful first")
    click.echo(f"Next: put what you find into {options['labels']}, and ask again")
