"""L20ALM: exact top-k feature selection via l2,0-norm constraint.

Cai, Nie and Huang, IJCAI 2013.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.utils import check_random_state

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.linalg import add_to_diagonal, row_norms
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE, Seed
from ..numerics.sklearn_private import Interval
from ..types import Array, Matrix
from .refit import principal_axes, refit

COLUMNS = 64  # of all runs that are computed together: fast products, little memory

Run = tuple[int, Array, Array]  # k, and the starts of V and E


class Solution(NamedTuple):
    """Hold a set of features with its objective, W, and the order of all features."""

    value: float
    coef: Array
    ranking: Array


class L20ALM(Ranker):
    """Pick exactly k features by a robust regression in which k rows of W are not zero.

    It minimises ‖XW + 1bᵀ − Y‖₂,₁ subject to k non-zero rows of W, by an augmented Lagrangian
    that splits W = V (k rows) and E = XW + 1bᵀ − Y. The problem is not convex and the solution
    depends on the start. So there are several starts, W is fitted again on every set that is found,
    and the set with the lowest objective is chosen. Sets for different k are not nested: after the
    first k features, the order is only that of the last W. ``subsets`` solves the problem for every
    size unless k is given.

    Parameters
    ----------
    n_features : int or None, default=None
        k, the number of features in the constraint (all of them if there are fewer). None means
        as many as are selected: `n_features_to_select`, or each of the sizes of ``subsets``.
    mu : float, default=0.1
        First penalty of the augmented Lagrangian.
    rho : float, default=1.01
        Factor by which the penalty grows in each iteration; if it grows fast, the set stays near
        its random start.
    n_restarts : int, default=3
        Number of starts.
    max_iter : int, default=2000
        Largest number of iterations of a start.
    tol : float, default=1e-6
        Stop when W − V and the residual split are this small, relative to W and the residual.
    random_state : int, RandomState or None, default=None
        Decides the starts.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        The chosen k features by the row norms of ``coef_``, then the others.
    coef_ : ndarray of shape (n_features, rank of the centred targets)
        W in the coordinates of the targets' principal axes, zero outside the chosen set.
    objectives_ : list of float
        Objective of the best set of each start; the set with the lowest one is chosen.
    n_iter_ : int
        Number of iterations of the longest run.

    Notes
    -----
    A fit costs O(n d min(n, d) + n d l) time and O(n d + n l + d l) memory.

    References
    ----------
    Cai, Nie and Huang, "Exact top-k feature selection via l2,0-norm constraint", IJCAI 2013.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import L20ALM
    >>> selector = L20ALM(n_features=2, random_state=0).fit(X, Y)
    >>> sorted(selector.ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Cai, Nie and Huang, IJCAI 2013",
        provenance="author code",
        real_targets=True,
        search_space={"mu": [1e-2, 1e-1, 1.0, 1e1, 1e2]},
        note="one run per k, best of several starts; sets are not nested",
    )
    version = 3
    n_iter_: int

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "n_features": [COUNT, None],
        "mu": [POSITIVE],
        "rho": [Interval(Real, 1, None, closed="left")],
        "n_restarts": [COUNT],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_features: int | None = None,
        mu: float = 0.1,
        rho: float = 1.01,
        n_restarts: int = 3,
        max_iter: int = 2000,
        tol: float = 1e-6,
        random_state: Seed = None,
        n_features_to_select: int | float | None = None,
    ):
        self.n_features = n_features
        self.mu = mu
        self.rho = rho
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def subsets(self, X: Matrix, Y: Array | None, sizes: Sequence[int]) -> list[Array]:
        """Choose a set for every size; if `n_features` is given, the first features of one ranking.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_instances, n_features)
            The features.
        Y : array of shape (n_instances, n_labels)
            The labels or attributes.
        sizes : sequence of int
            Numbers of features to keep.

        Returns
        -------
        list of ndarray
            Indices of the features, one array for each size.
        """
        if self.n_features is not None:
            return super().subsets(X, Y, sizes)
        runs = self._search(*self._check_inputs(X, Y), sizes)
        return [best(solutions).ranking[:size] for solutions, size in zip(runs, sizes)]

    def _rank(self, X: Matrix, Y: Array) -> Array:
        k = self._n_to_select() if self.n_features is None else self.n_features
        (solutions,) = self._search(X, Y, [k])
        self.objectives_ = [solution.value for solution in solutions]
        self.coef_ = best(solutions).coef
        return best(solutions).ranking

    def _search(self, X: Matrix, Y: Array, sizes: Sequence[int]) -> list[list[Solution]]:
        """Find the solutions from every start, for each size."""
        rng = check_random_state(self.random_state)
        X = X - X.mean(axis=0)
        Y = principal_axes(Y)
        (n, d), m = X.shape, Y.shape[1]
        starts = [
            (rng.uniform(size=(d, m)), rng.uniform(size=(n, m))) for _ in range(self.n_restarts)
        ]
        runs = [(k, V, E) for k in sizes for V, E in starts]
        solutions = [
            _solution(X, Y, k, W, V) for (k, _, _), (W, V) in zip(runs, self._ends(X, Y, runs))
        ]
        return [solutions[i : i + len(starts)] for i in range(0, len(solutions), len(starts))]

    def _ends(self, X: Array, Y: Array, runs: list[Run]) -> Iterator[tuple[Array, Array]]:
        """Yield the last W and V of each run; several runs are computed together."""
        solve, together, longest = _regulariser(X), max(1, COLUMNS // Y.shape[1]), 0
        for first in range(0, len(runs), together):
            ends = self._multipliers(X, Y, runs[first : first + together], solve)
            longest = self.n_iter_ = max(longest, self.n_iter_)
            yield from ends

    def _multipliers(
        self, X: Array, Y: Array, runs: list[Run], solve: Callable[[Array], Array]
    ) -> list[tuple[Array, Array]]:
        """Run the augmented Lagrangian from every start; return the last W and V of each run.

        All runs share X, so they are computed together: arrays are (rows, runs, targets). The
        multipliers are stored divided by μ. A product with few columns A is faster as (AᵀXᵀ)ᵀ than
        as XA.
        """
        k = np.array([size for size, _, _ in runs])
        V, E = (np.stack([run[i] for run in runs], axis=1) for i in (1, 2))
        Y, mu = Y[:, None], self.mu
        Lam, Sig = np.zeros_like(V), np.zeros_like(E)
        ends, going = [(V[:, i], V[:, i]) for i in range(len(runs))], np.arange(len(runs))
        for step in range(self.max_iter):
            T = E - Sig
            T += Y
            W = _columns(solve, V - Lam + _columns(lambda A: (A.T @ X).T, T))
            shifted = W + Lam
            V = np.where(_largest(shifted, k)[:, :, None], shifted, 0)
            residual = _columns(lambda A: (A.T @ X.T).T, W)
            residual += T.mean(axis=0) - Y  # the mean is b
            R = residual + Sig
            norms = np.sqrt(np.einsum("nrm,nrm->nr", R, R) + np.finfo(float).eps)
            E = np.maximum(1 - 1 / (mu * norms), 0)[:, :, None] * R
            grown = min(1e10, self.rho * mu)
            Lam = (shifted - V) * (mu / grown)
            Sig = (R - E) * (mu / grown)
            mu = grown
            gap = _norm(W - V) + _norm(residual - E)
            done = gap <= self.tol * (_norm(W) + _norm(residual))
            if step == self.max_iter - 1:
                done[:] = True
            for i in np.flatnonzero(done):
                ends[going[i]] = W[:, i], V[:, i]
            if done.all():
                break
            if done.any():
                going, k = going[~done], k[~done]
                V, E, Lam, Sig = (A[:, ~done] for A in (V, E, Lam, Sig))
        self.n_iter_ = step + 1
        return ends


def best(solutions: list[Solution]) -> Solution:
    """Return the solution with the lowest objective."""
    return min(solutions, key=lambda solution: solution.value)


def _solution(X: Array, Y: Array, k: int, W: Array, V: Array) -> Solution:
    """Fit W again on the set that a run ended with."""
    # the kept rows and the largest rows of W agree only at convergence: try both sets
    candidates = {tuple(np.sort(np.argsort(-row_norms(A), kind="stable")[:k])) for A in (V, W)}
    fits = [(*refit(X[:, chosen], Y), np.array(chosen)) for chosen in sorted(candidates)]
    value, rows, chosen = min(fits, key=lambda fit: fit[0])
    coef = np.zeros_like(W)
    coef[chosen] = rows
    inside = chosen[np.argsort(-row_norms(rows), kind="stable")]
    outside = np.setdiff1d(np.arange(len(W)), chosen)
    rest = outside[np.argsort(-row_norms(W[outside]), kind="stable")]
    return Solution(value, coef, np.concatenate([inside, rest]))


def _columns(product: Callable[[Array], Array], A: Array) -> Array:
    """Apply a product with a matrix to all runs at once."""
    result = product(A.reshape(len(A), -1))
    return result.reshape(len(result), *A.shape[1:])


def _norm(A: Array) -> Array:
    """Compute the Frobenius norm of every run's part of A."""
    return np.sqrt(np.einsum("nrm,nrm->r", A, A))


def _largest(A: Array, k: Array) -> Array:
    """Mark the k rows of largest norm in every run."""
    order = np.argsort(-np.einsum("nrm,nrm->nr", A, A), axis=0, kind="stable")
    marks = np.zeros(order.shape, dtype=bool)
    np.put_along_axis(marks, order, np.arange(len(order))[:, None] < k, axis=0)
    return marks


def _regulariser(X: Array) -> Callable[[Array], Array]:
    """Prepare B -> (XᵀX + I)⁻¹ B on the smaller side of X."""
    n, d = X.shape
    if d <= n:
        factor = cho_factor(add_to_diagonal(X.T @ X, 1.0))
        return lambda B: cho_solve(factor, B, check_finite=False)
    factor = cho_factor(add_to_diagonal(X @ X.T, 1.0))
    return lambda B: B - X.T @ cho_solve(factor, X @ B, check_finite=False)
