"""CMFS against scikit-learn's NMF, its special case, and its objective written out."""

import numpy as np
import pytest
from sklearn.decomposition import NMF
from sklearn.metrics.pairwise import cosine_similarity

from mlfs.numerics.graphs import heat_graph
from mlfs.selectors import CMFS


@pytest.fixture(scope="module")
def yeast(yeast_slice):
    return yeast_slice(300)


def scaled(X):
    return (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))


@pytest.mark.parametrize("weight", [0.01, 1.0, 10.0])
def test_objective_never_rises(yeast, weight):
    model = CMFS(weight, weight, weight, tol=0, max_iter=150, random_state=0).fit(*yeast)
    assert np.all(np.diff(model.objective_) <= 1e-10 * model.objective_[0])
    assert min(model.V_.min(), model.Q_.min(), model.B_.min()) >= 0


def test_objective_equals_its_formula_written_out(yeast):
    X, Y = yeast
    model = CMFS(alpha=2.0, beta=0.3, gamma=0.7, random_state=0).fit(X, Y)
    X, V, Q, B = scaled(X), model.V_, model.Q_, model.B_

    def smooth(S, F):
        """tr(FᵀLF) as the sum over pairs that it stands for."""
        return 0.5 * np.sum(S * ((F[:, None] - F[None]) ** 2).sum(axis=2))

    expected = (
        np.linalg.norm(X - V @ Q.T) ** 2
        + 2.0 * np.linalg.norm(Y - V @ B) ** 2
        + 0.3 * smooth(heat_graph(X, 5).toarray(), V)
        + 0.3 * smooth(cosine_similarity(X.T), Q)
        + 0.3 * smooth(cosine_similarity(Y.T), B.T)
        + 0.7 * np.linalg.norm(Q, axis=1).sum()
    )
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-8)


def test_without_labels_and_penalties_it_is_nmf(yeast):
    X, Y = yeast
    model = CMFS(0, 0, 0, n_factors=3, tol=0, max_iter=30, random_state=0).fit(X, Y)
    X = scaled(X)
    rng = np.random.RandomState(0)
    mean = 2 * np.sqrt(X.mean() / 3)
    V, Q = mean * rng.random_sample((len(X), 3)), mean * rng.random_sample((X.shape[1], 3))
    nmf = NMF(3, init="custom", solver="mu", tol=0, max_iter=30)
    V = nmf.fit_transform(X, W=V, H=np.ascontiguousarray(Q.T))
    np.testing.assert_allclose(model.V_, V, rtol=1e-6)
    np.testing.assert_allclose(model.Q_, nmf.components_.T, rtol=1e-6)


def test_scale_of_a_feature_does_not_matter(yeast):
    X, Y = yeast
    factors = np.random.default_rng(0).uniform(0.1, 10, X.shape[1])
    one = CMFS(random_state=0).fit(X, Y)
    two = CMFS(random_state=0).fit(X * factors + 3, Y)
    np.testing.assert_allclose(two.scores_, one.scores_, rtol=1e-5)


def test_negative_weight_is_refused(yeast):
    with pytest.raises(ValueError, match=r"'beta' parameter of CMFS .* Got -1"):
        CMFS(beta=-1).fit(*yeast)
