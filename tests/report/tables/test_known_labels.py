"""A truth with holes: rows are scored on known labels, and captions say so."""

import numpy as np
import pandas as pd
import pytest

from mlfs import config
from mlfs.engine.workers.run_cell import run_cell
from mlfs.learners import BRRidge
from mlfs.metrics import METRICS, evaluate
from mlfs.protocols.plan import plan
from mlfs.report.tables.paper_tables import make_tables
from mlfs.results.read import read
from mlfs.results.store import Store

CONFIG = """\
name: holes
protocol: learning
datasets:
  - {path: X.csv, labels: Y.csv, name: flowers, test: [X_test.csv, Y_test.csv]}
  - planted
split: {kind: %s}
methods: [br_ridge]
metrics: [macro_auc]
"""


@pytest.fixture
def parts(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 4))
    Y = (X[:, :3] > 0).astype(float)
    Y[rng.random(Y.shape) < 0.3] = np.nan
    for part, rows in {"": slice(60), "_test": slice(60, None)}.items():
        pd.DataFrame(X[rows], columns=list("abcd")).to_csv(tmp_path / f"X{part}.csv", index=False)
        pd.DataFrame(Y[rows], columns=list("xyz")).to_csv(tmp_path / f"Y{part}.csv", index=False)
    return X, Y


def stored(tmp_path, text, folder="results"):
    (tmp_path / "config.yaml").write_text(text)
    experiment = config.load(tmp_path / "config.yaml")
    store = Store(tmp_path / folder)
    store.open(experiment)
    for planned in plan(experiment):
        store.write(planned, run_cell(planned.cell))
    return read(store)


def test_rows_are_the_metrics_of_the_known_test_labels(parts, tmp_path):
    X, Y = parts
    only = CONFIG.replace("  - planted\n", "") % "official"
    results = stored(tmp_path, only)
    [(_, record)] = results.records
    model = BRRidge().fit(X[:60], Y[:60])
    scores = model.decision_function(X[60:])
    expected = evaluate(Y[60:], scores, model.predict_from_scores(scores), METRICS)
    for name, value in expected.items():
        assert record.rows[0][name] == pytest.approx(value, abs=1e-9), name
    share = np.isnan(Y[60:]).mean()
    assert record.info["unknown"] == share
    [table] = make_tables(results)
    assert f"scored on the known labels ({100 * share:.2g} % of flowers not known)" in table.caption


def test_captions_name_the_sets_with_holes_and_are_silent_without(parts, tmp_path):
    text = (CONFIG % "holdout").replace(", test: [X_test.csv, Y_test.csv]", "")
    [table] = make_tables(stored(tmp_path, text))
    assert "% of flowers not known)" in table.caption and "planted" not in table.caption
    text = text.replace("labels: Y.csv", "labels: Y.csv, unknown: negative")
    [table] = make_tables(stored(tmp_path, text, "filled"))
    assert "not known" not in table.caption
