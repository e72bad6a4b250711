"""Linear support vector machines that stay exact while points are added (for Li-Adaptive)."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv

from ..numerics.linalg import dense
from ..types import Array, Matrix

RIDGE = 1e-8  # added to the diagonal, as a part of it: repeated rows keep the equations solvable
INSIDE = -1e-9  # a gap below this is inside the margin
_UNSETTLED = "a support vector machine did not settle: scale the features, or give a base"
ROUNDING = 1e-11  # a change of a gap below this, relative to the diagonal, is rounding


class HingeMachines:
    """One linear machine with hinge loss per label, on rows of a pool.

    Each minimises ½‖w‖² + C Σᵢ max(0, 1 - yᵢ f(xᵢ)) where f(x) = w'(x, 1): the intercept is in w.
    A label that is always present, or always absent, gets a constant score.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The pool.
    rows : array of int
        The rows to train on.
    signs : array of shape (len(rows), l)
        Their labels in {-1, +1}.
    C : float
        Cost of an error.

    Attributes
    ----------
    scores : ndarray of shape (n, l)
        f for every point of the pool.

    Notes
    -----
    A new point costs O(a² + m³) per event and label, with a rows of which m lie on the margin. Some
    five points join or leave the margin until the machine fits.
    """

    def __init__(self, X: Matrix, rows: Array, signs: Array, C: float):
        self.X, self.rows, self.C = X, rows, C
        self._gram = self._products(rows)
        self._gram[np.diag_indices(len(rows))] *= 1.0 + RIDGE
        self._machines = [Machine.trained(self._gram, column, C) for column in signs.T]
        self.scores = np.empty((X.shape[0], signs.shape[1]))
        self._score(rows, self._machines, np.arange(signs.shape[1]), self.scores)

    @property
    def signs(self) -> Array:
        """The labels of the rows."""
        return np.array([machine.y for machine in self._machines]).T

    def scores_with(self, x: int, signs: Array) -> Array:
        """Score the whole pool as if row x had these labels."""
        return self.with_row(x, signs).scores

    def with_row(self, x: int, signs: Array) -> HingeMachines:
        """Return machines trained with one more row; these do not change."""
        column = self._products(np.append(self.rows, x), [x])
        column[-1] *= 1.0 + RIDGE
        gaps = signs * (np.array([m.weights for m in self._machines]) @ column[:-1, 0]) - 1.0
        changed = np.flatnonzero(gaps < INSIDE)
        grown = copy(self)
        grown.rows = np.append(self.rows, x)
        grown._gram = np.block([[self._gram, column[:-1]], [column.T]])
        grown._machines = [m.with_point(*new) for m, *new in zip(self._machines, signs, gaps)]
        for j in changed:
            grown._machines[j].take_in(grown._gram, self.C)
        grown.scores = self.scores.copy()
        grown._score(grown.rows, [grown._machines[j] for j in changed], changed, grown.scores)
        return grown

    def with_rows(self, rows: Array, signs: Array) -> HingeMachines | None:
        """Return machines for these sorted rows, or None if others or other labels were learnt."""
        at = np.minimum(np.searchsorted(rows, self.rows), len(rows) - 1)
        if not (np.array_equal(rows[at], self.rows) and np.array_equal(signs[at], self.signs)):
            return None
        grown = self
        for i in np.flatnonzero(~np.isin(rows, self.rows)):
            grown = grown.with_row(rows[i], signs[i])
        for machine in grown._machines:
            machine.measure(grown._gram)
        return grown

    def _products(self, rows: Array, others: Array | list[int] | None = None) -> Array:
        """Return (x, 1)'(z, 1) for rows x and z of the pool."""
        left = self.X[rows]
        right = left if others is None else self.X[others]
        return dense(left @ right.T) + 1.0

    def _score(self, rows: Array, machines: list[Machine], labels: Array, scores: Array) -> None:
        """Write the scores of `labels` into `scores`."""
        if not machines:
            return
        weights = np.array([machine.weights for machine in machines])
        w = self.X[rows].T @ weights.T
        scores[:, labels] = self.X @ w + weights.sum(axis=1)
        for j, machine in zip(labels, machines, strict=True):
            if (machine.y == machine.y[0]).all():
                scores[:, j] = machine.y[0]


@dataclass
class Machine:
    """The dual solution of one machine: 0 ≤ αᵢ ≤ C, and the gap gᵢ = yᵢ f(xᵢ) - 1.

    At the solution g ≥ 0 where α = 0, g ≤ 0 where α = C, and g = 0 on the margin, where α may be
    anything between. A point at α = 0 with a gap below 0 still waits to be taken in.
    """

    y: Array
    alpha: Array
    gap: Array
    margin: Array

    @classmethod
    def trained(cls, gram: Array, y: Array, C: float) -> Machine:
        """Take in one point after the other, from no weights."""
        n = len(y)
        machine = cls(y, np.zeros(n), np.full(n, -1.0), np.zeros(n, dtype=bool))
        machine.take_in(gram, C)
        machine.measure(gram)
        return machine

    @property
    def weights(self) -> Array:
        """The α with the signs of the labels: w = Σᵢ αᵢ yᵢ (xᵢ, 1)."""
        return self.alpha * self.y

    def with_point(self, sign: float, gap: float) -> Machine:
        """Return a copy with one more point, which has no weight yet."""
        return Machine(
            np.append(self.y, sign),
            np.append(self.alpha, 0.0),
            np.append(self.gap, gap),
            np.append(self.margin, False),
        )

    def measure(self, gram: Array) -> None:
        """Compute the gaps anew, without the rounding of many steps."""
        self.gap = np.where(self.margin, 0.0, self.y * (gram @ self.weights) - 1.0)

    def take_in(self, gram: Array, C: float) -> None:
        """Take in the worst waiting point until none is left.

        Also after one new point: a step may carry copies of a point past the margin by the ridge of
        that point, which is less than the rounding of rows that are much longer.
        """
        for _ in range(100 * len(self.y)):
            waiting = np.where(self.alpha == 0.0, self.gap, 0.0)
            worst = int(waiting.argmin())
            if waiting[worst] >= INSIDE:
                return
            self.settle(gram, worst, C)
        raise FloatingPointError(_UNSETTLED)

    def settle(self, gram: Array, x: int, C: float) -> None:
        """Raise the weight of a waiting point until it is on the margin, or its weight is C.

        The weights on the margin follow so that their gaps stay 0. A step ends where a point joins
        or leaves the margin (Cauwenberghs and Poggio, NIPS 2000, without the constraint of a free
        intercept).
        """
        y, alpha, gap, margin = self.y, self.alpha, self.gap, self.margin
        rounding = ROUNDING * gram[x, x]
        for _ in range(100 * len(y)):
            on = margin.nonzero()[0]
            change = y[x] * gram[x]  # of f, if the weight of x grows by 1
            dalpha = np.empty(0)
            if len(on):
                near = gram[on]
                dweights = -dposv(near.take(on, axis=1).T, change[on], overwrite_a=1)[1]
                change = change + dweights @ near
                dalpha = y[on] * dweights
            dgap = y * change
            step = np.full(len(y), np.inf)
            # points on the margin leave it at α = 0 or C
            moves = np.abs(dalpha) > ROUNDING
            goal = np.where(dalpha > 0.0, C, 0.0)
            step[on[moves]] = (goal - alpha[on])[moves] / dalpha[moves]
            # the others join it where their gap becomes 0, except those that wait
            joins = np.where(alpha > 0.0, dgap > rounding, (dgap < -rounding) & (gap >= INSIDE))
            joins &= ~margin
            step[joins] = -gap[joins] / dgap[joins]
            to_margin = -gap[x] / dgap[x] if dgap[x] > rounding else np.inf
            to_full = C - alpha[x]
            step[x] = min(to_margin, to_full)
            i = int(step.argmin())
            length = max(float(step[i]), 0.0)
            alpha[x] += length
            alpha[on] += length * dalpha
            gap += length * dgap
            if i == x and to_full < to_margin:
                alpha[x] = C
                return
            if margin[i]:
                alpha[i] = goal[on.searchsorted(i)]
            margin[i] = not margin[i]
            gap[i] = 0.0
            if i == x:
                return
        raise FloatingPointError(_UNSETTLED)
