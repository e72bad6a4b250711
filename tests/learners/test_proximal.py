"""Proximal descent against non-negative least squares, and where there is no minimum."""

import numpy as np
from scipy.optimize import nnls

from mlfs.learners.proximal import accelerated_proximal


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
