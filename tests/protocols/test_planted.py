"""The planted-feature study: what it counts, against a selector that knows the answer."""

import numpy as np

from mlfs import config
from mlfs.protocols import planted
from mlfs.protocols.plan import plan
from mlfs.protocols.planted import _hidden_auc

BASE = {
    "name": "p",
    "protocol": "planted",
    "repeats": 2,
    "mask": {"kind": "hide_positives", "ratio": [0, 0.4]},
    "methods": ["random", "fsnm", {"gmfs": {"n_factors": 1.0}}],
    "metrics": ["relevant_found"],
}


def test_real_selectors_beat_chance_and_gmfs_finds_hidden_labels():
    scores = {}
    for cell in plan(config.parse(BASE, source="test")):
        row = planted.run(cell.cell).rows[0]
        scores.setdefault((cell.label, cell.cell.settings.ratio), []).append(row)
    mean = {key: np.mean([row["relevant_found"] for row in rows]) for key, rows in scores.items()}
    assert mean["fsnm", 0] > 0.8 > 0.4 > mean["random", 0]
    assert mean["gmfs", 0] >= 0.9 and mean["gmfs", 0.4] > mean["random", 0.4]
    assert np.mean([row["hidden_auc"] for row in scores["gmfs", 0.4]]) > 0.7
    assert np.isnan(scores["fsnm", 0.4][0]["hidden_auc"])


def test_the_auc_is_over_zeros_only():
    truth = np.array([[1.0, 0.0, 1.0, 0.0]])
    given = np.array([[1.0, 0.0, 0.0, 0.0]])
    assert _hidden_auc(truth, given, np.array([[1.0, 0.1, 0.8, 0.2]])) == 1.0
    assert _hidden_auc(truth, given, np.array([[1.0, 0.9, 0.1, 0.8]])) == 0.0
    assert np.isnan(_hidden_auc(given, given, given))
