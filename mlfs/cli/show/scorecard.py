"""``mlfs scorecard``: count how much of each paper is reproduced."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import paper_option, sources_option


@click.command()
@sources_option
@paper_option
@click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "md", "json"]),
    default="text",
    show_default=True,
    help="For the terminal, for a document, or for a program (with every printed value).",
)
@click.option(
    "--picture",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw every value, ours against printed, into this svg, png or pdf file instead.",
)
def scorecard(results: tuple[Path, ...], kind: str, picture: Path | None) -> None:
    """Count how many printed values of all papers are reproduced by the results.

    Without RESULTS, the results in the folder 'results' are used, or the results that come with
    mlfs if there is no such folder. --reference always means those that come with mlfs.

    A printed value is reproduced if the gap between our mean and it is at most a limit: the
    larger of the two standard deviations, and at least .005. It is close if the gap is at most
    twice the limit. Kendall's tau compares the orders of methods.

    Values are counted twice. As stated: with experiments that follow the words of the paper
    ('reading: stated'). As read: with experiments that follow a reading of what it leaves open.
    An experiment without the key 'reading' counts for both.

    If several experiments belong to a table, a row is compared with the experiment that has most
    of its values. If several have equally many, the one for the fewest tables is used, and a tuned
    one before an untuned one. Sweeps, columns marked 'extra' and changed datasets are never used.

    \b
    mlfs scorecard
    mlfs scorecard --reference --paper rmfl
    mlfs scorecard results/rmfl_table4 results/rmfl_table5
    mlfs scorecard --format json > scorecard.json
    mlfs scorecard --picture scorecard.svg
    """
    from ...report.reproduction import scorecard as scoring
    from ...report.reproduction import scorecard_text as texts

    stores = scoring.find_stores(results)
    found, source = scoring.read(stores), ", ".join(map(str, stores))
    if kind == "text" and not picture and not scoring.of_papers(found):
        click.echo(texts.nothing(source, len(found)))
        return
    card = scoring.score(found, source)
    if picture:
        from ...report.reproduction.scorecard_figure import write

        click.echo(f"{write(card, picture)}\n{texts.following(card)}")
        return
    shown = {"text": texts.as_text, "md": texts.as_markdown, "json": texts.as_json}[kind]
    click.echo(shown(card))
