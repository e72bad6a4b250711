"""Write the scorecard as text of 80 columns, as Markdown or as JSON."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from dataclasses import asdict

from .. import papers
from .formats import aligned, number
from .scorecard import Score, Scorecard, known
from .standing import STATUSES

WIDTH = 80
_LONGEST = 200  # most letters of a reason, such as an error
_HEADS = ["paper", "cells", "ours", *STATUSES, "mean gap"]
_LEGEND = (
    "reproduced: the gap is at most the larger deviation, printed or ours, or at most .005; "
    "close: at most twice that; explained: a fault of the paper gives the printed value; off: "
    "none of these. Gaps are means of absolute values."
)


def as_text(card: Scorecard) -> str:
    """Return the text for a terminal: counts, orders of methods, claims and reasons."""
    parts = [_wrap(summary(card)), _counts(card), _wrap(_LEGEND)]
    orders = _orders(card.tables)
    if len(orders) > 1:
        title = "Order of methods, ours against printed: Kendall's tau, 1 if the same"
        parts.append(f"{title}\n\n{_columns(orders, left=(0, 3))}")
    parts.append("\n".join(_wrap(line, indent="  ") for line in _reasons(card)))
    parts.append(f"Claims in numbers\n\n{_columns(_outcomes(card), left=(0,))}")
    parts.append("\n".join(_wrap(line, indent="  ") for line in _claims(card)))
    return "\n\n".join([*parts, following(card)])


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
    lines = [[score.paper, *_numbers(score), held(card, score.paper)] for score in card.papers]
    last = ["all", *_numbers(card.total), held(card)]
    return aligned([[*_HEADS, "claims that hold"], *lines, last])


def held(card: Scorecard, paper: str = "") -> str:
    """Say how many of the decided claims hold, and how many claims are undecided."""
    found = card.outcomes(paper)
    decided = found["holds"] + found["fails"]
    if not decided:
        return f"{found['undecided']} open" if found else "-"
    return f"{found['holds']} of {decided}, {found['undecided']} open"


def as_json(card: Scorecard) -> str:
    """Return scores and cells as JSON, with null for unknown values."""
    cells = [
        {
            name: known(value) if isinstance(value, float) else value
            for name, value in asdict(item).items()
        }
        for item in card.cells
    ]
    content = {
        "source": card.source,
        "total": card.total.record(),
        "papers": [score.record() for score in card.papers],
        "tables": [score.record() for score in card.tables],
        "claims": [asdict(claim) for claim in card.claims],
        "cells": cells,
    }
    return json.dumps(content, indent=1)


def summary(card: Scorecard) -> str:
    """Sum up all printed cells in one sentence."""
    total, counts = card.total, card.total.counts
    found = ", ".join(f"{counts[s]:,} {s}" for s in STATUSES[:4])
    of = f", {card.cannot:,} of them not runnable here" if card.cannot else ""
    source = f" ({card.source})" if card.source else ""
    return (
        f"{total.cells:,} printed cells, {total.ours:,} with a figure of ours{source}: {found}; "
        f"{card.without:,} not run{of}."
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
        if not paper.cells:
            continue
        tables = [score for score in card.tables if score.paper == paper.paper]
        lines.append([paper.paper, *_numbers(paper)])
        lines += [[f"  {score.table}", *_numbers(score)] for score in tables]
    return [*lines, ["all", *_numbers(card.total)]]


def _numbers(score: Score) -> list[str]:
    counts = [score.cells, score.ours, *(score.counts[status] for status in STATUSES)]
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
    return _columns([*lines, *_lines(card)], left=(0,))


def _orders(scores: Sequence[Score]) -> list[list[str]]:
    """Return Kendall's tau of each table, and the experiments that our values come from."""
    lines = [["table", "tau", "rows", "figures from"]]
    for score in scores:
        if score.ours:
            tau = "-" if math.isnan(score.tau) else f"{score.tau:.2f}".replace("0.", ".")
            lines.append([score.name, tau, str(score.rows or "-"), ", ".join(score.experiments)])
    return lines


def _reasons(card: Scorecard) -> list[str]:
    """Say why cells are explained or have no value, with their number and tables."""
    found: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
    for score in card.tables:
        for status, reason, count in score.reasons:
            found.setdefault((status, score.paper, reason), []).append((score.table, count))
    lines = []
    for status, paper, reason in sorted(found, key=lambda key: STATUSES.index(key[0])):
        where = found[status, paper, reason]
        count = sum(number for _, number in where)
        cells = f"{count} {'cell' if count == 1 else 'cells'} of {paper}"
        tables = ", ".join(table for table, _ in where)
        lines.append(f"{status}: {cells} {tables}: {textwrap.shorten(reason, _LONGEST)}")
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


def _columns(lines: list[list[str]], left: Sequence[int]) -> str:
    """Align columns of texts, some on the left and the others on the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            text.ljust(widths[i]) if i in left else text.rjust(widths[i])
            for i, text in enumerate(line)
        ).rstrip()
        for line in lines
    )


def _wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
