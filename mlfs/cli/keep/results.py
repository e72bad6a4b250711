"""``mlfs results``: pack, unpack and check results."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..options import Group, mirror_option, output_option, stoppable, workers_option

if TYPE_CHECKING:
    from tqdm import tqdm


def _bar(what: str) -> tqdm:  # type: ignore[type-arg]
    """Return a bar that counts cells, which a terminal shows after a second."""
    from tqdm import tqdm

    return tqdm(desc=what, unit=" cells", disable=None, leave=False, delay=1.0)


@click.group(cls=Group)
def results() -> None:
    """Pack a results folder into one file, to share it; unpack such files; check results."""


@results.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@output_option("Folder to write the files to (default: beside each results folder).")
def pack(folders: tuple[Path, ...], output: Path | None) -> None:
    """Write each results folder, or each one inside a folder, as one compressed file.

    All commands that read results can read such a file like a folder. Cells of earlier versions
    are left out. The folders are not changed.

    \b
    mlfs results pack results/gmfs_yeast
    mlfs results pack results --output results/reference
    mlfs table results/reference/gmfs_yeast --compare
    """
    from ...results import packing

    for store in [store for folder in folders for store in packing.find(folder)]:
        if isinstance(store, packing.Packed):
            click.echo(f"{store.folder}: is already packed")
            continue
        file = (output or store.folder.parent) / f"{store.folder.name}{packing.SUFFIX}"
        with _bar("packing") as bar:
            packed = packing.pack(store, file, bar.update)
        for damage in packed.damaged:
            click.echo(f"{damage}: left out", err=True)
        stale = f", {packed.others} of earlier versions left out" if packed.others else ""
        size = f"{file.stat().st_size / 1e3:.0f} kB"
        click.echo(f"{file}: {packed.kept} cells, {size}{stale}.  Next: mlfs table {file}")


@results.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@output_option("Folder to write the results folders to.", default="results")
def unpack(files: tuple[Path, ...], output: Path) -> None:
    """Write packed results as folders again, so that 'mlfs run' can continue them.

    Everything in the file is checked first, and nothing is written if a cell is damaged. Cells that
    are already finished in the folder stay.

    \b
    mlfs results unpack results/reference/gmfs_yeast.jsonl.zst
    """
    from ...results import packing

    for store in [store for file in files for store in packing.find(file)]:
        if isinstance(store, packing.Packed):
            folder = output / store.folder.name.removesuffix(packing.SUFFIX)
            with _bar("unpacking") as bar:
                written, kept = packing.unpack(store, folder, bar.update)
            stayed = f", {kept} finished before stay" if kept else ""
            click.echo(f"{folder}: {written} cells{stayed}.  Next: mlfs table {folder}")


@results.command()
@click.argument("places", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--rerun",
    type=click.IntRange(1),
    metavar="N",
    help="Also run N cells again, chosen at random, and compare their scores.",
)
@workers_option
@mirror_option
@stoppable
def check(places: tuple[Path, ...], rerun: int | None, workers: int | None) -> None:
    """Check results that you received, or that lay on a disk for long.

    Every cell must have the digest and the key of its content. Cells of other versions of a method,
    or of other data than today's, are named. The exit code is 1 if anything is damaged, or if a
    cell that is run again gets other scores. Scores of a cell that was made on another kind of
    processor, or with other versions of numpy, scipy or scikit-learn, differ a little:
    sums are rounded differently there, which decides ties. Up to 0.01 this is said, and no fault.

    \b
    mlfs results check results/reference
    mlfs results check from_a_friend.jsonl.zst --rerun 5
    """
    from ...engine.rerun import run_again
    from ...results import checking, packing

    wrong = 0
    stores = [store for place in places for store in packing.find(place)]
    with _bar("checking") as bar:
        for store in stores:
            checked = checking.check(store, bar.update)
            wrong += len(checked.damage)
            bar.clear()
            click.echo(str(checked))
            for text in [*checked.damage, *checked.remarks]:
                click.echo(f"  {text}")
    if rerun and not wrong:
        for again in run_again(stores, rerun, workers):
            click.echo(str(again))
            wrong += not again.sound
    if wrong:
        click.echo("Not all is well: get the damaged files again, or run their configs again.")
        sys.exit(1)
    click.echo(f"{len(stores)} results are intact.  Next: mlfs table {places[0]}")
