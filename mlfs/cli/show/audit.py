"""``mlfs audit``: check what papers print."""

from __future__ import annotations

from typing import Any

import click

from ..options import format_option, paper_option


@click.command()
@format_option("text", "md", "json")
@paper_option
def audit(kind: Any) -> None:
    """Check whether the numbers that a paper prints are consistent.

    Without --paper, all papers are checked. The rules are the same for all papers:

    Do ranks and bold marks agree with the values? Are average ranks, means, Friedman's statistic
    and the critical difference right? Are decimals shifted, or values out of range? Is a column
    worse than chance? Is a Hamming loss equal to the label density? Do scores get better when
    labels are missing?

    \b
    mlfs audit --paper rmfl
    mlfs audit --paper rmfl --format md > audit.md
    MLFS_PAPERS=my_papers mlfs audit --paper mine
    """
    from ...report.reproduction import audit as report

    click.echo(report.as_text(kind))
    if kind == "text":
        click.echo("\nNext: mlfs scorecard")
