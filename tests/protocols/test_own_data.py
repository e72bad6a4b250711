"""Cells on data of the user's own: their keys, their missing values, files that change or move."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.impute import SimpleImputer

from mlfs import config
from mlfs.errors import UserError
from mlfs.protocols import active, selection, supervised
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.preparation import load_dataset

TEXT = """name: mine
protocol: selection
datasets: {path: %s, labels: [y, z], impute: %s}
methods: [all]
sizes: [2]
metrics: [average_precision]
"""


@pytest.fixture
def table(tmp_path):
    """Write a csv of 40 rows with holes in column b, and give the frame."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.lognormal(size=(40, 3)), columns=["a", "b", "c"])
    frame.loc[::4, "b"] = np.nan
    frame[["y", "z"]] = rng.integers(0, 2, (40, 2))
    frame.to_csv(tmp_path / "all.csv", index=False)
    return frame


@pytest.fixture
def cell_of(tmp_path):
    def make(path="all.csv", impute="mean", folder=tmp_path):
        (folder / "c.yaml").write_text(TEXT % (path, impute))
        [planned] = plan(config.load(folder / "c.yaml"))
        return planned.cell

    return make


def test_the_key_follows_the_content_and_not_the_place(table, cell_of, tmp_path):
    first = cell_of()
    assert "own" not in first.to_json()["data"] and "path" not in str(first.to_json())
    (tmp_path / "deep").mkdir()
    (tmp_path / "all.csv").rename(tmp_path / "deep/all.csv")
    moved = cell_of(folder=tmp_path / "deep")
    assert moved.key == first.key == cell_of("deep/all.csv").key
    assert moved.data.own != first.data.own
    assert cell_of("deep/all.csv", impute="median").key != first.key
    table.assign(a=1.0).to_csv(tmp_path / "all.csv", index=False)
    assert cell_of().key != first.key


@pytest.mark.parametrize("kind", ["mean", "median"])
def test_missing_values_come_from_the_training_rows(table, cell_of, tmp_path, kind):
    cell = cell_of(impute=kind)
    data = load_dataset(cell.data)
    rows = cell.settings.split.indices(
        data, 0, lambda turn: supervised.generator(cell, "split", repeat=turn)
    )
    train, test = rows
    task = supervised.prepare(cell)
    imputer = SimpleImputer(strategy=kind).fit(data.X[train])
    assert np.isnan(data.X[train]).any() and np.isnan(data.X[test]).any()
    np.testing.assert_array_equal(task.X, imputer.transform(data.X[train]))
    np.testing.assert_array_equal(task.X_test, imputer.transform(data.X[test]))
    # other values in the test rows reach nothing of the training part
    changed = table.copy()
    changed.loc[test, ["a", "b", "c"]] = 1e6
    changed.to_csv(tmp_path / "other.csv", index=False)
    other = cell_of("other.csv", kind)
    other = other.model_copy(update={"data": other.data.model_copy(update={"name": "all"})})
    np.testing.assert_array_equal(supervised.prepare(other).X, task.X)
    record = selection.run(cell)
    assert f"all: missing values were filled in with the training rows' {kind}" in record.notes


def test_a_sparse_column_without_a_training_value_is_imputed(cell_of, tmp_path):
    X = sp.random(40, 3, 0.5, random_state=0).toarray()
    X[0, 0] = np.nan
    text = TEXT.replace("[y, z]", "Y.npz") % ("X.npz", "mean")
    sp.save_npz(tmp_path / "X.npz", sp.csr_matrix(X))
    np.savez(tmp_path / "Y.npz", np.arange(40) % 2)
    (tmp_path / "c.yaml").write_text(text)
    [planned] = plan(config.load(tmp_path / "c.yaml"))
    task = supervised.prepare(planned.cell)
    assert sp.issparse(task.X) and task.X.format == "csr"
    assert not np.isnan(task.X.data).any() and not np.isnan(task.X_test.data).any()
    assert task.X.shape[1] == 3


def test_active_learning_imputes_by_the_pool(table, tmp_path):
    text = TEXT.replace("selection", "active").replace("[all]", "[random]")
    text = text.replace("sizes: [2]", "pool: 20\ntest: 10\nstart: 5\nbudget: 2\nscale: none")
    text = text.replace("average_precision", "precision") % ("all.csv", "mean")
    (tmp_path / "c.yaml").write_text(text)
    [planned] = plan(config.load(tmp_path / "c.yaml"))
    draw = active._draw(planned.cell, planned.cell.settings)
    data = load_dataset(planned.cell.data)
    order = active.generator(planned.cell, "split").permutation(40)
    test, pool = order[:10], order[10:30]
    imputer = SimpleImputer().fit(data.X[pool])
    np.testing.assert_array_equal(draw.X, imputer.transform(data.X[pool]))
    np.testing.assert_array_equal(draw.test[0], imputer.transform(data.X[test]))
    assert any("filled in" in note for note in active.run(planned.cell).notes)


def test_a_file_that_changed_since_the_plan_is_refused(table, cell_of, tmp_path):
    cell = cell_of()
    table[::-1].to_csv(tmp_path / "all.csv", index=False)
    with pytest.raises(UserError, match="not what they were when the run was planned"):
        load_dataset(cell.data)


def test_a_worker_elsewhere_finds_the_file_in_its_cache(table, cell_of, tmp_path, monkeypatch):
    cell = cell_of()
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "all.csv").rename(tmp_path / "cache/all.csv")
    assert load_dataset(cell.data).X.shape == (40, 3)
    load_dataset.cache_clear()
    table[::-1].to_csv(tmp_path / "cache/all.csv", index=False)
    with pytest.raises(UserError, match="not what they were"):  # another file of that name
        load_dataset(cell.data)
    (tmp_path / "cache/all.csv").unlink()
    with pytest.raises(UserError, match="are not on this machine"):
        load_dataset(cell.data)
