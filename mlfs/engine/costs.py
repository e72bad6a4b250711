"""Estimate how long cells will take, from earlier cells or else from the size of the data."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..protocols.plan import Planned, Series, with_tuners
from ..results.cell_file import State
from . import memory_needs

_GUESS = 1.0, 1e-6  # seconds of a cell if nothing is known: a constant, and per unit of size
Group = tuple[Hashable, bool]


class Costs:
    """Estimate the seconds of cells from those of finished cells.

    The estimate is the mean over the finished cells that are most similar. These are, in this
    order: cells of the same series (same method, parameters, data and settings); the same method
    on these data; the same method on other data, in proportion to their size; other methods.
    """

    def __init__(self) -> None:
        self._sums: dict[Hashable, float] = defaultdict(float)
        self._counts: dict[Hashable, int] = defaultdict(int)
        self._known: dict[Series, tuple[list[Group], float]] = {}

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
        groups, size = self._about(series)
        for group, in_proportion in groups:
            self._sums[group] += seconds / size if in_proportion else seconds
            self._counts[group] += count

    def add(self, others: Costs) -> None:
        """Add the finished cells that other costs were learnt from."""
        for group, seconds in others._sums.items():
            self._sums[group] += seconds
            self._counts[group] += others._counts[group]

    def seconds(self, series: Series) -> float:
        """Return how many seconds a cell will take."""
        groups, size = self._about(series)
        for group, in_proportion in groups:
            if self._counts[group]:
                mean = self._sums[group] / self._counts[group]
                return mean * size if in_proportion else mean
        return _GUESS[0] + _GUESS[1] * size

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

    def _about(self, series: Series) -> tuple[list[Group], float]:
        if series not in self._known:
            self._known[series] = list(_groups(series)), _size(series)
        return self._known[series]


def _groups(series: Series) -> Iterator[Group]:
    """Yield the groups of similar cells, and whether their costs are per unit of size.

    The group of the most similar cells comes first.
    """
    cell = series.cell
    data, method = (cell.data.name, cell.data.checksum), (cell.method.name, cell.stage)
    yield ("series", cell.text_around("repeat")), False
    yield ("method on data", data, method), False
    yield ("method", method), True
    yield ("data", data, cell.stage), False
    yield ("all", cell.stage), True


def _size(series: Series) -> float:
    """Return the size of a cell's data, as a measure of the work; 1 if it is not known."""
    if series.cell.data.shape is None:
        return 1.0
    n, d, l = series.cell.data.shape  # noqa: E741
    return float(n * (d + l))


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
        compared with its estimate from the others; this is the geometric mean. It is nan if fewer
        than two cells are finished.
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


def estimate(cells: Iterable[Planned], states: Mapping[str, State]) -> Estimate:
    """Estimate how much work is left of some cells and of the tunings that they need."""
    costs, every = learn(cells, states), with_tuners(cells)
    done = {
        one.key: states[one.key].seconds
        for one in every
        if one.key in states and states[one.key].status == "done"
    }
    waiting = [one.series for one in every if one.key not in done]
    left, memory = [costs.seconds(one) for one in waiting], memory_needs.learn(cells, states)
    ratios = []
    for one in every:
        if len(done) > 1 and done.get(one.key):
            costs.learn(one.series, -done[one.key], -1)
            ratios.append(abs(math.log(costs.seconds(one.series) / done[one.key])))
            costs.learn(one.series, done[one.key])
    return Estimate(
        cells=len(every),
        done=len(done),
        seconds=sum(left),
        dearest=max(left, default=0.0),
        memory=max((memory.of(one) for one in set(waiting)), default=0.0),
        off=math.exp(sum(ratios) / len(ratios)) if ratios else math.nan,
    )
