"""``mlfs data check`` and ``mlfs data add``: the user's own data."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ...errors import UserError, validation_reason

_LABEL_FILES = (".xml", ".csv", ".parquet", ".npz", ".npy", ".arff")


def own_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add FILE... and the options that say how to read it; pass all of them as `own`."""

    @click.argument("files", nargs=-1, metavar="FILE...")
    @click.option(
        "--labels",
        metavar="NAMES",
        help="Names of the label columns (a,b,c), or their number: 6 means the first six columns, "
        "-6 the last six.",
    )
    @click.option(
        "--test",
        multiple=True,
        metavar="FILE",
        help="File of the official test part. Repeat the option for the file of its labels, if "
        "there is one.",
    )
    @click.option("--id", metavar="COLUMN", help="A column to leave out.")
    @click.option("--openml", type=click.IntRange(1), help="Number of a dataset on openml.org.")
    @functools.wraps(command)
    def wrapped(
        files: tuple[str, ...],
        labels: str | None,
        test: tuple[str, ...],
        id: str | None,
        openml: int | None,
        impute: str | None = None,
        **options: Any,
    ) -> None:
        keys = {"openml": openml, "test": test, "id": id, "impute": impute}
        command(own=_own(files, labels, keys), **options)

    return wrapped


def _own(files: tuple[str, ...], labels: str | None, keys: dict[str, Any]) -> Any:
    from pydantic import ValidationError

    from ...datasets import UserData

    if len(files) > 2 or (len(files) == 2 and labels):
        raise UserError(
            "too many files: name one file of data, and a second one only if the labels are in it"
        )
    if not files and not keys["openml"]:
        raise UserError("no data: name a file, or add --openml NUMBER")
    given = {
        "path": files[0] if files else None,
        "labels": files[1] if len(files) > 1 else _labels(labels),
    }
    try:
        return UserData(**given, **keys)
    except ValidationError as error:
        raise UserError(validation_reason(error)) from error


def _labels(text: str | None) -> Any:
    """Return the option in the form of the config key 'labels': a number, a file, or names."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    if Path(text).suffix.lower() in _LABEL_FILES:
        return text
    return [name.strip() for name in text.split(",")]


@click.command()
@own_options
def check(own: Any) -> None:
    """Check your own data before you use them in a config, and print how they were read.

    FILE... is an arff, csv, parquet, npz, npy or libsvm file. Name a second file if the labels are
    in a separate file.

    \b
    mlfs data check all.csv --labels a,b,c --id name
    mlfs data check X.csv Y.csv
    mlfs data check train.arff labels.xml --test test.arff
    mlfs data check meka.arff
    mlfs data check --openml 41465
    """
    from ...datasets import read_own
    from ...report.lists.data_check import checked, in_config

    # do not refuse missing values here: they are counted in the output
    data = read_own(own.model_copy(update={"impute": "mean"}))
    click.echo(checked(data))
    line = in_config(own, data)
    click.echo(f"Next: 'datasets: [{line}]' in a config, or give it a name with mlfs data add")


@click.command()
@click.argument("name")
@own_options
@click.option(
    "--impute",
    type=click.Choice(["mean", "median"]),
    help="Replace missing values by the mean or median of the training rows.",
)
def add(name: str, own: Any) -> None:
    """Give your own data a NAME that can be used in configs.

    The name is stored in your own catalogue: $MLFS_CATALOG, or mlfs-catalog.yaml beside the cache.
    'mlfs data list' shows it, too.

    \b
    mlfs data add flowers all.csv --labels a,b,c --id name
    mlfs data add birds X.csv Y.csv --impute median
    """
    from ... import datasets

    data, catalog = datasets.add(name, own)
    n, d = data.X.shape
    click.echo(f"{name}: {n} rows, {d} features, {data.Y.shape[1]} labels, added to {catalog}")
    for note in data.notes:
        click.echo(f"note: {note}")
    click.echo(f"Next: 'datasets: [{name}]' in a config, mlfs data info {name}")
