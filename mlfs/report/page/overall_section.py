"""What comparisons say as a whole: sentences, numbers and pictures for the page's template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ...results.read import Results
from ..figures import svg
from ..overall import overall_figures
from ..overall.overall_text import Overall, comparisons, judge, lines_of, notes
from ..overall.standing import Standing


@dataclass(frozen=True)
class GroupView:
    """One group of results: its verdict, its table and its pictures."""

    anchor: str
    title: str
    sentences: list[str]
    head: list[str]
    rows: list[list[str]]
    notes: list[str]
    pictures: list[Markup]


@dataclass(frozen=True)
class OverallView:
    """One comparison, such as that of the selectors."""

    name: str
    short: list[str]
    groups: list[GroupView]
    tuning: list[str]


def overall_views(results: Sequence[Results]) -> list[OverallView]:
    """Return what the comparisons among some results say, one view for each protocol."""
    return [view_of(name, judge(some)) for name, some in comparisons(results).items()]


def view_of(name: str, overall: Overall) -> OverallView:
    """Return the view of one comparison."""
    groups = [
        _group(one, overall.sentences[one.group.title], f"o-{name}-{i}")
        for i, one in enumerate(overall.standings)
    ]
    return OverallView(name, overall.in_short, groups, overall.sentences.get("tuning", []))


def _group(standing: Standing, sentences: list[str], anchor: str) -> GroupView:
    head, *rows = lines_of(standing)
    drawn = []
    if standing.testable:
        drawn = [
            overall_figures.ranks(standing),
            overall_figures.front(standing),
            overall_figures.losses(standing),
        ]
    title = standing.group.title
    return GroupView(
        anchor=anchor,
        title=title[:1].upper() + title[1:],
        sentences=sentences,
        head=head,
        rows=rows,
        notes=notes(standing),
        pictures=[svg.write(drawing) for drawing in drawn if drawing],
    )
