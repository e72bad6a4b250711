"""The texts of ``mlfs explain`` and ``mlfs scorecard --readings``: what readings give."""

from __future__ import annotations

import textwrap

from ... import papers
from ...errors import UserError, nearest
from ...protocols.experiment.masks import asked
from ..tables.metric_facts import words
from ..tables.texts import columns, number
from .comparison import Comparison
from .read_columns import ReadScore
from .scorecard import Scorecard

_WIDTH = 80


def readings_text(card: Scorecard) -> str:
    """List all readings with their counts, and say which of them explain their column."""
    lines = [
        ["", "", "", "", "", "", "run both", "", "", "", ""],
        ["paper", "reading", "column", "tables", "values", "read", "ways", "read", "stated"],
    ]
    lines[1] += ["swap", ""]
    for one in card.columns:
        both = [
            str(count) if one.both else "-" for count in (len(one.both), *one.reproduced_of_both)
        ]
        lines.append(
            [
                one.paper,
                one.reading,
                one.method,
                ", ".join(one.entry.covers.tables),
                str(one.wanted),
                str(one.reproduced) if any(value.repeats for value in one.read) else "-",
                *both,
                "-" if one.swap != one.swap else f"{100 * one.swap:.0f} %",
                "explains" if one.explains else "",
            ]
        )
    if not card.columns:
        return "No paper has readings."
    parts = [columns(lines, left=(0, 1, 2, 3, 10))]
    parts.append(
        _wrap(
            "read, stated: values that are reproduced by the runs of the reading, and by those "
            "that follow the words of the paper; first of all values, then of those that were run "
            "both ways. A reading explains a column if it reproduces at least half of its values, "
            "of those run both ways at least twice as many as the words of the paper, and a larger "
            "share than the swap rate. One that fails only in the second point counts where the "
            "words were not run."
        )
    )
    for one in card.columns:
        parts.append("\n".join(_lines(one)))
    return "\n\n".join(parts)


def explain_text(card: Scorecard, paper: str, column: str) -> str:
    """Show a printed column, ours as stated and by each of its readings, side by side."""
    printed = papers.paper(paper).printed()
    headings = list(dict.fromkeys(printed.method))
    if column not in headings:
        told = ", ".join(headings) or "none"
        raise UserError(
            f"{paper} prints no column '{column}'{nearest(column, headings)} (its columns: {told})"
        )
    stated = [one for one in card.stated.comparisons if (one.paper, one.method) == (paper, column)]
    mine = [one for one in card.columns if (one.paper, one.method) == (paper, column)]
    heads = _names(mine)
    by_place = [{one.place: one for one in score.read} for score in mine]
    parts = []
    for table in dict.fromkeys(one.table for one in stated):
        shown = [
            [one.place in of_reading for one in stated if one.table == table]
            for of_reading in by_place
        ]
        used = [i for i, there in enumerate(shown) if any(there)]
        lines = [["", "", "printed", "as stated", "", *(h for i in used for h in (heads[i], ""))]]
        for one in (one for one in stated if one.table == table):
            hidden = f", {asked(one.ratio)}" if one.ratio else ""
            line = [one.dataset + hidden, words(one.metric), _value(one.printed, one.printed_std)]
            for of_reading in (one, *(by_place[i].get(one.place) for i in used)):
                line += _ours(of_reading)
            lines.append(line)
        title = papers.paper(paper).tables.get(table, "")
        parts.append(f"{paper}, table {table}: {title}\n\n{columns(lines)}")
    for score in mine:
        parts.append("\n".join(_lines(score)))
    if not mine:
        parts.append(f"No reading of {column} is run by a config.")
    return "\n\n".join([*parts, "Next: mlfs scorecard --readings"])


def _names(scores: list[ReadScore]) -> list[str]:
    """Name readings for headings; those of the same name are told apart by their column."""
    twice = len({(one.reading, tuple(one.entry.covers.tables)) for one in scores}) < len(scores)
    return [one.entry.column or one.reading if twice else one.reading for one in scores]


def _ours(one: Comparison | None) -> list[str]:
    """Return our value and its status; a value that cannot be compared is shown as a ratio."""
    if one is None or not one.repeats:
        return ["-", ""]
    if one.status == "not comparable":
        return [f"{one.quotient:.3g} times", one.status]
    return [_value(one.ours, one.ours_std), one.status]


def _value(mean: float, std: float) -> str:
    return number(mean) if std != std else f"{number(mean)} ± {number(std)}"


def _lines(score: ReadScore) -> list[str]:
    """Say how a column is read, what speaks for it, and what it gives."""
    tables = ", ".join(score.entry.covers.tables)
    title = f"{score.paper}, {score.method} in tables {tables}, reading {score.reading}"
    told = [*score.entry.lines, score.sentence]
    return [title, *(_wrap(line, "  ", "    ") for line in told)]


def _wrap(text: str, first: str = "", rest: str = "") -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
