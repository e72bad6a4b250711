"""Estimate the memory that cells will need, from earlier cells or else from the data's size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping

from .. import datasets
from ..methods import registry
from ..protocols.plan import Planned, Series, with_tuners
from ..results.cell_file import State

_PROCESS = 2e8  # bytes of a worker with its loaded libraries
_COPIES = 4  # copies of the features in a cell: both parts, scaled ones, and those of the method
_FILLED = 0.05  # size of a sparse matrix divided by that of a dense one, for catalogue datasets
_MARGIN = 1.2  # the next cell may need this factor more than the largest one so far
_ANEW = 2.0  # a cell that had too little memory gets this factor more


class MemoryNeeds:
    """Estimate the bytes of cells from those of earlier cells.

    The estimate is the largest need of earlier cells of the same series (same method, parameters,
    data and settings). If there are none, cells of the same method on these data are used, or else
    the size of some copies of the data.
    """

    def __init__(self) -> None:
        self._most: dict[Hashable, float] = {}
        self._known: dict[Series, tuple[list[Hashable], float]] = {}

    def learn(self, series: Series, status: str, memory: float) -> None:
        """Take a cell into account.

        Parameters
        ----------
        series : Series
            The series of the cell.
        status : str
            Its status. A cell that "failed" may have lacked memory, so it gets a larger factor.
        memory : float
            The most megabytes that it used, or its limit if it was killed; 0 if not known.
        """
        need = (_ANEW if status == "failed" else _MARGIN) * memory * 1e6
        for group in self._about(series)[0] if memory else ():
            self._most[group] = max(need, self._most.get(group, 0.0))

    def of(self, series: Series) -> float:
        """Return how many bytes a cell will probably need."""
        groups, otherwise = self._about(series)
        return next((self._most[group] for group in groups if group in self._most), otherwise)

    def _about(self, series: Series) -> tuple[list[Hashable], float]:
        if series not in self._known:
            self._known[series] = list(_groups(series)), expected(series)
        return self._known[series]


def learn(cells: Iterable[Planned], states: Mapping[str, State]) -> MemoryNeeds:
    """Return the needs learnt from some cells and the tunings that they need."""
    most: dict[tuple[Series, str], float] = defaultdict(float)
    for planned in with_tuners(cells):
        state = states.get(planned.key)
        if state is not None and state.memory:
            kind = planned.series, state.status
            most[kind] = max(state.memory, most[kind])
    needs = MemoryNeeds()
    for (series, status), memory in most.items():
        needs.learn(series, status, memory)
    return needs


def _groups(series: Series) -> Iterator[Hashable]:
    """Yield the groups of similar cells; the most similar ones come first."""
    cell = series.cell
    yield cell.text_around("repeat")
    yield cell.data.name, cell.data.checksum, cell.method.name, cell.stage


def expected(series: Series) -> float:
    """Estimate the bytes of a cell from the size of its data, when no similar cell was run."""
    data = series.cell.data
    if data.shape is None:
        return _PROCESS
    n, d, l = data.shape  # noqa: E741
    features = 8.0 * n * d * (_FILLED if _stays_sparse(series) else 1.0)
    return _PROCESS + _COPIES * (features + 8.0 * n * l)


def _stays_sparse(series: Series) -> bool:
    entry = datasets.catalog().get(series.cell.data.name)
    method = registry.methods(registry.KINDS).get(series.cell.method.name)
    return bool(entry and entry.sparse and method and method.tags.supports_sparse)
