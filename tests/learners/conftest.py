"""Real slices with 40 % of every instance's labels dropped."""

import numpy as np
import pytest

from mlfs.labels import DropPerInstance


@pytest.fixture(scope="session")
def incomplete(yeast_slice):
    """``incomplete(rows)``: standardised yeast, X and Y with nan where dropped."""

    def take(rows):
        X, Y = yeast_slice(rows)
        return X, DropPerInstance(0.4)(Y, np.random.default_rng(1))

    return take


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
