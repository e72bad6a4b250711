"""The zero-shot sets: classes matched across files, features in the layout of xlsa17."""

import numpy as np
import pytest
import scipy.io

from mlfs.datasets import catalog, checksums, load_zero_shot
from mlfs.datasets.images.digits import digits_checksum
from mlfs.datasets.images.zeroshot_sets import class_table, match_rows
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
def test_the_unseen_classes_are_the_papers(mirror, name, shape, unseen):
    table = class_table(name)
    assert table.attributes.shape == shape
    assert sorted(table.class_names[i] for i in table.unseen) == unseen.split()
    both = np.sort(np.concatenate([table.seen, table.unseen]))
    assert np.array_equal(both, np.arange(shape[0]))


def test_features_of_the_users_own_replace_the_published_ones(mirror, tmp_path):
    rng = np.random.default_rng(0)
    X, labels = rng.random((64, 7)), np.tile(np.arange(1, 33), 2)
    path = tmp_path / "res101.mat"
    scipy.io.savemat(path, {"features": X.T, "labels": labels[:, None].astype(np.uint8)})
    data = load_zero_shot("apy", path)
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.classes, labels - 1)
    assert (len(data.train), len(data.test)) == (40, 24)
    assert set(data.classes[data.test]) == set(data.unseen)
    scipy.io.savemat(path, {"features": X.T, "labels": labels + 800})
    with pytest.raises(UserError, match="not the sun file"):
        load_zero_shot("sun", path)


@pytest.mark.parametrize(("name", "seen", "unseen"), [("sun", 645, 72), ("apy", 20, 12)])
def test_the_published_rows_have_no_class_in_common(mirror, name, seen, unseen):
    """SUN has 20 images a class; together the parts are all rows."""
    entry, table = catalog()[name], class_table(name)
    assert np.array_equal(np.sort(np.concatenate(table.parts)), np.arange(entry.n))
    if name == "sun":
        assert [len(part) for part in table.parts] == [20 * seen, 20 * unseen]


def test_other_sets_are_refused():
    with pytest.raises(UserError, match="not for zero-shot learning: use sun, apy"):
        load_zero_shot("yeast")


def test_the_checksum_of_the_digits_is_that_of_their_content():
    assert digits_checksum() == checksums.DIGITS
