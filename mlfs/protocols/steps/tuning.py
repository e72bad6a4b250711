"""Choose a method's parameters inside the training part: grid, random search or halving."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, Self, get_args

import numpy as np
from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from ...errors import nearest
from ...methods import registry
from ...metrics import METRICS
from ...types import Array
from ..cell import Cell, Frozen, Method

Params = dict[str, Any]
Space = Mapping[str, Sequence[Any]]
# a function that returns the score of parameters, fitted on `fit` rows, on `score` rows
Trial = Callable[[Params, Array, Array], float]
_FEW = 16  # candidates of a random search without a budget


_Per = Literal["repeat", "dataset"]


def _per(value: Any) -> Any:
    """Check `per` here: errors of a union of types would not be one sentence."""
    words = value.values() if isinstance(value, dict) else [value]
    for word in words:
        if word not in get_args(_Per):
            raise ValueError(
                f"'per' cannot be {word!r}: write repeat or dataset, or one of them by dataset as "
                "in {default: repeat, yeast: dataset}"
            )
    return value


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
    per: Annotated[_Per | dict[str, _Per], BeforeValidator(_per)] = Field(
        "repeat",
        description="`repeat`: tune in every repeat; `dataset`: only in the first, and reuse its "
        "choice; or one of them by dataset or as 'default'",
    )
    classifier: Method | None = Field(
        None, description="a cheaper classifier to use while selectors are tuned"
    )
    on_known: bool = Field(
        False,
        description="score candidates only on known labels; otherwise those that the mask has "
        "hidden count as irrelevant. What is unknown in the data is always left out",
    )

    @field_validator("metric")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in METRICS:
            names = ", ".join(METRICS)
            raise ValueError(f"unknown metric '{name}'{nearest(name, METRICS)} (known: {names})")
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
        if not self.on_known:
            del content["on_known"]
        return content

    @property
    def names(self) -> list[str]:
        """The datasets that `per` names."""
        named = self.per if isinstance(self.per, dict) else {}
        return [name for name in named if name != "default"]

    def on(self, dataset: str) -> Self:
        """Return the same with the plain word of `per` that counts for a dataset."""
        if not isinstance(self.per, dict):
            return self
        per = self.per.get(dataset, self.per.get("default", "repeat"))
        return self.model_copy(update={"per": per})

    @property
    def most_candidates(self) -> int | None:
        """The largest number of candidates; None if the whole grid is tried."""
        return self.budget or (None if self.strategy == "grid" else _FEW)

    def tried(self, total: int) -> int:
        """Return how many of the `total` points of a grid are tried at most."""
        return total if self.most_candidates is None else min(total, self.most_candidates)

    def drawn(self, total: int) -> int:
        """Return how many points of a grid are drawn before the best one is refined."""
        return math.ceil(self.tried(total) / 2) if self.refine else self.tried(total)


def search_space(cell: Cell, kinds: Sequence[str]) -> Space:
    """Return the grid of a cell's method or config, without parameters that the config sets."""
    grid: Space = cell.search or registry.method(cell.method.name, kinds).tags.search_space
    return {name: values for name, values in grid.items() if name not in cell.method.params}


def is_tuned(cell: Cell, kinds: Sequence[str]) -> bool:
    """Return whether `search_space` has any parameter, without importing the method."""
    names = cell.search or registry.tuned(cell.method.name, kinds)
    return any(name not in cell.method.params for name in names)


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
    *,
    starts: Sequence[Params] = (),
) -> dict[str, Any]:
    """Try candidates by cross-validation and return the best one.

    The method's default is always the first candidate, and wins ties; given points come next. They
    count in the budget, and replace points that were drawn last. Halving scores all candidates
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
    starts : sequence of dict
        Points to try after the default, on the grid or not.

    Returns
    -------
    dict
        ``chosen`` (parameters), ``score``, and ``tried``: a list of candidates with their scores.
    """
    first = [default, *(start for start in starts if start != default)]
    candidates = _candidates(space, first, settings, rng)
    left = max(0, settings.tried(n_points(space)) - len(candidates))
    scores = _Scores(trial, settings, rng.permutation(n_rows)[: settings.rows])
    shares = [0.25, 0.5, 1.0] if settings.strategy == "halving" else [1.0]
    for share in shares:
        reached = [scores(params, share) for params in candidates]
        best_first = np.argsort(-np.array(reached), kind="stable")
        keep = math.ceil(len(candidates) / 3) if share < 1 else 1
        candidates = [candidates[i] for i in best_first[:keep]]
    best, score = candidates[0], reached[best_first[0]]
    if settings.refine:
        best, score = _refine(best, score, space, left, scores)
    return {"chosen": best, "score": scores.sign * score, "tried": scores.tried}


def _refine(
    best: Params, score: float, space: Space, left: int, scores: _Scores
) -> tuple[Params, float]:
    """Try at most `left` neighbours of the best point, and move on while one is better."""
    while True:
        around = [params for params in _neighbors(best, space) if not scores.seen(params)][:left]
        left -= len(around)
        reached = [scores(params) for params in around]
        if not reached or max(reached) <= score:
            return best, score
        best, score = around[int(np.argmax(reached))], max(reached)


def _neighbors(params: Params, space: Space) -> list[Params]:
    """Return the points that differ in one parameter by one step of the grid."""
    neighbors = []
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
        neighbors += [params | {name: value} for value in near]
    return neighbors


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fold(parts: list[Array], i: int) -> tuple[Array, Array]:
    fit = np.concatenate([part for j, part in enumerate(parts) if j != i])
    return np.sort(fit), np.sort(parts[i])


def _candidates(
    space: Space, first: list[Params], settings: Tune, rng: np.random.Generator
) -> list[Params]:
    """Return the first points, then all points of the grid or a random part of them."""
    total = n_points(space)
    count = settings.drawn(total)
    most = None if len(first) == 1 else settings.most_candidates  # the default alone may exceed it
    if count == total and (most is None or total + len(first) <= most):
        points = [dict(zip(space, point)) for point in itertools.product(*space.values())]
        return [*first, *(point for point in points if point not in first)]
    sizes = [len(values) for values in space.values()]
    drawn = zip(*np.unravel_index(rng.choice(total, count, replace=False), sizes))
    points = [{name: space[name][i] for name, i in zip(space, point)} for point in drawn]
    candidates = [*first, *(point for point in points if point not in first)]
    return candidates[: max(count, len(first))]
