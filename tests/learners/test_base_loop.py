"""The shared proximal descent, iterate by iterate, where its first curvature is far too small."""

import numpy as np
import pytest

from mlfs.learners.proximal import accelerated_proximal

BOUND, FIRST = 0.4, 0.7


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    return rng.standard_normal((30, 8)), rng.standard_normal(30)


@pytest.mark.parametrize("turns", [1, 2, 10, 15])
@pytest.mark.parametrize("blocks", [False, True], ids=["one curvature", "one a variable"])
def test_every_iteration_is_literal(problem, literal_fista, close, blocks, turns):
    """min ½‖Aw − b‖² + ‖w‖₁ over w ≤ 0.4: steps are shortened, and it starts afresh at times."""
    A, b = problem
    first = FIRST * np.linspace(1, 3, 8) if blocks else FIRST

    def value(w):
        return np.sum((A @ w - b) ** 2) / 2

    def slope(w):
        return A.T @ (A @ w - b)

    def proximal(w, step):
        return np.minimum(np.sign(w) * np.maximum(np.abs(w) - step, 0), BOUND)

    def penalty(w):
        return np.abs(w).sum()

    start = np.full(8, BOUND)
    w, values, counts = literal_fista(value, slope, proximal, penalty, start, first, turns)
    ours, objective, stopped = accelerated_proximal(
        lambda w: (value(w), slope(w)), proximal, penalty, start, first, max_iter=turns, tol=0
    )
    close(ours, w, 1e-10, "w")
    close(objective, values, 1e-10, "objective")
    assert stopped == "max_iter" and counts["grown"] > 0
    assert blocks or turns < 15 or counts["restarts"] > 0


def test_stops_at_its_tolerance(problem):
    """After the first iteration that changes the objective by no more than tol, relatively."""
    A, b = problem
    for tol in (0.1, 1e-3, 1e-6):
        _, values, stopped = accelerated_proximal(
            lambda w: (np.sum((A @ w - b) ** 2) / 2, A.T @ (A @ w - b)),
            lambda w, step: w,
            lambda w: 0.0,
            np.ones(8),
            FIRST,
            max_iter=1000,
            tol=tol,
        )
        falls = -np.diff(values) / values[:-1]
        assert stopped == "tolerance" and falls[-1] <= tol and (falls[:-1] > tol).all()
