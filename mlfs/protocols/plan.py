"""Divide an experiment into cells, the smallest units that are run, stored and retried."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import UserError
from ..methods import registry
from . import Cell, Data, Experiment, Method, MethodChoice, Settings
from .experiment.masks import asked
from .experiment.method_choice import setting
from .steps.tuning import Tune, is_tuned


@dataclass(frozen=True, eq=False)  # compared by identity: a plan has each series once
class Series:
    """Hold what the repeats of one method on one dataset share.

    Parameters
    ----------
    cell : Cell
        The cell of the first repeat.
    column : int
        Number of the method in the config.
    label : str
        Heading of this column.
    varied : dict
        The parameter that the experiment sweeps, and its value here.
    tuner : Planned, optional
        The cell that tunes the parameters for this series.
    """

    cell: Cell
    column: int
    label: str
    varied: dict[str, Any]
    tuner: Planned | None = None

    def repeats(self, count: int) -> Iterator[Planned]:
        """Yield the cells of the first `count` repeats."""
        # the texts that keys are digests of differ only in the number of the repeat
        before, after = self.cell.text_around("repeat")
        start = hashlib.sha256(before)
        for repeat in range(count):
            digest = start.copy()
            digest.update(b"%d" % repeat + after)
            yield Planned(self, repeat, digest.hexdigest())


@dataclass(frozen=True, slots=True)  # an experiment may have a million of these
class Planned:
    """Hold a cell of an experiment: what to run, and its key.

    Parameters
    ----------
    series : Series
        What the cell shares with the cells of other repeats.
    repeat : int
        Number of the repeat, from 0.
    key : str
        The cell's key.
    """

    series: Series
    repeat: int
    key: str

    @property
    def cell(self) -> Cell:
        """The cell to run."""
        return self.series.cell.model_copy(update={"repeat": self.repeat})

    @property
    def column(self) -> int:
        """The number of the method in the config."""
        return self.series.column

    @property
    def label(self) -> str:
        """The heading of this column."""
        return self.series.label

    @property
    def varied(self) -> dict[str, Any]:
        """The parameter that the experiment sweeps, and its value here."""
        return self.series.varied

    @property
    def tuner(self) -> Planned | None:
        """The cell that tunes the parameters for this one."""
        return self.series.tuner

    def describe(self) -> str:
        """Return one line that identifies the cell in its experiment."""
        first = self.series.cell
        parts = [first.data.name, self.label]
        parts += [setting(name, value) for name, value in self.varied.items()]
        if first.settings.ratio:
            parts.append(asked(first.settings.ratio))
        return ", ".join([*parts, "tuning" if first.stage == "tune" else f"repeat {self.repeat}"])


@dataclass(frozen=True)
class _Column:
    """Hold a column: a method, what of it is swept, and its settings for each ratio."""

    number: int
    label: str
    choice: MethodChoice
    varied: dict[str, Any]
    swept: dict[str, Any]  # what is varied, if it is a parameter of the method
    settings: list[Settings]

    def method(self, dataset: str) -> Method:
        """Return the method with its parameters on a dataset."""
        params = self.choice.params | self.choice.by_dataset.get(dataset, {}) | self.swept
        return Method(name=self.choice.name, params=params)


def plan(experiment: Experiment) -> list[Planned]:
    """List all cells of an experiment: by dataset, then ratio, then repeat, then method."""
    with experiment.scope:
        return list(_cells(experiment))


def _cells(experiment: Experiment) -> Iterator[Planned]:
    columns = list(_columns(experiment))
    for dataset in experiment.datasets:
        data = dataset.data
        for i in range(len(experiment.ratios)):
            series = [_series(experiment, column, column.settings[i], data) for column in columns]
            for cells in zip(*(one.repeats(experiment.count) for one in series)):
                yield from cells


def _columns(experiment: Experiment) -> Iterator[_Column]:
    """Yield every method as configured, or once for each value of each swept parameter."""
    swept = [{name: value} for name, values in experiment.vary.items() for value in values]
    for number, (choice, label) in enumerate(zip(experiment.methods, experiment.labels)):
        for varied in swept or [dict[str, Any]()]:
            keys = {name: varied[name] for name in varied if name in experiment.sweepable()}
            own = {name: varied[name] for name in varied if name not in keys}
            settings = experiment.settings(choice.settings | keys)
            yield _Column(number, label, choice, varied, own, settings)


def _series(experiment: Experiment, column: _Column, settings: Settings, data: Data) -> Series:
    versions = experiment.versions(column.choice.name, settings)
    tune: Tune | None = getattr(settings, "tune", None)
    if tune is not None:
        tune = tune.on(data.name)
        settings = settings.model_copy(update={"tune": tune})
    cell = Cell(
        data=data,
        method=column.method(data.name),
        settings=settings,
        versions=versions,
        code=registry.code(list(versions)),
        repeat=0,
        seed=experiment.seed,
        search=column.choice.search,
        starts=column.choice.starts,
    )
    about = (column.number, column.label, column.varied)
    if tune is None or tune.strategy == "none" or tune.per == "repeat":
        return Series(cell, *about)
    if not is_tuned(cell, experiment.kinds):
        return Series(cell, *about)
    # one cell tunes for all repeats
    [tuner] = Series(cell.model_copy(update={"stage": "tune"}), *about).repeats(1)
    return Series(cell.model_copy(update={"tuned_by": tuner.key}), *about, tuner)


def tuners(cells: Iterable[Planned]) -> list[Planned]:
    """Return the cells that tune for the given cells, each once."""
    return list({one.tuner.key: one.tuner for one in cells if one.tuner}.values())


def with_tuners(cells: Iterable[Planned]) -> list[Planned]:
    """Return the cells, and before them the cells that tune for them."""
    cells = list(cells)
    return [*tuners(cells), *cells]


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
    "dataset": lambda one, value: one.series.cell.data.name == value,
    "method": lambda one, value: value in (one.series.cell.method.name, one.label),
    "repeat": lambda one, value: _equal(one.repeat, value),
    "ratio": lambda one, value: _equal(one.series.cell.settings.ratio, value),
}
