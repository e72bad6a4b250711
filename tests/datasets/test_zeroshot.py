"""The zero-shot sets: classes matched across files, features in the layout of xlsa17."""

import numpy as np
import pytest
import scipy.io

from mlfs.datasets import load_zero_shot, status
from mlfs.datasets.zeroshot import class_table, match_rows
from mlfs.errors import UserError

# the unseen classes printed in the literature on these splits
SUN_UNSEEN = "archive art_school chemical_plant flea_market_indoor inn_indoor lab_classroom"
SUN_UNSEEN += " lake_natural mineshaft outhouse_outdoor shoe_shop"
YAHOO = "bag building carriage centaur donkey goat jetski monkey mug statue wolf zebra"


def test_match_rows_finds_a_permutation():
    rng = np.random.default_rng(0)
    B = rng.random((20, 5))
    order = rng.permutation(20)
    assert np.array_equal(match_rows(3 * B[order], B), order)
    with pytest.raises(UserError, match="same classes"):
        match_rows(rng.random((20, 5)), B)


@pytest.mark.parametrize(
    ("name", "shape", "unseen"), [("sun", (717, 102), SUN_UNSEEN), ("apy", (32, 64), YAHOO)]
)
def test_the_papers_split_in_the_order_of_the_features(mirror, name, shape, unseen):
    table = class_table(name)
    assert table.attributes.shape == shape
    assert sorted(table.class_names[i] for i in table.unseen) == unseen.split()
    both = np.sort(np.concatenate([table.seen, table.unseen]))
    assert np.array_equal(both, np.arange(shape[0]))


def test_features_in_the_layout_of_xlsa17(mirror, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X, labels = rng.random((64, 7)), np.tile(np.arange(1, 33), 2)
    path = tmp_path / "res101.mat"
    scipy.io.savemat(path, {"features": X.T, "labels": labels[:, None].astype(np.uint8)})
    data = load_zero_shot("apy", path)
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.classes, labels - 1)
    assert (len(data.train), len(data.test)) == (40, 24)
    assert set(data.classes[data.test]) == set(data.unseen)
    monkeypatch.setenv("MLFS_DATA", str(tmp_path))
    assert status("apy") == "not available: put APY_res101.mat into the cache"
    with pytest.raises(UserError, match=r"xlsa17 archive's APY/res101\.mat .* put APY_res101\.mat"):
        load_zero_shot("apy")
    path.rename(tmp_path / "APY_res101.mat")
    assert np.array_equal(load_zero_shot("apy").X, X)
    with pytest.raises(UserError, match="not the sun file"):
        scipy.io.savemat(tmp_path / "SUN_res101.mat", {"features": X.T, "labels": labels + 800})
        load_zero_shot("sun")


def test_other_sets_are_refused():
    with pytest.raises(UserError, match="not a zero-shot set; those are sun, apy"):
        load_zero_shot("yeast")
