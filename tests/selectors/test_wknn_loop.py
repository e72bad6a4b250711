"""WkNN as a whole against its definition, differentiated by the quotient rule, step by step."""

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.selectors import WkNN

LAM0, LAM1, LAM2, RATE = 2e-3, 5e-3, 3e-2, 0.1
PARAMS = {
    "lam0": LAM0,
    "lam1": LAM1,
    "lam2": LAM2,
    "learning_rate": RATE,
    "tol": 0,
    "random_state": 0,
}


def value_and_slope(w, X, Y, share=1.0):
    """Leave-one-out error and a share of the penalties, and their slope, instance by instance."""
    n = len(X)
    soft = 1 / (1 + np.exp(-100 * w))
    value = share * (LAM0 * 2 * np.sum(soft - 0.5) + LAM1 * np.sum(w) + LAM2 * np.sum(w**2))
    slope = share * (LAM0 * 2 * 100 * soft * (1 - soft) + LAM1 + 2 * LAM2 * w)
    for i in range(n):
        top, bottom = np.zeros(Y.shape[1]), 0.0
        d_top, d_bottom = np.zeros((len(w), Y.shape[1])), np.zeros(len(w))
        for j in range(n):
            if j != i:
                gap = (X[i] - X[j]) ** 2
                s = np.exp(-(w @ gap))
                top, bottom = top + s * Y[j], bottom + s
                d_top, d_bottom = d_top - s * np.outer(gap, Y[j]), d_bottom - s * gap
        error = top / bottom - Y[i]
        value += error @ error / n
        by_w = d_top / bottom - np.outer(d_bottom, top) / bottom**2
        slope += 2 / n * by_w @ error
    return value, slope


def literal(X, Y, turns, share=1.0):
    X = np.array([(x - x.mean()) / np.sqrt(np.mean((x - x.mean()) ** 2)) for x in X.T]).T
    w, values = np.full(X.shape[1], 1 / X.shape[1]), []
    for _ in range(turns):
        value, g = value_and_slope(w, X, Y, share)
        values.append(value)
        below = sum(min(w[m] - RATE * g[m], 0) for m in range(len(w)))
        g = g / max(0.01, np.abs(g).sum() + below / RATE)
        w = np.maximum(w - RATE * g, 0)
    return w, values


@pytest.mark.parametrize("turns", [1, 2, 10, 30])
def test_every_iteration_is_literal(emotions, close, turns):
    X, Y = emotions
    w, values = literal(X, Y, turns)
    model = WkNN(**PARAMS, max_iter=turns).fit(X + 3.0, Y)  # standardised within
    close(model.scores_, w, 1e-10, "w")
    close(model.objective_, values, 1e-10, "objective")
    assert turns < 10 or 0 < np.count_nonzero(w == 0) < len(w)  # the projection has worked


def test_small_slopes_are_divided_by_no_less_than_a_hundredth(emotions, close):
    X, Y = emotions[0], 0.03 * emotions[1]
    small = {name: 1e-3 * PARAMS[name] for name in ("lam0", "lam1", "lam2")}
    start = np.full(X.shape[1], 1 / X.shape[1])
    assert np.abs(value_and_slope(start, X, Y, 1e-3)[1]).sum() < 0.01
    model = WkNN(**PARAMS | small, max_iter=5).fit(X, Y)
    w, values = literal(X, Y, 5, 1e-3)
    close(model.scores_, w, 1e-10, "w")
    close(model.objective_, values, 1e-10, "objective")


def test_a_draw_of_sparse_features_is_literal(emotions, close):
    X, Y = np.where(emotions[0] > 0, emotions[0], 0.0), emotions[1] + 0.5  # real targets
    rows = np.sort(np.random.RandomState(0).choice(60, 40, replace=False))
    model = WkNN(**PARAMS, max_iter=10, max_samples=40).fit(sp.csr_matrix(X), Y)
    close(model.scores_, literal(X[rows], Y[rows], 10)[0], 1e-10)


def test_the_end_is_stationary(emotions):
    """The slope vanishes where w > 0 and is not negative where w = 0."""
    X, Y = emotions
    model = WkNN(**PARAMS | {"learning_rate": 2e-3}, max_iter=6000).fit(X, Y)
    slope, w = value_and_slope(model.scores_, X, Y)[1], model.scores_
    assert 0 < np.count_nonzero(w) < len(w)
    assert np.abs(slope[w > 0]).max() < 1e-6
    assert slope[w == 0].min() > 0
