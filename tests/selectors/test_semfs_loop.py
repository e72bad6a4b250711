"""SemFS as a whole against Algorithm 1 with X̄ and diag(s) written out in full."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.selectors import SemFS
from mlfs.selectors.semfs import gradient

ALPHA, GAMMA = 0.6, 0.3
PARAMS = {"alpha": ALPHA, "gamma": GAMMA}
SLICE = 100, 25  # rows and columns of emotions


@pytest.fixture(scope="module")
def unequal(emotions):
    """Features and labels, the labels made unequal so that no attribute repeats another."""
    X, Y = emotions
    return X, Y * [1.0, -2.0, 0.5, 3.0, 1.5, 0.7]


def class_means(X, classes):
    members = {c: [i for i in range(len(X)) if classes[i] == c] for c in set(classes)}
    return np.array([X[members[c]].mean(axis=0) for c in classes])


def literal(X, X_mean, Y, turns, alpha=ALPHA, steps=1):
    """Lines 2-5 of Algorithm 1; (10) gets the step that is best along it, then halved (Armijo).

    With `steps`, (10) and (11) are repeated that often before W is solved for again.
    """
    d = X.shape[1]

    def J(s, W):
        fits = [np.sum((Y - A @ np.diag(s) @ W) ** 2) for A in (X, X_mean)]
        return fits[0] + alpha * fits[1] + GAMMA * np.sum(W**2)  # (5)

    def best_W(s):
        XS, MS = X @ np.diag(s), X_mean @ np.diag(s)
        A = XS.T @ XS + alpha * MS.T @ MS + GAMMA * np.eye(d)
        return np.linalg.inv(A) @ (XS.T + alpha * MS.T) @ Y  # (8)

    s, values = np.ones(d), []
    for _ in range(turns):
        W = best_W(s)
        values.append(J(s, W))
        for _ in range(steps):
            S = np.diag(s)
            slope = -2 * X.T @ Y @ W.T + 2 * X.T @ X @ S @ W @ W.T
            slope += alpha * (-2 * X_mean.T @ Y @ W.T + 2 * X_mean.T @ X_mean @ S @ W @ W.T)
            g = np.diag(slope)  # (10)
            # J(s − tg) is a parabola in t: three of its values give its minimum
            now, half, one = (J(s - t * g, W) for t in (0.0, 0.5, 1.0))
            a, b = 2 * (one - 2 * half + now), 4 * half - 3 * now - one
            t = -b / (2 * a)
            while True:
                moved = np.maximum(0, s - t * g)  # (11)
                if J(moved, W) - now <= 1e-4 * g @ (moved - s):
                    break
                t /= 2
            s = moved
    W = best_W(s)
    return s, W, [*values, J(s, W)]


@pytest.mark.parametrize("turns", [1, 2, 10])
@pytest.mark.parametrize("alpha", [0.0, ALPHA])
def test_every_iteration_is_literal(unequal, close, alpha, turns):
    X, Y = unequal
    classes = [tuple(row) for row in Y]
    assert 5 < len(set(classes)) < 50
    s, W, values = literal(X, class_means(X, classes), Y, turns, alpha)
    for features in (X, sp.csr_matrix(X)):
        model = SemFS(**PARAMS | {"alpha": alpha}, max_iter=turns).fit(features, Y)
        close(model.scores_, s, 1e-9, "s")
        close(model.W_, W, 1e-9, "W")
        close(model.objective_, values, 1e-9, "J")
    assert np.ptp(s) > 1e-3  # it has moved


@pytest.mark.parametrize("turns", [1, 2, 10])
@pytest.mark.parametrize("steps", [2, 5])
def test_several_steps_are_literal(unequal, close, steps, turns):
    X, Y = unequal
    s, W, values = literal(X, class_means(X, [tuple(row) for row in Y]), Y, turns, steps=steps)
    model = SemFS(**PARAMS, n_steps=steps, max_iter=turns).fit(X, Y)
    close(model.scores_, s, 1e-8, "s")
    close(model.W_, W, 1e-8, "W")
    close(model.objective_, values, 1e-9, "J")


def test_many_steps_end_at_the_best_weights_for_w(unequal):
    """At the minimum over s ≥ 0 the gradient is 0 where s > 0, and not negative where s = 0."""
    X, Y = unequal
    G, M = X.T @ X, X.T @ Y
    W = SemFS(alpha=0.0, gamma=GAMMA, max_iter=0).fit(X, Y).W_
    s = SemFS(alpha=0.0, gamma=GAMMA, n_steps=20_000, max_iter=1).fit(X, Y).scores_
    start, end = (gradient(G, M, weights, W) for weights in (np.ones(25), s))
    assert np.abs(end[s > 0]).max() < 1e-6 * np.abs(start).max()
    assert end[s == 0].min(initial=0) >= 0


def test_classes_in_batches_are_literal(unequal, close):
    X, Y = unequal
    classes = np.arange(100) % 7
    s, W, values = literal(X, class_means(X, classes), Y, 5)
    parts = np.array_split(np.arange(100), 4)
    model = SemFS(**PARAMS, max_iter=5).fit_batches((X[i], Y[i], classes[i]) for i in parts)
    close(model.scores_, s, 1e-9, "s")
    close(model.W_, W, 1e-9, "W")
    close(model.objective_, values, 1e-9, "J")
