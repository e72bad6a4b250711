"""Write tables as JSON, or as Markdown with aligned columns that fit the terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .paper_tables import Table, flat
from .significance import TableTests
from .texts import Lines, aligned, number, signed


@dataclass(frozen=True)
class Markup:
    """How a format writes plain text, and text in bold."""

    plain: Callable[[str], str]
    bold: Callable[[str], str]


MARKDOWN = Markup(plain=str, bold=lambda text: f"**{text}**")


def grid(table: Table, compare: bool, markup: Markup) -> Lines:
    """Return the texts of a table: a heading, its rows, average ranks and gaps."""
    ranks = len(table.methods) > 1
    texts = {
        (entry.row, entry.method): _text(entry, compare, ranks, markup)
        for entry in table.entries.itertuples()
    }
    uneven = set(table.uneven)
    missing = markup.plain("-")
    lines = [[markup.plain(text) for text in (table.heading, *table.methods)]]
    for row in table.rows:
        name = markup.plain(f"{row}*" if row in uneven else row)
        lines.append([name, *(texts.get((row, m), missing) for m in table.methods)])
    rows, average = average_ranks(table)
    if average:
        of = "" if rows == len(table.rows) else f" on {rows} rows"
        shown = (average.get(method) for method in table.methods)
        lines.append(
            [f"average rank{of}", *(missing if rank is None else f"{rank:.2f}" for rank in shown)]
        )
    if compare and has_printed(table):
        gaps = mean_gaps(table)
        shown_gaps = (markup.plain(number(gaps.get(m, math.nan))) for m in table.methods)
        lines.append(["mean absolute gap", *shown_gaps])
    return lines


def average_ranks(table: Table) -> tuple[int, dict[str, float]]:
    """Return on how many rows all ranked methods have a value, and the average ranks there.

    Other rows are left out, since ranks among fewer methods cannot be compared. There are no
    average ranks with fewer than two such rows or methods.
    """
    means = table.means
    complete = set(means.index[~np.isnan(means.to_numpy()).any(axis=1)])
    if len(table.methods) < 2 or len(complete) < 2:
        return len(complete), {}
    ranks: dict[str, list[float]] = {}
    for row, method, rank in zip(table.entries.row, table.entries.method, table.entries["rank"]):
        if row in complete and not math.isnan(rank):
            ranks.setdefault(method, []).append(rank)
    return len(complete), {method: sum(ranks[method]) / len(ranks[method]) for method in ranks}


def mean_gaps(table: Table) -> dict[str, float]:
    """Return for each method the mean absolute gap to the printed values, where there are any."""
    gaps = table.entries.gap.abs().groupby(table.entries.method).mean()
    return {str(method): float(gap) for method, gap in gaps.items()}


def has_printed(table: Table) -> bool:
    """Return whether the paper prints any of the table's values."""
    return "printed" in table.entries and bool(table.entries["printed"].notna().any())


def _text(entry: Any, compare: bool, ranks: bool, markup: Markup) -> str:
    text = number(entry.mean)
    if entry.count > 1:
        text += f"±{number(entry.std)}"
    text = markup.plain(text)
    if entry.best:
        text = markup.bold(text)
    if ranks and not math.isnan(entry.rank):
        text += f" [{entry.rank:g}]"
    if compare and not math.isnan(getattr(entry, "printed", math.nan)):
        text += markup.plain(f" ({number(entry.printed)}, {signed(entry.gap)})")
    return text


def caption(table: Table, compare: bool) -> str:
    """Return the table's caption, and how to read entries that also show the printed value."""
    return table.caption + ("; ours (printed, gap)" if compare and has_printed(table) else "")


def marks(table: Table) -> list[str]:
    """Explain the rows marked with a star: how many repeats each method has."""
    rows: dict[str, list[str]] = {}
    for row in table.uneven:
        entries = table.entries[table.entries.row == row].set_index("method")
        present = [method for method in table.methods if method in entries.index]
        counts = ", ".join(f"{method} {entries['count'][method]}" for method in present)
        ranked = entries["rank"].notna().any()
        how = "ranked on the repeats that all have" if ranked else "no repeat has all methods"
        rows.setdefault(f"repeats differ ({counts}); {how}; no value is bold", []).append(row)
    return [f"* {'; '.join(names)}: {text}" for text, names in rows.items()]


def as_markdown(table: Table, compare: bool, width: int | None = None) -> str:
    """Return a Markdown table whose columns also line up in a terminal of `width` characters."""
    text = f"{caption(table, compare)}\n\n{aligned(grid(table, compare, MARKDOWN), width)}"
    return "\n".join([text, "", *marks(table)]) if table.uneven else text


def as_json(tables: list[Table], tests: list[TableTests]) -> str:
    """Return all entries and all tests as JSON, with null for unknown values."""
    entries = json.loads(flat(tables).to_json(orient="records"))
    return json.dumps({"values": entries, **tests_record(tests)}, indent=1)


def tests_record(tests: list[TableTests]) -> dict[str, Any]:
    """Return the tests as plain data, under the key "tests"."""
    return {"tests": [one.record() for one in tests]}
