"""``mlfs explain``: a printed column beside ours, as stated and by its readings."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import sources_option


@click.command()
@click.argument("paper")
@click.argument("column")
@sources_option
def explain(paper: str, column: str, results: tuple[Path, ...]) -> None:
    """Show a printed column of a paper beside our values, as stated and as read.

    PAPER is the name of a paper, and COLUMN a heading that its tables print. Every value is shown
    as printed, by the runs that follow the words of the paper, and by the runs of every reading of
    the column, each with its status. Below stands what is known of each reading: what was chosen by
    printed values, what was ruled out, and whether it explains the column.

    Without RESULTS, the results in the folder 'results' are used, or the results that come with
    mlfs if there is no such folder. --reference always means those that come with mlfs.

    \b
    mlfs explain mfsef PMU
    mlfs explain rmfl RMFL --reference
    """
    from ... import papers
    from ...report.reproduction.explanation import explain_text
    from ...report.reproduction.scorecard import make

    with papers.only([paper]):
        click.echo(explain_text(make(results), paper, column))
