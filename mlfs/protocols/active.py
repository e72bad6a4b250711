"""Active learning: a strategy buys labels, the model learns, and its scores are recorded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from pydantic import Field, PositiveInt, field_validator

from .. import datasets
from ..methods import discovery, registry
from ..methods.docstrings import Size
from ..methods.labels import observed
from ..types import Array, Matrix
from .cell import Cell, Fits, Frozen, Record, Settings
from .experiment.base import Mistake
from .experiment.repeated import Repeated
from .steps.preparation import (
    Scale,
    Stopwatch,
    impute_features,
    load_dataset,
    notes_of,
    scale_features,
)
from .steps.seeds import generator, seed

_KINDS = ("strategy",)
# the model and what measures it are imported late: a table of results does not need them
_MODEL = ("mlfs.active.model", "bayesiancompressedsensing")
_LABELS = ("diagnosis", "generalised")  # modes that buy single labels of a point
_PRECISIONS = ("precision", "precision_at_1", "precision_at_2", "precision_at_3")


class _Keys(Frozen):
    mode: Literal["points", "diagnosis", "generalised", "inferences", "seconds"] = Field(
        "points",
        description="what to do: buy points; buy labels of each test point; buy labels of one "
        "point after another; compare the two inferences; or measure the seconds to choose",
    )
    scale: Scale = Field("unit", description="how to scale features; unit: rows of length 1")
    pool: int = Field(4000, ge=2, description="rows to buy from")
    test: int = Field(2000, ge=1, description="rows to test on")
    start: dict[str, PositiveInt] = Field(
        {"default": 500}, description="labelled rows at the start, by dataset or as 'default'"
    )
    budget: int = Field(
        200, ge=1, description="number of points to buy, or of labels of each point"
    )
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


class ActiveSettings(_Keys, Settings):
    """The settings of a cell of an active-learning experiment."""

    version = 2
    protocol: Literal["active"]

    def fits(self, cell: Cell, size: Size) -> Iterator[Fits]:
        """Yield the queries and the fits of the model that a cell makes."""
        start = self.start.get(cell.data.name, self.start.get("default", 500))
        if self.mode in _LABELS:  # after each label of each test point, the others are inferred
            yield Fits(self.mode, size, self.test * self.budget, ("l",))
        else:  # a query chooses the points of a step
            queries = math.ceil(self.budget / self.step)
            yield Fits(cell.method.name, replace(size, n=min(self.pool, size.n)), queries)
        halfway = replace(size, n=min(start + self.budget / 2, size.n))
        model = discovery.outline(*_MODEL)
        terms = model.time if model else ()
        points = 1 + self.budget / self.step  # of the curve
        yield Fits(_MODEL[1], halfway, points, terms)
        factors = self.model.get("n_factors", 0.5)
        count = factors * size.l if isinstance(factors, float) else factors
        if count < size.l and self.mode not in _LABELS:  # a system for every scored row
            yield Fits("compressed", replace(size, l=count), self.test * points, ("l³",))


class ActiveExperiment(_Keys, Repeated):
    """An experiment that compares query strategies.

    Rows are drawn at random for the test part and the pool. If a dataset has fewer rows than both
    together, all of it is the pool, and the rows that were not bought are the test part.

    Labels that are unknown in the data cannot be bought: a bought point shows its known labels, a
    row without any is left out, and modes that buy single labels use completely known rows only.
    """

    kinds = _KINDS
    cell_settings = ActiveSettings
    axis = "n_bought"
    scores = {
        **dict.fromkeys(_PRECISIONS, True),
        "f1": True,
        "micro_f1": True,
        "seconds": False,
        "points_needed": False,
        "selection_seconds": False,
        "mean_correlation": True,
        "variance_correlation": True,
    }
    scatters = {
        "means": ("mean_ml_oss", "mean_bml_cs"),
        "variances": ("variance_ml_oss", "variance_bml_cs"),
    }

    protocol: Literal["active"] = Field(description="the kind of experiment")

    @property
    def offered(self) -> set[str]:
        """Return the metrics that cells of this mode have."""
        offered = set(_MODES[self.mode].metrics)
        return offered | ({"points_needed"} if self.mode == "points" and self.hold_out else set())

    def quick_version(self) -> Self:
        """Return a quick version of the experiment, also with a tenth of the budget."""
        less = super().quick_version()
        names = {"default", *(choice.name for choice in less.datasets)}
        changes: dict[str, Any] = {"start": {n: c for n, c in self.start.items() if n in names}}
        if self.mode in ("points", "diagnosis", "generalised"):
            changes["budget"] = min(self.budget, max(self.step, self.budget // 10))
        return less.model_copy(update=changes)

    def versions(self, name: str, settings: Settings) -> dict[str, int | str]:
        """Return the versions that results depend on, including that of the model."""
        model = discovery.outline(*_MODEL)
        assert model is not None
        return super().versions(name, settings) | {"model": model.version}

    def _setting_mistakes(self, settings: Any) -> Iterator[Mistake]:
        if not registry.was_checked():
            from ..active.model import BayesianCompressedSensing as model

            for parameter, text in registry.parameter_mistakes("model", model, settings.model):
                yield ("model", parameter), text
        for name in settings.start:
            if name != "default":
                yield from ((("start", name), text) for text in self._no_dataset(name))
        if settings.mode in _LABELS and not registry.was_checked():
            for i, choice in enumerate(self.methods):
                if not registry.method(choice.name, _KINDS).chooses_labels:
                    yield ("methods", i), f"'{choice.name}' chooses points, not labels"
        for key in _MODES[settings.mode].unused:
            if getattr(settings, key) != _Keys.model_fields[key].default:
                yield (key,), f"mode {settings.mode} does not use '{key}': leave it out"


@dataclass(frozen=True)
class _Draw:
    """The data of one repeat: the pool, its seed set, and a test part unless all is pool."""

    X: Matrix
    Y: Array
    start: Array
    test: tuple[Matrix, Array] | None
    notes: list[str]

    def seed_set(self) -> tuple[Matrix, Array]:
        return self.X[self.start], self.Y[self.start]

    def held_out(self, count: int) -> tuple[Matrix, Array]:
        """Return the test part, or the rows of the pool that are not in its seed set."""
        if self.test is not None:
            return self.test
        rest = np.setdiff1d(np.arange(len(self.Y)), self.start)[:count]
        return self.X[rest], self.Y[rest]


def run(cell: Cell) -> Record:
    """Run one cell: one strategy on one draw of pool, seed set and test part."""
    from ..active.model import BayesianCompressedSensing

    settings = cell.settings
    assert isinstance(settings, ActiveSettings)
    draw = _draw(cell, settings)
    strategy = registry.build(cell.method.name, cell.params, _KINDS, seed(cell, "method"))
    model = BayesianCompressedSensing(**{"random_state": seed(cell, "method")} | settings.model)
    watch = Stopwatch()
    with watch("run"):
        curve = _MODES[settings.mode].measure(settings, draw, strategy, model)
    rows = curve.astype(object).where(curve.notna(), None).to_dict(orient="records")
    notes = [*draw.notes, *(f"{cell.data.name}: {note}" for note in strategy.notes)]
    return Record(rows=rows, seconds=watch.seconds, notes=notes)


def _draw(cell: Cell, settings: ActiveSettings) -> _Draw:
    name = cell.data.name
    made = cell.data.own is None and datasets.catalog()[name].drawn
    if made:  # made data: every repeat draws its own
        data = datasets.draw(name, seed(cell, "toy"))
    else:
        data = load_dataset(cell.data)
    X, Y, notes = data.X, data.Y.astype(float), notes_of(cell.data, data)
    order = generator(cell, "split").permutation(len(Y))
    order = order[_can_answer(Y, settings.mode, notes)[order]]
    start = np.arange(settings.start.get(name, settings.start.get("default", 500)))
    held = settings.test
    if len(order) < settings.pool + held:
        if not settings.hold_out:
            X_pool, X_test = impute_features(cell.data, X[order], X[:1], notes)
            X_pool, _ = scale_features(settings.scale, X_pool, X_test)
            _check_start(name, start, len(order))
            return _Draw(X_pool, Y[order], start, None, notes)
        held = min(held, len(order) // 3)
    test, pool = order[:held], order[held:][: settings.pool]
    _check_start(name, start, len(pool))
    X_pool, X_test = impute_features(cell.data, X[pool], X[test], notes)
    X_pool, X_test = scale_features(settings.scale, X_pool, X_test)
    return _Draw(X_pool, Y[pool], start, (X_test, Y[test]), notes)


def _can_answer(Y: Array, mode: str, notes: list[str]) -> Array:
    """Return which rows may be asked about: nobody can sell a label that is not known.

    Who buys a point gets its known labels, so at least one must be known. Who buys labels of a
    point may ask for any of them, so all must be known.
    """
    known = observed(Y)
    enough = np.all if mode in _LABELS else np.any
    usable: Array = np.asarray(enough(known, axis=1))
    left_out = int((~usable).sum())
    if left_out:
        why = "an unknown label" if mode in _LABELS else "no known label"
        notes.append(f"{left_out} of {len(Y)} rows have {why}, and are left out")
    if not known[usable].all():
        notes.append("a bought point shows its known labels only; scores are over known labels")
    return usable


def _check_start(name: str, start: Array, rows: int) -> None:
    """Raise a ValueError if there are not enough rows to start with and to buy one."""
    if len(start) >= rows:
        raise ValueError(
            f"{name} has {rows} rows to buy from, and 'start' is {len(start)}: lower 'start'"
        )


def _points(settings: ActiveSettings, draw: _Draw, strategy: Any, model: Any) -> pd.DataFrame:
    """Measure precision after every few points (figures 2 and 3)."""
    from ..active.curve import full_pool_precision, learning_curve

    budget = min(settings.budget, len(draw.Y) - len(draw.start) - 1)
    curve = learning_curve(
        draw.X,
        draw.Y,
        draw.start,
        strategy,
        model,
        budget=budget,
        step=settings.step,
        test=draw.test,
    )
    if settings.hold_out and draw.test is not None:
        goal = full_pool_precision(draw.X, draw.Y, draw.start, model, draw.test)
        reached = curve.n_bought[curve.precision >= goal]
        curve = curve.assign(points_needed=reached.min() if len(reached) else np.nan)
    return curve


def _diagnosis(settings: ActiveSettings, draw: _Draw, strategy: Any, model: Any) -> pd.DataFrame:
    """Measure F1 after every label that is bought of each test point (figure 4c)."""
    from ..active.curve import diagnosis_curve

    X, Y = draw.seed_set()
    held, budget = draw.held_out(settings.test), min(settings.budget, Y.shape[1])
    seed = model.random_state
    return diagnosis_curve(X, Y, held, strategy, model, budget=budget, random_state=seed)


def _generalised(settings: ActiveSettings, draw: _Draw, strategy: Any, model: Any) -> pd.DataFrame:
    """Measure F1 after every test point of which some labels are bought (figure 4d)."""
    from ..active.curve import generalised_curve

    X, Y = draw.seed_set()
    held, labels = draw.held_out(settings.test), min(settings.budget, Y.shape[1])
    seed = model.random_state
    return generalised_curve(
        X, Y, held, strategy, model, labels_per_point=labels, random_state=seed
    )


def _inferences(settings: ActiveSettings, draw: _Draw, strategy: Any, model: Any) -> pd.DataFrame:
    """Compare both inferences on every label of every test point (figures 4a and 4b)."""
    from ..active.curve import compare_inferences

    X, Y = draw.seed_set()
    compared = compare_inferences(X, Y, draw.held_out(settings.test)[0], model)
    return compared.assign(
        mean_correlation=compared.mean_ml_oss.corr(compared.mean_bml_cs),
        variance_correlation=compared.variance_ml_oss.corr(compared.variance_bml_cs),
    )


def _seconds(settings: ActiveSettings, draw: _Draw, strategy: Any, model: Any) -> pd.DataFrame:
    """Measure the seconds to choose the whole budget (table 2)."""
    from ..active.curve import choosing_seconds

    spent = choosing_seconds(draw.X, draw.Y, draw.start, strategy, model, settings.budget)
    return pd.DataFrame([{"selection_seconds": spent["seconds_choosing"], **spent}])


@dataclass(frozen=True)
class _Mode:
    """What a mode measures, its metrics, and the keys that it does not use."""

    measure: Callable[[ActiveSettings, _Draw, Any, Any], pd.DataFrame]
    metrics: tuple[str, ...]
    unused: tuple[str, ...] = ("step",)


_MODES = {
    "points": _Mode(_points, (*_PRECISIONS, "seconds"), ()),
    "diagnosis": _Mode(_diagnosis, ("f1", "micro_f1", "seconds")),
    "generalised": _Mode(_generalised, ("f1", "micro_f1", "seconds")),
    "inferences": _Mode(
        _inferences, ("mean_correlation", "variance_correlation"), ("step", "budget")
    ),
    "seconds": _Mode(_seconds, ("selection_seconds",)),
}
