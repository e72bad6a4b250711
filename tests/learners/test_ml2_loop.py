"""ML2 as a whole: proximal steps for the numerical labels, then bordered systems with halving."""

import numpy as np
import pytest

from mlfs.learners import ML2

C1, C2, LAM, TUBE, K = 0.5, 2.0, 0.8, 0.6, 6  # by position
PARAMS = {"tol": 0}
SLICE = 50, 12  # rows and columns of emotions


def rebuilding(X):
    """LLE weights: Gz = 1 for the local Gram matrix G, scaled to add up to one."""
    S = np.zeros((len(X), len(X)))
    for i, x in enumerate(X):
        others = [j for j in range(len(X)) if j != i]
        near = sorted(others, key=lambda j: np.linalg.norm(x - X[j]))[:K]
        z = np.linalg.solve((x - X[near]) @ (x - X[near]).T, np.ones(K))
        S[i, near] = z / z.sum()
    return S


def kernel(X, width):
    return np.array([[np.exp(-np.sum((a - b) ** 2) / (2 * width**2)) for b in X] for a in X])


def regression(G, mu, Y, turns):
    """IRWLS: the conditions of the weighted problem as one bordered system, the step halved."""
    n = len(G)

    def value(beta, b):
        f = G @ beta + b
        tube = sum(max(np.linalg.norm(e) - TUBE, 0) ** 2 for e in mu - f)
        return np.trace(beta.T @ G @ beta) / 2 + C1 * tube + C2 * np.maximum(-Y * f, 0).sum()

    beta, b, halved = np.zeros(Y.shape), np.zeros(Y.shape[1]), 0
    values = [value(beta, b)]
    for _ in range(turns):
        f = G @ beta + b
        u = np.linalg.norm(mu - f, axis=1)
        a = np.where(u >= TUBE, 2 * C1 * (u - TUBE) / u, 0.0)
        P = C2 * Y * (Y * f < 0)
        border = np.block(
            [[np.eye(n) + a[:, None] * G, a[:, None]], [np.ones((1, n)), np.zeros((1, 1))]]
        )
        rhs = np.vstack([a[:, None] * mu + P, np.zeros((1, Y.shape[1]))])
        target = np.linalg.solve(border, rhs)
        step = 1.0
        while (new := value(beta + step * (target[:-1] - beta), b + step * (target[-1] - b))) > (
            values[-1]
        ):
            step, halved = step / 2, halved + 1
        beta, b = beta + step * (target[:-1] - beta), b + step * (target[-1] - b)
        values.append(new)
    return beta, b, values, halved


@pytest.mark.parametrize("turns", [1, 2, 10])
def test_numerical_labels_are_literal(emotions, literal_fista, close, turns):
    X, Y = emotions
    B, signs = np.eye(50) - rebuilding(X), 2 * Y - 1
    mu, values, _ = literal_fista(
        lambda mu: np.sum((B @ mu) ** 2),
        lambda mu: 2 * B.T @ B @ mu,
        lambda mu, step: np.where(signs > 0, np.maximum(mu, LAM), np.minimum(mu, -LAM)),
        lambda mu: 0.0,
        LAM * signs,
        2 * np.sum(B**2, axis=0).max(),
        turns,
    )
    model = ML2(C1, C2, LAM, TUBE, K, max_iter=turns, **PARAMS).fit(X, Y)
    close(model.mu_, mu, 1e-8, "mu")
    close(model.manifold_objective_, values, 1e-8, "objective")


def test_the_regression_is_literal(emotions, close):
    """A large tolerance ends it after few iterations: as many as the values it leaves."""
    X, Y = emotions
    ends = []
    for tol in (0.9, 0.1, 1e-3):
        model = ML2(C1, C2, LAM, TUBE, K, max_iter=2, tol=tol).fit(X, Y)
        turns = len(model.objective_) - 1
        width = np.mean([np.linalg.norm(a - b) for a in X for b in X])
        beta, b, values, halved = regression(kernel(X, width), model.mu_, 2 * Y - 1, turns)
        close(model.dual_, beta, 1e-8, "dual")
        close(model.intercept_, b, 1e-8, "intercept")
        close(model.objective_, values, 1e-9, "objective")
        falls = -np.diff(values) / values[:-1]
        assert falls[-1] <= tol and (falls[:-1] > tol).all()
        ends.append((turns, halved))
    assert len({turns for turns, _ in ends}) == 3 and ends[-1][1] > 0, ends
