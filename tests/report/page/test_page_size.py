"""The page of many cells: made in seconds, and small."""

import time

import numpy as np
import pytest

from mlfs import config
from mlfs.protocols import Record
from mlfs.protocols.plan import plan
from mlfs.report.page import render
from mlfs.report.reproduction import scorecard
from mlfs.results import read as results

METRICS = ["average_precision", "hamming_loss", "ranking_loss", "one_error", "coverage"]
BIG = {
    "name": "big",
    "protocol": "selection",
    "paper": "gmfs",
    "tables": ["2", "3"],
    "datasets": [
        "emotions",
        "yeast",
        "science",
        "bibtex",
        "arts",
        "health",
        "business",
        "computers",
        "education",
        "social",
    ],
    "mask": {"kind": "hide_positives", "ratio": [0.1, 0.2, 0.3, 0.4, 0.5]},
    "methods": ["all", "fsnm", "sfus", "mifs", "cmfs", "mlmlfs", "gmfs", "pmu", "random", "top_mi"],
    "sizes": [5, 10, 20],
    "metrics": METRICS,
}


class Kept:
    """A store of cells that were never run: scores and features drawn at random."""

    def __init__(self, repeats, **changes):
        split = {"kind": "holdout", "repeats": repeats}
        self._experiment = config.parse({**BIG, "split": split, **changes}, source="test")
        self._random = np.random.default_rng(0)

    def experiment(self):
        return self._experiment

    def records(self):
        return self

    def read(self, planned):
        scores = self._random.random((3, len(METRICS))).tolist()
        rows = [{"n_features": k, **dict(zip(METRICS, row))} for k, row in zip((5, 10, 20), scores)]
        chosen = self._random.permutation(72)[:20].tolist()
        return Record(rows=rows, seconds={"rank": 1.0}, features=[chosen], n_features=72)

    get = read


def test_more_repeats_do_not_make_a_larger_page():
    sizes = []
    for repeats in (2, 20):
        few = {"datasets": ["emotions", "yeast", "science"], "methods": ["all", "gmfs", "pmu"]}
        mask = {"kind": "hide_positives", "ratio": 0.2}
        found = [results.read(Kept(repeats, mask=mask, metrics=METRICS[:1], **few))]
        assert len(found[0].records) == 9 * repeats
        sizes.append(len(render.render(found, scorecard.score(found))))
    assert sizes[1] < 1.1 * sizes[0]


@pytest.mark.slow
def test_fifty_thousand_cells_take_seconds_and_few_bytes(monkeypatch):
    store = Kept(100)
    cells = {planned.key: store.read(planned) for planned in plan(store.experiment())}
    monkeypatch.setattr(store, "read", lambda planned: cells[planned.key])
    start = time.process_time()
    found = [results.read(store)]
    text = render.render(found, scorecard.score(found))
    assert len(cells) == 50_000
    assert time.process_time() - start < 20
    assert len(text.encode()) < 5_000_000
