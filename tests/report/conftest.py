"""Results of made-up runs, so that every figure of a table is known."""

import math
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from mlfs import config, papers
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.report.page import render
from mlfs.report.reproduction import scorecard
from mlfs.report.tables.paper_tables import Table
from mlfs.results.store import Store

from .html_tree import parse

GOLDEN = Path(__file__).parent / "golden"
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

EVIL = '<script>alert("1")</script> & more; than 7 times'
CHOSEN = {
    "name": "chosen",
    "title": "What <b>random</b> chooses",
    "protocol": "selection",
    "datasets": ["yeast", "emotions"],
    "split": {"kind": "holdout", "repeats": 3},
    "methods": ["random", {"top_mi": {}, "label": "again"}],
    "sizes": [2, 3],
    "metrics": ["average_precision"],
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


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with ``results``, written from the rows beside their configs."""
    root = tmp_path_factory.mktemp("golden")
    for experiment in config.load_all(GOLDEN / "experiments.yaml"):
        rows = pd.read_csv(GOLDEN / f"{experiment.name}.csv")
        headings = papers.headings(experiment)
        store = Store(root / "results" / experiment.name)
        store.open(experiment)
        found = dict(list(rows.groupby(["dataset", "ratio", "repeat", "method"])))
        for planned in plan(experiment):
            cell = planned.cell
            key = (cell.data.name, cell.settings.ratio, cell.repeat, headings[planned.column])
            if key not in found:
                assert cell.data.name == "corel5k"
                continue
            points = found[key].drop(columns=["dataset", "ratio", "repeat", "method"])
            store.write(planned, Record(rows=points.to_dict("records")))
    return root


def choose(folder):
    """Store an experiment that chose features, with a failure that a page must not run."""
    experiment = config.parse(CHOSEN, source="test")
    store = Store(folder / "chosen")
    store.open(experiment)
    for planned in plan(experiment):
        column, repeat = planned.column, planned.repeat
        if column and planned.cell.data.name == "emotions":
            store.write(planned, Record(status="failed", error=EVIL.replace("7", str(repeat))))
            continue
        record = Record(
            rows=[{"n_features": k, "average_precision": 0.5 + k / 100} for k in (2, 3)],
            seconds={"rank": 60.0, "evaluate": 30.0},
            features=[[0, 1, 2 + (repeat if column else 0)]],
            n_features=20,
            made_by={"numpy": "2.1.0", "cpu": "a processor, 2 cores", "python": "3.11.7"},
            notes=["a <note>"],
        )
        store.write(planned, record)
    return experiment


@pytest.fixture(scope="session")
def shown(folder, tmp_path_factory):
    """Results, the scorecard, and the page of both as text and tree."""
    root = tmp_path_factory.mktemp("page")
    choose(root)
    found = scorecard.read(scorecard.find_stores([folder / "results", root]))
    card = scorecard.score(found, "somewhere")
    text = render.render(found, card)
    return found, card, text, parse(text)


def table_of(means: pd.DataFrame, **changes) -> Table:
    """A table whose means are given: datasets by methods, higher is better."""
    long = means.rename_axis(index="row", columns="method").stack().rename("mean").reset_index()
    entries = long.assign(
        dataset=long.row, compared=long["mean"], std=math.nan, count=1, even=True, best=False
    )
    entries["rank"] = entries.groupby("row")["mean"].rank(ascending=False)
    about = {
        "experiment": "x",
        "metric": "average_precision",
        "ratio": 0.0,
        "entries": entries,
        "rows": list(means.index),
        "methods": list(means.columns),
        "ranked": list(means.columns),
        "larger_is_better": True,
    }
    return Table(**about | changes)
