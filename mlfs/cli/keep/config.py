"""``mlfs config``: check configs, and see what a config may contain."""

from __future__ import annotations

from pathlib import Path

import click

from ...errors import UserError, count_of
from ..options import Group, format_option, mirror_option, output_option


@click.group(cls=Group)
def config() -> None:
    """Check a config, or see what a config may contain."""


@config.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Check whether configs can be run, and print how many cells they have.

    All of them are checked, also if one has a mistake. The exit code is 2 if any has one.

    \b
    mlfs config check my.yaml
    mlfs config check configs/*.yaml
    """
    from ...config import load_all
    from ...protocols.plan import plan

    wrong = 0
    for file in files:
        try:
            cells = sum(len(plan(experiment)) for experiment in load_all(file))
        except UserError as error:
            if len(files) == 1:
                raise
            wrong += 1
            click.echo(f"mlfs: {error}", err=True)
            continue
        click.echo(f"{file}: good, {count_of(cells, 'cell')}. Next: mlfs run {file}")
    if wrong:
        raise UserError(f"{wrong} of {len(files)} configs cannot be run: correct them first")


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
@output_option("File to write (default: NAME.yaml in this folder).")
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


@config.command("export-splits")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@output_option(
    "Folder to write to; each experiment gets a folder in it.", default="splits", file_okay=False
)
@format_option("csv", "mat", help="csv for R and others, mat for MATLAB.")
@mirror_option
def export_splits(files: tuple[Path, ...], output: Path, kind: str) -> None:
    """Write the splits and masks of configs as index files, for programs in other languages.

    For each dataset and repeat: the rows of the training and of the test part, and for each ratio
    the labels that are hidden. All numbers start at 1. README.txt in the folder says how to read
    the files in MATLAB and R. Scores on these files can be compared with those of mlfs.

    \b
    mlfs config export-splits gmfs_yeast
    mlfs config export-splits configs/rmfl_table4.yaml --format mat -o for_matlab
    """
    from tqdm import tqdm

    from ...config import load_all
    from ...config.split_files import export

    for experiment in [one for file in files for one in load_all(file)]:
        with tqdm(desc=experiment.name, unit=" files", disable=None, leave=False) as bar:
            written = [bar.update() for _ in export(experiment, output, kind)]
        place = output / experiment.name
        click.echo(f"{place}: {len(written)} files.  Next: read {place / 'README.txt'}")
