"""``mlfs config`` and ``mlfs methods``: what may stand in a config."""

from __future__ import annotations

from pathlib import Path

import click

from .group import Group


@click.group(cls=Group)
def config() -> None:
    """Check a config, or see what may stand in one."""


@config.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Say whether configs can be run, and how many cells they have.

    \b
    mlfs config check configs/*.yaml
    """
    from ..config import load_all
    from ..engine.plan import plan

    for file in files:
        cells = sum(len(plan(experiment)) for experiment in load_all(file))
        click.echo(f"{file}: good, {cells} cells. Next: mlfs run {file}")


@config.command()
def schema() -> None:
    """Print the JSON schema of all keys, by protocol."""
    import json

    from ..config import schema as all_schemas

    click.echo(json.dumps(all_schemas(), indent=2))


@click.group(cls=Group, invoke_without_command=True)
@click.pass_context
def methods(ctx: click.Context) -> None:
    """List the methods; 'mlfs methods show NAME' tells all about one."""
    if ctx.invoked_subcommand is None:
        from ..report import show

        click.echo(show.methods())


@methods.command("show")
@click.argument("name")
def show_method(name: str) -> None:
    """Print a method's paper, provenance, parameters and search space.

    \b
    mlfs methods show gmfs
    """
    from ..report import show

    click.echo(show.method(name))
