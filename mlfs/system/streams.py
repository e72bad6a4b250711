"""Standard input, output and error output: discard them, or do without them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import IO


def redirect(*streams: int) -> None:
    """Discard what is written to these streams, given by number."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        os.dup2(nowhere, stream)
    if nowhere not in streams:
        os.close(nowhere)


def ask_nobody() -> None:
    """Make standard input empty."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    if nothing != 0:
        os.close(nothing)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115


def open_closed() -> None:
    """Open the streams that this process was started without, so that no file gets their numbers.

    Nothing can be read from them, and what is written is discarded.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+" if name == "stdin" else "w"))  # noqa: PTH123, SIM115


def lose(stream: IO[str]) -> None:
    """Discard what a stream still holds and will be given, if it cannot be written to."""
    try:
        stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            redirect(stream.fileno())
