"""RF-ML against a literal transcription, pair by pair, and what its score means."""

import math

import numpy as np
import pytest

from mlfs.numerics import linalg
from mlfs.selectors import RFML


def literal(X, Y, k, sigma):
    n, d = X.shape
    span = [max(column) - min(column) for column in X.T]

    def diff(f, i, j):
        return abs(X[i, f] - X[j, f]) / span[f] if span[f] else 0.0

    m, A, B, C = 0.0, 0.0, [0.0] * d, [0.0] * d
    for i in range(n):
        away = {j: sum(diff(f, i, j) for f in range(d)) for j in range(n) if j != i}
        near = sorted(away, key=lambda j: (round(away[j], 9), j))[:k]
        raw = [math.exp(-((r / sigma) ** 2)) if sigma else 1.0 for r in range(1, k + 1)]
        for j, weight in zip(near, raw):
            delta = weight / sum(raw)
            both = [(a, b) for a, b in zip(Y[i], Y[j]) if not math.isnan(a + b)]
            if not both:
                continue
            hd = sum(a != b for a, b in both) / len(both)
            m += delta
            A += delta * hd
            for f in range(d):
                B[f] += delta * diff(f, i, j)
                C[f] += delta * hd * diff(f, i, j)
    return [
        (C[f] / A if A else 0.0) - ((B[f] - C[f]) / (m - A) if m > A else 0.0) for f in range(d)
    ]


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(("k", "sigma"), [(4, 3.0), (7, None)])
def test_order_and_scores_are_literal_on_twenty_sets(small_sets, missing, k, sigma):
    for X, Y, _ in small_sets(missing):
        expected = literal(X, Y, k, sigma)
        model = RFML(n_neighbors=k, sigma=sigma).fit(X, Y)
        np.testing.assert_allclose(model.scores_, expected, rtol=0, atol=1e-10)
        assert np.all(np.diff(np.array(expected)[model.ranking_]) <= 1e-10)
        if not missing:
            assert model.ranking_.tolist() == np.argsort(np.negative(expected)).tolist()


def test_many_small_blocks_give_the_same(load_slice, monkeypatch):
    X, Y = load_slice("emotions", 120, 12)
    expected = RFML().fit(X, Y).scores_
    monkeypatch.setattr(linalg, "_BLOCK_BYTES", 10_000)
    np.testing.assert_allclose(RFML().fit(X, Y).scores_, expected, rtol=1e-12)


def test_scale_and_sign_of_a_feature_have_no_effect(load_slice):
    X, Y = load_slice("emotions", 120, 12)
    changed = X * np.where(np.arange(12) % 2, -5.0, 0.01) + 3
    np.testing.assert_allclose(RFML().fit(changed, Y).scores_, RFML().fit(X, Y).scores_, atol=1e-10)


def test_labels_that_are_all_alike_or_all_unlike_leave_one_term():
    X = np.random.default_rng(0).random((30, 3))
    alike = RFML(n_neighbors=5).fit(X, np.ones((30, 2))).scores_
    assert np.all(alike < 0)  # −B / m alone
    two = np.repeat([[0.1], [0.9]], 1, axis=0)
    unlike = RFML(n_neighbors=1).fit(two, [[0.0], [1.0]]).scores_
    assert unlike == pytest.approx([1.0])  # C / A alone
