"""Choose a method's parameters inside the training part: grid, random search or halving."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field, field_validator

from .. import registry
from ..errors import nearest
from ..metrics import METRICS
from ..types import Array
from .cell import Cell, Frozen

Params = dict[str, Any]
Space = Mapping[str, Sequence[Any]]
# Gives the validation score of some parameters, learnt on `fit` rows and scored on `score` rows
Trial = Callable[[Params, Array, Array], float]
_FEW = 16  # candidates of a random search whose budget is not given


class Tune(Frozen):
    """How to tune; the candidates come from the method's own ``search_space``."""

    strategy: Literal["none", "grid", "random", "halving"] = "none"
    budget: int | None = Field(
        None,
        ge=1,
        description="how many candidates at the most, drawn at random from the whole grid; "
        "by default all of a grid, and 16 otherwise",
    )
    folds: int = Field(3, ge=2)
    metric: str = "average_precision"
    per: Literal["repeat", "dataset"] = Field(
        "repeat", description="tune in every repeat, or in the first and reuse what it chose"
    )

    @field_validator("metric")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in METRICS:
            known = ", ".join(METRICS)
            raise ValueError(f"unknown metric '{name}'{nearest(name, METRICS)} (known: {known})")
        return name

    def tried(self, total: int) -> int:
        """How many of `total` points of a grid are tried."""
        if self.budget is None:
            return total if self.strategy == "grid" else min(total, _FEW)
        return min(total, self.budget)


def search_space(cell: Cell, kinds: Sequence[str]) -> Space:
    """The grid of a cell's method, its own or the config's, less what the config fixes."""
    grid: Space = cell.search or registry.method(cell.method.name, kinds).tags.search_space
    return {name: values for name, values in grid.items() if name not in cell.method.params}


def n_points(space: Space) -> int:
    """Number of points of a grid."""
    return math.prod(len(values) for values in space.values())


def tune(
    trial: Trial,
    space: Space,
    settings: Tune,
    n_rows: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Try candidates from `space` by cross-validation and say which did best.

    Halving scores all candidates on a quarter of the rows, the better third of them on half of
    the rows, and the better third of those on all; the others cross-validate on all rows.

    Returns
    -------
    dict
        ``chosen`` (parameters), ``score``, and ``tried``: a list of what was tried and its score.
    """
    candidates = _candidates(space, settings, rng)
    order = rng.permutation(n_rows)
    sign = 1 if METRICS[settings.metric].larger_is_better else -1
    shares = [0.25, 0.5, 1.0] if settings.strategy == "halving" else [1.0]
    tried: list[dict[str, Any]] = []
    for share in shares:
        rows = order[: max(2 * settings.folds, round(share * n_rows))]
        parts = np.array_split(rows, settings.folds)
        scores = []
        for params in candidates:
            score = float(np.mean([trial(params, *_fold(parts, i)) for i in range(len(parts))]))
            tried.append({"params": params, "share": share, "score": score})
            scores.append(score if math.isfinite(score) else -sign * math.inf)
        best_first = np.argsort(-sign * np.array(scores), kind="stable")
        keep = math.ceil(len(candidates) / 3) if share < 1 else 1
        candidates = [candidates[i] for i in best_first[:keep]]
    return {"chosen": candidates[0], "score": scores[best_first[0]], "tried": tried}


def _fold(parts: list[Array], i: int) -> tuple[Array, Array]:
    fit = np.concatenate([part for j, part in enumerate(parts) if j != i])
    return np.sort(fit), np.sort(parts[i])


def _candidates(space: Space, settings: Tune, rng: np.random.Generator) -> list[Params]:
    total = n_points(space)
    count = settings.tried(total)
    if count == total:
        return [dict(zip(space, point)) for point in itertools.product(*space.values())]
    sizes = [len(values) for values in space.values()]
    drawn = zip(*np.unravel_index(rng.choice(total, count, replace=False), sizes))
    return [{name: space[name][i] for name, i in zip(space, point)} for point in drawn]
