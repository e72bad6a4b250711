"""L20ALM: exact top-k feature selection via l2,0-norm constraint.

Cai, Nie and Huang, IJCAI 2013.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lstsq
from sklearn.utils import check_random_state

from ..linalg import Array, Matrix, row_norms
from .base import Ranker, Tags


class L20ALM(Ranker):
    """Pick k features by min ‖XW + 1bᵀ − Y‖₂,₁ subject to k non-zero rows of W.

    An augmented Lagrangian splits W = V (k rows) and E = XW + 1bᵀ − Y. The problem is not
    convex and the answer depends on the start, so several starts are made, W is fitted anew on
    every set found, and the set with the lowest objective wins. Sets for different k are not
    nested: the order beyond the first k features is that of the last W alone.

    Parameters
    ----------
    k : int, default=50
        Number of features in the constraint (all of them if there are fewer).
    mu : float, default=0.1
        First penalty of the augmented Lagrangian.
    rho : float, default=1.01
        Its growth per iteration; a fast growth freezes the set near its random start.
    n_restarts : int, default=3
    max_iter : int, default=2000
    tol : float, default=1e-6
        Stop when W − V and the residual split are this small, relatively.
    random_state : int, RandomState or None, default=0

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        The chosen k by the row norms of ``coef_``, then the others.
    coef_ : ndarray of shape (n_features, rank of the centred targets)
        W in the coordinates of the targets' principal axes, zero outside the chosen set.
    objectives_ : list of float
        Objective of the best set of each start; the lowest one won.
    """

    tags = Tags(
        paper="Cai, Nie and Huang, IJCAI 2013",
        provenance="author code",
        real_targets=True,
        search_space={"mu": [1e-2, 1e-1, 1.0, 1e1, 1e2]},
        note="one run per k, best of several starts; sets are not nested",
    )

    def __init__(
        self,
        k: int = 50,
        mu: float = 0.1,
        rho: float = 1.01,
        n_restarts: int = 3,
        max_iter: int = 2000,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = 0,
        n_features_to_select: int | float | None = None,
    ):
        self.k = k
        self.mu = mu
        self.rho = rho
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        rng = check_random_state(self.random_state)
        k = min(self.k, X.shape[1])
        X = X - X.mean(axis=0)
        Y = principal_axes(Y)
        solve = _regulariser(X)
        best = np.inf
        self.objectives_ = []
        for _ in range(self.n_restarts):
            W, V = self._multipliers(X, Y, k, solve, rng)
            # the kept rows and the largest rows of W agree only at convergence: try both sets
            candidates = [np.sort(np.argsort(-row_norms(A), kind="stable")[:k]) for A in (V, W)]
            fits = [(*refit(X[:, chosen], Y), chosen) for chosen in candidates]
            value, coef, chosen = min(fits, key=lambda fit: fit[0])
            self.objectives_.append(value)
            if value < best:
                best = value
                self.coef_ = np.zeros_like(W)
                self.coef_[chosen] = coef
                inside = chosen[np.argsort(-row_norms(coef), kind="stable")]
                outside = np.setdiff1d(np.arange(len(W)), chosen)
                rest = outside[np.argsort(-row_norms(W[outside]), kind="stable")]
        return np.concatenate([inside, rest])

    def _multipliers(
        self,
        X: Array,
        Y: Array,
        k: int,
        solve: Callable[[Array], Array],
        rng: np.random.RandomState,
    ) -> tuple[Array, Array]:
        """One run of the augmented Lagrangian from a random start."""
        d, (n, m) = X.shape[1], Y.shape
        V, E = rng.uniform(size=(d, m)), rng.uniform(size=(n, m))
        W, Lam, Sig, mu = V, np.zeros((d, m)), np.zeros((n, m)), self.mu
        for _ in range(self.max_iter):
            T = Y + E - Sig / mu
            b = T.mean(axis=0)
            W = solve(V - Lam / mu + X.T @ T)
            V = np.zeros_like(W)
            shifted = W + Lam / mu
            kept = np.argsort(-row_norms(shifted), kind="stable")[:k]
            V[kept] = shifted[kept]
            residual = X @ W + b - Y
            R = residual + Sig / mu
            E = np.maximum(1 - 1 / (mu * row_norms(R)), 0)[:, None] * R
            Lam += mu * (W - V)
            Sig += mu * (residual - E)
            mu = min(1e10, self.rho * mu)
            gap = np.linalg.norm(W - V) + np.linalg.norm(residual - E)
            if gap <= self.tol * (np.linalg.norm(W) + np.linalg.norm(residual)):
                break
        return W, V


def principal_axes(Y: Array) -> Array:
    """Centre Y and turn it into as few columns as its rank: row norms of residuals are kept.

    With c classes and any number of attributes at most c − 1 columns remain.
    """
    centred = Y - Y.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred)
    kept = values > max(values[-1], 0) * 1e-12
    return centred @ axes[:, kept] if kept.any() else centred[:, :1]


def refit(X: Array, Y: Array, max_iter: int = 200, tol: float = 1e-10) -> tuple[float, Array]:
    """Minimise ‖XW + 1bᵀ − Y‖₂,₁ over W and b by reweighting; return the value and W."""
    A = np.column_stack([X, np.ones(len(X))])
    weight, value = np.ones(len(X)), np.inf
    for _ in range(max_iter):
        solution = lstsq(A * weight[:, None], Y * weight[:, None], check_finite=False)[0]
        size = row_norms(A @ solution - Y)
        value, previous = float(size.sum()), value
        if previous - value <= tol * value:
            break
        weight = 1 / np.sqrt(2 * size)
    return value, solution[:-1]


def _regulariser(X: Array) -> Callable[[Array], Array]:
    """Prepare B -> (XᵀX + I)⁻¹ B on the smaller side of X."""
    n, d = X.shape
    if d <= n:
        factor = cho_factor(X.T @ X + np.eye(d))
        return lambda B: cho_solve(factor, B, check_finite=False)
    factor = cho_factor(X @ X.T + np.eye(n))
    return lambda B: B - X.T @ cho_solve(factor, X @ B, check_finite=False)
