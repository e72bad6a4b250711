"""The systems of reweighted regression against dense solves, along a sequence of weights."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from mlfs.learners.reweighting import Systems


@pytest.fixture(scope="module")
def K(yeast_slice):
    return rbf_kernel(yeast_slice(200)[0], gamma=0.01)


def dense(K, weights, mu, P):
    """β = D(μ − Kβ) + P as one system in β."""
    D = np.diag(weights)
    beta = np.linalg.solve(np.eye(len(K)) + D @ K, D @ mu + P)
    return beta, K @ beta


def slopes(rng, shape, share):
    return 10.0 * rng.choice([-1, 0, 1], p=[share / 2, 1 - share, share / 2], size=shape)


@pytest.mark.parametrize("zeros", [0, 30])
def test_a_kept_factor_solves_as_exactly_as_a_new_one(K, close, zeros):
    """Weights that move by some percent from call to call, some of them 0 throughout."""
    rng = np.random.default_rng(0)
    systems, mu = Systems(K, 3), rng.standard_normal((200, 3))
    weights = rng.uniform(0.5, 2.0, 200)
    weights[:zeros] = 0.0
    for _ in range(8):
        weights = weights * rng.uniform(0.95, 1.05, 200)
        P = slopes(rng, mu.shape, 0.05)
        found = systems.solve(weights, mu, P, 1e-12)
        expected = (*dense(K, weights, mu, P), *dense(K, weights, np.ones(200), np.zeros(200)))
        for ours, exact in zip(found, expected):
            close(ours, exact, 1e-9)
    assert systems.n_factors_ <= 3  # of 8


@pytest.mark.parametrize("change", ["to zero", "from zero", "doubled", "tiny"])
def test_weights_that_go_far_get_a_factor_of_their_own(K, close, change):
    rng = np.random.default_rng(0)
    systems, mu, P = Systems(K, 3), rng.standard_normal((200, 3)), slopes(rng, (200, 3), 0.3)
    first = rng.uniform(0.5, 2.0, 200)
    second = first.copy()
    second[:5] = {"to zero": 0.0, "from zero": 1.0, "doubled": 3 * first[:5], "tiny": 1e-14}[change]
    if change == "from zero":
        first[:5] = 0.0
    for weights in (first, second):
        beta, Kbeta, *_ = systems.solve(weights, mu, P, 1e-12)
        exact = dense(K, weights, mu, P)
        close(beta, exact[0], 1e-9)
        close(Kbeta, exact[1], 1e-9)
    assert systems.n_factors_ == 2


def test_a_factor_is_given_up_when_it_has_cost_too_much(K, close):
    """Far from its weights many steps are needed: a new factor then comes before long."""
    rng = np.random.default_rng(0)
    systems, mu = Systems(K, 3), rng.standard_normal((200, 3))
    first = rng.uniform(0.5, 2.0, 200)
    systems.solve(first, mu, slopes(rng, mu.shape, 0.05), 1e-12)
    far = first * rng.uniform(0.75, 1.4, 200)
    for _ in range(6):
        P = slopes(rng, mu.shape, 0.05)
        beta, *_ = systems.solve(far, mu, P, 1e-12)
        close(beta, dense(K, far, mu, P)[0], 1e-9)
    assert systems.n_factors_ == 2


def test_the_tolerance_is_of_the_right_hand_side(K):
    rng = np.random.default_rng(0)
    mu, P = rng.standard_normal((200, 3)), slopes(rng, (200, 3), 0.05)
    first = rng.uniform(0.5, 2.0, 200)
    weights = first * rng.uniform(0.75, 1.4, 200)
    rests = []
    for tol in (1e-3, 1e-6, 1e-9):
        systems = Systems(K, 3)
        systems.solve(first, mu, np.zeros_like(P), 0.0)
        beta, Kbeta, *_ = systems.solve(weights, mu, P, tol)
        rest = np.linalg.norm((mu - Kbeta + (P - beta) / weights[:, None]) * first[:, None] ** 0.5)
        rests.append(rest / np.linalg.norm((mu - K @ P) * first[:, None] ** 0.5))
        assert 0 < rests[-1] < 1.1 * tol
    assert rests[0] > 1e3 * rests[2]


def test_a_column_of_zeros_stays_zero(K):
    systems, mu = Systems(K, 2), np.column_stack([np.ones(200), np.zeros(200)])
    for weights in (np.full(200, 1.0), np.linspace(0.9, 1.1, 200)):
        beta, Kbeta, *_ = systems.solve(weights, mu, np.zeros((200, 2)), 1e-12)
        assert beta[:, 0].any() and not beta[:, 1].any() and not Kbeta[:, 1].any()


def test_single_precision_serves_where_its_error_is_below_the_goal(K):
    """The error in A₀s = r, computed with the matrix itself: about 1e-6 of r, else 1e-15."""
    rng = np.random.default_rng(0)
    systems, mu = Systems(K, 3), rng.standard_normal((200, 3))
    weights, r = rng.uniform(0.5, 2.0, 200), rng.standard_normal((200, 4))
    systems.solve(weights, mu, np.zeros_like(mu), 1e-12)
    A = np.eye(200) + np.sqrt(weights)[:, None] * K * np.sqrt(weights)
    errors = {}
    for share in (0.0, 1e-7, 1e-4):
        goal = share * np.linalg.norm(r)
        s = systems._precondition(r, goal)
        assert s.dtype == np.float64
        errors[share] = np.linalg.norm(A @ s - r) / np.linalg.norm(r)
    assert errors[0.0] < 1e-13 and errors[1e-7] < 1e-13
    assert 1e-9 < errors[1e-4] < 1e-4
