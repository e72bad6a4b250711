"""``mlfs failures``: print why cells failed."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
def failures(results: tuple[Path, ...]) -> None:
    """Print why cells failed: each cause with its cells and one traceback (default: results).

    \b
    mlfs failures results/gmfs_yeast
    """
    from ...report.lists.failure_list import as_text

    click.echo(as_text(results or (Path("results"),)))
