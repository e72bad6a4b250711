"""``mlfs config``: check configs, and see what a config may contain."""

from __future__ import annotations

from pathlib import Path

import click

from ...errors import UserError
from ..options import Group


@click.group(cls=Group)
def config() -> None:
    """Check a config, or see what a config may contain."""


@config.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Check whether configs can be run, and print how many cells they have.

    \b
    mlfs config check configs/*.yaml
    """
    from ...config import load_all
    from ...protocols.plan import plan

    for file in files:
        cells = sum(len(plan(experiment)) for experiment in load_all(file))
        click.echo(f"{file}: good, {cells} cells. Next: mlfs run {file}")


@config.command("list")
def list_configs() -> None:
    """List the configs that come with mlfs; 'mlfs run NAME' runs one.

    \b
    mlfs config list
    """
    from ...config import load_all
    from ...config.shipped import names

    for name, path in names().items():
        click.echo(f"{name:18} {'; '.join(one.title for one in load_all(path))}")
    click.echo("Next: mlfs run NAME, or mlfs config copy NAME to change it")


@config.command()
@click.argument("name")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="File to write (default: NAME.yaml in this folder).",
)
def copy(name: str, output: Path | None) -> None:
    """Copy a config that comes with mlfs, so that you can change it.

    \b
    mlfs config copy gmfs_yeast
    """
    from ...config.shipped import locate

    source = locate(Path(name))
    target = output or Path(source.name)
    if target.exists():
        raise UserError(f"{target} exists already: choose another --output")
    try:
        target.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"cannot write {target} ({error.strerror}): choose another --output"
        ) from error
    click.echo(f"{target}: copied. Change its name, then its keys. Next: mlfs run {target}")


@config.command()
def schema() -> None:
    """Print the JSON schema of all keys, by protocol.

    \b
    mlfs config schema > schema.json
    """
    import json

    from ...config import schema as all_schemas

    click.echo(json.dumps(all_schemas(), indent=2))
