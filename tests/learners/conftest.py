"""Real slices with 40 % of every instance's labels dropped."""

import numpy as np
import pytest

from mlfs.protocols.experiment.masks import DropPerInstance


@pytest.fixture(scope="session")
def incomplete(yeast_slice):
    """``incomplete(rows)``: standardised yeast, X and Y with nan where dropped."""

    def take(rows):
        X, Y = yeast_slice(rows)
        return X, DropPerInstance(0.4)(Y, np.random.default_rng(1))

    return take


@pytest.fixture(scope="module")
def off_centre(emotions):
    """Features whose means are not 0, so that an intercept has something to do."""
    X, Y = emotions
    return X + 0.2, Y


@pytest.fixture(scope="session")
def begun():
    """``begun(model, X, Y)``: where its iteration begins; users may not ask for max_iter=0."""

    def begin(model, X, Y):
        model._fit(X, Y)
        return model

    return begin


@pytest.fixture(scope="session")
def numerical_gradient():
    """``numerical_gradient(f, W)``: central differences of f at W, entry by entry."""

    def gradient(f, W, h=1e-6):
        G = np.empty_like(W)
        for index in np.ndindex(W.shape):
            up, down = W.copy(), W.copy()
            up[index] += h
            down[index] -= h
            G[index] = (f(up) - f(down)) / (2 * h)
        return G

    return gradient


@pytest.fixture(scope="session")
def literal_fista():
    """``literal_fista(smooth, slope, prox, penalty, W, curvature, turns)``: W, values, counts.

    Accelerated proximal gradient as it is printed: a step whose quadratic model does not bound
    the value is made anew with twice the curvature, and a step that would raise the objective is
    made anew from the last W, with the momentum forgotten. Both are counted: "grown", "restarts".
    """

    def run(smooth, slope, prox, penalty, W, curvature, turns):
        old, b_old, b, counts = W, 1.0, 1.0, {"grown": 0, "restarts": 0}
        values = [smooth(W) + penalty(W)]

        def step(P):
            nonlocal curvature
            while True:
                new = prox(P - slope(P) / curvature, 1 / curvature)
                move = new - P
                model = smooth(P) + np.sum(slope(P) * move) + np.sum(curvature * move**2) / 2
                if smooth(new) <= model + 1e-12 * abs(smooth(P)):
                    return new
                curvature = 2 * curvature
                counts["grown"] += 1

        for turn in range(turns):
            new = step(W + (b_old - 1) / b * (W - old))
            if turn > 0 and smooth(new) + penalty(new) > values[-1]:
                new, b = step(W), 1.0
                counts["restarts"] += 1
            old, W = W, new
            b_old, b = b, (1 + np.sqrt(4 * b**2 + 1)) / 2
            values.append(smooth(W) + penalty(W))
        return W, values, counts

    return run
