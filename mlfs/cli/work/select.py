"""``mlfs select``: choose features of your own data."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from ...errors import UserError
from ..options import answer_options, repeated_options, show_notes


@click.command()
@answer_options("Write the table with only the chosen features to this csv file.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    default=["fsnm"],
    show_default=True,
    metavar="NAME",
    help="A selector ('mlfs methods list'), or module:Class; repeat the option to compare some.",
)
@click.option(
    "--n", type=click.IntRange(1), default=20, show_default=True, help="Number of features."
)
@click.option(
    "--subsamples",
    type=click.IntRange(2),
    default=50,
    show_default=True,
    help="Number of random halves of the rows in which the features are chosen again.",
)
def select(
    own: Any,
    methods: tuple[str, ...],
    n: int,
    subsamples: int,
    scale: Any,
    output: Path | None,
    force: bool,
    kind: str,
) -> None:
    """Choose the best features of your own data, and say how sure the choice is.

    X.csv has the features and Y.csv the labels: 1, 0, or nothing if a label is not known. Or name
    one file, and its label columns with --labels.

    The method is fitted to all rows for the ranks and scores. Then it is fitted to random halves of
    the rows: "chosen in" is the share of the halves in which a feature is among the first N. The
    stability of the whole choice is the index of Nogueira, Sechidis and Brown (1: always the same
    features, 0: as by chance).

    \b
    mlfs select X.csv Y.csv --method fsnm --n 20 -o kept.csv
    mlfs select all.csv --labels a,b,c --id name --impute median --n 5
    mlfs select X.csv Y.csv --method fsnm --method gmfs --format json
    mlfs select X.csv Y.csv --method sklearn.feature_selection:SelectKBest
    """
    from ...datasets.user.own_table import read_table
    from ...methods.registry import Scope
    from ...own import answers, choosing
    from ...own.output import check_output, write_table
    from ...progress import steps

    if output is not None and len(methods) > 1:
        raise UserError("-o writes the features of one method: name one --method, or leave out -o")
    if len(set(methods)) < len(methods):
        raise UserError("a --method is named twice: name each one once")
    check_output(output, force)
    with Scope(folder=Path.cwd()):
        table = read_table(own)
        selections = [
            choosing.select(
                table,
                method,
                n,
                subsamples=subsamples,
                scale=scale,
                progress=partial(steps, title=f"{method}, halves", total=subsamples),
            )
            for method in methods
        ]
    show_notes(table)
    if output is not None:
        write_table(choosing.reduced(table, selections[0]), output)
    if kind == "json":
        click.echo(answers.selection_json(selections))
        return
    click.echo(f"{answers.selection_text(selections)}\n")
    if output is not None:
        click.echo(f"{output}: {len(table.Y)} rows with the {n} chosen features")
    asked = repeated_options(own)
    click.echo(f"Next: mlfs compare {asked} --methods {','.join([*methods, 'random'])}")
