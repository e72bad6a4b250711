"""``mlfs kit``: your method beside all baselines, and what a paper about it needs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ...errors import UserError
from ..options import mirror_option, output_option, stoppable, workers_option


@click.command()
@click.argument("method", metavar="MODULE:CLASS")
@click.option(
    "--datasets",
    metavar="NAMES",
    help="Datasets of the comparison, with commas (default: flags,emotions,birds).",
)
@click.option(
    "--of",
    "ground",
    metavar="NAME",
    help="The comparison to stand in, such as grand_selection_hidden (default: the one in which "
    "nothing is hidden, grand_selection_full or grand_learning_full).",
)
@click.option("--quick", is_flag=True, help="One dataset, one repeat and few baselines, as a test.")
@click.option(
    "--reuse",
    type=click.Path(path_type=Path, exists=True),
    help="Take finished cells from these results (default: those that come with mlfs).",
)
@output_option("Folder to write.", default="kit", file_okay=False)
@workers_option
@mirror_option
@stoppable
def kit(
    method: str,
    datasets: str | None,
    ground: str | None,
    quick: bool,
    reuse: Path | None,
    output: Path,
    workers: int | None,
) -> None:
    """Run your method beside all baselines, and write what a paper about it needs.

    The baselines, splits and settings are those of the comparison that comes with mlfs; its
    finished cells are taken from there. Your class is in a file of this folder, or installed. The
    output folder gets table.tex, protocol.txt (the protocol in words), statistics.txt (Friedman,
    Wilcoxon with Holm's correction, effect sizes), references.bib, and deposit.zip with the cells,
    the config and your file. 'mlfs leaderboard add' accepts the packed cells, except of --quick.

    \b
    mlfs kit my_module:MyMethod --quick
    mlfs kit my_module:MyMethod --datasets flags,emotions,birds,scene,yeast -o paper/
    mlfs kit my_module:MyLearner --of grand_learning_unknown
    """
    from ...engine import runner
    from ...methods.registry import Scope
    from ...own import author_kit
    from ...progress import execute
    from ...results.store import Store

    if ":" not in method:
        raise UserError(f"'{method}' is not module:Class: name the class of your own method")
    with Scope(folder=Path.cwd()):
        named = [name.strip() for name in datasets.split(",")] if datasets else []
        content = author_kit.content_of(method, named, ground, quick)
    config = author_kit.prepare(method, content, output, f"mlfs kit {method}")
    offered = reuse or author_kit.reused(content["title"].rpartition(" ")[2])
    failed = execute(
        runner.gather([config], output / "results"),
        runner.Options(workers=workers, reuse=offered),
    )
    written = author_kit.write(Store(output / "results" / content["name"]), output)
    names = ", ".join(path.name for path in written)
    click.echo(f"{output}: {names}.  Next: read {output / 'statistics.txt'}")
    sys.exit(1 if failed else 0)
