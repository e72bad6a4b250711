"""Limits for the size and the time of a download."""

from __future__ import annotations

import time

_LARGEST = 20_000_000_000  # bytes; the limit for a file of unknown size
_PATIENCE = 300.0  # seconds that every file may take
_SLOWEST = 10_000  # bytes per second: a large file may take longer by its size divided by this
_LONGEST = 6 * 3600.0  # seconds; no file may take longer


class WrongSize(OSError):
    """Report that the size of a file on the server is not the expected size."""


class TooSlow(OSError):
    """Report that a download takes too long."""


class Limit:
    """Limit the size and time of one download; the time starts now.

    Parameters
    ----------
    name : str
        Name of the file in messages.
    size : int, default=0
        Its size in bytes; 0 if it is not known.
    """

    def __init__(self, name: str, size: int = 0):
        self.name, self.size = name, size
        self.largest = size or _LARGEST
        self.seconds = min(_PATIENCE + self.largest / _SLOWEST, _LONGEST)
        self._end = time.monotonic() + self.seconds

    def check_total(self, total: int | None) -> None:
        """Check the size that the server announces, if it does."""
        if self.size and total not in (None, self.size):
            raise WrongSize(
                f"{self.name}: the server has {total:,} bytes, but {self.size:,} are expected"
            )

    def check(self, have: int) -> None:
        """Check the number of received bytes, and the time."""
        if have > self.largest:
            raise WrongSize(f"{self.name}: the server sends more than {self.largest:,} bytes")
        self.check_time()

    def check_time(self) -> None:
        """Check the time."""
        if time.monotonic() > self._end:
            raise TooSlow(
                f"{self.name}: not complete after {self.seconds / 60:,.0f} minutes; run the "
                "command again to continue from there, if the server allows it"
            )
