"""Metrics that are not part of mlfs: functions of the user or of an installed package."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import metadata
from typing import Any, Literal

from numpy.typing import ArrayLike

from ..errors import UserError
from .metric import METRICS, Metric

GROUP = "mlfs.metrics"  # the entry points with which an installed package offers metrics
# names of the second parameter of a function that takes predicted labels
_PREDICTED = ("P", "y_pred", "labels", "predicted", "predictions")
_SMALLER = ("loss", "error")  # ends of the names of functions whose smaller values are better


@cache
def offered() -> dict[str, str]:
    """Return the metrics of installed packages as module:function; none replaces one of mlfs."""
    points = metadata.entry_points(group=GROUP)
    named = {point.name: f"{point.module}:{point.attr}" for point in points}
    return {name: where for name, where in named.items() if name not in METRICS}


def is_foreign(name: str) -> bool:
    """Tell whether a name is that of a metric outside mlfs: module:function, or an entry point."""
    # looking for entry points takes long, and none replaces a metric of mlfs
    return ":" in name or (name not in METRICS and name in offered())


def as_metric(name: str, function: Any) -> Metric:
    """Return a function, or a `Metric`, as the metric of this name.

    A function takes the true labels, nan where unknown, and scores or predicted labels. It takes
    predicted labels if it has the attribute ``needs = "labels"``, or if its second parameter is
    called P or y_pred. Smaller values are better if it has the attribute
    ``larger_is_better = False``, or if its name ends in loss or error.

    Parameters
    ----------
    name : str
        The name in configs and messages.
    function : callable or Metric
        What the name refers to.

    Returns
    -------
    Metric
        The metric.
    """
    if isinstance(function, Metric):
        return replace(function, name=name)
    if isinstance(function, type) or not callable(function):
        raise UserError(f"'{name}' is not a function: write a function of (Y, S) or of (Y, P)")
    second = _second(name, function)
    needs = getattr(function, "needs", "labels" if second in _PREDICTED else "scores")
    if needs not in ("scores", "labels"):
        raise UserError(f"'{name}' needs {needs!r}: set 'needs' to 'scores' or 'labels'")
    smaller = str(getattr(function, "__name__", "")).endswith(_SMALLER)
    larger = getattr(function, "larger_is_better", not smaller)
    return Metric(name, _number(name, function), bool(larger), _needs(needs))


def _needs(text: str) -> Literal["scores", "labels"]:
    return "labels" if text == "labels" else "scores"


def _second(name: str, function: Any) -> str:
    """Return the name of the second parameter; refuse a function that cannot take just two."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # compiled code does not tell its parameters
        return ""
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [p for p in parameters if p.default is p.empty and p.kind not in rest]
    if len(positional) < 2 or len(needed) > 2 or any(p.kind is p.KEYWORD_ONLY for p in needed):
        raise UserError(
            f"'{name}' does not take two arguments: write a function of (Y, S) or of (Y, P)"
        )
    return positional[1].name


def _number(name: str, function: Callable[..., Any]) -> Callable[[ArrayLike, ArrayLike], float]:
    def value(Y: ArrayLike, given: ArrayLike) -> float:
        try:
            return float(function(Y, given))
        except TypeError as error:
            raise TypeError(f"metric '{name}' must return one number: {error}") from error

    return value
