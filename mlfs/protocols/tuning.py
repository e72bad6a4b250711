"""Choose a method's parameters inside the training part: grid, random search or halving."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from .. import registry
from ..errors import nearest
from ..metrics import METRICS
from ..types import Array
from .cell import Cell, Frozen, Method

Params = dict[str, Any]
Space = Mapping[str, Sequence[Any]]
# a function that returns the score of parameters, fitted on `fit` rows, on `score` rows
Trial = Callable[[Params, Array, Array], float]
_FEW = 16  # candidates of a random search without a budget


class Tune(Frozen):
    """How to tune; the candidates come from the method's ``search_space``."""

    strategy: Literal["none", "grid", "random", "halving"] = Field(
        "none",
        description="keep the defaults; try the whole grid; try random points of it; or try many "
        "candidates on few rows and the best of them on all rows",
    )
    budget: int | None = Field(
        None,
        ge=1,
        description="largest number of candidates, drawn at random from the grid; by default the "
        "whole grid for strategy grid, and 16 for the others",
    )
    folds: int = Field(3, ge=2, description="folds of the cross-validation")
    refine: bool = Field(
        False,
        description="use half of the budget for neighbours of the best point, which are one step "
        "of the grid away",
    )
    rows: int | None = Field(
        None, ge=20, description="tune on at most this many training rows, drawn at random"
    )
    metric: str = Field(
        "average_precision", description="the metric by which the best candidate is chosen"
    )
    per: Literal["repeat", "dataset"] = Field(
        "repeat", description="tune in every repeat, or only in the first and reuse its choice"
    )
    classifier: Method | None = Field(
        None, description="a cheaper classifier to use while selectors are tuned"
    )

    @field_validator("metric")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in METRICS:
            known = ", ".join(METRICS)
            raise ValueError(f"unknown metric '{name}'{nearest(name, METRICS)} (known: {known})")
        return name

    @model_validator(mode="after")
    def _refinable(self) -> Self:
        if self.refine and (self.strategy == "none" or self.budget is None):
            raise ValueError("'refine' needs a strategy and a budget")
        return self

    @model_serializer(mode="wrap")
    def _without_blanks(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        content: dict[str, Any] = handler(self)
        if self.classifier is None:  # so that cells without one keep their keys
            del content["classifier"]
        return content

    def tried(self, total: int) -> int:
        """Return how many of the `total` points of a grid are tried at most."""
        if self.budget is None:
            return total if self.strategy == "grid" else min(total, _FEW)
        return min(total, self.budget)

    def drawn(self, total: int) -> int:
        """Return how many points of a grid are drawn before the best one is refined."""
        return math.ceil(self.tried(total) / 2) if self.refine else self.tried(total)


def search_space(cell: Cell, kinds: Sequence[str]) -> Space:
    """Return the grid of a cell's method or config, without parameters that the config sets."""
    grid: Space = cell.search or registry.method(cell.method.name, kinds).tags.search_space
    return {name: values for name, values in grid.items() if name not in cell.method.params}


def n_points(space: Space) -> int:
    """Return the number of points of a grid."""
    return math.prod(len(values) for values in space.values())


class _Scores:
    """Cross-validated scores of candidates; larger is better, and each is computed once."""

    def __init__(self, trial: Trial, settings: Tune, order: Array):
        self.trial, self.folds, self.order = trial, settings.folds, order
        self.sign = 1 if METRICS[settings.metric].larger_is_better else -1
        self.tried: list[dict[str, Any]] = []

    def __call__(self, params: Params, share: float = 1.0) -> float:
        rows = self.order[: max(2 * self.folds, round(share * len(self.order)))]
        parts = np.array_split(rows, self.folds)
        score = float(np.mean([self.trial(params, *_fold(parts, i)) for i in range(len(parts))]))
        self.tried.append({"params": params, "share": share, "score": score})
        return self.sign * score if math.isfinite(score) else -math.inf

    def seen(self, params: Params) -> bool:
        return any(item["params"] == params for item in self.tried)


def tune(
    trial: Trial,
    space: Space,
    default: Params,
    settings: Tune,
    n_rows: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Try candidates by cross-validation and return the best one.

    The method's default is always the first candidate, and wins ties. Halving scores all candidates
    on a quarter of the rows, the best third of them on half of the rows, and the best third of
    those on all rows. The other strategies use all rows for every candidate.

    Parameters
    ----------
    trial : callable
        Fits and scores one candidate on given rows.
    space : mapping
        The grid: for each parameter its values.
    default : dict
        The method's own value of each parameter of the grid.
    settings : Tune
        The config's key `tune`.
    n_rows : int
        Number of training rows.
    rng : Generator
        Draws candidates and folds.

    Returns
    -------
    dict
        ``chosen`` (parameters), ``score``, and ``tried``: a list of candidates with their scores.
    """
    candidates = _candidates(space, default, settings, rng)
    scores = _Scores(trial, settings, rng.permutation(n_rows)[: settings.rows])
    shares = [0.25, 0.5, 1.0] if settings.strategy == "halving" else [1.0]
    for share in shares:
        found = [scores(params, share) for params in candidates]
        best_first = np.argsort(-np.array(found), kind="stable")
        keep = math.ceil(len(candidates) / 3) if share < 1 else 1
        candidates = [candidates[i] for i in best_first[:keep]]
    best, score = candidates[0], found[best_first[0]]
    if settings.refine:
        best, score = _refine(best, score, space, settings, scores)
    return {"chosen": best, "score": scores.sign * score, "tried": scores.tried}


def _refine(
    best: Params, score: float, space: Space, settings: Tune, scores: _Scores
) -> tuple[Params, float]:
    """Try neighbours of the best point and move to a better one, as long as there is one."""
    left = settings.tried(n_points(space)) - settings.drawn(n_points(space))
    while True:
        around = [params for params in _neighbors(best, space) if not scores.seen(params)][:left]
        left -= len(around)
        found = [scores(params) for params in around]
        if not found or max(found) <= score:
            return best, score
        best, score = around[int(np.argmax(found))], max(found)


def _neighbors(params: Params, space: Space) -> list[Params]:
    """Return the points that differ in one parameter by one step of the grid."""
    found = []
    for name, values in space.items():
        here = params[name]
        if here in values:
            place = list(values).index(here)
            near = [*values[max(0, place - 1) : place], *values[place + 1 : place + 2]]
        elif _is_number(here):  # the default lies between two points of the grid
            numbers = sorted(value for value in values if _is_number(value))
            near = [v for v in numbers if v < here][-1:] + [v for v in numbers if v > here][:1]
        else:
            near = []
        found += [params | {name: value} for value in near]
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fold(parts: list[Array], i: int) -> tuple[Array, Array]:
    fit = np.concatenate([part for j, part in enumerate(parts) if j != i])
    return np.sort(fit), np.sort(parts[i])


def _candidates(
    space: Space, default: Params, settings: Tune, rng: np.random.Generator
) -> list[Params]:
    """Return the default, then all points of the grid or a random part of them."""
    total = n_points(space)
    count = settings.drawn(total)
    if count == total:
        points = [dict(zip(space, point)) for point in itertools.product(*space.values())]
        return [default, *(point for point in points if point != default)]
    sizes = [len(values) for values in space.values()]
    drawn = zip(*np.unravel_index(rng.choice(total, count, replace=False), sizes))
    points = [{name: space[name][i] for name, i in zip(space, point)} for point in drawn]
    return [default, *(point for point in points if point != default)][:count]
