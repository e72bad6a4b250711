"""The zero-shot protocol on digits, which need no download."""

import numpy as np
import pytest

from mlfs import config
from mlfs.datasets import load_zero_shot
from mlfs.errors import UserError
from mlfs.protocols import zeroshot
from mlfs.protocols.plan import plan
from mlfs.protocols.steps.unseen_classes import cluster_scores, targets
from mlfs.selectors import Lasso

BASE = {
    "name": "z",
    "protocol": "zeroshot",
    "datasets": ["digits"],
    "repeats": 1,
    "methods": ["lasso"],
    "sizes": [5, 20],
    "n_starts": 3,
    "metrics": ["acc", "nmi"],
}


def specs(**changes):
    return [one.cell for one in plan(config.parse(BASE | changes, source="test"))]


def test_a_cell_equals_the_same_steps_by_hand():
    [spec] = specs()
    record = zeroshot.run(spec)
    rows = record.rows
    data = load_zero_shot("digits")
    Y = targets(data.classes[data.train], data.attributes, "attributes")
    ranking = Lasso().fit(data.X[data.train], Y).ranking_
    seed = zeroshot.seed(spec, "kmeans")
    expected = cluster_scores(
        data.X[data.test],
        data.classes[data.test],
        [ranking[:5], ranking[:20]],
        n_starts=3,
        random_state=seed,
    )
    assert [row["acc"] for row in rows] == [row["acc"] for row in expected]
    assert [row["n_features"] for row in rows] == [5, 20]
    assert record.seconds["cluster"] > 1e-3  # the time of six K-means runs, not of planning them


def test_sizes_are_features_that_there_are():
    with pytest.raises(UserError, match="size 65 is more than the 64 features in digits"):
        specs(sizes=[20, 65])
    with pytest.raises(UserError, match="size '0' must be"):
        specs(sizes=[0, 5])


def test_sizes_may_be_given_by_dataset():
    [spec] = specs(sizes={"default": 9, "digits": [5]})
    assert [row["n_features"] for row in zeroshot.run(spec).rows] == [5]


def test_the_best_of_a_grid_is_said_to_be_chosen_on_the_test_part():
    [spec] = specs(best_of_grid=True, n_starts=1)
    record = zeroshot.run(spec)
    assert any("TEST part" in note for note in record.notes)
    tried = [
        np.mean([row["acc"] for row in zeroshot.run(spec_).rows])
        for alpha in Lasso.tags.search_space["alpha"]
        for spec_ in specs(methods=[{"lasso": {"alpha": alpha}}], n_starts=1)
    ]
    assert np.mean([row["acc"] for row in record.rows]) == max(tried)


def test_drawn_seen_classes_differ_between_repeats_and_not_between_methods():
    found = [
        zeroshot._seen(spec, spec.settings)
        for spec in specs(n_seen=2, repeats=4, methods=["lasso", "random"])
    ]
    assert found[0::2] == found[1::2]
    assert len(set(found)) == 4 and all(len(pair) == 2 for pair in found)


def test_a_labelled_share_keeps_every_class():
    data = load_zero_shot("digits")
    rows = zeroshot._labelled(data.train, data.classes, 0.1, np.random.default_rng(0))
    counts = np.bincount(data.classes[rows], minlength=10)
    full = np.bincount(data.classes[data.train], minlength=10)
    assert np.array_equal(counts, np.round(0.1 * full))
    fewest = zeroshot._labelled(data.train, data.classes, 1e-3, np.random.default_rng(0))
    assert np.array_equal(np.bincount(data.classes[fewest], minlength=10), full > 0)


def test_fewer_test_rows_are_said():
    [spec] = specs(test_rows=100, methods=["random"])
    assert zeroshot.run(spec).notes == ["100 of 533 unseen instances were clustered"]
    [spec] = specs(test_rows=533, methods=["random"])
    assert zeroshot.run(spec).notes == []
