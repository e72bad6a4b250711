"""``mlfs scorecard``: count how much of each paper is reproduced."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import format_option, paper_option, sources_option


@click.command()
@sources_option
@paper_option
@format_option(
    "text",
    "md",
    "json",
    help="For the terminal, for a document, or for a program (with every printed value).",
)
@click.option(
    "--picture",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw every value, ours against printed, into this svg, png or pdf file instead.",
)
@click.option(
    "--readings",
    is_flag=True,
    help="List the readings of what papers leave open, with their counts, instead.",
)
def scorecard(results: tuple[Path, ...], kind: str, picture: Path | None, readings: bool) -> None:
    """Count how many printed values of all papers are reproduced by the results.

    Without RESULTS, the results in the folder 'results' are used, or the results that come with
    mlfs if there is no such folder. --reference always means those that come with mlfs.

    A printed value is reproduced if our mean differs from it by no more than chance allows (a 95 %
    interval from both deviations and numbers of repeats, and half a printed digit), and by no more
    than half the usual distance between two methods of its row. The output says what every status
    means, and how often another method's value would pass: the swap rate.

    Values are counted twice. As stated: with experiments that follow the words of the paper
    ('reading: stated', or no key 'reading'). As read: a column counts by a reading of what the
    paper leaves open, if that reading explains it; 'mlfs explain' shows it value by value.

    If several experiments belong to a table, a row is compared with the experiment that has most
    of its values. If several have equally many, the one for the fewest tables is used, and a tuned
    one before an untuned one. Sweeps, columns marked 'extra' and changed datasets are never used.

    \b
    mlfs scorecard
    mlfs scorecard --reference --paper rmfl
    mlfs scorecard results/rmfl_table4 results/rmfl_table5
    mlfs scorecard --format json > scorecard.json
    mlfs scorecard --picture scorecard.svg
    mlfs scorecard --readings
    """
    from ...report.reproduction import scorecard as scoring
    from ...report.reproduction import scorecard_text as texts

    stores = scoring.find_stores(results)
    source = ", ".join(map(str, stores))
    with scoring.steps_of(stores) as steps:
        every = scoring.read(stores, steps)
        if kind == "text" and not picture and not scoring.of_papers(every):
            click.echo(texts.nothing(source, len(every)))
            return
        card = scoring.score(every, source, steps)
    if picture:
        from ...report.reproduction.scorecard_figure import write

        click.echo(f"{write(card, picture)}\n{texts.following(card)}")
        return
    if readings:
        from ...report.reproduction.explanation import readings_text

        click.echo(f"{readings_text(card)}\n\nNext: mlfs explain PAPER COLUMN")
        return
    shown = {"text": texts.as_text, "md": texts.as_markdown, "json": texts.as_json}[kind]
    click.echo(shown(card))
