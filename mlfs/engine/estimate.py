"""How long cells will take: by what earlier ones took, else by the size of the data."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from . import needs
from .index import State
from .plan import Planned, Series, with_tuners

_GUESS = 1.0, 1e-6  # seconds of a cell of which nothing is known: as such, and per unit of size
Group = tuple[Hashable, bool]


class Costs:
    """Seconds of cells, learnt from some that were run.

    A cell takes what others of its series took (same method, parameters, data and settings);
    else what the method took on these data; else what it took on others, in proportion to their
    size; else what other methods took.
    """

    def __init__(self) -> None:
        self._sums: dict[Hashable, float] = defaultdict(float)
        self._counts: dict[Hashable, int] = defaultdict(int)
        self._known: dict[Series, tuple[list[Group], float]] = {}

    def learn(self, series: Series, seconds: float, count: int = 1) -> None:
        """Take finished cells into account by their seconds in all; negative ones no longer."""
        groups, size = self._about(series)
        for group, in_proportion in groups:
            self._sums[group] += seconds / size if in_proportion else seconds
            self._counts[group] += count

    def add(self, others: Costs) -> None:
        """Learn what others have learnt."""
        for group, seconds in others._sums.items():
            self._sums[group] += seconds
            self._counts[group] += others._counts[group]

    def seconds(self, series: Series) -> float:
        """How long a cell will take."""
        groups, size = self._about(series)
        for group, in_proportion in groups:
            if self._counts[group]:
                mean = self._sums[group] / self._counts[group]
                return mean * size if in_proportion else mean
        return _GUESS[0] + _GUESS[1] * size

    def dear_first(self, cells: Iterable[Planned]) -> list[Planned]:
        """Cells in an order in which workers end together; those of alike cost stay as they are.

        Neighbours in a plan share a dataset, which a worker then loads once.
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
    """Return what cells share with others, nearest first, and whether cost is per unit of size."""
    cell = series.cell
    data, method = (cell.data.name, cell.data.checksum), (cell.method.name, cell.stage)
    yield ("series", cell.text_around("repeat")), False
    yield ("method on data", data, method), False
    yield ("method", method), True
    yield ("data", data, cell.stage), False
    yield ("all", cell.stage), True


def _size(series: Series) -> float:
    """Return a number that the work on the data of a cell grows with; 1 where nothing is known."""
    if series.cell.data.shape is None:
        return 1.0
    n, d, l = series.cell.data.shape  # noqa: E741
    return float(n * (d + l))


def learn(cells: Iterable[Planned], states: Mapping[str, State]) -> Costs:
    """Return what the finished ones of some cells, and of the tunings that they need, took."""
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
    """What a run still has to do, by what its cells have taken so far.

    Parameters
    ----------
    cells : iterable of Planned
        What is to be run.
    costs : Costs
        What earlier cells took; those of the run are added as they finish.
    """

    def __init__(self, cells: Iterable[Planned], costs: Costs) -> None:
        self._costs = costs
        self._counts = Counter(planned.series for planned in cells)

    def finish(self, planned: Planned, seconds: float) -> None:
        """Take a finished cell into account."""
        self._costs.learn(planned.series, seconds)
        self._counts[planned.series] -= 1

    def seconds(self, workers: int) -> float:
        """How long the rest will take on several workers: no less than its longest cell."""
        left = [
            (self._costs.seconds(series), count)
            for series, count in self._counts.items()
            if count > 0
        ]
        total = sum(one * count for one, count in left)
        return max(total / workers, max((one for one, _ in left), default=0.0))


@dataclass(frozen=True)
class Estimate:
    """What is left to do of some cells.

    Attributes
    ----------
    cells, done : int
    seconds : float
        Of one processor, for what is left.
    dearest : float
        Seconds of the longest cell that is left.
    memory : float
        Bytes of the cell that needs most, of those that are left.
    off : float
        The factor, above or below, between what a finished cell took and what would be said of
        it by the others, as a geometric mean; nan where fewer than two are finished.
    """

    cells: int
    done: int
    seconds: float
    dearest: float
    memory: float
    off: float

    def hours(self, workers: int) -> float:
        """On several workers: no less than the longest cell."""
        return max(self.seconds / workers, self.dearest) / 3600


def estimate(cells: Iterable[Planned], states: Mapping[str, State]) -> Estimate:
    """How much is left of some cells, and of the tunings that they need."""
    costs, every = learn(cells, states), with_tuners(cells)
    done = {
        one.key: states[one.key].seconds
        for one in every
        if one.key in states and states[one.key].status == "done"
    }
    waiting = [one.series for one in every if one.key not in done]
    left, memory = [costs.seconds(one) for one in waiting], needs.learn(cells, states)
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
