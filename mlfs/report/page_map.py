"""The map of all printed cells, table by table: each has a mark in the colour of its status."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .. import papers
from . import audit
from .formats import number, signed
from .page_tables import Place, key
from .scorecard import Score, Scorecard
from .standing import Standing
from .views import axis_name


@dataclass(frozen=True)
class Mark:
    """One printed cell; its label describes it, in parts separated by semicolons."""

    status: str
    label: str
    link: str
    experiment: str


@dataclass(frozen=True)
class Block:
    """The cells of a table at one metric and ratio: datasets in rows, methods in columns."""

    title: str
    methods: list[str]
    rows: list[tuple[str, list[Mark | None]]]


@dataclass(frozen=True)
class TableMap:
    """One printed table."""

    number: str
    caption: str
    blocks: list[Block]


@dataclass(frozen=True)
class PaperMap:
    """One paper with its score, its tables, and what the audit finds in it."""

    paper: papers.Paper
    score: Score
    tables: list[TableMap]
    findings: list[tuple[str, list[str]]]  # what a rule looks for, and what it found


def maps(
    card: Scorecard, anchors: Mapping[Place, str], columns: Mapping[tuple[str, str], str]
) -> list[PaperMap]:
    """Return all papers, each with its printed tables.

    `anchors` says where our values are on the page. `columns` gives our heading for an experiment
    and a column of the paper.
    """
    made = []
    for score in card.papers:
        paper = papers.paper(score.paper)
        mine = [one for one in card.cells if one.paper == paper.name]
        tables = []
        for table in dict.fromkeys(one.table for one in mine):
            cells = [one for one in mine if one.table == table]
            blocks = _blocks(cells, anchors, columns)
            tables.append(TableMap(table, paper.tables.get(table, ""), blocks))
        made.append(PaperMap(paper, score, tables, _findings(papers.folders()[paper.name])))
    return made


@cache  # it depends only on the paper, and takes seconds
def _findings(folder: Path) -> list[tuple[str, list[str]]]:
    paper = papers.paper(folder.name)
    return [
        (audit.TITLES[rule], [f"{audit.place(one)}: {one.text}" for one in found])
        for rule, found in audit.by_rule(audit.audit(paper)).items()
    ]


def _blocks(
    cells: Sequence[Standing],
    anchors: Mapping[Place, str],
    columns: Mapping[tuple[str, str], str],
) -> list[Block]:
    several = len({one.ratio for one in cells}) > 1
    blocks = []
    for metric, ratio in dict.fromkeys((one.metric, one.ratio) for one in cells):
        mine = [one for one in cells if (one.metric, one.ratio) == (metric, ratio)]
        known = {(one.dataset, one.method): one for one in mine}
        methods = list(dict.fromkeys(one.method for one in mine))
        rows = []
        for dataset in dict.fromkeys(one.dataset for one in mine):
            found = [known.get((dataset, method)) for method in methods]
            marks = [_mark(one, anchors, columns) if one else None for one in found]
            rows.append((dataset, marks))
        hidden = f", {ratio:.0%} hidden" if several else ""
        blocks.append(Block(axis_name(metric) + hidden, methods, rows))
    return blocks


def _mark(
    one: Standing, anchors: Mapping[Place, str], columns: Mapping[tuple[str, str], str]
) -> Mark:
    column = columns.get((one.experiment, one.method), one.method)
    anchor = anchors.get(key(one, column))
    link = f"#{anchor}" if anchor else f"#paper-{one.paper}"
    return Mark(one.status, label(one), link, one.experiment)


def label(one: Standing) -> str:
    """Describe a printed cell in words: status, values and gap."""
    hidden = f", {one.ratio:.0%} hidden" if one.ratio else ""
    parts = [f"{one.method} on {one.dataset}, {axis_name(one.metric)}{hidden}", one.status]
    if not math.isnan(one.ours):
        repeats = "one repeat" if one.repeats == 1 else f"{one.repeats} repeats"
        parts.append(f"ours {_figure(one.ours, one.ours_std)}, {repeats}")
    parts.append(f"printed {_figure(one.printed, one.printed_std)}")
    if not math.isnan(one.gap):
        parts.append(f"gap {signed(one.gap)}, {number(one.tolerance)} allowed")
    if one.experiment:
        parts.append(f"from {one.experiment}")
    if one.reason:
        parts.append(one.reason)
    return "; ".join(parts)


def _figure(mean: float, std: float) -> str:
    return number(mean) if math.isnan(std) else f"{number(mean)} ± {number(std)}"
