"""What commands print of a small stored run, against what they printed when it was last read.

``MLFS_GOLDEN=write pytest tests/report/test_golden.py`` writes the files anew: read the difference.
"""

import json
import os
import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from mlfs import config, papers
from mlfs.cli import main
from mlfs.engine.plan import plan
from mlfs.engine.store import Store
from mlfs.protocols import Record

GOLDEN = Path(__file__).parent / "golden"
COMMANDS = {
    "scorecard.txt": "scorecard results",
    "scorecard.md": "scorecard results --format md",
    "scorecard.json": "scorecard results --format json",
    "table.md": "table results --compare",
    "table.csv": "table results --format csv",
    "table.json": "table results/gmfs_yeast --format json",
    "table.tex": "table results --compare --format latex",
    "sizes.md": "table results/gmfs_yeast --by size",
    "at.csv": "table results/gmfs_yeast --at 17 --format csv",
    "tests.md": "table results --tests --width 100",
    "tests.csv": "table results/mfsef --tests --format csv",
    "pool.md": "table results/rmfl_table4 --pool",
}


@pytest.fixture(scope="module")
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


def printed(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 0, result.output
    return result.output


def rounded(text):
    """The text with its long figures cut: their last digits differ from machine to machine."""
    return re.sub(r"-?\d+\.\d{7,}(e-?\d+)?", lambda found: f"{round(float(found[0]), 6):g}", text)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_what_it_printed(folder, monkeypatch, name):
    text = printed(folder, monkeypatch, COMMANDS[name])
    if name == "scorecard.json":  # 1,536 cells are a little much to read
        content = json.loads(text)
        text = json.dumps({**content, "cells": content["cells"][:3]}, indent=1) + "\n"
    text = rounded(text)
    file = GOLDEN / name
    if os.environ.get("MLFS_GOLDEN") == "write":
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")
