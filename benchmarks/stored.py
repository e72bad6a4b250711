"""What storing cells, reading them again and running foreign code apart cost."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlfs import config
from mlfs.engine.workers.run_cell import run_cell
from mlfs.protocols import Record
from mlfs.protocols.plan import Planned, plan
from mlfs.protocols.steps import apart
from mlfs.results import index
from mlfs.results.cell_file import stored_state
from mlfs.results.store import Store

from .comparison import Pair, compared

_QUICK, _LARGE = 1_000, 20_000  # cells
_RECORD = Record(
    rows=[{"relevant_found": 0.5, "informative_found": 1.0, "hidden_auc": None}],
    seconds={"fit": 0.01},
    made_by={"numpy": "2.0", "cpu": "of a usual length, 2 cores"},
)
_OWN = """\
from sklearn.base import BaseEstimator


class Spread(BaseEstimator):
    def fit(self, X, Y):
        self.scores_ = X.std(axis=0)
"""
_KEPT: list[Any] = []  # folders that live as long as this process


def _folder() -> Path:
    _KEPT.append(tempfile.TemporaryDirectory())
    return Path(_KEPT[-1].name)


def _planned(count: int, method: str, folder: Path) -> tuple[Any, list[Planned]]:
    path = folder / "c.yaml"
    path.write_text(
        f"name: c\nprotocol: planted\nmetrics: [relevant_found]\nrepeats: {count}\n"
        f"methods: [{method}]\n",
        encoding="utf-8",
    )
    experiment = config.load(path)
    return experiment, plan(experiment)


@compared("store: states of all cells off the index", "file by file", "1,000 cells")
def states(large: bool) -> Pair:
    folder = _folder()
    experiment, cells = _planned(_LARGE if large else _QUICK, "random", folder)
    store = Store(folder / "r")
    store.open(experiment)
    for cell in cells:
        store.write(cell, _RECORD)
    store.states()  # writes the index
    place, keys = folder / "r" / "cells", [cell.key for cell in cells]

    def one_by_one() -> int:
        found = {key: stored_state(key, text) for key, text in index.read_files(place, keys)}
        return sum(state.status == "done" for state in found.values())

    return Pair(
        lambda: sum(state.status == "done" for state in store.states(keys).values()), one_by_one
    )


@compared("store: a cell with digest, on the disk", "a file that is only written", "50 cells")
def written(large: bool) -> Pair:
    folder = _folder()
    experiment, cells = _planned(50, "random", folder)
    store = Store(folder / "r")
    store.open(experiment)
    store.sync = True

    def plainly() -> None:
        for cell in cells:
            text = json.dumps({"cell": cell.cell.to_json(), **_RECORD.model_dump()})
            (folder / f"{cell.key}.json").write_text(text, encoding="utf-8")

    return Pair(lambda: [store.write(cell, _RECORD) for cell in cells], plainly, tol=None)


@compared("own method: a cell in fresh processes", "in this process", "5 cells")
def own(large: bool) -> Pair:
    folder = _folder()
    (folder / "mine.py").write_text(_OWN, encoding="utf-8")
    _, cells = _planned(5, "mine:Spread", folder)

    def run() -> list[float]:
        return [run_cell(one.cell).rows[0]["relevant_found"] for one in cells]

    def fresh() -> list[float]:
        with _apart():
            return run()

    return Pair(fresh, run)


@contextmanager
def _apart() -> Iterator[None]:
    """Let foreign code run in copies of this process, as in a worker."""
    apart.be_ready()
    try:
        yield
    finally:
        apart._ready = False
