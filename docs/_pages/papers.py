"""A page for every paper: what it prints, how close our values are, and why they differ."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import yaml
from text import block, page, table

from mlfs import papers
from mlfs.config import shipped
from mlfs.report.reproduction import scorecard
from mlfs.report.reproduction.judgement import STATUSES
from mlfs.report.reproduction.scorecard import Score
from mlfs.report.reproduction.scorecard_text import certainty, fitted, held, legend, summary, tau


def pages() -> dict[str, str]:
    """Return the index and the page of every paper that comes with mlfs."""
    made = {f"papers/{name}.md": _page(name) for name in papers.names()}
    return {"papers/index.md": _index(), **made}


@cache
def card() -> scorecard.Scorecard:
    """Score all papers with the results that come with mlfs."""
    found = scorecard.read(scorecard.find_stores([shipped.reference()]))
    return scorecard.score(found, str(shipped.REFERENCE))  # no path of this machine


def _index() -> str:
    rows = [
        [
            f"[{score.paper}]({score.paper}.md)" if score.paper else "all",
            how,
            f"{one.own_agree} of {one.own_values}" if one.own_values else "",
            tau(one),
            held(card(), score.paper, how),
            *_counts(one),
        ]
        for score in (*card().papers, card().total)
        for how, one in card().runs(score)
    ]
    return page(
        "# Papers and our results",
        "Every printed value of every table is compared with ours, from the results that come with "
        "mlfs. " + summary(card()),
        table(["paper", "runs", "own method", "order", "claims", *_HEADS], rows),
        "![Every printed value that was run, ours against printed](../scorecard.svg)",
        "## How values are judged",
        "\n".join(f"- {line}" for line in [*legend(), *fitted(card())]),
        "`mlfs scorecard` counts your own results in the same way. `mlfs scorecard --readings` "
        "lists the readings, and `mlfs explain PAPER COLUMN` shows a column value by value.",
    )


_HEADS = ["printed", *STATUSES, "swap rate"]


def _counts(one: Score) -> list[str]:
    counts = [str(one.counts[status] or "") for status in STATUSES]
    return [f"{one.printed:,}", *counts, "" if math.isnan(one.swap) else f"{100 * one.swap:.1f} %"]


def _page(name: str) -> str:
    paper = papers.paper(name)
    tables = [one for one in card().tables if one.paper == name]
    rows = [
        [score.table, paper.tables.get(score.table, ""), how, *_counts(one)]
        for score in tables
        for how, one in card().runs(score)
    ]
    why = [[one.table, str(n), status, text] for one in tables for status, text, n in one.reasons]
    captions = [[f"table {key}", text] for key, text in paper.tables.items()]
    captions += [[f"figure {key}", text] for key, text in paper.figures.items()]
    said = [
        [
            one.claim,
            f"{one.place}: “{one.quote}”",
            f"**{one.verdict}**{certainty(one)}",
            one.numbers,
        ]
        for one in card().claims
        if one.paper == name
    ]
    configs = _configs(name)
    return page(
        f"# {name}",
        f"*{paper.title}*. {', '.join(paper.authors)}. {paper.venue}, {paper.year}.",
        "## What it prints" if captions else "",
        table(["", "caption"], captions) if captions else "",
        "## How close our values are",
        table(["table", "caption", "runs", *_HEADS], rows) if rows else _NO_TABLES,
        "## What it claims" if said else "",
        table(["claim", "place", "on our results", "numbers"], said) if said else "",
        "## Why values are missing" if why else "",
        table(["table", "printed values", "status", "reason"], why) if why else "",
        "## Why there are gaps: what a reader of its tables should know" if paper.notes else "",
        "\n".join(f"- {' '.join(note.split())}" for note in paper.notes),
        *_readings(paper),
        "## Run it again",
        table(["config", "what it shows"], configs),
        block("sh", f"mlfs run {configs[0][0].strip('`')} --dry-run") if configs else "",
        f"`mlfs audit --paper {name}` looks for contradictions in what the paper prints.",
    )


def _readings(paper: papers.Paper) -> list[str]:
    """Return what is known of how the paper can be read where it leaves something open."""
    found = []
    for reading in paper.readings():
        found += [f"## Reading: {reading.name}", reading.summary]
        rows = [
            [
                ", ".join(one.covers.columns),
                ", ".join(one.covers.tables),
                " ".join([*one.lines, *(c.sentence for c in card().columns if c.entry is one)]),
            ]
            for one in reading.columns
        ]
        found.append(table(["columns", "tables", "how they are read"], rows))
    return found


_NO_TABLES = "The paper prints only figures, and no tables with values to compare with."


def _configs(paper: str) -> list[list[str]]:
    return [
        [f"`{name}`", config.get("title", "")]
        for name, config in _shipped_configs()
        if config.get("paper") == paper
    ]


@cache
def _shipped_configs() -> list[tuple[str, dict[str, Any]]]:
    """Return the configs that come with mlfs and the names of their files, read once."""
    return [
        (name, config)
        for name, path in shipped.names().items()
        for config in yaml.safe_load_all(path.read_text(encoding="utf-8"))
    ]
