"""How time and memory of every method grow with n, d and l, beside what its docstring states."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np

from mlfs.active import BayesianCompressedSensing, Pool
from mlfs.methods import docstrings, registry
from mlfs.methods.docstrings import Size
from mlfs.numerics import linalg

from .comparison import wanted
from .measure import least, peak, slope

_LABELLED = 20  # points of a pool, the a of strategies
_FACTORS = (1, 2, 4)
# where a number starts to grow, and the others, which are small so that its own terms show
_STARTS = {"n": (500, 30, 4), "d": (100, 250, 4), "l": (200, 30, 40)}
# start at a part of that
_DEAR = {"forest_importance": 4, "fsasl": 6, "l20alm": 2, "li_adaptive": 4, "pmu": 2, "wknn": 2}
_FIXED: Mapping[str, Any] = {"max_iter": 5, "tol": 0.0, "random_state": 0}
_BLOCK = 100_000  # bytes: blocks as large as usual would hide how the rest grows


@dataclass(frozen=True)
class Growth:
    """Slopes of one method: by name of the number, measured and stated."""

    method: str
    time: dict[str, tuple[float, float]]
    memory: dict[str, tuple[float, float]]
    seconds: float
    megabytes: float


def stated(cls: type, what: str) -> list[str]:
    """The terms of the time or memory that a docstring states.

    Raises
    ------
    ValueError
        It states none.
    """
    terms = docstrings.stated(cls.__doc__ or "", what)
    if not terms:
        raise ValueError(f"{cls.__name__} does not say what it costs")
    return list(terms)


def steepest(terms: list[str], size: Size, name: str) -> float:
    """The slope of the term that grows fastest with a number: no sum of them is steeper."""
    bigger = size.times(name, 2)
    return max(float(np.log2(bigger.term(term) / size.term(term))) for term in terms)


def methods() -> dict[str, type]:
    """All methods by name, the model of the strategies among them."""
    found: dict[str, type] = {"bayesian_cs": BayesianCompressedSensing}
    for kind in registry.KINDS:
        for name, cls in registry.methods([kind]).items():
            found[f"{name} ({kind})" if name in found else name] = cls
    return found


def grow(name: str, cls: type) -> Growth:
    """Measure one method."""
    time: dict[str, tuple[float, float]] = {}
    memory: dict[str, tuple[float, float]] = {}
    seconds, megabytes = [0.0], [0.0]
    for number, start in _STARTS.items():
        sizes = [_size(name, number, start, factor) for factor in _FACTORS]
        calls = [_work(cls, size) for size in sizes]
        seconds += (spent := [least(call, 2, enough=0.02) for call in calls])
        with patch.object(linalg, "_BLOCK_BYTES", _BLOCK):
            megabytes += (taken := [peak(call) for call in calls])
        for what, measured, slopes in (("time", spent, time), ("memory", taken, memory)):
            most = steepest(stated(cls, what), sizes[-1], number)
            slopes[number] = slope(_FACTORS, measured), most
    return Growth(name, time, memory, max(seconds), max(megabytes))


def _size(name: str, number: str, start: tuple[int, int, int], factor: int) -> Size:
    size = Size(*(max(4, count // _DEAR.get(name, 1)) for count in start))
    return replace(size, **{number: factor * getattr(size, number)})


def all_growth(words: tuple[str, ...] = ()) -> Iterator[Growth]:
    """Measure all methods, or those whose names hold one of some words, one after the other."""
    for name, cls in methods().items():
        if wanted(name, words):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # few iterations do not converge
                found = grow(name, cls)
            yield found


def _work(cls: type, size: Size) -> Callable[[], object]:
    """A fit, or a query, of few iterations on made data."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((size.n, size.d))
    Y = (X[:, : size.l % size.d] @ rng.standard_normal((size.l % size.d, size.l)) > 0.5) * 1.0
    known = {name: value for name, value in _FIXED.items() if hasattr(cls(), name)}
    if hasattr(cls, "query"):
        model = BayesianCompressedSensing(gamma=0.1, sigma2=0.1, chi2=0.1, random_state=0)
        labels = np.where(np.arange(size.n)[:, None] < _LABELLED, Y, np.nan)
        model.fit(X[:_LABELLED], Y[:_LABELLED])
        return lambda: cls(**known).query(Pool(X, labels), model, 1)
    if cls is BayesianCompressedSensing:
        known |= {"gamma": 0.1, "sigma2": 0.1, "chi2": 0.1}
    return lambda: cls(**known).fit(X, Y)
