"""GRRO against its equation, solved as one large linear system, entry by entry."""

import numpy as np
import pytest

from mlfs.selectors import GRRO


def literal(at, Y, alpha, beta):
    """W from (I + αF)W + βWL = R as a system for all its entries at once."""
    d, n_labels = len(at.features), len(at.labels)
    R = np.array([[at.mutual(f, label) for label in at.labels] for f in at.features])
    F = np.array([[at.mutual(f, g) if f != g else 1.0 for g in at.features] for f in at.features])
    L = np.zeros((n_labels, n_labels))
    for a in range(n_labels):
        for b in range(n_labels):
            if a != b:
                both = [(x, y) for x, y in Y[:, [a, b]] if not np.isnan(x + y)]
                size = sum(x * x for x, _ in both) * sum(y * y for _, y in both)
                L[a, b] = 1 - (sum(x * y for x, y in both) / size**0.5 if size else 0)
    system = np.zeros((d * n_labels, d * n_labels))
    for i in range(d):
        for j in range(n_labels):
            for k in range(d):
                system[i * n_labels + j, k * n_labels + j] += (i == k) + alpha * F[i, k]
            for k in range(n_labels):
                system[i * n_labels + j, i * n_labels + k] += beta * L[k, j]
    return np.linalg.solve(system, R.ravel()).reshape(d, n_labels)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(("alpha", "beta"), [(100.0, 0.1), (0.5, 2.0)])
def test_order_and_scores_are_literal_on_twenty_sets(small_sets, counted, missing, alpha, beta):
    for X, Y, bins in small_sets(missing):
        W = literal(counted(X, Y, bins), Y, alpha, beta)
        model = GRRO(alpha=alpha, beta=beta, bins=bins).fit(X, Y)
        np.testing.assert_allclose(model.W_, W, rtol=0, atol=1e-10)
        np.testing.assert_allclose(model.scores_, W.sum(axis=1), rtol=0, atol=1e-10)
        assert np.all(np.diff(W.sum(axis=1)[model.ranking_]) <= 1e-10)
        if not missing:  # without a known label all scores are 0, up to rounding errors
            assert model.ranking_.tolist() == np.argsort(-W.sum(axis=1), kind="stable").tolist()


def test_copies_share_the_weight_of_one_feature(load_slice):
    X, Y = load_slice("emotions", 300, 10)
    model = GRRO().fit(np.column_stack([X, X[:, :1]]), Y)
    assert model.scores_[0] == pytest.approx(model.scores_[10], rel=1e-9)
    assert model.scores_[0] < GRRO().fit(X, Y).scores_[0]


def test_a_singular_equation_has_a_finite_solution():
    """One feature and two labels that never meet: (1 + α)w + βwL = r, singular at β = 1 + α."""
    X = np.random.default_rng(0).normal(size=(30, 1))
    label = (np.median(X) < X[:, 0]).astype(float)
    model = GRRO(alpha=1.0, beta=2.0).fit(X, np.column_stack([label, 1 - label]))
    # R = (log 2, log 2) lies in the direction of eigenvalue 4, and the other one has 0
    np.testing.assert_allclose(model.W_, [[np.log(2) / 4] * 2], atol=1e-12)
