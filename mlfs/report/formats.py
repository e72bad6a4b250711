"""Write tables as JSON, or as Markdown with aligned columns that fit the terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .significance import Comparison
from .tables import Table, flat

Lines = list[list[str]]


@dataclass(frozen=True)
class Markup:
    """How a format writes plain text, and text in bold."""

    plain: Callable[[str], str]
    bold: Callable[[str], str]


MARKDOWN = Markup(plain=str, bold=lambda text: f"**{text}**")


def number(value: float) -> str:
    """Return a number as papers print it: .754, not 0.754; large ones without decimals."""
    if math.isnan(value):
        return "-"
    value = round(value, 12)  # a mean just between two figures is the same in any order of its sum
    if abs(value) >= 100:
        return f"{value:.0f}"
    text = f"{value:.4f}" if abs(value) < 1 else f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def grid(table: Table, compare: bool, markup: Markup) -> Lines:
    """Return the texts of a table: a heading, its rows, average ranks and gaps."""
    ranks = len(table.methods) > 1
    texts = {
        (cell.row, cell.method): _text(cell, compare, ranks, markup)
        for cell in table.cells.itertuples()
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
        figures = (markup.plain(number(gaps.get(m, math.nan))) for m in table.methods)
        lines.append(["mean absolute gap", *figures])
    return lines


def average_ranks(table: Table) -> tuple[int, dict[str, float]]:
    """Return on how many rows all ranked methods have a value, and the average ranks there.

    Other rows are left out, since ranks among fewer methods cannot be compared. There are no
    average ranks with fewer than two such rows or methods.
    """
    complete = table.means().dropna().index
    if len(table.methods) < 2 or len(complete) < 2:
        return len(complete), {}
    cells = table.cells[table.cells.row.isin(complete)]
    found = cells.groupby("method")["rank"].mean().dropna()
    return len(complete), {str(method): float(rank) for method, rank in found.items()}


def mean_gaps(table: Table) -> dict[str, float]:
    """Return for each method the mean absolute gap to the printed values, where there are any."""
    found = table.cells.gap.abs().groupby(table.cells.method).mean()
    return {str(method): float(gap) for method, gap in found.items()}


def has_printed(table: Table) -> bool:
    """Return whether the paper prints any of the table's values."""
    return "printed" in table.cells and bool(table.cells["printed"].notna().any())


def _text(cell: Any, compare: bool, ranks: bool, markup: Markup) -> str:
    text = number(cell.mean)
    if cell.count > 1:
        text += f"±{number(cell.std)}"
    text = markup.plain(text)
    if cell.best:
        text = markup.bold(text)
    if ranks and not math.isnan(cell.rank):
        text += f" [{cell.rank:g}]"
    if compare and not math.isnan(getattr(cell, "printed", math.nan)):
        text += markup.plain(f" ({number(cell.printed)}, {signed(cell.gap)})")
    return text


def signed(gap: float) -> str:
    """Return a gap with its sign, as `number` shows it; 0 if it rounds to nothing."""
    size = number(abs(gap))
    return ("-" if gap < 0 else "+") + size if float(size) else "0"


def caption(table: Table, compare: bool) -> str:
    """Return the table's caption, and how to read cells that also show the printed value."""
    return table.caption + ("; ours (printed, gap)" if compare and has_printed(table) else "")


def marks(table: Table) -> list[str]:
    """Explain the rows marked with a star: how many repeats each method has."""
    rows: dict[str, list[str]] = {}
    for row in table.uneven:
        cells = table.cells[table.cells.row == row].set_index("method")
        present = [method for method in table.methods if method in cells.index]
        counts = ", ".join(f"{method} {cells['count'][method]}" for method in present)
        ranked = cells["rank"].notna().any()
        how = "ranked on the repeats that all have" if ranked else "no repeat has all methods"
        rows.setdefault(f"repeats differ ({counts}); {how}; no value is bold", []).append(row)
    return [f"* {'; '.join(names)}: {text}" for text, names in rows.items()]


def as_markdown(table: Table, compare: bool, width: int | None = None) -> str:
    """Return a Markdown table whose columns also line up in a terminal of `width` characters."""
    text = f"{caption(table, compare)}\n\n{aligned(grid(table, compare, MARKDOWN), width)}"
    return "\n".join([text, "", *marks(table)]) if table.uneven else text


def aligned(lines: Lines, width: int | None = None) -> str:
    """Return the lines of a table as Markdown; split a wide one into blocks of columns.

    Every block repeats the first column and has at least one more.
    """
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    blocks: list[list[int]] = [[]]
    for column in range(1, len(widths)):
        together = [0, *blocks[-1], column]
        needed = sum(widths[i] + 3 for i in together) + 1  # "| text " each, and the last "|"
        if width is not None and needed > width and blocks[-1]:
            blocks.append([])
        blocks[-1].append(column)
    return "\n\n".join(_block(lines, widths, [0, *block]) for block in blocks)


def _block(lines: Lines, widths: list[int], columns: list[int]) -> str:
    shown = ["| " + " | ".join(line[i].ljust(widths[i]) for i in columns) + " |" for line in lines]
    shown.insert(1, "|" + "|".join("-" * (widths[i] + 2) for i in columns) + "|")
    return "\n".join(shown)


def as_json(tables: list[Table], comparisons: list[Comparison]) -> str:
    """Return all cells and all tests as JSON, with null for unknown values."""
    cells = json.loads(flat(tables).to_json(orient="records"))
    return json.dumps({"cells": cells, **tests_record(comparisons)}, indent=1)


def tests_record(comparisons: list[Comparison]) -> dict[str, Any]:
    """Return the tests as plain data, under the key "tests"."""
    return {"tests": [comparison.record() for comparison in comparisons]}
