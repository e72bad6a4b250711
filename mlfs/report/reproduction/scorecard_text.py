"""Write the scorecard as text of 80 columns, as Markdown or as JSON."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ... import papers
from ..tables.texts import aligned, columns, number
from .comparison import STATUSES
from .scorecard import AS_STATED, Score, Scorecard, Scores, or_none

WIDTH = 80
_LONGEST = 200  # most letters of a reason, such as an error
_HEADS = ["paper", "runs", "printed", "ours", *STATUSES, "mean gap"]
_LEGEND = (
    "reproduced: the gap is at most the larger deviation, printed or ours, or at most .005; "
    "close: at most twice that; off: neither. These three sum up to ours; with not run and "
    "not runnable (the reasons are below) they sum up to printed. Gaps are means of "
    "absolute values. as stated: runs that follow the words of the paper; as read: runs that "
    "follow a reading of what it leaves open; both: the same values are counted. "
    "Orders and claims are about the runs as read."
)


def as_text(card: Scorecard) -> str:
    """Return the text for a terminal: counts, orders of methods, claims and reasons."""
    parts = [_wrap(summary(card)), _counts(card), _wrap(_LEGEND)]
    orders = _orders(card.tables)
    if len(orders) > 1:
        title = "Order of methods, ours against printed: Kendall's tau, 1 if the same"
        parts.append(f"{title}\n\n{columns(orders, left=(0, 3))}")
    parts.append("\n".join(_wrap(line, indent="  ") for line in _reasons(card)))
    parts.append(f"Claims in numbers\n\n{columns(_outcomes(card), left=(0,))}")
    parts.append("\n".join(_wrap(line, indent="  ") for line in _claims(card)))
    return "\n\n".join([*parts, following(card)])


def nothing(source: str, experiments: int) -> str:
    """Say that no experiment belongs to a paper, and what to do."""
    count = "1 experiment" if experiments == 1 else f"{experiments} experiments"
    names = papers.names()
    of = names[0] if len(names) == 1 else "a paper"
    return (
        f"{source} has {count}, and none of {of}.\n"
        "Next: mlfs scorecard --reference for the results that come with mlfs, "
        f"or mlfs table {source.replace(', ', ' ')} for your own"
    )


def as_markdown(card: Scorecard) -> str:
    """Return the same as tables of Markdown."""
    parts = [summary(card), aligned([_HEADS, *_lines(card)]), _LEGEND]
    orders = _orders(card.tables)
    if len(orders) > 1:
        parts += ["Order of methods, ours against printed (1: the same):", aligned(orders)]
    parts.append("\n".join(f"- {line}" for line in _reasons(card)))
    parts += ["Claims in numbers:", aligned(_outcomes(card))]
    return "\n\n".join([*parts, "\n".join(f"- {line}" for line in _claims(card))])


def at_a_glance(card: Scorecard) -> str:
    """Return a table in Markdown with one line for each paper."""
    lines = [
        [score.paper or "all", how, *_numbers(one), "-" if how == AS_STATED else hold]
        for score in (*card.papers, card.total)
        for hold in [held(card, score.paper)]
        for how, one in card.runs(score)
    ]
    return aligned([[*_HEADS, "claims that hold"], *lines])


def held(card: Scorecard, paper: str = "") -> str:
    """Say how many of the decided claims hold, and how many claims are undecided."""
    found = card.outcomes(paper)
    decided = found["holds"] + found["fails"]
    if not decided:
        return f"{found['undecided']} open" if found else "-"
    return f"{found['holds']} of {decided}, {found['undecided']} open"


def as_json(card: Scorecard) -> str:
    """Return scores and comparisons as JSON, with null for unknown values."""
    content = {
        "source": card.source,
        **_plain(card),
        "claims": [asdict(claim) for claim in card.claims],
        "stated": _plain(card.stated),
    }
    return json.dumps(content, indent=1)


def _plain(scores: Scores) -> dict[str, Any]:
    comparisons = [
        {
            name: or_none(value) if isinstance(value, float) else value
            for name, value in asdict(item).items()
        }
        for item in scores.comparisons
    ]
    return {
        "total": scores.total.record(),
        "papers": [score.record() for score in scores.papers],
        "tables": [score.record() for score in scores.tables],
        "comparisons": comparisons,
    }


def summary(card: Scorecard) -> str:
    """Sum up all printed values: in one sentence, or in one as read and one as stated."""
    source = f" ({card.source})" if card.source else ""
    start = f"{card.total.printed:,} printed values"
    runs = card.runs(card.total)
    if len(runs) == 1:
        return f"{start}, {_sum(card.total, source)}."
    return f"{start}. " + " ".join(
        f"{how.capitalize()}: {_sum(score, source)}." for how, score in runs
    )


def _sum(score: Score, source: str) -> str:
    found = ", ".join(f"{score.counts[status]:,} {status}" for status in STATUSES[:3])
    without = ", ".join(f"{score.counts[status]:,} {status}" for status in STATUSES[3:])
    return (
        f"{score.ours:,} with a value of ours{source}: {found}; "
        f"{score.printed - score.ours:,} without: {without}"
    )


def following(card: Scorecard) -> str:
    """Name the most useful next command."""
    if not card.total.ours:
        return "Next: mlfs run mfsef_original"
    return f"Next: mlfs report {card.source.replace(', ', ' ')}"


def _lines(card: Scorecard) -> list[list[str]]:
    """Return a line of counts for every paper, for each of its tables, and for all."""
    lines = []
    for paper in card.papers:
        if not paper.printed:
            continue
        tables = [score for score in card.tables if score.paper == paper.paper]
        for score in (paper, *tables):
            name = f"  {score.table}" if score.table else paper.paper
            lines += [[name, how, *_numbers(one)] for how, one in card.runs(score)]
    return [*lines, *(["all", how, *_numbers(one)] for how, one in card.runs(card.total))]


def _numbers(score: Score) -> list[str]:
    counts = [score.printed, score.ours, *(score.counts[status] for status in STATUSES)]
    return [*(f"{count:,}" if count else "-" for count in counts), number(score.gap)]


def _counts(card: Scorecard) -> str:
    """Return the counts, under headings of two lines where that saves columns."""
    two = {
        "not run": ("not", "run"),
        "not runnable": ("not", "runnable"),
        "mean gap": ("mean", "gap"),
    }
    heads = [two.get(head, ("", head)) for head in _HEADS]
    lines = [list(line) for line in zip(*heads)]
    return columns([*lines, *_lines(card)], left=(0, 1))


def _orders(scores: Sequence[Score]) -> list[list[str]]:
    """Return Kendall's tau of each table, and the experiments that our values come from."""
    lines = [["table", "tau", "rows", "values from"]]
    for score in scores:
        if score.ours:
            tau = "-" if math.isnan(score.tau) else f"{score.tau:.2f}".replace("0.", ".")
            lines.append([score.name, tau, str(score.rows or "-"), ", ".join(score.experiments)])
    return lines


def _reasons(card: Scorecard) -> list[str]:
    """Say why printed values have none of ours, with their number and tables."""
    found: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
    for score in card.tables:
        for status, reason, count in score.reasons:
            found.setdefault((status, score.paper, reason), []).append((score.table, count))
    lines = []
    for status, paper, reason in sorted(found, key=lambda key: STATUSES.index(key[0])):
        where = found[status, paper, reason]
        count = sum(number for _, number in where)
        values = f"{count} printed {'value' if count == 1 else 'values'} of {paper}"
        tables = ", ".join(table for table, _ in where)
        lines.append(f"{status}: {values} {tables}: {textwrap.shorten(reason, _LONGEST)}")
    for name in papers.names():
        if not any(score.paper == name for score in card.tables):
            lines.append(f"{name}: the paper prints no table of results, only figures")
    return lines


def _outcomes(card: Scorecard) -> list[list[str]]:
    """Count the claims of each paper that hold."""
    lines = [["paper", "hold", "fail", "undecided"]]
    for paper in card.papers:
        found = card.outcomes(paper.paper)
        if found:
            counts = [found[verdict] for verdict in ("holds", "fails", "undecided")]
            lines.append([paper.paper, *(str(count) if count else "-" for count in counts)])
    return lines


def _claims(card: Scorecard) -> list[str]:
    """Describe every claim: its verdict, its test, and the numbers behind it."""
    return [
        f"{claim.verdict}: {claim.paper}, {claim.place}: {claim.claim} "
        f"Asked: {claim.test}. Found: {textwrap.shorten(claim.numbers, _LONGEST)}."
        for claim in card.claims
    ]


def _wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
