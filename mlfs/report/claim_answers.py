"""The parts of an answer to a claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Outcome = Literal["holds", "fails", "undecided"]
Answer = tuple[Outcome, str, str]  # the verdict, its numbers, and the test
_SHOWN = 5  # texts that are listed at most


def said(true: bool) -> Outcome:
    """Return the verdict on a claim that could be checked."""
    return "holds" if true else "fails"


def some(texts: Sequence[str]) -> str:
    """Return the first few of several texts, each once, and how many more there are."""
    once = list(dict.fromkeys(texts))
    more = f"; and {len(once) - _SHOWN} more" if len(once) > _SHOWN else ""
    return "; ".join(once[:_SHOWN]) + more


def names(methods: Sequence[str] | None) -> str:
    """Name methods in words."""
    if not methods:
        return "all others"
    if len(methods) > 3:
        return f"the {len(methods)} others named"
    return " and ".join(methods)
