"""CONTRIBUTING.md as it stands: a made-up selector, metric and protocol are added by it."""

import io
import re
import shutil

import pandas as pd
import pytest

from .helpers import ROOT, environment, python

BLOCK = re.compile(r"```(python|yaml)\n(.*?)```", re.S)
PLACE = re.compile(r"# (new file|at the end of) (mlfs/\S+)\n")


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A copy of the package, with its bytecode, and every block of the page where it says."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copytree(ROOT / "mlfs", folder / "mlfs")
    for kind, text in BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text()):
        if kind == "yaml":
            (folder / "tried.yaml").write_text(text)
            continue
        how, where = PLACE.match(text).groups()
        path = folder / where
        assert path.exists() == (how == "at the end of")
        before = path.read_text() if path.exists() else ""
        path.write_text(before + PLACE.sub("", text, count=1))
    return folder


def mlfs(folder, *args):
    return python("-m", "mlfs", *args, cwd=folder, env=environment(PYTHONPATH=str(folder)))


def test_a_selector_a_metric_and_a_protocol_run_and_stand_in_tables(house):
    run = mlfs(house, "run", "tried.yaml", "--workers", "1")
    assert run.returncode == 0, run.stderr
    shown = mlfs(house, "table", "results", "--format", "csv", "--no-stats")
    assert shown.returncode == 0, shown.stderr
    cells = pd.read_csv(io.StringIO(shown.stdout))
    metrics = {"overlap", "subset_accuracy", "average_precision", "precision"}
    assert set(cells.metric) == metrics
    overlap = cells[(cells.metric == "overlap") & (cells.dataset == "toy_gaussian")]
    assert set(overlap["mean"]) == {1.0}  # both of its two features are found again
    assert set(cells.method) == {"widest", "random", "fsnm", "frequency", "oldest"}


def test_they_are_listed_and_known_to_the_schema(house):
    assert "widest" in mlfs(house, "methods", "list").stdout
    assert '"top"' in mlfs(house, "config", "schema").stdout


def test_the_page_names_every_room(house):
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rooms = {path.stem for path in (ROOT / "mlfs").glob("[a-z]*") if path.suffix in ("", ".py")}
    for room in rooms:
        assert f"`{room}" in text, room
