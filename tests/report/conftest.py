"""Results of made-up runs, so that every figure of a table is known."""

import math
from dataclasses import dataclass

import pandas as pd
import pytest

from mlfs import config, papers
from mlfs.engine.plan import plan
from mlfs.engine.store import Store
from mlfs.protocols import Record
from mlfs.report.tables import Table

CONFIG = {
    "name": "t",
    "protocol": "selection",
    "paper": "mfsef",
    "tables": ["2", "3"],
    "datasets": ["health", "arts", "business"],
    "split": {"kind": "holdout", "repeats": 3},
    "methods": ["all", "random", "mfsef"],
    "metrics": ["average_precision", "hamming_loss"],
}


@dataclass(frozen=True)
class Made:
    """What tells a cell from its neighbours; `label` is the heading of its column."""

    dataset: str
    repeat: int
    label: str


@pytest.fixture
def run(tmp_path):
    """``run(rows, **changes)``: store what ``rows(cell)`` gives.

    That is a list of rows, None for a cell that was not run, or a text: its error. A change to
    None leaves a key out.
    """

    def make(rows, **changes):
        content = {key: value for key, value in (CONFIG | changes).items() if value is not None}
        experiment = config.parse(content, source="test")
        store = Store(tmp_path / experiment.name)
        store.open(experiment)
        headings = papers.headings(experiment)
        for planned in plan(experiment):
            cell = planned.cell
            made = Made(cell.data.name, cell.repeat, headings[planned.column])
            found = rows(made)
            if isinstance(found, str):
                store.write(planned, Record(status="failed", error=found))
            elif found is not None:
                store.write(planned, Record(rows=found, notes=["a note"]))
        return store

    return make


def table_of(means: pd.DataFrame, **changes) -> Table:
    """A table whose means are given: datasets by methods, higher is better."""
    long = means.rename_axis(index="row", columns="method").stack().rename("mean").reset_index()
    cells = long.assign(
        dataset=long.row, compared=long["mean"], std=math.nan, count=1, even=True, best=False
    )
    cells["rank"] = cells.groupby("row")["mean"].rank(ascending=False)
    about = {
        "experiment": "x",
        "metric": "average_precision",
        "ratio": 0.0,
        "cells": cells,
        "rows": list(means.index),
        "methods": list(means.columns),
        "ranked": list(means.columns),
        "larger_is_better": True,
    }
    return Table(**about | changes)
