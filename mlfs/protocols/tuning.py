"""Choose a method's parameters inside the training part: grid, random search or halving."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from ..metrics import METRICS
from ..types import Array

Params = dict[str, Any]
# Gives the validation score of some parameters, learnt on `fit` rows and scored on `score` rows
Trial = Callable[[Params, Array, Array], float]


class Tune(BaseModel):
    """How to tune; the candidates come from the method's own ``search_space``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    strategy: Literal["none", "grid", "random", "halving"] = "none"
    budget: int = Field(16, ge=1, description="how many candidates at the most")
    folds: int = Field(3, ge=2)
    metric: str = "average_precision"
    per: Literal["repeat", "dataset"] = Field(
        "repeat", description="tune in every repeat, or in the first and reuse what it chose"
    )


def search_space(spec: dict[str, Any], registry: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """The grid of a cell's method, its own or the config's, less what the config fixes."""
    grid = spec.get("search") or registry[spec["method"]].tags.search_space
    return {name: values for name, values in grid.items() if name not in spec["params"]}


def choose_params(
    spec: dict[str, Any], registry: Mapping[str, Any], search: Callable[[], dict[str, Any]]
) -> tuple[Params, dict[str, Any]]:
    """Give a cell's parameters and, if it tuned by itself, what its `search` found.

    It does when that is asked for, possible, and not done by another cell.
    """
    params = spec["params"] | spec.get("tuned", {})
    asked = spec["tune"]["strategy"] != "none" and "tuned" not in spec
    if not asked or not search_space(spec, registry):
        return params, {}
    found = search()
    return params | found["chosen"], found


def tune(
    trial: Trial,
    space: Mapping[str, Sequence[Any]],
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


def _candidates(
    space: Mapping[str, Sequence[Any]], settings: Tune, rng: np.random.Generator
) -> list[Params]:
    names = list(space)
    total = math.prod(len(space[name]) for name in names)
    if settings.strategy == "grid" or total <= settings.budget:
        points = itertools.product(*(space[name] for name in names))
        chosen = list(itertools.islice(points, settings.budget))
    else:
        sizes = [len(space[name]) for name in names]
        flat = rng.choice(total, settings.budget, replace=False)
        chosen = [
            tuple(space[name][i] for name, i in zip(names, np.unravel_index(point, sizes)))
            for point in flat
        ]
    return [dict(zip(names, point)) for point in chosen]
