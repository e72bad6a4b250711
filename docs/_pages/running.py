"""The page on costs: processor hours per paper, from the results that come with mlfs."""

from __future__ import annotations

import json
from collections import defaultdict

from text import page, table

from mlfs.config import shipped
from mlfs.results.packing import find


def page_rows() -> list[list[str]]:
    """Return one row for each experiment, and one for each paper."""
    hours: dict[str, float] = defaultdict(float)
    rows = []
    for store in find(shipped.reference()):
        spent = [json.loads(content)["seconds"] for _, content in store.contents()]
        total = sum(sum(phases.values()) for phases in spent) / 3600
        paper = store.experiment().paper or "none"
        hours[paper] += total
        rows.append([paper, store.experiment().name, f"{len(spent):,}", f"{total:.2f}"])
    sums = [[paper, "**all**", "", f"**{total:.2f}**"] for paper, total in sorted(hours.items())]
    return sorted(rows) + sums


def page_text() -> str:
    """Return the table, or a sentence if no results are packed."""
    rows = page_rows()
    heads = ["paper", "experiment", "cells", "processor hours"]
    return table(heads, rows) if rows else "No packed results come with this checkout."


def page_of_costs() -> str:
    """Return the whole page."""
    return page(
        "# What runs cost",
        "Every cell records the seconds of its phases. The table shows their sums over all cells "
        "of the results that come with mlfs, on the machines that made them, with one BLAS thread "
        "each. Divide by the number of workers to get the waiting time.",
        page_text(),
        "`mlfs estimate CONFIG` shows which cells of a config are left, and how long they take. "
        "[From a laptop to a cluster](scaling.md) says how to use more machines.",
    )
