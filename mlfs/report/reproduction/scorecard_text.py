"""Write the scorecard as text of 80 columns, as Markdown or as JSON."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from ... import papers
from ...errors import count_of
from ..tables.texts import aligned, columns, or_none
from . import claim_verdicts
from .claim_verdicts import OUTCOMES, Verdict
from .judgement import JUDGED, MEANINGS, STATUSES, SWAP
from .scorecard import AS_READ, AS_STATED, BOTH, Score, Scorecard, Scores

WIDTH = 80
_LONGEST = 200  # most letters of a reason, such as an error
_WITHOUT = STATUSES[len(JUDGED) :]  # not compared
_HEADS = ["paper", "runs", "printed", *STATUSES]
_RUNS = (
    "as stated: runs that follow the words of the paper. as read: a column counts by the first "
    "reading of what the paper leaves open that explains it, and as stated if none does; a reading "
    "that fits, but is not much better than the words, counts where these were not run. both: the "
    "same values are counted."
)
_OWN = (
    "own method: how many of its values that are compared are reproduced or explained. order: "
    "Kendall's tau between the order of the methods by our values and by the printed ones, 1 if it "
    "is the same; mean over rows."
)


def legend() -> list[str]:
    """Return the meaning of every status, of the swap rate and of the two kinds of runs."""
    told = [f"{name}: {text}." for name, text in MEANINGS.items()]
    verdicts = "; ".join(f"{name}: {text}" for name, text in claim_verdicts.MEANINGS.items())
    return [*told, f"{SWAP}.", _RUNS, _OWN, f"A claim. {verdicts}. The last three are open."]


def as_text(card: Scorecard) -> str:
    """Return the text for a terminal: counts, orders of methods, claims and reasons."""
    parts = [
        _wrap(summary(card)),
        f"The papers' own methods, the order of methods, and claims\n\n{_own(card)}",
        f"How printed values compare with ours\n\n{_counts(card)}",
        "\n".join(_wrap(line, indent="  ") for line in legend()),
        "\n".join(_wrap(line, indent="  ") for line in fitted(card)),
    ]
    orders = _orders(card)
    if len(orders) > 1:
        title = "Order of methods in each table, ours against printed: Kendall's tau"
        parts.append(f"{title}\n\n{columns(orders, left=(0, 1, 4))}")
    parts.append("\n".join(_wrap(line, indent="  ") for line in _reasons(card)))
    parts.append(f"Claims in numbers\n\n{columns(_short_outcomes(card), left=(0, 1))}")
    parts.append("\n".join(_wrap(line, indent="  ") for line in _claims(card)))
    return "\n\n".join([*parts, following(card)])


def nothing(source: str, experiments: int) -> str:
    """Say that no experiment belongs to a paper, and what to do."""
    names = papers.names()
    of = names[0] if len(names) == 1 else "a paper"
    return (
        f"{source} has {count_of(experiments, 'experiment')}, and none of {of}.\n"
        "Next: mlfs scorecard --reference for the results that come with mlfs, "
        f"or mlfs table {source.replace(', ', ' ')} for your own"
    )


def as_markdown(card: Scorecard) -> str:
    """Return the same as tables of Markdown."""
    parts = [
        summary(card),
        aligned(
            [[" ".join(head).replace("- ", "").strip() for head in _OWN_HEADS], *_own_lines(card)]
        ),
        aligned([_HEADS, *_lines(card, _numbers)]),
        "\n".join(f"- {line}" for line in legend()),
        "\n".join(f"- {line}" for line in fitted(card)),
    ]
    orders = _orders(card)
    if len(orders) > 1:
        parts += ["Order of methods in each table, ours against printed:", aligned(orders)]
    parts.append("\n".join(f"- {line}" for line in _reasons(card)))
    parts += ["Claims in numbers:", aligned(_outcomes(card))]
    return "\n\n".join([*parts, "\n".join(f"- {line}" for line in _claims(card))])


def at_a_glance(card: Scorecard) -> str:
    """Return a table in Markdown with the lines of each paper, its own method first."""
    heads = ["paper", "runs", "own method", "order", "claims", "printed", *STATUSES, "swap rate"]
    lines = [
        [score.paper or "all", how, *_first(card, how, one), *_numbers(one), _percent(one.swap)]
        for score in (*card.papers, card.total)
        for how, one in card.runs(score)
    ]
    return aligned([heads, *lines])


def fitted(card: Scorecard) -> list[str]:
    """Say what was chosen by printed values, how much was hidden, and what is tuned per dataset."""
    lines = []
    for name in papers.names():
        paper = papers.paper(name)
        for text in paper.fitted:
            lines.append(f"Fitted to printed values of {name}, in all runs: {text}")
        chosen = [
            f"{', '.join(entry.covers.columns)} ({', '.join(entry.covers.tables)})"
            for reading in paper.readings()
            for entry in reading.columns
            if entry.chosen
        ]
        if chosen:
            lines.append(
                f"Fitted to printed values of {name}, in the runs as read: {'; '.join(chosen)}; "
                "'mlfs scorecard --readings' says how."
            )
    lines += [f"Hidden by {text}" for text in card.hidden]
    if card.tuned:
        lines.append(
            f"Tuned once per dataset: {'; '.join(card.tuned)}. The training rows of the first "
            "repeat choose the parameters there, and most of them are test rows of later repeats."
        )
    return lines


def _first(card: Scorecard, how: str, score: Score) -> list[str]:
    """Return the values of the own method, the order of methods, and the claims that hold."""
    own = f"{score.own_agree} of {score.own_values}" if score.own_values else "-"
    return [own, tau(score), held(card, score.paper, how)]


def tau(score: Score) -> str:
    """Return Kendall's tau of a score in two digits."""
    return "-" if math.isnan(score.tau) else f"{score.tau:.2f}".replace("0.", ".")


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f} %"


def held(card: Scorecard, paper: str = "", how: str = AS_READ) -> str:
    """Say how many claims hold and are contradicted, and how many are open."""
    outcomes = card.outcomes(paper, how)
    if not outcomes:
        return "-"
    hold = "holds" if outcomes["holds"] == 1 else "hold"
    sure = {hold: outcomes["holds"], "contradicted": outcomes["contradicted"]}
    told = [f"{count} {word}" for word, count in sure.items() if count]
    rest = outcomes.total() - sum(sure.values())
    return ", ".join([*told, *([f"{rest} open"] if rest else [])])


def as_json(card: Scorecard) -> str:
    """Return scores and comparisons as JSON, with null for unknown values."""
    content = {
        "source": card.source,
        **_plain(card),
        "claims": [asdict(claim) for claim in card.claims],
        "readings": [column.record() for column in card.columns],
        "stated": {
            **_plain(card.stated),
            "claims": [asdict(claim) for claim in card.claims_as_stated],
        },
        "meanings": [*legend(), *fitted(card)],
    }
    return json.dumps(content, indent=1)


def _plain(scores: Scores) -> dict[str, Any]:
    comparisons = [
        {
            name: or_none(value) if isinstance(value, float) else value
            for name, value in {**asdict(item), "quotient": item.quotient}.items()
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
    """Sum up all printed values: in one sentence, or in one as stated and one as read."""
    source = f" ({card.source})" if card.source else ""
    start = f"{card.total.printed:,} printed values"
    runs = card.runs(card.total)
    if len(runs) == 1:
        return f"{start}, {_sum(card.total, source)}."
    return f"{start}. " + " ".join(
        f"{how.capitalize()}: {_sum(score, source)}." for how, score in runs
    )


def _sum(score: Score, source: str) -> str:
    counts = ", ".join(f"{score.counts[status]:,} {status}" for status in JUDGED)
    without = ", ".join(f"{score.counts[status]:,} {status}" for status in _WITHOUT)
    swap = "" if math.isnan(score.swap) else f" (swap rate {_percent(score.swap)})"
    return (
        f"{score.ours:,} compared with a value of ours{source}: {counts}{swap}; "
        f"{score.printed - score.ours:,} not: {without}"
    )


def following(card: Scorecard) -> str:
    """Name the most useful next command."""
    if not card.total.ours:
        return "Next: mlfs run mfsef_original"
    return f"Next: mlfs report {card.source.replace(', ', ' ')}"


def _lines(card: Scorecard, numbers: Callable[[Score], list[str]]) -> list[list[str]]:
    """Return a line of counts for every paper, for each of its tables, and for all."""
    lines = []
    for paper in card.papers:
        if not paper.printed:
            continue
        tables = [score for score in card.tables if score.paper == paper.paper]
        for score in (paper, *tables):
            name = f"  {score.table}" if score.table else paper.paper
            lines += [[name, how, *numbers(one)] for how, one in card.runs(score)]
    return [*lines, *(["all", how, *numbers(one)] for how, one in card.runs(card.total))]


def _numbers(score: Score) -> list[str]:
    return [_count(n) for n in (score.printed, *(score.counts[status] for status in STATUSES))]


def _few_numbers(score: Score) -> list[str]:
    """Return the counts of values that are compared, and the number of the others."""
    counts = [score.counts[status] for status in JUDGED]
    return [_count(n) for n in (score.printed, *counts, score.printed - score.ours)]


def _count(number: int) -> str:
    return f"{number:,}" if number else "-"


def _counts(card: Scorecard) -> str:
    """Return the counts, under headings of two lines where that saves columns."""
    heads = [
        *[("", "paper"), ("", "runs"), ("", "printed"), ("repro-", "duced"), ("within", "chance")],
        *[("", "explained"), ("", "better"), ("", "worse"), ("not com-", "pared")],
    ]
    return columns([*map(list, zip(*heads)), *_lines(card, _few_numbers)], left=(0, 1))


_OWN_HEADS = [
    *[("", "paper"), ("", "own method"), ("", "runs"), ("", "values"), ("", "order")],
    *[("claims", "hold"), ("contra-", "dicted"), ("", "open"), ("swap", "rate")],
]


def _own_lines(card: Scorecard) -> list[list[str]]:
    """Return for each paper the values of its own method, the order of methods, and its claims."""
    lines = []
    for score in (*card.papers, card.total):
        for how, one in card.runs(score):
            name = one.own or ("all" if not one.paper else "-")
            values, order, _ = _first(card, how, one)
            outcomes = card.outcomes(score.paper, how)
            sure = [outcomes["holds"], outcomes["contradicted"]]
            counts = [_count(n) for n in (*sure, outcomes.total() - sum(sure))]
            told = [values, order, *counts, _percent(one.swap)]
            lines.append([score.paper or "all", name, how, *told])
    return lines


def _own(card: Scorecard) -> str:
    heads = [list(line) for line in zip(*_OWN_HEADS)]
    return columns([*heads, *_own_lines(card)], left=(0, 1, 2))


def _orders(card: Scorecard) -> list[list[str]]:
    """Return Kendall's tau of each table, and the experiments that our values come from."""
    lines = [["table", "runs", "tau", "rows", "values from"]]
    for score in card.tables:
        for how, one in card.runs(score):
            if one.experiments:
                rows = str(one.rows or "-")
                lines.append([one.name, how, tau(one), rows, ", ".join(one.experiments)])
    return lines


def _reasons(card: Scorecard) -> list[str]:
    """Say why printed values have none of ours, with their number and tables."""
    places: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
    for score in card.tables:
        for status, reason, count in score.reasons:
            places.setdefault((status, score.paper, reason), []).append((score.table, count))
    lines = []
    for status, paper, reason in sorted(places, key=lambda key: STATUSES.index(key[0])):
        where = places[status, paper, reason]
        count = sum(number for _, number in where)
        values = f"{count_of(count, 'printed value')} of {paper}"
        tables = ", ".join(table for table, _ in where)
        lines.append(f"{status}: {values} {tables}: {textwrap.shorten(reason, _LONGEST)}")
    for name in papers.names():
        if not any(score.paper == name for score in card.tables):
            lines.append(f"{name}: the paper prints no table of results, only figures")
    return lines


def _outcomes(card: Scorecard) -> list[list[str]]:
    """Count the claims of each paper by their verdicts."""
    lines = [["paper", "runs", *OUTCOMES]]
    for paper in card.papers:
        runs = [(how, card.outcomes(paper.paper, how)) for how in (AS_STATED, AS_READ)]
        if runs[0][1] == runs[1][1]:
            runs = [(BOTH, runs[1][1])]
        for how, outcomes in runs:
            if outcomes:
                counts = [_count(outcomes[verdict]) for verdict in OUTCOMES]
                lines.append([paper.paper, how, *counts])
    return lines


def _short_outcomes(card: Scorecard) -> list[list[str]]:
    """Return the same under headings of two lines, which saves columns."""
    first = ["", "", "", "contra-", "not distin-", "not com-", "not"]
    second = ["paper", "runs", "holds", "dicted", "guishable", "parable", "run"]
    return [first, second, *_outcomes(card)[1:]]


def _claims(card: Scorecard) -> list[str]:
    """Describe every claim: its verdict, its words, its test, and the numbers behind it."""
    return [
        f"{claim.verdict}{certainty(claim)}: {claim.paper}, {claim.place}: {claim.claim} "
        f"In its words: “{claim.quote}”. Asked: {claim.test}. "
        f"Found: {textwrap.shorten(claim.numbers, _LONGEST)}."
        for claim in card.claims
    ]


def certainty(claim: Verdict) -> str:
    """Return the p-value behind a verdict in brackets; empty if there is none."""
    return "" if claim.p is None else f" (p = {claim.p:.2g})"


def _wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
