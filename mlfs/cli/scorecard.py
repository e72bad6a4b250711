"""``mlfs scorecard``: how much of each paper holds."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("results", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "md", "json"]),
    default="text",
    show_default=True,
    help="For the terminal, for a document, or for a program (every cell, too).",
)
@click.option(
    "--picture",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw every cell, ours against printed, into this svg, png or pdf file instead.",
)
def scorecard(results: tuple[Path, ...], kind: str, picture: Path | None) -> None:
    """Count how the printed cells of all papers stand, given results folders.

    Without RESULTS, those in 'results' are taken, else the reference results of mlfs.

    A cell is reproduced if the gap between our mean and the printed figure is at most the larger
    of the two deviations (and .005 at least), and close up to twice that. It is explained where a
    fault of the paper gives the printed figure. Kendall's tau compares the orders of methods.

    Of several experiments that belong to a table, a row is compared with the one that has most of
    its cells; among equals with the one for the fewest tables, tuned before untuned. Sweeps,
    columns marked 'extra' and datasets that were changed never stand for a table.

    \b
    mlfs scorecard
    mlfs scorecard results/rmfl_table4 results/rmfl_table5
    mlfs scorecard --format json > scorecard.json
    mlfs scorecard --picture scorecard.svg
    """
    from ..report import scorecard as scoring
    from ..report import scorecard_text as texts

    card = scoring.make(scoring.locate(results))
    if picture:
        from ..report.scorecard_figure import write

        click.echo(f"{write(card, picture)}\n{texts.following(card)}")
        return
    shown = {"text": texts.as_text, "md": texts.as_markdown, "json": texts.as_json}[kind]
    click.echo(shown(card))
