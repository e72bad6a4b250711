"""What the benchmarks share: a stopwatch and an aligned table of ratios."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """Processor seconds of one call, which other processes do not inflate, and its result.

    All threads count, so limit them to one where a ratio shall stand for waiting time.
    """
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def print_header() -> None:
    """Print the head of the table; rows follow as they are measured."""
    print(f"{'what':<58}{'ours':>10}{'baseline':>10}{'ratio':>8}")


def print_row(what: str, ours: float, baseline: float, note: str = "") -> None:
    """Print one comparison: seconds of both sides, and how many times faster we are."""
    ratio = f"{baseline / ours:.1f}x"
    print(f"{what:<58}{ours:>8.2f} s{baseline:>8.2f} s{ratio:>8}  {note}", flush=True)
