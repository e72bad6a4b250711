"""``mlfs complete``: fill in the labels of your own data that are not known."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from ..options import answer_options, folds_option, repeated_options, show_notes


@click.command()
@answer_options("Write the filled-in labels to this csv file.")
@click.option(
    "--method",
    default="rmfl",
    show_default=True,
    metavar="NAME",
    help="A learner or classifier ('mlfs methods list'), or module:Class.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="An unknown label becomes 1 if its probability is at least this.",
)
@folds_option(
    10, "Number of parts of the known labels; each is predicted by a model that did not see it."
)
@click.option(
    "--probabilities",
    is_flag=True,
    help="Write the probabilities of unknown labels instead of 1 and 0.",
)
def complete(
    own: Any,
    method: str,
    output: Path | None,
    probabilities: bool,
    force: bool,
    kind: str,
    **options: Any,
) -> None:
    """Fill in the labels of your own data that are not known; known ones are never changed.

    X.csv has the features and Y.csv the labels: 1, 0, or nothing if a label is not known. Or name
    one file, and its label columns with --labels.

    Every unknown label gets a probability. The known labels are divided into folds, and each fold
    is predicted by a model that did not see it. This calibrates the probabilities, and estimates
    how good the answers are: AUC, F1, and the expected calibration error (0.05 means that of the
    labels with a probability of 0.7, between 65 and 75 in a hundred are 1). It also lists the ten
    least certain labels, which help most if a person looks at them.

    \b
    mlfs complete X.csv Y.csv --method rmfl -o Y_complete.csv
    mlfs complete X.csv Y.csv -o P.csv --probabilities
    mlfs complete all.csv --labels a,b,c --id name --threshold 0.3 -o all_labels.csv
    """
    from ...datasets.user.own_table import read_table
    from ...methods.registry import Scope
    from ...own import answers, completing
    from ...own.output import check_output, write_table
    from ...progress import steps

    check_output(output, force)
    with Scope(folder=Path.cwd()):
        table = read_table(own)
        folds = partial(steps, title=f"{method}, folds", total=options["folds"])
        completion = completing.complete(table, method, progress=folds, **options)
    show_notes(table)
    if output is not None:
        write_table(completing.completed_table(table, completion, probabilities), output)
    if kind == "json":
        click.echo(answers.completion_json(completion))
        return
    click.echo(f"{answers.completion_text(completion)}\n")
    asked = repeated_options(own)
    if output is None:
        click.echo(f"Next: mlfs complete {asked} --method {method} -o Y_complete.csv")
        return
    click.echo(f"{output}: {len(table.Y)} rows of {len(table.label_names)} labels")
    click.echo(f"Next: mlfs active suggest {asked} --labels-per-row 2 --n 5")
