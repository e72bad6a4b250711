"""``mlfs data check`` and ``mlfs data add``: data of the user's own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import UserError

_LABEL_FILES = (".xml", ".csv", ".parquet", ".npz", ".npy", ".arff")


def own_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add FILE... and the options that say how to read it; the command gets them as `own`."""

    @click.argument("files", nargs=-1, metavar="FILE...")
    @click.option(
        "--labels",
        metavar="NAMES",
        help="Names of the label columns (a,b,c), or their number: 6 for the first six, -6 for "
        "the last six.",
    )
    @click.option(
        "--test",
        multiple=True,
        metavar="FILE",
        help="File of the official test part; once more for its labels if they have a file.",
    )
    @click.option("--id", metavar="COLUMN", help="A column to leave out.")
    @click.option("--openml", type=click.IntRange(1), help="Number of a set on openml.org.")
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

    from ..datasets import Own

    if len(files) > 2 or (len(files) == 2 and labels):
        raise UserError(
            "give the file of the data, and the file of the labels only if they have their own"
        )
    if not files and not keys["openml"]:
        raise UserError("give a file of data, or --openml NUMBER")
    given = {
        "path": files[0] if files else None,
        "labels": files[1] if len(files) > 1 else _labels(labels),
    }
    try:
        return Own(**given, **keys)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(first["msg"].removeprefix("Value error, ")) from error


def _labels(text: str | None) -> Any:
    """Return the option as the key 'labels' of a config has it: a number, a file, or names."""
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
    """Say what is understood of data of your own, before a config runs on them.

    FILE... is an arff, csv, parquet, npz, npy or libsvm file, and a second one if the labels have
    a file of their own.

    \b
    mlfs data check all.csv --labels a,b,c --id name
    mlfs data check X.csv Y.csv
    mlfs data check train.arff labels.xml --test test.arff
    mlfs data check meka.arff
    mlfs data check --openml 41465
    """
    from ..datasets import read_own
    from ..report.check import checked, in_config

    # missing values are counted here, and refused only where nobody says how to fill them in
    data = read_own(own.model_copy(update={"impute": "mean"}))
    click.echo(checked(data))
    line = in_config(own, data)
    click.echo(f"Next: 'datasets: [{line}]' in a config, or a name for it: mlfs data add")


@click.command()
@click.argument("name")
@own_options
@click.option(
    "--impute",
    type=click.Choice(["mean", "median"]),
    help="Fill in missing values with this of the training rows.",
)
def add(name: str, own: Any) -> None:
    """Name data of your own, so that configs and 'mlfs data list' know them by NAME.

    It goes into your own catalogue: $MLFS_CATALOG, or mlfs-catalog.yaml beside the cache.

    \b
    mlfs data add flowers all.csv --labels a,b,c --id name
    mlfs data add birds X.csv Y.csv --impute median
    """
    from .. import datasets

    data, catalog = datasets.add(name, own)
    n, d = data.X.shape
    click.echo(f"{name}: {n} rows, {d} features, {data.Y.shape[1]} labels, added to {catalog}")
    for note in data.notes:
        click.echo(f"note: {note}")
    click.echo(f"Next: 'datasets: [{name}]' in a config, mlfs data info {name}")
