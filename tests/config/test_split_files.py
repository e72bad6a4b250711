"""Exported splits and masks are those that cells use."""

import numpy as np
import pandas as pd
import pytest
import scipy.io
from click.testing import CliRunner

from mlfs import config
from mlfs.cli import main
from mlfs.config.split_files import splits_of
from mlfs.errors import UserError
from mlfs.protocols import supervised
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.preparation import load_dataset

CONFIG = """
name: out
protocol: learning
datasets: [planted]
split: {kind: holdout, repeats: 2}
mask: {kind: %s, ratio: [0.0, 0.4, 0.7]}
methods: [mlknn, {br_ridge: {}, settings: {mask: drop_entries}}]
metrics: [average_precision]
"""


@pytest.fixture(params=["hide_positives", "drop_per_instance"])
def file(request, tmp_path):
    path = tmp_path / "out.yaml"
    path.write_text(CONFIG % request.param)
    return path


def test_the_files_give_the_labels_that_a_cell_gets(file, tmp_path):
    [experiment] = config.load_all(file)
    for kind in ("csv", "mat"):
        done = CliRunner().invoke(
            main, ["config", "export-splits", str(file), "-o", str(tmp_path), "--format", kind]
        )
        assert done.exit_code == 0, done.output
    root = tmp_path / "out"
    assert "All numbers start at 1" in (root / "README.txt").read_text()
    facts = pd.read_csv(root / "datasets.csv").iloc[0]
    labels = pd.read_csv(root / "planted" / "labels.csv")
    checked = 0
    for planned in plan(experiment):
        cell = planned.cell
        if cell.method.name != "mlknn":
            continue
        task, data = supervised.prepare(cell), load_dataset(cell.data)
        assert (facts.rows, facts.labels) == data.Y.shape and len(labels) == data.Y.shape[1]
        place = root / "planted" / f"repeat_{cell.repeat + 1}"
        stored = scipy.io.loadmat(place.with_suffix(".mat"))
        train = pd.read_csv(place / "train.csv").row.to_numpy()
        test = pd.read_csv(place / "test.csv").row.to_numpy()
        np.testing.assert_array_equal(stored["train"][:, 0], train)
        np.testing.assert_array_equal(stored["test"][:, 0], test)
        assert sorted([*train, *test]) == list(range(1, len(data.Y) + 1))
        np.testing.assert_array_equal(data.Y[test - 1], task.Y_test)
        Y = data.Y.astype(float)
        if cell.settings.ratio:
            name = f"hidden_{100 * cell.settings.ratio:g}"
            hidden = pd.read_csv(place / f"{name}.csv")
            np.testing.assert_array_equal(stored[name], hidden.to_numpy(dtype=float))
            Y[hidden.row - 1, hidden.label - 1] = hidden.seen
            checked += len(hidden)
        np.testing.assert_array_equal(Y[train - 1], task.Y)
    assert checked > 100


def test_a_protocol_without_masks_is_refused():
    content = {
        "name": "a",
        "protocol": "active",
        "datasets": ["toy_gaussian"],
        "methods": ["random"],
        "metrics": ["precision"],
    }
    with pytest.raises(UserError, match="protocol active has no splits with masks"):
        list(splits_of(config.parse(content, source="test")))
