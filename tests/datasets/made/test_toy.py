"""The built-in sets have the properties they promise."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from mlfs.datasets import catalog, checksum, gaussian_toy, load, planted


def test_gaussian_toy_is_that_of_the_paper():
    data = gaussian_toy(seed=3)
    assert data.X.shape == (1000, 2)
    assert data.Y.shape == (1000, 35)
    assert data.Y.sum(axis=1).mean() == pytest.approx(7, abs=0.01)


def test_gaussian_labels_are_discs_around_a_mean():
    """A label is the inside of a circle: no point without it is nearer to the centre."""
    data = gaussian_toy(seed=1)
    rng = np.random.default_rng(1)
    means = rng.uniform(0.0, 10.0, size=(35, 2))
    for label, mean in zip(data.Y.T, means):
        distance = np.linalg.norm(data.X - mean, axis=1)
        assert label.any()
        assert distance[label == 1].max() < distance[label == 0].min()


def test_planted_features_are_what_they_are_called():
    data, relevant, redundant, noise = planted(n=4000, seed=5)
    together = np.sort(np.concatenate([relevant, redundant, noise]))
    assert np.array_equal(together, np.arange(60))
    assert [len(relevant), len(redundant), len(noise)] == [10, 10, 40]
    correlation = np.abs(np.corrcoef(data.X.T))
    np.fill_diagonal(correlation, 0)
    assert (correlation[np.ix_(redundant, relevant)].max(axis=1) > 0.9).all()
    assert correlation[noise].max() < 0.1
    assert correlation[np.ix_(relevant, relevant)].max() < 0.1
    weights = np.array(
        [LogisticRegression().fit(data.X, label).coef_.ravel() for label in data.Y.T]
    )
    strength = np.abs(weights).max(axis=0)
    assert strength[relevant].min() > 3 * strength[noise].max()


@pytest.mark.parametrize("name", ["toy_gaussian", "planted"])
def test_built_in_sets_load_by_name_as_the_catalogue_says(name):
    data, again, entry = load(name), load(name), catalog()[name]
    assert np.array_equal(data.X, again.X)
    assert np.array_equal(data.Y, again.Y)
    assert data.Y.dtype == np.uint8
    assert (*data.X.shape, data.Y.shape[1]) == (entry.n, entry.d, entry.l)
    assert data.checksum == checksum(name)
    assert data.notes == list(entry.notes)
    assert len(data.feature_names) == entry.d
    assert len(data.label_names) == entry.l


def test_another_seed_draws_another_set():
    assert gaussian_toy(0).checksum != gaussian_toy(1).checksum
    assert planted(seed=0).data.checksum != planted(seed=1).data.checksum
