"""``mlfs paper``: start a paper of your own, and see what is missing in it."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import Group


@click.group(cls=Group)
def paper() -> None:
    """Start a paper of your own, or check what is missing in it."""


@paper.command()
@click.argument("name", type=click.Path(path_type=Path))
def new(name: Path) -> None:
    """Write a folder NAME with a paper to start from, and a config NAME.yaml that runs it.

    The files have an example of everything that they may contain; the example runs at once.

    \b
    mlfs paper new mine
    mlfs run mine.yaml
    mlfs table results/mine --compare
    """
    from ...papers import starter

    config = starter.write(name)
    click.echo(f"{name}: paper.yaml, printed.csv, claims.yaml and readings.yaml, with examples")
    click.echo(f"Next: mlfs paper check {name}, mlfs run {config}")


@paper.command()
@click.argument("folder", type=click.Path(path_type=Path))
def check(folder: Path) -> None:
    """Check a paper's folder: mistakes are named with file and line, and what is missing is listed.

    \b
    mlfs paper check mine
    """
    from ...papers.completeness import as_text

    click.echo(as_text(folder))
