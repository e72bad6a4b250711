"""Linear systems of iterated reweighted least squares: one kernel, weights that change little."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils import gen_batches

from ..numerics.linalg import add_to_diagonal
from ..types import Array

_FAR = 0.5  # a factor serves weights that have changed by no more than this, relatively
_ROWS = 64  # of a matrix that stay in the cache between two operations
_SMALL = 1e-3  # of the largest root of a weight: dividing by a smaller one loses digits


class Systems:
    """Solve β = D(μ − Kβ) + P for one K and sequences of weights D = diag(a) ≥ 0 and of P.

    X = β − P solves X = D(V − KX) with V = μ − KP. With R = √D that is (I + RKR)R⁻¹X = RV,
    positive definite also where a weight is 0. The factor made for earlier weights D₀ is kept:
    for w = R₀⁻¹X the system is (A₀ + E)w = R₀V with A₀ = I + R₀KR₀ and E = D₀/D − I small, so
    conjugate gradients preconditioned by A₀ take few steps from the last β. A₀ times a search
    direction follows from the residuals, so a step costs one solve with the factor, and no
    product with K. Late steps, which only correct small residuals, use the factor in single
    precision.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric, positive semidefinite.
    columns : int
        Number of columns of β.

    Attributes
    ----------
    n_factors_ : int
        How often a matrix was factored.
    """

    def __init__(self, K: Array, columns: int):
        self.K = K
        self.n_factors_ = 0
        self._excess = np.inf  # there is no factor yet
        self._cholesky = np.empty(K.shape, order="F")
        self._single = np.empty(K.shape, np.float32, order="F")
        # P and β have a column more: where μ is 1 and P is 0, for an intercept
        shape = (len(K), columns + 1)
        self._P, self._KP = np.zeros(shape), np.zeros(shape)
        self._beta, self._Kbeta = np.zeros(shape), np.zeros(shape)

    def solve(
        self, weights: Array, mu: Array, P: Array, tol: float
    ) -> tuple[Array, Array, Array, Array]:
        """Solve for β and Kβ, and for the same with a single column μ = 1 and P = 0.

        The residual is at most `tol` of the right-hand side R₀V.
        """
        self._move_slopes(P)
        fresh = not self._serves(weights)
        if fresh:
            self._factor(weights)
        rhs = self._root[:, None] * (np.column_stack([mu, np.ones(len(mu))]) - self._KP)
        if fresh:
            w, Aw = self._precondition(rhs), rhs
        else:
            w, Aw = self._improve(rhs, weights, tol)
        X, KX = self._root[:, None] * w, Aw - w
        # A₀w − w = R₀KX, but a small R₀ is better not divided by
        small = self._root <= _SMALL * self._root.max()
        KX /= np.where(small, 1.0, self._root)[:, None]
        KX[small] = self.K[small] @ X
        self._beta, self._Kbeta = X + self._P, KX + self._KP
        return self._beta[:, :-1], self._Kbeta[:, :-1], self._beta[:, -1], self._Kbeta[:, -1]

    def _move_slopes(self, P: Array) -> None:
        """Bring KP up to date by the entries of P that have changed: they are few."""
        P = np.column_stack([P, np.zeros(len(P))])
        changed = sp.csr_array((P - self._P).T)
        self._P, self._KP = P, self._KP + (changed @ self.K).T

    def _serves(self, weights: Array) -> bool:
        """Tell whether to keep the factor: until extra steps have cost as much as a new one.

        A factor takes n³/3 operations, a step 2n² per column. Two steps are needed also where
        the weights have hardly changed.
        """
        if self._excess > len(self.K) / (6.0 * self._P.shape[1]):
            return False
        return bool(np.all(np.abs(self._weights - weights) <= _FAR * weights))

    def _factor(self, weights: Array) -> None:
        self._weights, self._root = weights, np.sqrt(weights)
        A = self._cholesky.T  # the old factor makes room for the new one
        # of symmetric and triangular matrices one half is used
        parts = [(rows, slice(rows.start, None)) for rows in gen_batches(len(A), _ROWS)]
        for rows, columns in parts:
            np.multiply(self.K[rows, columns], self._root[columns], out=A[rows, columns])
            A[rows, columns] *= self._root[rows, None]
        add_to_diagonal(A, 1.0)
        self._trace = float(np.trace(A))
        self._cholesky, _ = cho_factor(A.T, lower=True, overwrite_a=True, check_finite=False)
        for rows, columns in parts:
            self._single.T[rows, columns] = self._cholesky.T[rows, columns]
        self._excess = 0.0
        self.n_factors_ += 1

    def _precondition(self, rhs: Array, goal: float = 0.0) -> Array:
        """Solve with A₀, in half the time where single precision leaves an error below `goal`.

        That error is about √trace(A₀) roundings of the right-hand side, as these partly cancel.
        """
        if np.linalg.norm(rhs) * np.sqrt(self._trace) * np.finfo(np.float32).eps > goal:
            return np.asarray(cho_solve((self._cholesky, True), rhs, check_finite=False))
        rhs = rhs.astype(np.float32)
        return cho_solve((self._single, True), rhs, check_finite=False).astype(float)

    def _improve(self, rhs: Array, weights: Array, tol: float) -> tuple[Array, Array]:
        """Solve (A₀ + E)w = rhs by conjugate gradients, each column on its own; return A₀w, too."""
        none = weights == 0  # D₀ is 0 there as well, and X
        E = np.where(none, 0.0, self._weights / np.where(none, 1.0, weights) - 1.0)[:, None]
        X, KX = self._beta - self._P, self._Kbeta - self._KP
        if none.any():
            KX -= self.K[:, none] @ X[none]
            X[none] = 0.0
        root = self._root[:, None]
        w = X / np.where(none[:, None], 1.0, root)
        Aw = w + root * KX
        rest = rhs - Aw - E * w
        goal = tol * float(np.linalg.norm(rhs))
        p, Ap, rho = np.zeros_like(w), np.zeros_like(w), np.full(w.shape[1], np.inf)
        steps = 0
        while float(np.linalg.norm(rest)) > goal:
            s = self._precondition(rest, goal)  # so that A₀s is the residual
            previous, rho = rho, np.einsum("ij,ij->j", rest, s)
            turn = _ratio(rho, previous)
            p, Ap = s + turn * p, rest + turn * Ap
            curved = Ap + E * p
            step = _ratio(rho, np.einsum("ij,ij->j", p, curved))
            w += step * p
            Aw += step * Ap
            rest = rest - step * curved
            steps += 1
        self._excess += max(0, steps - 2)
        return w, Aw


def _ratio(a: Array, b: Array) -> Array:
    """Divide a by b; where b is 0, in a column that is solved exactly, give 0."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
