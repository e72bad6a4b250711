"""Run configs from start to end (plan, check the data, execute, store), and yield events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import config
from ..errors import UserError
from ..protocols import Experiment
from ..protocols.plan import Planned, only, plan, tuners, with_tuners
from ..results.cell_file import State, finished, state_of, stored_state
from ..results.index import Stamp
from ..results.packing import find
from ..results.store import Store, ignored
from . import costs, execute, memory_needs
from .costs import Costs, Left
from .execute import Finished, Running, Waiting
from .memory_needs import MemoryNeeds
from .options import Options as Options
from .workers.leftovers import sweep


@dataclass
class Work:
    """Hold an experiment, its results folder, and the cells to consider.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    store : Store
        Where its results are stored.
    cells : list of Planned
        The cells to consider.
    every : list of Planned, optional
        All cells of the experiment; by default `cells`.
    todo : list of Planned
        The cells to run.
    tunings : list of Planned
        The unfinished cells that tune for `todo`.
    states : dict
        The states of stored cells by key: read once, when `todo` is chosen, and then changed by
        what the run stores.
    before : dict
        The stamps of stored cells when `todo` was chosen, by key.
    needs : MemoryNeeds
        How much memory cells will need.
    costs : Costs
        How long cells will take.
    reused : dict
        Finished cells from other results, by key; these are not run.
    """

    experiment: Experiment
    store: Store
    cells: list[Planned]
    every: list[Planned] | None = None
    todo: list[Planned] = field(default_factory=list)
    tunings: list[Planned] = field(default_factory=list)
    states: dict[str, State] = field(default_factory=dict)
    before: dict[str, Stamp] = field(default_factory=dict)
    needs: MemoryNeeds = field(default_factory=MemoryNeeds)
    costs: Costs = field(default_factory=Costs)
    reused: dict[str, bytes] = field(default_factory=dict)

    def remember(self, planned: Planned) -> None:
        """Keep the stamp of a stored cell, to see whether another run stores it again."""
        stamp = self.store.stamp(planned.key)
        if stamp is not None:
            self.before.setdefault(planned.key, stamp)

    def counts(self) -> tuple[int, int]:
        """Return how many cells are done and how many failed, after the run."""
        statuses = [self.states[one.key].status for one in self.cells if one.key in self.states]
        return statuses.count("done"), statuses.count("failed")


@dataclass(frozen=True)
class Skipped:
    """Tell that a dataset is skipped because it cannot be obtained, and why."""

    experiment: Experiment
    dataset: str
    reason: str


@dataclass(frozen=True)
class Reused:
    """Tell how many finished cells are taken from other results."""

    experiment: Experiment
    cells: int
    place: Path


@dataclass(frozen=True)
class Spoilt:
    """Tell that a stored cell cannot be used and is run again, or that a file is not a cell."""

    reason: str


@dataclass(frozen=True)
class Began:
    """Tell that work starts: the number of cells and of tunings, and the estimated time."""

    work: list[Work]
    cells: int
    tunings: int
    left: Left


@dataclass(frozen=True)
class Ended:
    """Tell that the run has ended, and how many cells failed."""

    work: list[Work]
    failed: int


Event = Skipped | Reused | Spoilt | Began | Running | Waiting | Finished | Ended


def gather(
    configs: Sequence[Path | Mapping[str, Any]],
    results: Path,
    conditions: tuple[str, ...] = (),
    quick: bool = False,
    skip_missing: bool = False,
) -> list[Work]:
    """Read configs and plan their cells.

    Parameters
    ----------
    configs : sequence of Path or mapping
        Config files, names of configs that come with mlfs, or configs as dicts.
    results : Path
        The folder that gets one results folder for each experiment.
    conditions : tuple of str
        Keep only the cells that meet these conditions, such as "dataset=yeast".
    quick : bool
        Keep only a small part of each experiment.
    skip_missing : bool
        Accept the user's own files that cannot be read; `run` then skips them.

    Returns
    -------
    list of Work
        The experiments; the ones that cost least come first.
    """
    experiments = [one for path in configs for one in config.load_all(path, patient=skip_missing)]
    work = []
    for experiment in (one.quick_version() for one in experiments) if quick else experiments:
        every = plan(experiment)
        store = Store(results / experiment.name)
        work.append(Work(experiment, store, only(every, conditions), every))
    if not any(item.cells for item in work):
        raise UserError(
            f"no cell meets --only {' '.join(conditions)}: 'mlfs run CONFIG --dry-run' lists all"
        )
    names = [item.experiment.name for item in work]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"two configs are named '{name}': give each one a different name")
    return sorted(work, key=lambda item: item.experiment.cost)


def run(work: list[Work], options: Options) -> Generator[Event, None, None]:
    """Run the unfinished cells of some experiments, and yield what happens."""
    yield from choose(work, options)
    for item in work:
        yield from _check_data(item, options.skip_missing)
    for item in work:
        item.store.sync = options.sync
        item.store.open(
            item.experiment, item.cells if item.every is None else item.every, item.states
        )
        for key, content in item.reused.items():
            item.store.put(key, content.strip() + b"\n")
            item.states[key] = stored_state(key, content)
        item.tunings = [
            one
            for one in tuners(item.todo)
            if options.force or not finished(one, item.states.get(one.key))
        ]
    busy = [item for item in work if item.todo]
    failed = 0
    if busy:
        sweep(item.store.folder for item in busy)
        yield _began(busy)
        with options.open() as executor:
            for item in busy:
                for event in execute.run_cells(
                    item.todo, item.store, executor, item.tunings, item.before, item.needs
                ):
                    if isinstance(event, Finished):
                        item.states[event.planned.key] = state_of(event.record)
                        failed += event.record.status == "failed"
                    yield event
    yield Ended(work, failed)


def choose(work: list[Work], options: Options) -> Iterator[Event]:
    """Choose the cells to run and those to take from other results; nothing is written."""
    for item in work:
        yield from _choose(item, options)
    if options.reuse is not None:
        yield from _reuse(work, options.reuse)


def _choose(item: Work, options: Options) -> Iterator[Event]:
    """Choose the cells to run, and report stored cells that cannot be used."""
    item.todo, item.before = [], {}
    item.states = states = item.store.states(one.key for one in item.every or item.cells)
    yield from (Spoilt(ignored(path)) for path in item.store.strangers())
    for planned in item.cells:
        state = states.get(planned.key)
        if state is not None and _wanted(item, planned, state, options):
            # read its state again, now that its stamp is known: other runs may be storing cells
            item.remember(planned)
            state = item.store.state(planned)
            if state is not None:
                states[planned.key] = state
        if state and state.status == "damaged":
            yield Spoilt(f"{item.store.damage(planned)}: it is run again")
        if _wanted(item, planned, state, options):
            item.todo.append(planned)
            if planned.tuner and planned.tuner.key in states:
                item.remember(planned.tuner)
    if item.todo:
        item.needs = memory_needs.learn(item.cells, states)
        item.costs = costs.learn(item.cells, states)
        item.todo = item.costs.dear_first(item.todo)


def _wanted(item: Work, planned: Planned, state: State | None, options: Options) -> bool:
    if options.retry_failed:
        return state is not None and state.status == "failed"
    return options.force or not finished(planned, state, item.experiment.metrics)


def _reuse(work: list[Work], place: Path) -> Iterator[Event]:
    """Take cells that would be run from the finished cells of other results."""
    wanted = {one.key for item in work for one in with_tuners(item.todo)}
    offered: dict[str, list[bytes]] = defaultdict(list)  # to read each file only once
    for store in find(place):
        for key, content in store.contents():
            if key in wanted:
                offered[key].append(content)
    for item in work:
        metrics = item.experiment.metrics
        item.reused = {
            one.key: content
            for one in with_tuners(item.todo)
            for content in offered.get(one.key, [])
            if finished(one, stored_state(one.key, content), metrics)
        }
        before = len(item.todo)
        item.todo = [one for one in item.todo if one.key not in item.reused]
        yield Reused(item.experiment, before - len(item.todo), place)


def _check_data(item: Work, skip_missing: bool) -> Iterator[Event]:
    """Report missing or damaged data before any cell is run."""
    needed = {_named(one): one.series.cell.data for one in item.todo}
    for name, data in needed.items():
        try:
            item.experiment.prepare(data)
        except UserError as error:
            if not skip_missing:
                raise
            yield Skipped(item.experiment, data.name, str(error))
            item.todo = [one for one in item.todo if _named(one) != name]


def _named(planned: Planned) -> tuple[str, str]:
    """Return the name and checksum of a cell's data; a cleaned dataset has another checksum."""
    data = planned.series.cell.data
    return data.name, data.checksum


def _began(busy: list[Work]) -> Began:
    costs, cells, tunings = Costs(), list[Planned](), list[Planned]()
    for item in busy:
        costs.add(item.costs)
        cells += item.todo
        tunings += item.tunings
    return Began(busy, len(cells), len(tunings), Left([*tunings, *cells], costs))
