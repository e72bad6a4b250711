"""The papers on the page: a map of their printed values, and verdicts on their claims.

Each printed value has a mark in the colour of its status.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from ... import papers
from ...protocols.experiment.masks import asked
from ..figures.views import axis_name
from ..kept import KeptViews, View
from ..reproduction import audit
from ..reproduction.claim_verdicts import OUTCOMES, Verdict, on_printed
from ..reproduction.comparison import Comparison
from ..reproduction.judgement import allowed
from ..reproduction.read_columns import ReadScore
from ..reproduction.scorecard import Score, Scorecard
from ..tables.texts import number, short_number, signed
from .tables_section import ValueIndex, ValueKey, value_key

_Findings = tuple[str, list[str]]  # what a rule of the audit looks for, and what it found


@dataclass(frozen=True)
class ValueMark:
    """One printed value; its label describes it, in parts separated by semicolons."""

    status: str
    label: str
    link: str
    experiment: str


@dataclass(frozen=True)
class Block:
    """The values of a table at one metric and ratio: datasets in rows, methods in columns."""

    title: str
    methods: list[str]
    rows: list[tuple[str, list[ValueMark | None]]]


@dataclass(frozen=True)
class TableMap:
    """One printed table."""

    number: str
    caption: str
    blocks: list[Block]


@dataclass(frozen=True)
class PaperMap:
    """One paper with its score, its tables, and what the audit finds in it.

    It is `folded` if no experiment on the page belongs to it.
    """

    paper: papers.Paper
    score: Score
    columns: list[ReadScore]
    tables: list[TableMap]
    findings: list[_Findings]
    folded: bool = False


@dataclass(frozen=True)
class PaperClaims:
    """What one paper claims.

    Attributes
    ----------
    rows : list of (Verdict, Verdict)
        For every claim the verdict on our results, and that on the printed values.
    counts : dict
        How many claims have each verdict on our results.
    unchecked : list of (str, str)
        Sentences with a number that no rule can check, each with the reason.
    """

    paper: papers.Paper
    rows: list[tuple[Verdict, Verdict]]
    counts: dict[str, int]
    unchecked: list[tuple[str, str]]


def paper_maps(
    card: Scorecard, index: ValueIndex, run: Collection[str | None], kept: KeptViews
) -> list[PaperMap]:
    """Return all papers, each with its printed tables.

    Parameters
    ----------
    card : Scorecard
        How the printed values compare with ours.
    index : ValueIndex
        Where our values are on the page.
    run : collection of str
        The papers of the experiments on the page; the others are folded.
    kept : KeptViews
        What earlier pages showed.
    """
    made = []
    for score in card.papers:
        paper = papers.paper(score.paper)
        mine = [one for one in card.comparisons if one.paper == paper.name]
        tables = []
        for table in dict.fromkeys(one.table for one in mine):
            values = [one for one in mine if one.table == table]
            blocks = _blocks(values, index.anchors)
            tables.append(TableMap(table, paper.tables.get(table, ""), blocks))
        read = [one for one in card.columns if one.paper == paper.name]
        findings = _kept(kept, paper, list[_Findings], partial(_findings, paper))
        made.append(PaperMap(paper, score, read, tables, findings, folded=paper.name not in run))
    return made


def _kept(kept: KeptViews, paper: papers.Paper, kind: type[View], make: Callable[[], View]) -> View:
    """Return what follows from a paper alone."""
    return kept.of(kind, [], [str(kind), paper.name], make)


def _findings(paper: papers.Paper) -> list[_Findings]:
    return [
        (audit.TITLES[rule], [f"{audit.place(one)}: {one.text}" for one in findings])
        for rule, findings in audit.by_rule(audit.audit(paper)).items()
    ]


def _blocks(values: Sequence[Comparison], anchors: Mapping[ValueKey, str]) -> list[Block]:
    several = len({one.ratio for one in values}) > 1
    blocks = []
    for metric, ratio in dict.fromkeys((one.metric, one.ratio) for one in values):
        mine = [one for one in values if (one.metric, one.ratio) == (metric, ratio)]
        comparisons = {(one.dataset, one.method): one for one in mine}
        methods = list(dict.fromkeys(one.method for one in mine))
        rows = []
        for dataset in dict.fromkeys(one.dataset for one in mine):
            row = [comparisons.get((dataset, method)) for method in methods]
            marks = [_mark(one, anchors) if one else None for one in row]
            rows.append((dataset, marks))
        hidden = f", {asked(ratio)}" if several else ""
        blocks.append(Block(axis_name(metric) + hidden, methods, rows))
    return blocks


def _mark(one: Comparison, anchors: Mapping[ValueKey, str]) -> ValueMark:
    anchor = anchors.get(value_key(one))
    link = f"#{anchor}" if anchor else f"#paper-{one.paper}"
    return ValueMark(one.status, label(one), link, one.experiment)


def label(one: Comparison) -> str:
    """Describe a printed value in words: status, values and gap."""
    hidden = f", {asked(one.ratio)}" if one.ratio else ""
    parts = [f"{one.method} on {one.dataset}, {axis_name(one.metric)}{hidden}", one.status]
    if not math.isnan(one.ours):
        repeats = "one repeat" if one.repeats == 1 else f"{one.repeats} repeats"
        parts.append(f"ours {_with_spread(one.ours, one.ours_std)}, {repeats}")
    parts.append(f"printed {_with_spread(one.printed, one.printed_std)}")
    if one.status == "not comparable":
        parts.append(f"ours is {short_number(one.quotient)} times the printed value")
    elif not math.isnan(one.gap):
        chance = number(allowed(*one.sides, one.unit))
        parts.append(f"gap {signed(one.gap)}, {chance} allowed by chance")
        parts.append(f"two methods of this row usually differ by {number(one.distance)}")
    if one.experiment:
        parts.append(f"from {one.experiment}")
    if one.reason:
        parts.append(one.reason)
    return "; ".join(parts)


def _with_spread(mean: float, std: float) -> str:
    return number(mean) if math.isnan(std) else f"{number(mean)} ± {number(std)}"


def paper_claims(card: Scorecard, kept: KeptViews) -> list[PaperClaims]:
    """Return the claims of all papers that have some."""
    made = []
    for name in papers.names():
        paper = papers.paper(name)
        mine = [one for one in card.claims if one.paper == name]
        left = [("; ".join(one.anchors), one.reason) for one in paper.claims().unchecked]
        if mine or left:
            printed = _kept(kept, paper, list[Verdict], partial(on_printed, paper))
            rows = list(zip(mine, printed))
            made.append(PaperClaims(paper, rows, _counts(card, name), left))
    return made


def _counts(card: Scorecard, name: str) -> dict[str, int]:
    counts = card.outcomes(name)
    return {outcome: counts[outcome] for outcome in OUTCOMES}
