"""A page for every paper: what it prints, how close our values are, and why they differ."""

from __future__ import annotations

import math
from functools import cache

import yaml
from text import block, page, table

from mlfs import papers, shipped
from mlfs.engine.packing import find
from mlfs.report import claims, results, scorecard
from mlfs.report.scorecard import Score
from mlfs.report.scorecard_text import summary
from mlfs.report.standing import STATUSES


def pages() -> dict[str, str]:
    """Return the index and the page of every paper that comes with mlfs."""
    made = {f"papers/{name}.md": _page(name) for name in papers.names()}
    return {"papers/index.md": _index(), **made}


@cache
def card() -> scorecard.Scorecard:
    """Score all papers with the results that come with mlfs."""
    return scorecard.make([shipped.reference()])


@cache
def judged() -> list[claims.Verdict]:
    """Judge every claim of every paper on the results that come with mlfs."""
    found = [results.read(store) for store in find(shipped.reference())]
    return claims.verdicts(found, card().cells)


def _index() -> str:
    rows = [[f"[{one.paper}]({one.paper}.md)", *_figures(one)] for one in card().papers]
    rows.append(["all", *_figures(card().total)])
    return page(
        "# Papers and our results",
        "Every printed cell of every table is compared with ours, from the results that come with "
        "mlfs. " + summary(card()),
        table(["paper", *_HEADS], rows),
        "![Every printed value that was run, ours against printed](../scorecard.svg)",
        "Reproduced: the gap is at most the larger deviation, printed or ours, or at most .005. "
        "Close: at most twice that. Explained: a fault of the paper gives the printed value. "
        "Off: none of these. `mlfs scorecard` counts your own results in the same way.",
    )


_HEADS = ["cells", "ours", *STATUSES, "mean gap"]


def _figures(one: Score) -> list[str]:
    gap = "" if math.isnan(one.gap) else f"{one.gap:.4f}"
    counts = [str(one.counts[status] or "") for status in STATUSES]
    return [f"{one.cells:,}", f"{one.ours:,}", *counts, gap]


def _page(name: str) -> str:
    paper = papers.paper(name)
    tables = [one for one in card().tables if one.paper == name]
    rows = [[one.table, paper.tables.get(one.table, ""), *_figures(one)] for one in tables]
    why = [[one.table, str(n), status, text] for one in tables for status, text, n in one.reasons]
    captions = [[f"table {key}", text] for key, text in paper.tables.items()]
    captions += [[f"figure {key}", text] for key, text in paper.figures.items()]
    said = [
        [one.claim, one.place, f"**{one.verdict}**", one.numbers]
        for one in judged()
        if one.paper == name
    ]
    configs = _configs(name)
    return page(
        f"# {name}",
        f"*{paper.title}*. {', '.join(paper.authors)}. {paper.venue}, {paper.year}.",
        "## What it prints" if captions else "",
        table(["", "caption"], captions) if captions else "",
        "## How close our values are",
        table(["table", "caption", *_HEADS], rows) if rows else _NO_TABLES,
        "## What it claims" if said else "",
        table(["claim", "place", "on our results", "numbers"], said) if said else "",
        "## Why cells are explained or missing" if why else "",
        table(["table", "cells", "standing", "reason"], why) if why else "",
        "## Why there are gaps: what a reader of its tables should know" if paper.notes else "",
        "\n".join(f"- {' '.join(note.split())}" for note in paper.notes),
        "## Run it again",
        table(["config", "what it shows"], configs),
        block("sh", f"mlfs run {configs[0][0].strip('`')} --dry-run") if configs else "",
        f"`mlfs audit {name}` looks for contradictions in what the paper prints.",
    )


_NO_TABLES = "The paper prints only figures, and no tables with values to compare with."


def _configs(paper: str) -> list[list[str]]:
    found = []
    for name, path in shipped.names().items():
        for config in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            if config.get("paper") == paper:
                found.append([f"`{name}`", config.get("title", "")])
    return found
