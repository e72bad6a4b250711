"""``mlfs leaderboard``: results of others beside those that come with mlfs."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import Group, mirror_option, output_option, stoppable, workers_option

_BOARD = Path("leaderboard")


def _board_option(command: click.decorators.FC) -> click.decorators.FC:
    return click.option(
        "--board",
        type=click.Path(path_type=Path, file_okay=False),
        default=_BOARD,
        show_default=True,
        help="The folder of the leaderboard.",
    )(command)


@click.group(cls=Group)
def leaderboard() -> None:
    """Collect results of methods on the same ground, and publish them.

    The ground are the configs grand_...: copy one with 'mlfs config copy', put your methods in the
    place of its methods, run it, and pack the results.
    """


@leaderboard.command()
@click.argument("file", type=click.Path(path_type=Path))
@_board_option
@click.option(
    "--rerun",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    metavar="N",
    help="How many cells are run again; their scores must be the same.",
)
@click.option(
    "--code",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with the file of the submitted method (default: it is installed).",
)
@workers_option
@mirror_option
@stoppable
def add(file: Path, board: Path, rerun: int, code: Path | None, workers: int | None) -> None:
    """Check packed results, run some cells again, and put them on the board.

    FILE is what 'mlfs results pack' wrote, of a config that differs from one of grand_... only in
    its methods (and perhaps has fewer datasets). It is refused if a number was changed, if it has a
    cell that is not one of its experiment, if a method has another version here, or if a cell that
    is run again gets other scores. The code of submitted methods is run: read it first.

    \b
    mlfs leaderboard add mine.jsonl.zst
    mlfs leaderboard add mine.jsonl.zst --code ~/Downloads --rerun 20
    """
    from ...report.overall.leaderboard import admit

    def tell(text: str) -> None:
        click.echo(f"  {text}")

    target = admit(file, board, rerun=rerun, workers=workers, code=code, tell=tell)
    click.echo(f"{target}: admitted.  Next: mlfs leaderboard build --board {board}")


@leaderboard.command()
@_board_option
@output_option("Folder to write.", default="site", file_okay=False)
def build(board: Path, output: Path) -> None:
    """Write the leaderboard as a page, and each comparison as csv and JSON.

    \b
    mlfs leaderboard build -o site/
    """
    from ...report.overall import leaderboard as work

    written = work.build(board, output)
    names = ", ".join(file.name for file in written[1:])
    click.echo(f"{written[0]}: with {names}.  Next: open it in a browser")
