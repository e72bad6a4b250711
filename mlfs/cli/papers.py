"""``mlfs audit``: the commands that look at papers."""

from __future__ import annotations

from typing import Any

import click


@click.command()
@click.argument("paper", nargs=-1)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "md", "json"]),
    default="text",
    show_default=True,
)
def audit(paper: tuple[str, ...], kind: Any) -> None:
    """Check papers against themselves: what they print must fit together.

    Without a name all papers are checked. The rules know nothing of any one paper: ranks and bold
    figures against values, average ranks, means, Friedman's statistic and the critical difference
    computed again, shifted decimals, values out of range, columns below chance, Hamming losses
    that are the label density, scores that get better as labels go missing.

    \b
    mlfs audit rmfl
    mlfs audit rmfl --format md > audit.md
    MLFS_PAPERS=my_papers mlfs audit mine
    """
    from ..report import audit as report

    click.echo(report.as_text(paper, kind))
    if kind == "text":
        click.echo("\nNext: mlfs scorecard")
