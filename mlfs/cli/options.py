"""What the commands share: error messages, exit codes, and common options."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from ..errors import UserError, nearest
from ..system import stopping
from ..system.stopping import Terminated

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
Decorator = Callable[[Callable[..., None]], Callable[..., None]]
_LABEL_FILES = (".xml", ".csv", ".parquet", ".npz", ".npy", ".arff")
_MORE = "allow more processes (ulimit -u), and run again"
_STOPPED = "stopped; finished work is kept, run again to continue"


class Group(click.Group):
    """A group of commands that report an error in one sentence, with an exit code for its cause.

    The code is 2 for a mistake, 3 if the workers were lost, 130 or 143 after a signal.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; print a mistake of the user as one sentence, and set the exit code."""
        try:
            return super().invoke(ctx)
        except UserError as error:
            text, code = str(error), error.code
        except RuntimeError as error:
            if "start new thread" not in str(error):
                raise
            text, code = f"{error}: {_MORE}", 3
        except KeyboardInterrupt:
            text, code = _STOPPED, 130
            if stopping.stopped_by_openblas():
                text, code = f"can't start new thread: {_MORE}", 3
        except Terminated:
            text, code = _STOPPED, 143
        with suppress(OSError):  # a full disk or a closed terminal does not change the exit code
            click.echo(f"mlfs: {text}", err=True)
        ctx.exit(code)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find a command by its name; if there is none, suggest the most similar name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = nearest(args[0], self.list_commands(ctx))
            raise click.UsageError(f"{error.message.rstrip('.')}{hint}", ctx) from error


def stoppable(command: Callable[..., None]) -> Callable[..., None]:
    """Make SIGTERM end a command like Ctrl-C: workers are stopped, and no file is incomplete."""

    @functools.wraps(command)
    def wrapped(**options: Any) -> None:
        with stopping.stoppable():
            command(**options)

    return wrapped


def mirror_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add --mirror, which sets $MLFS_MIRROR for this command and its workers."""

    @click.option(
        "--mirror",
        type=click.Path(exists=True, file_okay=False),
        help="Directory with the benchmark files.",
    )
    @functools.wraps(command)
    def wrapped(mirror: str | None, **options: Any) -> None:
        if mirror:
            os.environ["MLFS_MIRROR"] = str(Path(mirror).resolve())
        command(**options)

    return wrapped


def paper_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add --paper, which makes a command speak only of some papers."""

    @click.option(
        "--paper",
        "chosen",
        multiple=True,
        metavar="NAME",
        help="Only this paper, or ./folder for one of your own; can be used several times "
        "(default: all papers).",
    )
    @functools.wraps(command)
    def wrapped(chosen: tuple[str, ...], **options: Any) -> None:
        from .. import papers

        names = [papers.add(Path(one)) if papers.is_folder(one) else one for one in chosen]
        with papers.only(names):
            command(**options)

    return wrapped


def sources_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add RESULTS... and --reference, which means the results that come with mlfs."""

    @click.argument("results", nargs=-1, type=click.Path(path_type=Path))
    @click.option(
        "--reference",
        is_flag=True,
        help="Use the results that come with mlfs; the same as naming results/reference.",
    )
    @functools.wraps(command)
    def wrapped(results: tuple[Path, ...], reference: bool, **options: Any) -> None:
        from ..config import shipped

        if reference and shipped.REFERENCE not in results:
            results = (*results, shipped.REFERENCE)
        command(results=results, **options)

    return wrapped


def format_option(*kinds: str, help: str = "Format of the output.") -> Decorator:
    """Add --format, which is passed as `kind`; the first of the formats is the default."""
    return click.option(
        "--format",
        "kind",
        type=click.Choice(kinds),
        default=kinds[0],
        show_default=True,
        help=help,
    )


def output_option(help: str, default: str | None = None, **of_path: bool) -> Decorator:
    """Add -o, the file or folder to write; `dir_okay=False` says that it is no folder."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, **of_path),
        default=default,
        show_default=default is not None,
        help=help,
    )


workers_option = click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="Worker processes on this machine (default: one per core).",
)
only_option = click.option(
    "--only", multiple=True, metavar="K=V", help="Only these cells, e.g. dataset=yeast,emotions."
)
results_option = click.option(
    "--results",
    type=click.Path(path_type=Path),
    default="results",
    show_default=True,
    help="Folder that has one results folder for each experiment.",
)
force_option = click.option("--force", is_flag=True, help="Replace an existing output file.")
scale_option = click.option(
    "--scale",
    type=click.Choice(["none", "standard", "minmax", "unit"]),
    default="standard",
    show_default=True,
    help="How the features are scaled first; unit: rows of length 1.",
)
impute_option = click.option(
    "--impute",
    type=click.Choice(["mean", "median"]),
    help="Replace missing values of features by the mean or the median of the training rows.",
)


def folds_option(default: int, help: str) -> Decorator:
    """Add --folds, a number of parts."""
    kind = click.IntRange(2)
    return click.option("--folds", type=kind, default=default, show_default=True, help=help)


def answer_options(output: str) -> Decorator:
    """Add the user's own data, how they are prepared, and where and how the answer is written."""
    parts = (
        own_options,
        impute_option,
        scale_option,
        output_option(output),
        force_option,
        format_option("text", "json", help="Format of what is printed."),
    )
    return lambda command: functools.reduce(
        lambda whole, part: part(whole), reversed(parts), command
    )


def own_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add FILE... and the options that say how to read it; pass all of them as `own`."""

    @click.argument("files", nargs=-1, metavar="FILE...")
    @click.option(
        "--labels",
        metavar="NAMES",
        help="Names of the label columns (a,b,c), or their number: 6 means the first six columns, "
        "-6 the last six.",
    )
    @click.option(
        "--id",
        metavar="COLUMN",
        help="Column with the names of the rows, which is neither a feature nor a label. If both "
        "files have it, their rows may be in any order.",
    )
    @click.option("--openml", type=click.IntRange(1), help="Number of a dataset on openml.org.")
    @click.option(
        "--unknown",
        type=click.Choice(["negative"]),
        help="Read labels that are not known (empty, ?, NA, NaN, null) as 0: for files that name "
        "positives only. Otherwise they stay unknown.",
    )
    @functools.wraps(command)
    def wrapped(
        files: tuple[str, ...],
        labels: str | None,
        id: str | None,
        openml: int | None,
        unknown: str | None,
        test: tuple[str, ...] = (),
        impute: str | None = None,
        **options: Any,
    ) -> None:
        keys = {
            "openml": openml,
            "test": test,
            "id": id,
            "impute": impute,
            "unknown": unknown,
        }
        command(own=_own(files, labels, keys), **options)

    return wrapped


def _own(files: tuple[str, ...], labels: str | None, keys: dict[str, Any]) -> Any:
    from pydantic import ValidationError

    from ..datasets import UserData
    from ..errors import validation_reason

    if len(files) > 2 or (len(files) == 2 and labels):
        raise UserError(
            "too many files: name one file of data, and a second one only if the labels are in it"
        )
    if not files and not keys["openml"]:
        raise UserError("no data: name a file, or add --openml NUMBER")
    given = {
        "path": files[0] if files else None,
        "labels": files[1] if len(files) > 1 else _labels(labels),
    }
    try:
        return UserData(**given, **keys)
    except ValidationError as error:
        raise UserError(validation_reason(error)) from error


def _labels(text: str | None) -> Any:
    """Return the option in the form of the config key 'labels': a number, a file, or names."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    if Path(text).suffix.lower() in _LABEL_FILES:
        return text
    return [name.strip() for name in text.split(",")]


def repeated_options(own: Any) -> str:
    """Return the files and options with which another command reads the same data."""
    parts = [own.path] if own.path else ["--openml", str(own.openml)]
    if isinstance(own.labels, str):
        parts.append(own.labels)
    elif own.labels is not None:
        named = isinstance(own.labels, tuple)
        parts += ["--labels", ",".join(own.labels) if named else str(own.labels)]
    parts += ["--id", own.id] if own.id else []
    parts += ["--impute", own.impute] if own.impute else []
    return shlex.join(parts)


def show_notes(table: Any) -> None:
    """Print what a user should know about data that were read, apart from the answer."""
    for note in table.notes:
        click.echo(f"note: {note}", err=True)
