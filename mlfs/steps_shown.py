"""Show how far a command is, if it takes longer than a second: a bar, or a line in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

AFTER = 1.0  # seconds; tqdm is imported no earlier, since quick commands need no bar
_LINE_EVERY = 10.0  # seconds between two lines, if there is no terminal
Item = TypeVar("Item")


class Steps:
    """Count the steps of a command; use it in a ``with`` statement.

    Parameters
    ----------
    total : int
        The number of steps.
    what : str
        What is being done, in a word or two.
    """

    def __init__(self, total: int, what: str):
        self.total, self.what = total, what
        self.done = 0
        self._shown = time.monotonic() + AFTER - _LINE_EVERY  # when the last line was written
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def now(self, name: str) -> None:
        """Say what begins; the steps before are done."""
        if self._bar is None and time.monotonic() - self._shown < _LINE_EVERY:
            return
        if not sys.stderr.isatty():
            self._shown = time.monotonic()
            line = f"{self.what}: {self.done} of {self.total} done; now {name}"
            print(line, file=sys.stderr, flush=True)
            return
        if self._bar is None:
            from tqdm import tqdm

            shape = "{desc} {percentage:3.0f}%|{bar:15}| {n_fmt}/{total_fmt} {postfix}"
            about: dict[str, Any] = {"initial": self.done, "desc": self.what, "leave": False}
            self._bar = tqdm(total=self.total, bar_format=shape, dynamic_ncols=True, **about)
        self._bar.set_postfix_str(name)

    def tick(self) -> None:
        """Count a step."""
        self.done += 1
        if self._bar is not None:
            self._bar.update()

    def over(self, items: Sequence[Item], names: Sequence[str]) -> Iterator[Item]:
        """Yield items, each of which is a step."""
        for item, name in zip(items, names):
            self.now(name)
            yield item
            self.tick()
