"""Active learning: a strategy buys labels, the model learns, and the curve is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field, field_validator

from ..active import STRATEGIES, BayesianCompressedSensing
from ..active.curve import (
    choosing_seconds,
    compare_inferences,
    diagnosis_curve,
    full_pool_precision,
    generalised_curve,
    learning_curve,
)
from ..datasets import gaussian_toy
from ..types import Array, Matrix
from .common import (
    Experiment,
    Record,
    Scale,
    Spec,
    Stopwatch,
    build,
    check_method,
    generator,
    load_dataset,
    scale_features,
)


class Config(Experiment):
    """An experiment that compares query strategies; of `split`, only the repeats matter.

    Rows are drawn at random for the test part and the pool. A dataset with fewer rows than both
    together is all pool, and is tested on what has not been bought.
    """

    registry = STRATEGIES
    cell_keys = ("mode", "scale", "pool", "test", "start", "budget", "step", "hold_out", "model")
    axis = "n_bought"
    scores = {
        "precision": True,
        "precision_at_1": True,
        "precision_at_2": True,
        "precision_at_3": True,
        "f1": True,
        "micro_f1": True,
        "seconds": False,
        "points_needed": False,
        "selection_seconds": False,
        "mean_correlation": True,
        "variance_correlation": True,
    }

    protocol: Literal["active"]
    mode: Literal["points", "diagnosis", "generalised", "inferences", "seconds"] = "points"
    scale: Scale = "unit"
    pool: int = Field(4000, ge=2, description="rows to buy from")
    test: int = Field(2000, ge=1, description="rows to test on")
    start: dict[str, int] = Field(
        {"default": 500}, description="labelled rows to begin with, by dataset or by default"
    )
    budget: int = Field(200, ge=1, description="points to buy, or labels of each point")
    step: int = Field(10, ge=1, description="points between two measurements")
    hold_out: bool = Field(
        False,
        description="keep a third of a small dataset for testing, and count the points needed to "
        "reach the score of the whole pool",
    )
    model: dict[str, Any] = Field({}, description="parameters of BayesianCompressedSensing")

    @field_validator("start", mode="before")
    @classmethod
    def _by_dataset(cls, value: Any) -> Any:
        return {"default": value} if isinstance(value, int) else value

    @field_validator("model")
    @classmethod
    def _model_parameters(cls, value: dict[str, Any]) -> dict[str, Any]:
        check_method({"model": BayesianCompressedSensing}, "model", value)
        return value


@dataclass(frozen=True)
class _Draw:
    """What one repeat works on: the pool, its seed set, and a test part unless all is pool."""

    X: Matrix
    Y: Array
    start: Array
    test: tuple[Matrix, Array] | None

    def seed_set(self) -> tuple[Matrix, Array]:
        return self.X[self.start], self.Y[self.start]

    def held_out(self, count: int) -> tuple[Matrix, Array]:
        """The test part, or what the pool has beyond its seed set."""
        if self.test is not None:
            return self.test
        rest = np.setdiff1d(np.arange(len(self.Y)), self.start)[:count]
        return self.X[rest], self.Y[rest]


def run(spec: Spec) -> Record:
    """Run one cell: one strategy on one draw of pool, seed set and test part."""
    draw = _draw(spec)
    seed = int(generator(spec, "method").integers(2**31))
    strategy = build(STRATEGIES, spec["method"], spec["params"], seed)
    model = BayesianCompressedSensing(**{"random_state": seed} | spec["model"])
    watch = Stopwatch()
    with watch("run"):
        curve = _MODES[spec["mode"]](spec, draw, strategy, model)
    rows = json.loads(curve.to_json(orient="records"))
    return {"rows": rows, "notes": [], "seconds": watch.seconds}


def _draw(spec: Spec) -> _Draw:
    if spec["dataset"] == "toy_gaussian":  # made, so every repeat can have one of its own
        data = gaussian_toy(seed=int(generator(spec, "toy").integers(2**31)))
    else:
        data = load_dataset(spec["dataset"], spec["clean"])
    X, _ = scale_features(spec["scale"], data.X, data.X[:1])
    Y = data.Y.astype(float)
    order = generator(spec, "split").permutation(len(Y))
    start = np.arange(spec["start"].get(spec["dataset"], spec["start"].get("default", 500)))
    held = spec["test"]
    if len(order) < spec["pool"] + held:
        if not spec["hold_out"]:
            return _Draw(X[order], Y[order], start, None)
        held = min(held, len(order) // 3)
    test, pool = order[:held], order[held:][: spec["pool"]]
    return _Draw(X[pool], Y[pool], start, (X[test], Y[test]))


def _points(spec: Spec, draw: _Draw, strategy: Any, model: Any) -> pd.DataFrame:
    """Figures 2 and 3: precision after every few points."""
    budget = min(spec["budget"], len(draw.Y) - len(draw.start) - 1)
    settings = {"budget": budget, "step": spec["step"], "test": draw.test}
    curve = learning_curve(draw.X, draw.Y, draw.start, strategy, model, **settings)
    if spec["hold_out"] and draw.test is not None:
        goal = full_pool_precision(draw.X, draw.Y, draw.start, model, draw.test)
        reached = curve.n_bought[curve.precision >= goal]
        curve = curve.assign(points_needed=reached.min() if len(reached) else np.nan)
    return curve


def _diagnosis(spec: Spec, draw: _Draw, strategy: Any, model: Any) -> pd.DataFrame:
    """Figure 4c: F1 after every label bought of each test point."""
    X, Y = draw.seed_set()
    held, budget = draw.held_out(spec["test"]), min(spec["budget"], Y.shape[1])
    seed = model.random_state
    return diagnosis_curve(X, Y, held, spec["method"], model, budget=budget, random_state=seed)


def _generalised(spec: Spec, draw: _Draw, strategy: Any, model: Any) -> pd.DataFrame:
    """Figure 4d: F1 after every test point of which some labels were bought."""
    X, Y = draw.seed_set()
    held, labels = draw.held_out(spec["test"]), min(spec["budget"], Y.shape[1])
    seed = model.random_state
    return generalised_curve(
        X, Y, held, strategy, spec["method"], model, labels_per_point=labels, random_state=seed
    )


def _inferences(spec: Spec, draw: _Draw, strategy: Any, model: Any) -> pd.DataFrame:
    """Figure 4 a and b: every label of every test point by both inferences, and how they agree."""
    X, Y = draw.seed_set()
    found = compare_inferences(X, Y, draw.held_out(spec["test"])[0], model)
    return found.assign(
        mean_correlation=found.mean_ml_oss.corr(found.mean_bml_cs),
        variance_correlation=found.variance_ml_oss.corr(found.variance_bml_cs),
    )


def _seconds(spec: Spec, draw: _Draw, strategy: Any, model: Any) -> pd.DataFrame:
    """Table 2: seconds to choose the whole budget."""
    spent = choosing_seconds(draw.X, draw.Y, draw.start, strategy, model, spec["budget"])
    return pd.DataFrame([{"selection_seconds": spent["seconds_choosing"], **spent}])


_MODES: dict[str, Callable[..., pd.DataFrame]] = {
    "points": _points,
    "diagnosis": _diagnosis,
    "generalised": _generalised,
    "inferences": _inferences,
    "seconds": _seconds,
}
