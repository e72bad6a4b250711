"""How much memory cells will need: by what earlier ones had, else by the size of the data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping

from .. import datasets, registry
from .index import State
from .plan import Planned, Series, with_tuners

_PROCESS = 2e8  # bytes of a worker, with the libraries that it has loaded
_COPIES = 4  # of the features that a cell may hold: its parts, scaled, and what a method makes
_FILLED = 0.05  # bytes of a sparse matrix for one of a dense one, in the sets of the catalogue
_MARGIN = 1.2  # between what the largest cell of a kind had and what the next one may need
_ANEW = 2.0  # times what it was allowed, for a cell that failed for want of memory


class Needs:
    """Bytes of cells, learnt from some that were run.

    A cell needs what others of its series had (same method, parameters, data and settings); else
    what the method had on these data; else some copies of the data.
    """

    def __init__(self) -> None:
        self._most: dict[Hashable, float] = {}
        self._known: dict[Series, tuple[list[Hashable], float]] = {}

    def learn(self, series: Series, status: str, memory: float) -> None:
        """Take into account how many megabytes a cell had at the most, or was allowed."""
        need = (_ANEW if status == "failed" else _MARGIN) * memory * 1e6
        for group in self._about(series)[0] if memory else ():
            self._most[group] = max(need, self._most.get(group, 0.0))

    def of(self, series: Series) -> float:
        """How many bytes a cell will need."""
        groups, otherwise = self._about(series)
        return next((self._most[group] for group in groups if group in self._most), otherwise)

    def _about(self, series: Series) -> tuple[list[Hashable], float]:
        if series not in self._known:
            self._known[series] = list(_groups(series)), expected(series)
        return self._known[series]


def learn(cells: Iterable[Planned], states: Mapping[str, State]) -> Needs:
    """Return what some cells, and the tunings that they need, had at the most."""
    most: dict[tuple[Series, str], float] = defaultdict(float)
    for planned in with_tuners(cells):
        state = states.get(planned.key)
        if state is not None and state.memory:
            kind = planned.series, state.status
            most[kind] = max(state.memory, most[kind])
    needs = Needs()
    for (series, status), memory in most.items():
        needs.learn(series, status, memory)
    return needs


def _groups(series: Series) -> Iterator[Hashable]:
    """Return what cells have in common with others, nearest first."""
    cell = series.cell
    yield cell.text_around("repeat")
    yield cell.data.name, cell.data.checksum, cell.method.name, cell.stage


def expected(series: Series) -> float:
    """Bytes of a cell of which nothing but its data and method is known."""
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
