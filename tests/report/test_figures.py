"""Figures: drawn from results alone, as svg and png, with what they must show."""

import numpy as np
import pandas as pd
import pytest

from mlfs import config
from mlfs.engine.plan import plan
from mlfs.engine.store import Store
from mlfs.errors import UserError
from mlfs.report import figures, results


def stored(tmp_path, rows, **changes):
    """Results of a made-up run: `rows` gives a cell's rows."""
    content = {
        "name": "f",
        "protocol": "selection",
        "datasets": ["arts", "health", "social"],
        "methods": ["random", "top_mi", "mfsls"],
        "metrics": ["average_precision"],
    } | changes
    experiment = config.parse(content, source="test")
    store = Store(tmp_path / "f")
    store.open(experiment)
    for cell in plan(experiment):
        store.write(cell, {"status": "done", "rows": rows(cell), "notes": [], "seconds": {}})
    return results.read(store)


def test_curves_and_critical_differences(tmp_path):
    found = stored(
        tmp_path,
        lambda cell: [
            {"n_features": k, "average_precision": k / 10 + len(cell.label)} for k in (1, 2, 3)
        ],
    )
    files = figures.draw(found, tmp_path / "out")
    names = {file.name for file in files}
    assert names == {
        f"{kind}_average_precision.{end}" for kind in ("curve", "cd") for end in ("svg", "png")
    }
    assert all(file.stat().st_size > 5000 for file in files)
    drawn = (tmp_path / "out/cd_average_precision.svg").read_text()
    assert "CD = 1.91" in drawn or "<svg" in drawn


def test_sweeps_are_drawn_along_their_parameter(tmp_path):
    found = stored(
        tmp_path,
        lambda cell: [{"n_features": 5, "average_precision": 0.5}],
        methods=["mfsls"],
        vary={"bins": [2, 3, 4]},
        datasets=["arts"],
    )
    assert {f.stem for f in figures.draw(found, tmp_path)} == {"sweep_bins_average_precision"}


def test_nothing_to_draw_is_said(tmp_path):
    found = stored(
        tmp_path,
        lambda cell: [{"n_features": 5, "average_precision": 0.5}],
        datasets=["arts"],
    )
    with pytest.raises(UserError, match="'mlfs table' shows it best"):
        figures.draw(found, tmp_path)


def test_groups_are_maximal_and_a_control_has_one():
    ranks = pd.Series({"a": 1.0, "b": 1.5, "c": 2.5, "d": 4.0})
    assert figures._groups(ranks, 1.5, None) == [(1.0, 2.5), (2.5, 4.0)]
    assert figures._groups(ranks, 1.0, "b") == [(1.0, 2.5)]
    assert figures._groups(ranks, 0.1, None) == []


def test_a_waterfall_is_scaled_to_the_unit_interval():
    X = np.array([[0.0, 5.0, 1.0], [10.0, 5.0, 3.0]])
    figure = figures.waterfall(X, "x", (0, 1))
    image = figure.axes[1].images[0].get_array()
    assert np.array_equal(image, [[0, 0, 0], [1, 0, 1]])
