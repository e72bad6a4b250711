"""``mlfs data check`` and ``mlfs data add``: the user's own data."""

from __future__ import annotations

from typing import Any

import click

from ..options import impute_option, own_options

_test_option = click.option(
    "--test",
    multiple=True,
    metavar="FILE",
    help="File of the official test part. Repeat the option for the file of its labels, if "
    "there is one.",
)


@click.command()
@own_options
@_test_option
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
@_test_option
@impute_option
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
