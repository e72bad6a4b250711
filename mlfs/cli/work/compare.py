"""``mlfs compare``: compare methods on your own data, without writing a config."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from ...errors import UserError
from ..options import (
    folds_option,
    force_option,
    impute_option,
    own_options,
    repeated_options,
    results_option,
    scale_option,
    show_notes,
    stoppable,
    workers_option,
)
from ..show.table import table


@click.command()
@own_options
@impute_option
@click.option(
    "--methods",
    required=True,
    metavar="NAMES",
    help="Selectors, or learners and classifiers ('mlfs methods list'), or module:Class; several "
    "with commas.",
)
@click.option(
    "--sizes",
    metavar="NUMBERS",
    help="Numbers of features, with commas, such as 5,10 (default: up to half of them, at most "
    "20). Only for selectors.",
)
@click.option(
    "--metrics",
    metavar="NAMES",
    help="Metrics, with commas (default: average_precision,macro_auc,micro_f1).",
)
@folds_option(5, "Number of parts of the rows; each is the test part once.")
@scale_option
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path),
    default="compare.yaml",
    show_default=True,
    help="The config that is written.",
)
@force_option
@results_option
@workers_option
@stoppable
def compare(
    own: Any,
    methods: str,
    sizes: str | None,
    metrics: str | None,
    folds: int,
    scale: str,
    file: Path,
    force: bool,
    results: Path,
    workers: int | None,
) -> None:
    """Compare methods on your own data: write a config, run it, and print its tables.

    X.csv has the features and Y.csv the labels: 1, 0, or nothing if a label is not known. Or name
    one file, and its label columns with --labels.

    Selectors are compared through a classifier that is trained on their first features. The
    config is kept. Change it as you like and run it with 'mlfs run'; finished work is not done
    again.

    \b
    mlfs compare X.csv Y.csv --methods fsnm,gmfs,sklearn.feature_selection:SelectKBest
    mlfs compare X.csv Y.csv --methods rmfl,leml,sklearn.linear_model:LogisticRegression
    mlfs compare all.csv --labels a,b,c --id name --methods fsnm,random --sizes 5,10
    """
    from ...config import parse
    from ...datasets.user.own_table import read_table
    from ...engine import runner
    from ...methods.labels import observed
    from ...methods.registry import Scope
    from ...own import comparing
    from ...own.output import check_output
    from ...progress import execute

    check_output(file, force=True)
    names = _listed(methods, "--methods")
    with Scope(folder=file.parent.absolute()):
        kinds = {name: comparing.kinds_of(name) for name in names}
        data = read_table(own)
        content = comparing.content_of(
            file.stem,
            comparing.dataset_of(own, file.parent),
            kinds,
            d=data.X.shape[1],
            unknown=not observed(data.Y).all(),
            sizes=[_count(text) for text in _listed(sizes, "--sizes")] if sizes else None,
            metrics=_listed(metrics, "--metrics") if metrics else (),
            folds=folds,
            scale=scale,
        )
    command = f"mlfs compare {repeated_options(own)} --methods {shlex.quote(methods)}"
    text = comparing.as_yaml(content, command)
    parse(content, source=str(file), scope=Scope(folder=file.parent.absolute()))
    comparing.save_config(file, text, force)
    click.echo(f"{file}:\n{text}", err=True)
    show_notes(data)
    options = runner.Options(workers=workers)
    failed = execute(runner.gather([file], results), options)
    folder = results / file.stem
    context = click.get_current_context()
    curves = len(content.get("sizes", ())) > 1
    context.invoke(table, results=(folder,), by="size" if curves else "dataset")
    click.echo(f"Next: edit {file} and mlfs run {file}, or mlfs plot {folder}")
    sys.exit(1 if failed else 0)


def _listed(text: str, option: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if not name:
            raise UserError(f"{option} {text} has an empty name: remove a comma")
        if names.count(name) > 1:
            raise UserError(f"{option} names '{name}' twice: name it once")
    return names


def _count(text: str) -> int:
    if not text.isdecimal():
        raise UserError(f"--sizes has '{text}': write numbers of features, such as 5,10")
    return int(text)
