"""A comparison: a fast form, a slow one that gives the same, and how many times faster it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .measure import least, timed

Call = Callable[[], Any]


@dataclass(frozen=True)
class Pair:
    """Two ways to one result.

    Parameters
    ----------
    fast, slow : callable
        The result must not depend on how often they are called.
    tol : float or None
        By how much of the largest entry the results may differ; None where they are not the same,
        and a ratio says how much time the other way takes.
    """

    fast: Call
    slow: Call
    tol: float | None = 1e-6


@dataclass(frozen=True)
class Comparison:
    """A named pair, made when it is needed.

    Parameters
    ----------
    name, against : str
        What is compared, and with what.
    make : callable
        Gives the pair; with ``large=True`` of the size, and on the data, of the papers.
    size : str
        What the quick one works on.
    """

    name: str
    against: str
    make: Callable[[bool], Pair]
    size: str


@dataclass(frozen=True)
class Measured:
    """What a comparison gave: seconds of both ways."""

    comparison: Comparison
    fast: float
    slow: float

    @property
    def ratio(self) -> float:
        return self.slow / self.fast


FOUND: list[Comparison] = []


def compared(name: str, against: str, size: str) -> Callable[[Callable[..., Pair]], Any]:
    """Enter a function that makes a pair into the list of comparisons."""

    def enter(make: Callable[..., Pair]) -> Callable[..., Pair]:
        FOUND.append(Comparison(name, against, make, size))
        return make

    return enter


def wanted(text: str, words: tuple[str, ...]) -> bool:
    """Tell whether a text holds one of some words, or there are no words."""
    return not words or any(word.lower() in text.lower() for word in words)


def measure(comparison: Comparison, large: bool = False) -> Measured:
    """Time both ways, after a look that they give the same.

    Raises
    ------
    AssertionError
        They do not.
    """
    pair = comparison.make(large)
    result = pair.fast()
    seconds, expected = timed(pair.slow)
    if pair.tol is not None:
        for ours, theirs in zip(_arrays(result), _arrays(expected), strict=True):
            scale = max(float(np.abs(theirs).max()), 1e-300)
            gap = float(np.abs(ours - theirs).max()) / scale
            assert gap <= pair.tol, f"{comparison.name}: the results differ by {gap:.0e}"
    # the fast form once more, for as long as makes its time certain
    fast = least(pair.fast, 3, enough=0.02)
    if seconds < 1.0:
        seconds = min(seconds, least(pair.slow, 1))
    return Measured(comparison, fast, seconds)


def _arrays(result: Any) -> list[Any]:
    parts = result if isinstance(result, tuple) else (result,)
    return [np.asarray(part, dtype=float) for part in parts]
