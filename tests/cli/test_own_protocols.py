"""Protocols of the user's own: beside the config, in a package, on workers, in tables."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from mlfs import config
from mlfs.errors import UserError
from mlfs.protocols import OwnProtocol
from mlfs.protocols.plan import plan
from mlfs.results.store import Store

from ..installed_package import installed_package

MODULE = '''\
import numpy as np
from mlfs import datasets
from mlfs.metrics import average_precision
from mlfs.methods import registry
from mlfs.protocols import OwnProtocol, Record
from mlfs.protocols.steps.seeds import generator, seed


class TrainOnFew(OwnProtocol):
    """Train on a few rows only, and score all others."""

    kinds = ("classifier", "learner")
    scores = {"average_precision": True, "surprise": False}
    rows: int = 30

    @staticmethod
    def run(cell):
        data = datasets.load(cell.data.name)
        order = generator(cell, "split").permutation(len(data.Y))
        few, rest = order[: cell.settings.rows], order[cell.settings.rows :]
        made = registry.build(cell.method.name, cell.params, TrainOnFew.kinds, seed(cell, "method"))
        scores = made.fit(data.X[few], data.Y[few].astype(float)).decision_function(data.X[rest])
        row = {"average_precision": average_precision(data.Y[rest], scores), "surprise": 0.25}
        return Record(rows=[row], notes=[f"trained on {len(few)} rows"])


class Unfinished(OwnProtocol):
    kinds = ("selector",)
    scores = {"x": True}


class NoScores(OwnProtocol):
    kinds = ("selector",)

    @staticmethod
    def run(cell):
        return Record()


class NoKinds(OwnProtocol):
    scores = {"x": True}

    @staticmethod
    def run(cell):
        return Record()


class Plain:
    pass
'''
CONFIG = """\
name: few
protocol: my_protocol:TrainOnFew
datasets: [planted]
repeats: 2
methods:
  - br_ridge
  - {br_ridge: {}, label: more, settings: {rows: 60}}
metrics: [average_precision, surprise]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_protocol.py").write_text(MODULE)
    (tmp_path / "few.yaml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(folder, old, new):
    (folder / "few.yaml").write_text(CONFIG.replace(old, new))
    with pytest.raises(UserError) as caught:
        config.load(folder / "few.yaml")
    text = str(caught.value)
    assert "\n" not in text
    return text


def _cells(folder):
    return list((folder / "results/few/cells").rglob("*.json"))


def test_it_runs_from_a_config_to_a_table_and_is_resumed(folder, mlfs):
    stored = []
    for _ in range(2):  # the second time nothing is left to run
        done = mlfs("run", "few.yaml", "--workers", "1")
        assert done.returncode == 0, done.stderr
        assert "4 done, 0 failed" in done.stdout + done.stderr
        stored.append([path.stat().st_mtime_ns for path in sorted(_cells(folder))])
    assert stored[0] == stored[1] and len(stored[0]) == 4
    records = [json.loads(path.read_text()) for path in _cells(folder)]
    assert sorted(one["cell"]["settings"]["rows"] for one in records) == [30, 30, 60, 60]
    assert {one["notes"][0] for one in records} == {"trained on 30 rows", "trained on 60 rows"}
    # a table needs neither the file nor the class
    (folder / "my_protocol.py").unlink()
    sys.modules.pop("my_protocol", None)
    table = mlfs("table", "results/few", "--format", "csv")
    assert table.returncode == 0, table.stderr
    shown = pd.read_csv(io.StringIO(table.stdout))
    for rows, label in ((30, "br_ridge"), (60, "more")):
        some = [one["rows"][0] for one in records if one["cell"]["settings"]["rows"] == rows]
        row = shown[(shown.method == label) & (shown.metric == "average_precision")]
        assert row["mean"].item() == pytest.approx(
            np.mean([one["average_precision"] for one in some]), abs=1e-6
        )


def test_its_keys_and_its_source_decide_the_keys_of_cells(folder):
    first = [one.key for one in plan(config.load("few.yaml"))]
    assert [one.key for one in plan(config.load("few.yaml"))] == first
    (folder / "few.yaml").write_text(CONFIG.replace("repeats: 2", "repeats: 2\nrows: 31"))
    changed = [one.key for one in plan(config.load("few.yaml"))]
    assert [a == b for a, b in zip(first, changed)] == [False, True, False, True]
    (folder / "few.yaml").write_text(CONFIG)
    (folder / "my_protocol.py").write_text(MODULE + "\n# another file\n")
    assert not {*first} & {one.key for one in plan(config.load("few.yaml"))}


def test_stored_results_are_planned_without_the_class(folder, tmp_path):
    experiment = config.load("few.yaml")
    store = Store(tmp_path / "s")
    store.open(experiment)
    (folder / "my_protocol.py").unlink()
    read = store.experiment()
    assert [one.key for one in plan(read)] == [one.key for one in plan(experiment)]
    assert read.measured == {"average_precision": True, "surprise": False}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("my_protocol:Plain", "is not a protocol: derive it from mlfs.protocols.OwnProtocol"),
        ("my_protocol:Unfinished", "does not say what a cell does: write 'run(cell)'"),
        ("my_protocol:NoScores", "has no scores"),
        ("my_protocol:NoKinds", "does not say what it runs"),
        ("my_protocol:TrainOnFwe", "did you mean 'TrainOnFew'"),
        ("my_protocl:TrainOnFew", "no file my_protocl.py"),
        ("lerning", "or module:Class of your own"),
    ],
)
def test_a_wrong_class_is_a_sentence_with_its_line(folder, name, text):
    said = refused(folder, "my_protocol:TrainOnFew", name)
    assert text in said and "few.yaml, line 2" in said


def test_wrong_keys_and_metrics_are_sentences(folder):
    assert "rows" in refused(folder, "repeats: 2", "repeats: 2\nrows: many")
    assert "unknown key 'row'" in refused(folder, "repeats: 2", "repeats: 2\nrow: 3")
    assert "unknown metric 'hamming_loss'" in refused(folder, "surprise]", "hamming_loss]")
    assert "'rows' cannot be 'x'" in refused(folder, "rows: 60", "rows: x")


def test_an_installed_package_offers_a_protocol_by_name(folder, tmp_path, monkeypatch):
    points = "[mlfs.protocols]\nfew_rows = own_protocols:TrainOnFew\n"
    module = folder / "my_protocol.py"
    (folder / "few.yaml").write_text(CONFIG.replace("my_protocol:TrainOnFew", "few_rows"))
    with installed_package(tmp_path / "site", "own_protocols", module, points, monkeypatch):
        experiment = config.load("few.yaml")
        assert issubclass(type(experiment), OwnProtocol) and experiment.rows == 30
        versions = {one.cell.versions["few_rows"] for one in plan(experiment)}
    assert len(versions) == 1 and versions.pop().startswith("1 ")
