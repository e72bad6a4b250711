"""The exceptions that end a command: their message is a sentence that says what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Report a mistake the user can mend; the command prints it alone and exits with its code."""

    code = 2


class WorkersLost(UserError):
    """Report that the machines that run cells are gone; nothing failed, and a new run continues."""

    code = 3


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a hint such as ``; did you mean 'gmfs'?``, or nothing when no name is close."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
