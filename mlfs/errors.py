"""The exceptions that end a command; each message is one sentence that says what to do."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

KeyPath = tuple[str | int, ...]  # the path of a key, such as ("methods", 1, "gmfs", "n_factors")
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")  # pydantic's errors for unknown keys


class UserError(Exception):
    """Report a mistake that the user can correct.

    The command prints only the message, without a traceback, and exits with `code`.
    """

    code = 2


class WorkersLost(UserError):
    """Report that the workers that run cells are lost; no cell failed, and a new run continues."""

    code = 3


class MethodFailed(Exception):
    """Report that a method failed in a process of its own.

    Parameters
    ----------
    text : str
        What happened, in one line.
    trace : str
        The traceback in that process.
    """

    def __init__(self, text: str, trace: str = ""):
        super().__init__(text)
        self.text, self.trace = text, trace


def count_of(n: int, what: str) -> str:
    """Return a number of things: ``1 cell``, ``2 cells``."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def nearest(word: str, words: Iterable[str]) -> str:
    """Return a hint such as ``; did you mean 'gmfs'?``, or an empty text if no name is similar."""
    close = difflib.get_close_matches(word, list(words), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def validation_reason(error: ValidationError) -> str:
    """Return what is wrong with the first value that pydantic refused, without its key."""
    return _reason(error.errors()[0])


def validation_mistakes(
    error: ValidationError, unknown_key: Callable[[KeyPath], str] | None = None
) -> list[tuple[KeyPath, str]]:
    """Return all mistakes that pydantic found: the path of a key, and a sentence about it.

    Unknown keys come first: a misspelt key is reported as missing, too. `unknown_key` may write the
    sentence about an unknown key.
    """
    mistakes = sorted(error.errors(), key=lambda item: item["type"] not in _UNKNOWN)
    return [(item["loc"], _sentence(item, unknown_key)) for item in mistakes]


def and_more(mistakes: Sequence[object]) -> str:
    """Return how many mistakes there are besides the first one, in brackets; "" for none."""
    others = len(mistakes) - 1
    return f" (and {count_of(others, 'more mistake')})" if others else ""


def _reason(item: ErrorDetails) -> str:
    return item["msg"].removeprefix("Value error, ")


def _sentence(item: ErrorDetails, unknown_key: Callable[[KeyPath], str] | None) -> str:
    place, kind = item["loc"], item["type"]
    key = ".".join(str(part) for part in place)
    if kind in _UNKNOWN:
        return unknown_key(place) if unknown_key else f"unknown key '{key}'"
    if kind == "missing":
        return f"key '{key}' is missing"
    reason = _reason(item)
    if kind == "value_error":
        return reason
    if kind == "union_tag_invalid":
        tag, tags = item["ctx"]["tag"], item["ctx"]["expected_tags"].replace("'", "").split(", ")
        what = next(part for part in reversed(place) if isinstance(part, str))
        return f"unknown {what} '{tag}'{nearest(tag, tags)} (known: {', '.join(tags)})"
    if kind == "union_tag_not_found":
        name = item["ctx"]["discriminator"].strip("'")
        return f"key '{key}.{name}' is missing; 'mlfs config schema' lists what it can be"
    return f"'{key}': {reason[0].lower()}{reason[1:]} (got {item['input']!r})"
