"""The exceptions that end a command; each message is one sentence that says what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Report a mistake that the user can correct.

    The command prints only the message, without a traceback, and exits with `code`.
    """

    code = 2


class WorkersLost(UserError):
    """Report that the workers that run cells are lost; no cell failed, and a new run continues."""

    code = 3


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a hint such as ``; did you mean 'gmfs'?``, or an empty text if no name is similar."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""
