"""Estimate how long cells will take, from earlier cells or else from the size of the data."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..methods import registry
from ..methods.docstrings import Size
from ..protocols import Cell
from ..protocols.plan import Planned, Series, with_tuners
from ..results.cell_file import State
from . import memory_needs

_CELL, _LABEL = "a cell", "a label of a fit"  # what every cell needs, and each label of each fit
# seconds of a step in the results that come with mlfs: 'python -m benchmarks.rates' writes them
RATES = Path(__file__).with_name("rates.json")
_WAY = ", missing: "  # between a method and how unknown labels are treated for it
_UNSTATED = ("n d l",)  # the steps of a method that states none
_TRUST = 0.25  # weight of a guess beside a finished series: rates differ more than cells are off
_STEPS = 30  # most steps to find the rates
_COMPARED = 30  # finished cells that are compared with their estimates from the others
_AGAIN = 1.1  # rates are computed again when there are this factor more finished cells


class _About(NamedTuple):
    """Hold what an estimate needs to know of a series."""

    key: Hashable  # the same for the same work
    on_data: Hashable  # the same for a method on a dataset, whatever the other settings
    data: Hashable
    steps: dict[str, float]  # by what needs them


@dataclass
class _Finished:
    """Hold the finished cells of one series."""

    about: _About
    seconds: float = 0.0
    count: int = 0

    @property
    def mean(self) -> float:
        return max(self.seconds / self.count, 1e-3)


class Costs:
    """Estimate the seconds of cells from those of finished cells.

    Finished cells of the same series (same method, parameters, data and settings) give their mean.
    The seconds of all others are a sum: a part that every cell needs, and for each fit the steps
    that the method states (O(n d + n l) in its docstring) times the seconds of such a step. These
    rates are those that are least off on all finished series. A method that was never run gets the
    rate that it has in the results that come with mlfs, or else a typical one, times the factor by
    which this machine is slower for the methods that were run. The sum is corrected by how far it
    was off for the same method on these data, or else for other methods on these data.
    """

    def __init__(self) -> None:
        self._finished: dict[Hashable, _Finished] = {}
        self._known: dict[Series, _About] = {}
        self._count = self._solved = 0
        self._rates: dict[str, float] = {}
        self._slower = 1.0
        self._factors: dict[Hashable, float] = {}

    def learn(self, series: Series, seconds: float, count: int = 1) -> None:
        """Take finished cells into account, or remove them again.

        Parameters
        ----------
        series : Series
            What the cells share.
        seconds : float
            Their seconds in total; negative to remove them.
        count : int
            Number of cells; negative to remove them.
        """
        self._learn(self._about(series), seconds, count)

    def add(self, others: Costs) -> None:
        """Add the finished cells that other costs were learnt from."""
        for one in others._finished.values():
            self._learn(one.about, one.seconds, one.count)

    def seconds(self, series: Series) -> float:
        """Return how many seconds a cell will take."""
        about = self._about(series)
        finished = self._finished.get(about.key)
        if finished:
            return finished.seconds / finished.count
        if self._count > _AGAIN * self._solved:
            self._solve()
        factor = self._factors.get(about.on_data, self._factors.get(about.data, 1.0))
        return factor * self._sum(about)

    def dear_first(self, cells: Iterable[Planned]) -> list[Planned]:
        """Return the cells, expensive ones first, so that workers end at about the same time.

        Cells of similar cost keep their order: neighbours in a plan share a dataset, which a
        worker then loads only once.
        """
        order: dict[Series, int] = {}
        cells = list(cells)
        for one in cells:
            if one.series not in order:
                order[one.series] = -round(math.log2(max(self.seconds(one.series), 1e-3)))
        return sorted(cells, key=lambda one: order[one.series])

    def _learn(self, about: _About, seconds: float, count: int) -> None:
        finished = self._finished.setdefault(about.key, _Finished(about))
        finished.seconds += seconds
        finished.count += count
        self._count += count
        if not finished.count:
            del self._finished[about.key]
            self._solved = 0  # rates must not know it any more

    def _about(self, series: Series) -> _About:
        if series not in self._known:
            self._known[series] = _about(series)
        return self._known[series]

    def _sum(self, about: _About) -> float:
        return sum(count * self._rate(name) for name, count in about.steps.items())

    def _rate(self, name: str) -> float:
        """Return the seconds of a step: as found, else as of the method in another way."""
        if name not in self._rates:
            self._rates[name] = _alike(name, self._rates) or self._slower * _usual(name)
        return self._rates[name]

    def _solve(self) -> None:
        """Compute the rates from the finished series, and how far they are off on each dataset."""
        rows, self._solved = list(self._finished.values()), self._count
        before, self._rates, self._factors = self._rates, {}, {}
        if not rows:
            return
        from threadpoolctl import threadpool_limits

        names = sorted({name for one in rows for name in one.about.steps})
        self._slower = 1.0
        for _ in range(2):  # methods that were never run, or little, are as slow as the others
            guesses = {name: self._slower * _usual(name) for name in names}
            with threadpool_limits(1):  # on a busy machine, threads wait longer than they compute
                self._rates = before = _rates(rows, guesses, before)
            self._slower = _mean([rate / _usual(name) for name, rate in self._rates.items()])
        same: dict[Hashable, list[float]] = defaultdict(list)
        others: dict[Hashable, list[float]] = defaultdict(list)
        for one in rows:
            ratio = math.log(one.mean / max(self._sum(one.about), 1e-6))
            same[one.about.on_data].append(ratio)
            others[one.about.data].append(ratio)
        for groups, doubt in ((others, 1), (same, 0)):  # other methods say less about a method
            for group, ratios in groups.items():
                self._factors[group] = math.exp(sum(ratios) / (len(ratios) + doubt))


def _mean(values: Iterable[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(list(values)))))


def _alike(name: str, rates: Mapping[str, float]) -> float | None:
    """Return the rate of a method as of the same one in other ways; None if there is none."""
    method = name.partition(_WAY)[0]
    alike = [rate for one, rate in rates.items() if one.partition(_WAY)[0] == method]
    return _mean(alike) if alike else None


@cache
def _shipped() -> dict[str, float]:
    content: dict[str, float] = json.loads(RATES.read_text(encoding="utf-8"))
    return content


@cache
def _usual(name: str) -> float:
    """Return the rate in the results that come with mlfs; for a method without one, a typical."""
    shipped = _shipped()
    if name in shipped:
        return shipped[name]
    return _alike(name, shipped) or _mean(
        shipped[one] for one in shipped if one not in (_CELL, _LABEL)
    )


def _rates(
    rows: list[_Finished], guesses: Mapping[str, float], before: Mapping[str, float]
) -> dict[str, float]:
    """Return the rates with the least squared logarithms of how far sums and guesses are off.

    Logarithms, because a factor of two too low is as bad as one too high. The Gauss-Newton steps
    start from earlier rates.
    """
    names = list(guesses)
    place = {name: i for i, name in enumerate(names)}
    steps = np.zeros((len(rows), len(names)))
    for i, one in enumerate(rows):
        for name, count in one.about.steps.items():
            steps[i, place[name]] = count * guesses[name] / one.mean
    logs = np.array([math.log(before.get(name, guesses[name]) / guesses[name]) for name in names])
    for _ in range(_STEPS):
        parts = steps * np.exp(logs)
        sums = np.maximum(parts.sum(axis=1), 1e-12)
        slopes = parts / sums[:, None]
        matrix = slopes.T @ slopes + _TRUST * np.eye(len(names))
        change = np.linalg.solve(matrix, -slopes.T @ np.log(sums) - _TRUST * logs)
        logs = logs + np.clip(change, -1, 1)
        if np.abs(change).max() < 0.01:
            break
    return {name: guesses[name] * math.exp(logs[i]) for name, i in place.items()}


def _about(series: Series) -> _About:
    cell = series.cell
    data = (cell.data.name, cell.data.checksum, cell.data.frequent_labels)
    way = getattr(cell.settings, "missing", None)
    name = cell.method.name
    return _About(
        key=cell.text_around("repeat"),
        on_data=("method", name, way, cell.stage, data),
        data=("data", cell.stage, data),
        steps=_steps(cell, way),
    )


def _steps(cell: Cell, way: str | None) -> dict[str, float]:
    """Return how many steps a cell takes, by what takes them.

    The same method needs other times if it is fitted label by label, so it has a rate for each
    way to treat unknown labels.
    """
    steps: dict[str, float] = defaultdict(float, {_CELL: 1.0})
    if cell.data.shape is not None:
        for fit in cell.settings.fits(cell, Size(*cell.data.shape)):
            terms = fit.terms or registry.stated_time(fit.method, registry.KINDS) or _UNSTATED
            named = f"{fit.method}{_WAY}{way}" if fit.method == cell.method.name else fit.method
            steps[named] += fit.times * fit.size.total(terms)
            steps[_LABEL] += fit.times * fit.size.l
    return steps


def learn(cells: Iterable[Planned], states: Mapping[str, State]) -> Costs:
    """Return the costs learnt from the finished ones of some cells and of their tunings."""
    sums: dict[Series, float] = defaultdict(float)
    counts: dict[Series, int] = defaultdict(int)
    for planned in with_tuners(cells):
        state = states.get(planned.key)
        if state is not None and state.status == "done":
            sums[planned.series] += state.seconds
            counts[planned.series] += 1
    costs = Costs()
    for series, seconds in sums.items():
        costs.learn(series, seconds, counts[series])
    return costs


def rates(cells: Iterable[Planned], states: Mapping[str, State]) -> dict[str, float]:
    """Return the seconds of a step of each method that finished cells used, by its name."""
    costs = learn(cells, states)
    costs._solve()
    return costs._rates


class Left:
    """Estimate the remaining time of a run from the costs of its cells so far.

    Parameters
    ----------
    cells : iterable of Planned
        The cells to run.
    costs : Costs
        The costs of earlier cells; the cells of this run are added when they finish.
    """

    def __init__(self, cells: Iterable[Planned], costs: Costs) -> None:
        self._costs = costs
        self._counts = Counter(planned.series for planned in cells)

    def finish(self, planned: Planned, seconds: float) -> None:
        """Take a finished cell into account."""
        self._costs.learn(planned.series, seconds)
        self._counts[planned.series] -= 1

    def seconds(self, workers: int) -> float:
        """Return the remaining seconds on several workers; at least those of the longest cell."""
        left = [
            (self._costs.seconds(series), count)
            for series, count in self._counts.items()
            if count > 0
        ]
        total = sum(one * count for one, count in left)
        return max(total / workers, max((one for one, _ in left), default=0.0))


@dataclass(frozen=True)
class Estimate:
    """Hold how much work is left of some cells.

    Attributes
    ----------
    cells, done : int
        Number of all cells, and of finished cells.
    seconds : float
        Seconds of one processor for the unfinished cells.
    dearest : float
        Seconds of the longest unfinished cell.
    memory : float
        Bytes of the unfinished cell that needs most memory.
    off : float
        The typical factor by which estimates are too high or too low. Each finished cell is
        compared with its estimate from the others (thirty of them, if there are more); this is
        the geometric mean. It is nan if fewer than two cells are finished.
    """

    cells: int
    done: int
    seconds: float
    dearest: float
    memory: float
    off: float

    def hours(self, workers: int) -> float:
        """Return the hours on several workers; at least those of the longest cell."""
        return max(self.seconds / workers, self.dearest) / 3600


def estimate(
    cells: Iterable[Planned], states: Mapping[str, State], costs: Costs | None = None
) -> Estimate:
    """Estimate how much work is left of some cells and of the tunings that they need.

    Parameters
    ----------
    cells : iterable of Planned
        The cells.
    states : mapping
        The states of stored cells, by key.
    costs : Costs, optional
        What finished cells took, also those of other experiments; by default those of `states`.

    Returns
    -------
    Estimate
        What is left, and how far such estimates are off.
    """
    cells = list(cells)
    costs, every = costs or learn(cells, states), with_tuners(cells)
    done = {
        one.key: states[one.key].seconds
        for one in every
        if one.key in states and states[one.key].status == "done"
    }
    waiting = [one.series for one in every if one.key not in done]
    left, memory = [costs.seconds(one) for one in waiting], memory_needs.learn(cells, states)
    return Estimate(
        cells=len(every),
        done=len(done),
        seconds=sum(left),
        dearest=max(left, default=0.0),
        memory=max((memory.of(one) for one in set(waiting)), default=0.0),
        off=_off([one for one in every if done.get(one.key)], done, costs),
    )


def _off(finished: list[Planned], seconds: Mapping[str, float], costs: Costs) -> float:
    """Return the typical factor between what cells took and their estimates from the others."""
    ratios = []
    if len(finished) > 1:
        for one in finished[:: math.ceil(len(finished) / _COMPARED)]:
            costs.learn(one.series, -seconds[one.key], -1)
            ratios.append(abs(math.log(costs.seconds(one.series) / seconds[one.key])))
            costs.learn(one.series, seconds[one.key])
    return math.exp(sum(ratios) / len(ratios)) if ratios else math.nan
