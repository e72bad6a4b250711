"""Proximal descent against non-negative least squares, and where there is no minimum."""

import numpy as np
from scipy.optimize import nnls

from mlfs.learners.proximal import accelerated_proximal, soft_threshold


def test_proximal_descent_says_when_there_is_no_minimum():
    def falling(W):
        return -0.5 * float(np.sum(W**2)), -W

    _, values, stopped = accelerated_proximal(
        falling, lambda W, step: W, lambda W: 0.0, np.ones(3), 1.0, max_iter=10_000, tol=0.0
    )
    assert stopped == "unbounded"
    assert np.isfinite(values).all()


def test_soft_threshold_minimises_its_penalised_distance():
    """x = argmin ½(x - a)² + by |x|, by looking at a fine grid."""
    grid = np.linspace(-3, 3, 60_001)
    for a in (-2.0, -0.4, 0.0, 0.3, 1.7):
        for by in (0.0, 0.5, 1.0):
            best = grid[np.argmin(0.5 * (grid - a) ** 2 + by * np.abs(grid))]
            assert abs(soft_threshold(np.array(a), by) - best) < 1e-3


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
