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


def test_the_first_steps_are_literally_those_of_fista():
    """Beck and Teboulle, 2009, (4.1) to (4.3), with the true curvature: nothing is backtracked."""
    rng = np.random.default_rng(0)
    A, b, weight = rng.standard_normal((30, 8)), rng.standard_normal(30), 0.5
    L = np.linalg.norm(A, 2) ** 2

    def smooth(w):
        rest = A @ w - b
        return 0.5 * float(rest @ rest), A.T @ rest

    x = y = np.zeros(8)
    t = 1.0
    for turns in range(1, 8):
        before, z = x, y - A.T @ (A @ y - b) / L
        x = np.sign(z) * np.maximum(np.abs(z) - weight / L, 0)
        t, previous = (1 + np.sqrt(1 + 4 * t**2)) / 2, t
        y = x + (previous - 1) / t * (x - before)
        found, values, _ = accelerated_proximal(
            smooth,
            lambda w, step: soft_threshold(w, weight * step),
            lambda w: weight * float(np.abs(w).sum()),
            np.zeros(8),
            L,
            max_iter=turns,
            tol=0.0,
        )
        np.testing.assert_allclose(found, x, atol=1e-12)
        assert np.all(np.diff(values) < 0)  # or it would have been restarted


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
