"""Logistic regression of many labels at once: L-BFGS whose steps are products with all labels."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ..types import Array, Matrix

_MEMORY = 10  # pairs of steps and changes of the gradient that L-BFGS remembers
_TRIES = 30  # steps that a line search tries at most


def fit_logistic(
    X: Matrix, Y: Array, C: float, *, max_iter: int, tol: float
) -> tuple[Array, Array, int]:
    """Minimise ½‖w‖² + C Σ log(1 + exp(−y (wᵀx + b))) for every label over its known rows.

    All labels take their steps together, so that every step costs two matrix products for all of
    them; a label that has arrived is left out. The line search looks for the zero of the slope,
    which is exact where differences of the value are lost in rounding.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The features.
    Y : ndarray of shape (n, l)
        Labels: 1, 0, or nan where unknown. Every label needs a known 1 and a known 0.
    C : float
        Weight of the losses.
    max_iter : int
        Largest number of steps.
    tol : float
        Stop when no entry of the gradient of the mean loss is larger than this.

    Returns
    -------
    W : ndarray of shape (d, l)
        The weights.
    b : ndarray of shape (l,)
        The intercepts.
    n_iter : int
        Number of steps.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.numerics.logistic import fit_logistic
    >>> X, Y = np.array([[-1.0], [1.0], [3.0]]), np.array([[0.0], [1.0], [np.nan]])
    >>> W, b, _ = fit_logistic(X, Y, 1.0, max_iter=100, tol=1e-10)
    >>> float(np.round(W[0, 0], 3)), bool(abs(b[0]) < 1e-9)  # w = 2 / (1 + exp(w))
    (0.675, True)
    """
    d, l = X.shape[1], Y.shape[1]  # noqa: E741
    W, b = np.zeros((d, l)), np.zeros(l)
    labels = np.arange(l)  # those that have not arrived
    state = _State(X, Y, C)
    steps = 0
    while len(labels):
        arrived = np.abs(state.gradient).max(axis=0) <= tol
        if steps == max_iter:
            arrived[:] = True
        done = labels[arrived]
        W[:, done], b[done] = state.weights[:-1, arrived], state.weights[-1, arrived]
        if arrived.all():
            break
        if arrived.any():
            labels = labels[~arrived]
            state.keep(~arrived)
        if not state.step():  # rounding leaves no way down
            W[:, labels], b[labels] = state.weights[:-1], state.weights[-1]
            break
        steps += 1
    return W, b, steps


class _State:
    """Hold the weights (the last row is the intercept), scores and memory of the open labels."""

    def __init__(self, X: Matrix, Y: Array, C: float):
        known = ~np.isnan(Y)
        counts = known.sum(axis=0)
        share = np.nansum(Y, axis=0) / counts
        self.X = X
        self.truth = np.nan_to_num(Y)
        self.part = known / counts  # an unknown row has no part in the mean loss of its label
        self.penalty = np.vstack([np.ones((X.shape[1], 1)), [[0.0]]]) / (C * counts)
        self.weights = np.zeros((X.shape[1] + 1, Y.shape[1]))
        self.weights[-1] = np.log(share / (1 - share))  # the best intercept if all weights are 0
        self.scores = np.tile(self.weights[-1], (X.shape[0], 1))
        self.memory: list[tuple[Array, Array, Array]] = []
        self.gradient = self._gradient((expit(self.scores) - self.truth) * self.part)

    def keep(self, open_: Array) -> None:
        """Leave out labels that have arrived."""
        for name in ("truth", "part", "penalty", "weights", "scores", "gradient"):
            setattr(self, name, np.ascontiguousarray(getattr(self, name)[:, open_]))
        self.memory = [(s[:, open_], y[:, open_], rho[open_]) for s, y, rho in self.memory]

    def step(self) -> bool:
        """Take one step of every label; False if no label can move."""
        direction = self._direction()
        slope = _dots(self.gradient, direction)
        bad = slope >= 0  # the memory of this label is of no use
        if bad.any():
            direction[:, bad] = -self.gradient[:, bad]
            slope[bad] = -_dots(self.gradient[:, bad], self.gradient[:, bad])
        length = np.ones(len(slope))
        if not self.memory:
            length = 1 / np.maximum(np.sqrt(-slope), 1.0)
        change = np.asarray(self.X @ direction[:-1]) + direction[-1]
        length, errors = self._search(direction, change, slope, length)
        moved = length * direction
        self.weights = self.weights + moved
        self.scores = self.scores + length * change
        before, self.gradient = self.gradient, self._gradient(errors)
        turned = self.gradient - before
        along = _dots(moved, turned)
        usable = along > 1e-300
        rho = np.divide(1.0, along, out=np.zeros_like(along), where=usable)
        self.memory = [*self.memory, (moved, turned, rho)][-_MEMORY:]
        return bool(moved.any())

    def _gradient(self, errors: Array) -> Array:
        """Return the gradient of the mean losses with their penalties."""
        data = np.vstack([np.asarray(self.X.T @ errors), errors.sum(axis=0)])
        return np.asarray(data + self.penalty * self.weights)

    def _direction(self) -> Array:
        """Return −H g by the two loops of L-BFGS, for all labels at once."""
        q, shares = self.gradient.copy(), []
        for moved, turned, rho in reversed(self.memory):
            share = rho * _dots(moved, q)
            shares.append(share)
            q -= share * turned
        if self.memory:
            _, turned, rho = self.memory[-1]
            size = rho * _dots(turned, turned)
            q /= np.where(size > 0, size, 1.0)
        for (moved, turned, rho), share in zip(self.memory, reversed(shares)):
            q += (share - rho * _dots(turned, q)) * moved
        return -q

    def _search(
        self, direction: Array, change: Array, slope: Array, length: Array
    ) -> tuple[Array, Array]:
        """Find for each label a length at which the slope is a small part of the one at 0.

        The slope rises along the line, so its zero is bracketed and found by interpolation.
        """
        fixed = _dots(self.penalty * self.weights, direction)
        rise = _dots(self.penalty * direction, direction)
        low, low_slope = np.zeros_like(length), slope.copy()
        high, high_slope = np.full_like(length, np.inf), np.zeros_like(length)
        for _ in range(_TRIES):
            errors = (expit(self.scores + length * change) - self.truth) * self.part
            here = fixed + length * rise + _dots(errors, change)
            below, above = here < 0.5 * slope, here > -0.25 * slope
            if not (below | above).any():
                break
            low, low_slope = np.where(below, length, low), np.where(below, here, low_slope)
            high, high_slope = np.where(above, length, high), np.where(above, here, high_slope)
            bounded = np.isfinite(high)
            width = np.where(bounded, high, 0.0) - low
            # between a tenth and nine tenths of the bracket, where the line of slopes is 0
            place = np.clip(-low_slope / np.maximum(high_slope - low_slope, 1e-300), 0.1, 0.9)
            other = np.where(bounded, low + place * width, 3 * length)
            length = np.where(below | above, other, length)
        return length, errors


def _dots(A: Array, B: Array) -> Array:
    """Return the products of the columns of A with those of B."""
    return np.asarray(np.einsum("il,il->l", A, B))
