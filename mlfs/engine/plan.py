"""Turn an experiment into its cells: the smallest units that are run, stored and retried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .. import registry
from ..errors import UserError
from ..protocols import Cell, Data, Experiment, Method, MethodChoice, Settings
from ..protocols.choice import setting
from ..protocols.tuning import search_space


@dataclass(frozen=True)
class Planned:
    """A cell of an experiment: what to run, and how it is called.

    Parameters
    ----------
    cell : Cell
    column : int
        Number of the method in the config.
    label : str
        What that column is called.
    varied : dict
        The parameter that an experiment sweeps, and its value here.
    tuner : Planned, optional
        The cell whose tuned parameters this one takes.
    """

    cell: Cell
    column: int
    label: str
    varied: dict[str, Any] = field(default_factory=dict)
    tuner: Planned | None = None

    @cached_property
    def key(self) -> str:
        """The cell's key, computed once."""
        return self.cell.key

    def describe(self) -> str:
        """One line that tells the cell from its neighbours."""
        parts = [self.cell.data.name, self.label]
        parts += [setting(name, value) for name, value in self.varied.items()]
        if self.cell.settings.ratio:
            parts.append(f"{self.cell.settings.ratio:.0%} hidden")
        tuning = self.cell.stage == "tune"
        return ", ".join([*parts, "tuning" if tuning else f"repeat {self.cell.repeat}"])


@dataclass(frozen=True)
class _Column:
    """A method as one column runs it: with its parameters, under its settings for each ratio."""

    number: int
    label: str
    choice: MethodChoice
    method: Method
    varied: dict[str, Any]
    settings: list[Settings]


def plan(experiment: Experiment) -> list[Planned]:
    """List all cells of an experiment, a dataset at a time, the methods of a repeat together."""
    with experiment.scope:
        return list(_cells(experiment))


def _cells(experiment: Experiment) -> Iterator[Planned]:
    columns = list(_columns(experiment))
    for dataset in experiment.datasets:
        data = dataset.data
        for i in range(len(experiment.ratios)):
            for repeat in range(experiment.count):
                for column in columns:
                    yield _planned(experiment, column, column.settings[i], data, repeat)


def _columns(experiment: Experiment) -> Iterator[_Column]:
    """Every method as configured, or once for each value of each swept parameter."""
    swept = [{name: value} for name, values in experiment.vary.items() for value in values]
    for number, (choice, label) in enumerate(zip(experiment.methods, experiment.labels)):
        for varied in swept or [dict[str, Any]()]:
            keys = {name: varied[name] for name in varied if name in experiment.sweepable()}
            own = {name: varied[name] for name in varied if name not in keys}
            method = Method(name=choice.name, params=choice.params | own)
            settings = experiment.settings(choice.settings | keys)
            yield _Column(number, label, choice, method, varied, settings)


def _planned(
    experiment: Experiment, column: _Column, settings: Settings, data: Data, repeat: int
) -> Planned:
    versions = experiment.versions(column.method.name, settings)
    cell = Cell(
        data=data,
        method=column.method,
        settings=settings,
        versions=versions,
        code=registry.code(list(versions)),
        repeat=repeat,
        seed=experiment.seed,
        search=column.choice.search,
    )
    about = (column.number, column.label, column.varied)
    tune = getattr(settings, "tune", None)
    if tune is None or tune.strategy == "none" or tune.per == "repeat":
        return Planned(cell, *about)
    if not search_space(cell, experiment.kinds):
        return Planned(cell, *about)
    # one cell tunes for all repeats
    tuner = Planned(cell.model_copy(update={"repeat": 0, "stage": "tune"}), *about)
    return Planned(cell.model_copy(update={"tuned_by": tuner.key}), *about, tuner)


def only(cells: list[Planned], conditions: tuple[str, ...]) -> list[Planned]:
    """Keep the cells that meet every condition such as ``dataset=yeast`` or ``repeat=0``."""
    for condition in conditions:
        name, sign, wanted = condition.partition("=")
        if not sign or name not in _FITS:
            raise UserError(
                f"cannot read --only {condition}: write dataset=NAME, method=NAME, repeat=N or "
                "ratio=R (several values with commas)"
            )
        values = wanted.split(",")
        cells = [one for one in cells if any(_FITS[name](one, value) for value in values)]
    return cells


def _equal(number: float, text: str) -> bool:
    try:
        return abs(number - float(text)) < 1e-9
    except ValueError:
        return False


_FITS: dict[str, Callable[[Planned, str], bool]] = {
    "dataset": lambda one, value: one.cell.data.name == value,
    "method": lambda one, value: value in (one.cell.method.name, one.label),
    "repeat": lambda one, value: _equal(one.cell.repeat, value),
    "ratio": lambda one, value: _equal(one.cell.settings.ratio, value),
}
