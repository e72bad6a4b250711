"""How large a download may get, and how long it may take."""

from __future__ import annotations

import time

_LARGEST = 20_000_000_000  # bytes of a file whose size nobody has told
_PATIENCE = 300.0  # seconds that any file may take
_SLOWEST = 10_000  # bytes a second: a large file may take as much longer
_LONGEST = 6 * 3600.0  # seconds: but no file takes longer than that


class WrongSize(OSError):
    """Say that a server has, or sends, another number of bytes than the file that is wanted."""


class TooSlow(OSError):
    """Say that a download takes too long."""


class Limit:
    """Limit what one download may take, from now on.

    Parameters
    ----------
    name : str
        What the file is called in messages.
    size : int, default=0
        The bytes that it must have; 0 where the size is not known.
    """

    def __init__(self, name: str, size: int = 0):
        self.name, self.size = name, size
        self.largest = size or _LARGEST
        self.seconds = min(_PATIENCE + self.largest / _SLOWEST, _LONGEST)
        self._end = time.monotonic() + self.seconds

    def check_total(self, total: int | None) -> None:
        """Compare with the size that the server announces, if it does."""
        if self.size and total not in (None, self.size):
            raise WrongSize(
                f"{self.name}: the server has {total:,} bytes where {self.size:,} are expected"
            )

    def check(self, have: int) -> None:
        """Look at the bytes that have arrived, and at the clock."""
        if have > self.largest:
            raise WrongSize(f"{self.name}: the server sends more than {self.largest:,} bytes")
        self.check_time()

    def check_time(self) -> None:
        """Look at the clock."""
        if time.monotonic() > self._end:
            raise TooSlow(
                f"{self.name}: not here after {self.seconds / 60:,.0f} minutes; run the command "
                "again, which continues from there if the server can"
            )
