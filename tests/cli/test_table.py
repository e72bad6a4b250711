"""``mlfs table`` and ``mlfs plot`` on the experiment that proves the runner: 28 printed figures."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from .conftest import assert_one_sentence

CONFIGS = Path(__file__).parents[2] / "configs"

pytestmark = pytest.mark.usefixtures("mirror")


@pytest.fixture
def original(mlfs):
    """The seven Yahoo sets with ML-kNN on all features, run by the shipped config."""
    result = mlfs("run", CONFIGS / "mfsef_original.yaml")
    assert result.returncode == 0, result.stderr
    return mlfs


def test_the_original_column_of_tables_2_to_5_is_reproduced(original):
    printed = original("table", "results", "--format", "csv")
    assert printed.returncode == 0, printed.stderr
    cells = pd.read_csv(io.StringIO(printed.stdout))
    gaps = cells.gap.abs()
    assert len(cells) == 28 and gaps.notna().all()
    assert gaps.max() <= 0.0012
    assert (gaps <= 0.0005).sum() >= 22
    shown = original("table", "results", "--compare").stdout
    assert "| health            | .6812 (.6812, 0)" in shown
    assert "missing: nothing." in shown
    records = json.loads(original("table", "results", "--format", "json").stdout)
    assert np.isclose([r["gap"] for r in records], cells.gap).all()
    long = original("table", "results", "--long").stdout
    assert len(pd.read_csv(io.StringIO(long))) == 7
    assert len(json.loads(original("table", "results", "--long", "--format", "json").stdout)) == 7


def test_mistakes_are_one_sentence(mlfs, tmp_path):
    assert_one_sentence(mlfs("table", "nowhere"), "no results in nowhere")
    assert_one_sentence(mlfs("plot", "nowhere"), "no results in nowhere")
    assert_one_sentence(mlfs("plot"), "say what to draw")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/experiment.yaml").write_text("nothing: here\n")
    assert_one_sentence(mlfs("table", "bad"), "no readable experiment.yaml")


def test_a_waterfall_is_drawn(mlfs, tmp_path):
    result = mlfs("plot", "--waterfall", "emotions", "--output", "drawn")
    assert result.returncode == 0, result.stderr
    assert {p.name for p in (tmp_path / "drawn").iterdir()} == {
        "waterfall_emotions.svg",
        "waterfall_emotions.png",
    }
