"""A stopwatch, the peak of memory, and slopes in a double logarithmic picture."""

from __future__ import annotations

import resource
import tracemalloc
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """Processor seconds of one call, which other processes hardly inflate, and its result.

    Those of processes that it has started and awaited count, too.
    """
    start = _spent()
    result = call()
    return _spent() - start, result


def _spent() -> float:
    uses = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


def least(call: Callable[[], object], repeats: int, enough: float = 0.0) -> float:
    """The least processor seconds of a call: of `repeats`, each of calls for `enough` seconds."""
    found = []
    for _ in range(repeats):
        total, calls = 0.0, 0
        while calls == 0 or total < enough:
            seconds, _ = timed(call)
            total, calls = total + seconds, calls + 1
        found.append(total / calls)
    return min(found)


def peak(call: Callable[[], object]) -> float:
    """Megabytes of the arrays and objects that a call has at once, what was there before aside."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """The exponent p of values that grow like size to the power of p."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
