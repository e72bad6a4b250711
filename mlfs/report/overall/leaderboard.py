"""The leaderboard: results of others on the same ground, admitted after checks.

A board is a folder of packed results. Its ground are the comparisons that come with mlfs: the
experiments of the configs ``grand_*``.
"""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...config import load_all, shipped
from ...engine.rerun import run_again
from ...errors import UserError
from ...methods.registry import Scope
from ...protocols import Experiment
from ...protocols.plan import plan
from ...results import checking
from ...results import read as stored
from ...results.packing import SUFFIX, Packed, find, pack
from ...results.read import Results
from ...results.store import Store
from .cases import LEAST
from .overall_text import PREFIX

# what may differ between a submission and the experiment that it belongs to
_OWN = {"name", "title", "methods", "control", "cost", "datasets", "metrics", "reading"}


@dataclass(frozen=True)
class Ground:
    """An experiment of a comparison that comes with mlfs, and the config that it is in."""

    config: str
    experiment: Experiment


def grounds() -> list[Ground]:
    """Return the experiments of all comparisons that come with mlfs."""
    configs = [(name, path) for name, path in shipped.names().items() if name.startswith(PREFIX)]
    return [Ground(name, experiment) for name, path in configs for experiment in load_all(path)]


def ground_of(experiment: Experiment, every: Sequence[Ground]) -> Ground:
    """Return the ground that a submission stands on; raise a UserError if there is none."""
    mine = _decisive(experiment)
    same = [one for one in every if one.experiment.protocol == experiment.protocol]
    if not same:
        raise UserError(
            f"no comparison that comes with mlfs has the protocol {experiment.protocol}: "
            f"copy a config {PREFIX}..., and change only its methods"
        )
    nearest_gap: list[str] = []
    for one in same:
        theirs = _decisive(one.experiment)
        gap = [key for key in theirs if theirs[key] != mine.get(key)]
        data = {choice.name: choice.data.checksum for choice in one.experiment.datasets}
        others = [
            choice.name
            for choice in experiment.datasets
            if data.get(choice.name) != choice.data.checksum
        ]
        gap += ["datasets"] if others else []
        if not gap:
            return one
        if not nearest_gap or len(gap) < len(nearest_gap):
            nearest_gap = gap
    raise UserError(
        f"{experiment.name} differs from every comparison that comes with mlfs in "
        f"{', '.join(nearest_gap)}: copy a config {PREFIX}..., and change only its methods"
    )


def _decisive(experiment: Experiment) -> dict[str, Any]:
    content = experiment.model_dump(mode="json")
    return {key: value for key, value in content.items() if key not in _OWN}


def admit(
    place: Path,
    board: Path,
    *,
    rerun: int,
    workers: int | None = None,
    code: Path | None = None,
    chosen: random.Random | None = None,
    tell: Callable[[str], object] = lambda text: None,
) -> Path:
    """Check packed results, run some of their cells again, and put them on the board.

    Parameters
    ----------
    place : Path
        A packed file, or a results folder.
    board : Path
        The folder of the leaderboard; it is made if it does not exist.
    rerun : int
        How many cells are run again.
    workers : int, optional
        Number of worker processes.
    code : Path, optional
        A folder with the modules of the submitted methods; by default they must be installed.
    chosen : Random, optional
        What chooses the cells to run again.
    tell : callable
        Gets a sentence for each check that was passed.

    Returns
    -------
    Path
        The file on the board.

    Raises
    ------
    UserError
        The results are not admitted; the text says why.
    """
    stores = find(place)
    if len(stores) != 1:
        raise UserError(f"{place} has {len(stores)} experiments: add one after the other")
    [store] = stores
    _check_content(store)
    tell("every cell has the digest and the key of its content")
    experiment = store.experiment()
    every = grounds()
    ground = ground_of(experiment, every)
    tell(f"it stands on the ground of {ground.experiment.name} ({ground.config})")
    mine, sets = len(experiment.datasets), len(ground.experiment.datasets)
    if mine < LEAST * sets:
        least = math.ceil(LEAST * sets)
        tell(f"it has {mine} of {sets} datasets: ranks are for methods that have {least} or more")
    _check_versions(experiment, code)
    tell("its methods have the versions of the code that is here")
    name = store.folder.name.removesuffix(SUFFIX)
    target = board / f"{name}{SUFFIX}"
    _check_names(experiment, target, board, every)
    own = _submitted([experiment], every)
    for again in run_again([store], rerun, workers, chosen, code, foremost=own):
        if not again.sound:
            raise UserError(f"not admitted: {again}")
        tell(f"{again.planned.describe()} run again: {again.outcome}")
    _keep(store, target)
    return target


def _check_content(store: Store) -> None:
    checked = checking.check(store)
    if checked.damage:
        raise UserError(f"not admitted: {checked.damage[0]}")
    if checked.remarks:
        raise UserError(f"not admitted: {store.folder}: {checked.remarks[0]}")
    if not checked.done:
        raise UserError(f"not admitted: {store.folder} has no finished cell")


def _check_versions(experiment: Experiment, code: Path | None) -> None:
    """Refuse results of methods that are not here, or that have another version here."""
    here = experiment.under(Scope(folder=code))
    try:
        present = {one.key for one in plan(here)}
    except UserError as error:
        raise UserError(
            f"not admitted, since cells cannot be run again: {error}; install the method, or name "
            "the folder of its file with --code"
        ) from error
    if present != {one.key for one in plan(experiment)}:
        raise UserError(
            "not admitted: its methods have other versions here; use the code that made the results"
        )


def _check_names(
    experiment: Experiment, target: Path, board: Path, every: Sequence[Ground]
) -> None:
    """Refuse a second method of the same name, so that a name means one thing on the board."""
    mine = set(_submitted([experiment], every).values())
    for file in entries(board):
        if file != target:
            shared = mine & set(_submitted([Packed(file).experiment()], every).values())
            if shared:
                raise UserError(
                    f"not admitted: {file.name} has a method '{min(shared)}' already: rename yours"
                )


def _submitted(experiments: Iterable[Experiment], every: Sequence[Ground]) -> dict[str, str]:
    """Return the methods that are neither part of mlfs nor of its comparisons.

    The names in tables stand under those in configs.
    """
    official = {choice.name for one in every for choice in one.experiment.methods}
    return {
        choice.name: choice.short
        for experiment in experiments
        for choice in experiment.methods
        if ":" in choice.name and choice.name not in official
    }


def _keep(store: Store, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(store, Packed):
            pack(store, target)
        elif store.folder.resolve() != target.resolve():
            shutil.copyfile(store.folder, target)
    except OSError as error:
        raise UserError(
            f"cannot write {target} ({error.strerror}): name another folder with --board"
        ) from error


def entries(board: Path) -> list[Path]:
    """Return the packed files of a board."""
    return sorted(board.glob(f"*{SUFFIX}")) if board.is_dir() else []


def read_board(board: Path) -> dict[str, list[Results]]:
    """Return the results of each comparison: those that come with mlfs, and those of the board."""
    every = grounds()
    by_config: dict[str, list[Results]] = {}
    for one in every:
        place = shipped.reference() / f"{one.experiment.name}{SUFFIX}"
        if place.is_file():
            by_config.setdefault(one.config, []).append(stored.read(Packed(place)))
    for file in entries(board):
        store = Packed(file)
        ground = ground_of(store.experiment(), every)
        by_config.setdefault(ground.config, []).append(stored.read(store))
    return {name: some for name, some in by_config.items() if any(item.records for item in some)}


def build(board: Path, output: Path) -> list[Path]:
    """Write the pages of the leaderboard: one HTML file, and each comparison as csv and JSON."""
    from ..page.leaderboard_page import page
    from .overall_text import frame, judge, record

    comparisons = read_board(board)
    if not comparisons:
        raise UserError(
            f"nothing to show: mlfs comes with no results of {PREFIX}... yet, and {board} has none"
        )
    judged = {name: judge(some) for name, some in comparisons.items()}
    every = grounds()
    submitted = {
        name: sorted(_submitted([item.experiment for item in some], every).values())
        for name, some in comparisons.items()
    }
    files = {"index.html": page(judged, submitted)}
    for name, overall in judged.items():
        records = [record(one, overall) for one in overall.contests]
        files[f"{name}.json"] = json.dumps(records, indent=1) + "\n"
        parts = [frame(one).assign(group=one.group.title) for one in overall.contests]
        heads = [part.to_csv(index=False, header=i == 0) for i, part in enumerate(_aligned(parts))]
        files[f"{name}.csv"] = "".join(heads)
    written = []
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (output / name).write_text(text, encoding="utf-8")
            written.append(output / name)
    except OSError as error:
        raise UserError(
            f"cannot write to {output} ({error.strerror}): name another folder with --output"
        ) from error
    return written


def _aligned(parts: list[Any]) -> list[Any]:
    """Give all frames the same columns."""
    columns = list(dict.fromkeys(name for part in parts for name in part))
    return [part.reindex(columns=columns) for part in parts]
