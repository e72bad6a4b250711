"""Numbers as papers print them, and lines of texts in columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Sequence

Lines = list[list[str]]


def number(value: float) -> str:
    """Return a number as tables print it: .7540, not 0.754; "-" if it is not known.

    Numbers below 1 have four decimals and larger ones three, so that columns line up; numbers from
    100 on have none.
    """
    if math.isnan(value):
        return "-"
    value = round(value, 12)  # a mean just between two numbers is the same in any order of its sum
    if abs(value) >= 100:
        return f"{value:.0f}"
    return _without_zero(f"{value:.4f}") if abs(value) < 1 else f"{value:.3f}"


def short_number(value: float) -> str:
    """Return a number as sentences have it, without zeros at its end: .303, not .3030."""
    return _without_zero(f"{value:.4f}".rstrip("0").rstrip(".") or "0")


def _without_zero(text: str) -> str:
    """Leave out the zero before a decimal point, as papers do."""
    if text.startswith("0."):
        return text[1:]
    return f"-{text[2:]}" if text.startswith("-0.") else text


def signed(gap: float) -> str:
    """Return a gap with its sign, as `number` shows it; 0 if it rounds to nothing."""
    size = number(abs(gap))
    return ("-" if gap < 0 else "+") + size if float(size) else "0"


def duration(seconds: float) -> str:
    """Return a time in the unit that a reader would choose."""
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    if 0 < seconds < 0.1:
        return "less than 0.1 s"
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


def columns(lines: Lines, left: Collection[int] | None = None) -> str:
    """Align lines of texts in columns for a terminal: all on the left, or only those in `left`."""
    widths = _widths(lines)
    return "\n".join(
        "  ".join(
            text.ljust(width) if left is None or i in left else text.rjust(width)
            for i, (text, width) in enumerate(zip(line, widths))
        ).rstrip()
        for line in lines
    )


def aligned(lines: Lines, width: int | None = None) -> str:
    """Return the lines of a table as Markdown; split a wide one into blocks of columns.

    Every block repeats the first column and has at least one more.
    """
    widths = _widths(lines)
    blocks: list[list[int]] = [[]]
    for column in range(1, len(widths)):
        together = [0, *blocks[-1], column]
        needed = sum(widths[i] + 3 for i in together) + 1  # "| text " each, and the last "|"
        if width is not None and needed > width and blocks[-1]:
            blocks.append([])
        blocks[-1].append(column)
    return "\n\n".join(_block(lines, widths, [0, *block]) for block in blocks)


def folded(text: str, width: int | None) -> str:
    """Fold the sentences of a text that are too long for the terminal; tables stay as they are."""
    return "\n".join(
        line
        if width is None or len(line) <= width or line.startswith("|")
        else textwrap.fill(line, width, subsequent_indent="  ", break_on_hyphens=False)
        for line in text.splitlines()
    )


def _block(lines: Lines, widths: list[int], columns: list[int]) -> str:
    shown = ["| " + " | ".join(line[i].ljust(widths[i]) for i in columns) + " |" for line in lines]
    shown.insert(1, "|" + "|".join("-" * (widths[i] + 2) for i in columns) + "|")
    return "\n".join(shown)


def _widths(lines: Lines) -> list[int]:
    """Return for each column the length of its longest text."""
    return [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]


def capitalised(text: str) -> str:
    """Return a sentence with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def or_none(value: float) -> float | None:
    """Return a number, or None if it is nan or infinite, which JSON does not have."""
    return value if math.isfinite(value) else None


def listed(names: Sequence[str]) -> str:
    """Join names as in a sentence: A, B and C."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
