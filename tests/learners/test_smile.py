"""SMiLE against scikit-multilearn-ng's, step by step."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from skmultilearn.missing import SMiLE as Library
from skmultilearn.missing import functions

from mlfs.learners import SMiLE


@pytest.mark.parametrize("seed", range(20))
def test_weights_are_those_of_scikit_multilearn(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    n, d, n_labels = rng.integers(30, 60), rng.integers(3, 8), rng.integers(1, 5)
    X = rng.normal(size=(n, d)) + 1.5
    Y = (X[:, :1] + rng.normal(size=(n, n_labels)) > 1.7).astype(float)
    Y[:3] = 0  # instances without a label
    # the library draws its clusters without a seed
    seeded = lambda n_clusters: KMeans(n_clusters=n_clusters, random_state=seed)  # noqa: E731
    monkeypatch.setattr(functions, "KMeans", seeded)
    theirs = Library(s=0.6, alpha=0.4, k=4).fit(X, Y)
    ours = SMiLE(s=0.6, alpha=0.4, n_clusters=4, random_state=seed).fit(X, Y)
    np.testing.assert_allclose(ours.estimates_, theirs.estimate_matrix.T, rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours.P_, theirs.P, rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.b[:, 0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours.decision_function(X), X @ theirs.P + theirs.b.T, atol=1e-10)


def test_a_label_that_always_comes_with_another_is_estimated_there():
    Y = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1.0]])
    X = np.random.default_rng(0).normal(size=(4, 2))
    found = SMiLE(s=0.0, n_clusters=2, random_state=0).fit(X, Y).estimates_
    # y · L = 2/3 for the second label of the third instance; the others of it are 1 and 0
    np.testing.assert_allclose(found[2], [1, (2 / 3) / (5 / 3), 0])


def test_more_features_than_instances_have_a_finite_solution():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(20, 40)), (rng.random((20, 3)) < 0.4).astype(float)
    assert np.isfinite(SMiLE(random_state=0).fit(X, Y).decision_function(X)).all()
