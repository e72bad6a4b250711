"""Small pieces of Markdown that all generated pages share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_ADDRESS = re.compile(r"(?<![<(\[])https?://\S+[^\s.,;:)]")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Make a table; cells may contain any text."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell(one) for one in line) + " |" for line in lines)


def cell(value: object) -> str:
    """Make a text safe inside a table."""
    return " ".join(prose(str(value)).split()).replace("|", "\\|")


def prose(text: str) -> str:
    """Turn a docstring into Markdown: replace roles, and make addresses clickable."""
    return _ADDRESS.sub(lambda found: f"<{found[0]}>", _ROLE.sub(r"`\1`", text))


def block(kind: str, text: str) -> str:
    """Make a block of code."""
    return f"```{kind}\n{text.rstrip()}\n```"


def page(*parts: str) -> str:
    """Join the parts of a page, leaving out empty ones."""
    return "\n\n".join(part for part in parts if part) + "\n"
