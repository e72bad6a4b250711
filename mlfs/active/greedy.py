"""Greedy choice by mutual information or entropy under a Gaussian (MIML paper, algorithm 1).

A pick x raises the mutual information between chosen and remaining variables by ½ log δ with
δ = var(x|A) / var(x|Ā), where A is the chosen set and Ā is all that is neither chosen nor x. Both
variances are diagonals of Schur complements that shrink with every pick: of C for the numerator,
and of P = C_ŪŪ⁻¹ for the denominator, where var(x|Ā) = 1/P_xx. So each pick adds one row to both
pivoted Cholesky factors, at a cost of O(N·|A|), after a single inversion of the pool's covariance.
"""

from __future__ import annotations

import heapq

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri

from ..types import Array

Columns = slice  # all candidates, or a single one

_DECIMALS = 9  # gains equal to so many decimals are ties: the lowest index wins


class SchurDiagonal:
    """Follow the diagonal of the Schur complement of a growing set of pivots in a covariance.

    Each column is updated only when it is needed, so a lazy search spends time only on the columns
    that it reads.

    Parameters
    ----------
    C : ndarray of shape (N, N)
        Symmetric positive definite.
    n_columns : int
        Columns 0..n_columns - 1 are updated; any index may be a pivot.
    n_pivots : int
        Largest number of pivots.
    start : ndarray of int
        The first pivots.
    """

    def __init__(self, C: Array, n_columns: int, n_pivots: int, start: Array):
        self._C = C
        self._diagonal = np.diag(C)[:n_columns].copy()
        self._columns = np.zeros((n_pivots, n_columns))
        self._seen = np.zeros(n_columns, dtype=np.intp)  # how many pivots each column includes
        self._pivots = np.empty(n_pivots, dtype=np.intp)
        self._R = np.zeros((n_pivots, n_pivots))  # C on the pivots is RᵀR
        self._count = len(start)
        self._pivots[: len(start)] = start
        if len(start):
            self._R[: len(start), : len(start)] = np.linalg.cholesky(C[np.ix_(start, start)]).T

    def values(self, columns: Columns) -> Array:
        """Return the diagonal at `columns`: a single one, or all if always read together."""
        s, t = int(self._seen[columns][0]), self._count
        if s < t:
            rhs = self._C[self._pivots[s:t], : len(self._diagonal)][:, columns]
            rhs = rhs - self._R[:s, s:t].T @ self._columns[:s, columns]
            rows = solve_triangular(self._R[s:t, s:t], rhs, trans="T", check_finite=False)
            self._columns[s:t, columns] = rows
            self._diagonal[columns] -= np.einsum("ij,ij->j", rows, rows)
            self._seen[columns] = t
        return self._diagonal[columns]

    def add(self, pivot: int) -> None:
        """Add a pivot, whose value must be up to date."""
        t = self._count
        self._R[:t, t] = self._columns[:t, pivot]
        self._R[t, t] = np.sqrt(self._diagonal[pivot])
        self._pivots[t] = pivot
        self._count += 1


class MutualInformation:
    """Compute log δ of each candidate, as candidates are chosen.

    Parameters
    ----------
    C : ndarray of shape (N, N)
        Covariance of the candidates, which come first, and of what is known already.
    n_candidates : int
        Number of candidates.
    n_picks : int
        Number of picks there will be at most.
    """

    def __init__(self, C: Array, n_candidates: int, n_picks: int):
        known = np.arange(n_candidates, len(C))
        self._given_chosen = SchurDiagonal(C, n_candidates, len(known) + n_picks, known)
        P = inverse(C[:n_candidates, :n_candidates])
        self._given_rest = SchurDiagonal(P, n_candidates, n_picks, known[:0])

    def gains(self, candidates: Columns) -> Array:
        """Compute log δ = log var(x|A) + log P_xx."""
        given_chosen = self._given_chosen.values(candidates)
        return _rounded_log(given_chosen * self._given_rest.values(candidates))

    def add(self, pick: int) -> None:
        """Choose `pick`."""
        self._given_chosen.add(pick)
        self._given_rest.add(pick)


class Entropy:
    """Compute log var(x|A) of each candidate, as candidates are chosen.

    Parameters
    ----------
    C : ndarray of shape (N, N)
        Covariance of the candidates, which come first, and of what is known already.
    n_candidates : int
        Number of candidates.
    n_picks : int
        Number of picks there will be at most.
    """

    def __init__(self, C: Array, n_candidates: int, n_picks: int):
        known = np.arange(n_candidates, len(C))
        self._given_chosen = SchurDiagonal(C, n_candidates, len(known) + n_picks, known)

    def gains(self, candidates: Columns) -> Array:
        """Compute the logarithms of the variances."""
        return _rounded_log(self._given_chosen.values(candidates))

    def add(self, pick: int) -> None:
        """Choose `pick`."""
        self._given_chosen.add(pick)


Criterion = MutualInformation | Entropy


def full_scan(criterion: Criterion, n_candidates: int, n_picks: int) -> tuple[Array, Array]:
    """Pick the best of all candidates each time; ties go to the lowest index."""
    chosen = np.zeros(n_candidates, dtype=bool)
    picks, gains = np.empty(n_picks, dtype=np.intp), np.empty(n_picks)
    for i in range(n_picks):
        every_gain = np.where(chosen, -np.inf, criterion.gains(slice(None)))
        picks[i] = best = int(np.argmax(every_gain))
        gains[i], chosen[best] = every_gain[best], True
        criterion.add(best)
    return picks, gains


def lazy_scan(criterion: Criterion, n_candidates: int, n_picks: int) -> tuple[Array, Array]:
    """Make the same picks from a heap of gains that may be out of date.

    Gains only fall while A grows (var(x|A) falls and var(x|Ā) rises). So a fresh gain at the top
    of the heap is better than every older one below it.
    """
    first = criterion.gains(slice(None))
    heap = [(-gain, x) for x, gain in enumerate(first.tolist())]
    heapq.heapify(heap)
    fresh = np.zeros(n_candidates, dtype=np.intp)
    picks, gains = np.empty(n_picks, dtype=np.intp), np.empty(n_picks)
    for i in range(n_picks):
        while fresh[heap[0][1]] < i:
            x = heap[0][1]
            heapq.heapreplace(heap, (-float(criterion.gains(slice(x, x + 1))[0]), x))
            fresh[x] = i
        negative, picks[i] = heapq.heappop(heap)
        gains[i] = -negative
        criterion.add(int(picks[i]))
    return picks, gains


def _rounded_log(variances: Array) -> Array:
    """Compute logarithms, rounded so that the gains of repeated points compare equal."""
    # variances of chosen points are 0 up to rounding, and they are not used
    return np.round(np.log(np.maximum(variances, np.finfo(float).tiny)), _DECIMALS)


def inverse(C: Array) -> Array:
    """Invert a symmetric positive definite matrix."""
    L, failed = dpotrf(C, lower=1)
    if failed:
        raise np.linalg.LinAlgError("the pool's covariance is singular: raise sigma2 or chi2")
    P, _ = dpotri(L, lower=1, overwrite_c=1)
    lower = np.tril(P, -1)
    return np.asarray(lower + lower.T + np.diag(np.diag(P)))
