"""The shared pieces against brute force."""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import nnls

from mlfs.learners.base import (
    accelerated_proximal,
    descend_unit_rows,
    label_distance,
    lle_weights,
    masked_grams,
    signed,
    unit_factor,
)


def test_lle_weights_rebuild_best_under_their_constraint(yeast_slice):
    """The multiplier conditions of (3), solved as a bordered system for every instance."""
    X, _ = yeast_slice(60)
    S = lle_weights(X, 5).toarray()
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    for i in range(60):
        near = np.argsort(squared[i])[:5]
        gap = X[i] - X[near]
        bordered = np.block(
            [[2 * gap @ gap.T, np.ones((5, 1))], [np.ones((1, 5)), np.zeros((1, 1))]]
        )
        expected = np.linalg.solve(bordered, np.r_[np.zeros(5), 1.0])[:5]
        np.testing.assert_allclose(S[i, near], expected, atol=1e-9)
        assert np.count_nonzero(S[i]) <= 5


def test_lle_weights_of_duplicates_and_of_more_neighbours_than_features(yeast_slice):
    X = yeast_slice(40)[0][:, :3]
    X = np.vstack([X, np.repeat(X[:1], 8, axis=0)])
    S = lle_weights(X, 6)
    assert np.isfinite(S.data).all()
    np.testing.assert_allclose(S.sum(axis=1), 1.0)
    np.testing.assert_allclose(lle_weights(sp.csr_matrix(X), 6).toarray(), S.toarray(), atol=1e-9)


def test_masked_grams():
    rng = np.random.default_rng(0)
    R, A = (rng.random((7, 5)) < 0.5).astype(float), rng.standard_normal((5, 3))
    expected = [(A * R[i][:, None]).T @ A for i in range(7)]
    np.testing.assert_allclose(masked_grams(R, A), expected)


def test_unit_rows_descend():
    rng = np.random.default_rng(0)
    V, Z = rng.standard_normal((9, 4)), unit_factor(rng, (9, 4))
    M = V @ V.T
    values = [np.trace(Z.T @ M @ Z)]
    for _ in range(50):
        Z = descend_unit_rows(M, Z)
        np.testing.assert_allclose(np.linalg.norm(Z, axis=1), 1.0)
        values.append(np.trace(Z.T @ M @ Z))
    assert np.all(np.diff(values) <= 1e-12 * values[0])
    assert values[-1] < 0.5 * values[0]


def test_signed():
    Y, R = signed(np.array([[1.0, 0.0, np.nan]]))
    assert Y.tolist() == [[1.0, -1.0, 0.0]]
    assert R.tolist() == [[1.0, 1.0, 0.0]]


def test_label_distance_is_one_minus_cosine():
    Y = np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_allclose(label_distance(Y), [[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]], atol=1e-15)


def test_proximal_descent_says_when_there_is_no_minimum():
    def falling(W):
        return -0.5 * float(np.sum(W**2)), -W

    _, values, stopped = accelerated_proximal(
        falling, lambda W, step: W, lambda W: 0.0, np.ones(3), 1.0, max_iter=10_000, tol=0.0
    )
    assert stopped == "unbounded"
    assert np.isfinite(values).all()


def test_proximal_descent_solves_a_bounded_quadratic():
    """min ½‖Aw - b‖² over w ≥ 0, against non-negative least squares."""
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((30, 8)), rng.standard_normal(30)

    def smooth(w):
        rest = A @ w - b
        return 0.5 * float(rest @ rest), A.T @ rest

    w, values, _ = accelerated_proximal(
        smooth,
        lambda w, step: np.maximum(w, 0.0),
        lambda w: 0.0,
        np.zeros(8),
        1.0,  # far too small: backtracking must find the curvature
        max_iter=5000,
        tol=0.0,
    )
    np.testing.assert_allclose(w, nnls(A, b)[0], atol=1e-6)
    assert np.all(np.diff(values) <= 0)
