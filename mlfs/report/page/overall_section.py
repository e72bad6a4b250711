"""What comparisons say as a whole: sentences, numbers and pictures for the page's template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ...results.read import Results
from ..figures import svg
from ..kept import KeptViews
from ..overall import overall_figures
from ..overall.contest import Contest
from ..overall.overall_text import Overall, is_compared, judge, lines_of, notes
from ..tables.texts import capitalised
from .tables_section import Html


@dataclass(frozen=True)
class GroupView:
    """One group of results: its verdict, its table and its pictures."""

    anchor: str
    title: str
    sentences: list[str]
    head: list[str]
    rows: list[list[str]]
    notes: list[str]
    pictures: list[Html]


@dataclass(frozen=True)
class OverallView:
    """One comparison, such as that of the selectors."""

    name: str
    short: list[str]
    groups: list[GroupView]
    tuning: list[str]


def overall_views(results: Sequence[Results], kept: KeptViews) -> list[OverallView]:
    """Return what the comparisons among some results say, one view for each protocol."""
    by_protocol: dict[str, list[Results]] = {}
    for item in results:
        if is_compared(item.experiment):
            by_protocol.setdefault(item.experiment.protocol, []).append(item)
    views = [
        kept.of(OverallView, some, [name], partial(_view, name, some))
        for name, some in by_protocol.items()
    ]
    return [view for view in views if view.groups]


def _view(name: str, results: Sequence[Results]) -> OverallView:
    """Return the view of one comparison; it has no groups if no cell is finished."""
    finished = [item for item in results if item.records]
    return view_of(name, judge(finished)) if finished else OverallView(name, [], [], [])


def view_of(name: str, overall: Overall) -> OverallView:
    """Return the view of one comparison."""
    groups = [
        _group(one, overall.sentences[one.group.title], f"o-{name}-{i}")
        for i, one in enumerate(overall.contests)
    ]
    return OverallView(name, overall.in_short, groups, overall.sentences.get("tuning", []))


def _group(contest: Contest, sentences: list[str], anchor: str) -> GroupView:
    head, *rows = lines_of(contest)
    drawn = []
    if contest.testable:
        drawn = [
            overall_figures.ranks(contest),
            overall_figures.front(contest),
            overall_figures.losses(contest),
        ]
    return GroupView(
        anchor=anchor,
        title=capitalised(contest.group.title),
        sentences=sentences,
        head=head,
        rows=rows,
        notes=notes(contest),
        pictures=[svg.write(drawing) for drawing in drawn if drawing],
    )
