"""Posterior of the labels of a point given its compressed labels (MIML paper, section 4.1).

The posterior over y has precision diag(E[α]) + ΦᵀΦ/v. With D = diag(E[α])⁻¹ the matrix inversion
lemma needs a k x k matrix only: M = v I + ΦDΦᵀ = LLᵀ and V = L⁻¹ΦD^½ give the mean D^½VᵀL⁻¹μ and
the covariance D^½(I - VᵀV)D^½. Where D = I, as at the start, the eigenvectors of ΦΦᵀ serve all
points at once.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.linalg.blas import dtrmm
from scipy.linalg.lapack import dtrtri
from threadpoolctl import threadpool_limits

from ...numerics.linalg import add_to_diagonal, blas_threads
from ...types import Array

PRECISION = (1e-10, 1e10)  # limits of E[α]
_WORTH_THREADS = 1e9  # multiplications for all points: with more, threads save time


@dataclass(frozen=True)
class SparsityPrior:
    """Hold the Gamma prior of the precisions α and how they are iterated.

    Parameters
    ----------
    a0, b0 : float
        Shape and rate.
    moment : {"second", "variance"}
        How E[y²] is computed in the update of α: variance plus squared mean, or only the variance,
        as the paper prints it.
    max_iter : int
        Largest number of updates.
    tol : float
        Stop when no mean changes by more than this.
    """

    a0: float = 1e-6
    b0: float = 1e-6
    moment: str = "second"
    max_iter: int = 5
    tol: float = 1e-3

    def precision(self, mean: Array, variance: Array) -> Array:
        """Compute E[α] = a / b with a = a₀ + ½ and b = b₀ + ½E[y²]."""
        second = variance + mean**2 if self.moment == "second" else variance
        return np.clip((self.a0 + 0.5) / (self.b0 + 0.5 * second), *PRECISION)


@dataclass
class LabelPosterior:
    """Hold mean and variance of every label of every point, and the E[α] they belong to."""

    mean: Array
    variance: Array
    precision: Array


def infer_labels(
    Phi: Array,
    mu: Array,
    v: Array,
    prior: SparsityPrior,
    *,
    known: Array | None = None,
    precision: Array | None = None,
    v_variance: float | None = None,
    variances: bool = True,
) -> LabelPosterior:
    """Infer the labels of m points, each on its own, alternating q(y) and q(α).

    Parameters
    ----------
    Phi : ndarray of shape (k, l)
        The random projection Φ.
    mu : ndarray of shape (m, k)
        Predicted compressed labels.
    v : ndarray of shape (m,)
        Their variances.
    prior : SparsityPrior
        The prior of the precisions.
    known : ndarray of shape (m, l), optional
        Labels already observed, nan elsewhere.
    precision : ndarray of shape (m, l), optional
        E[α] to start from, 1 by default.
    v_variance : float, optional
        Replaces v in the variances. BML-CS factorises q(y)q(z): its mean converges to that of the
        joint posterior, with v = σ² + χ², but its variance depends only on v = χ².
    variances : bool, default=True
        Whether the variances are wanted. If not, the last update saves them, which leaves nan.

    Returns
    -------
    LabelPosterior
        Arrays of shape (m, l).
    """
    shape = (len(mu), Phi.shape[1])
    free = np.ones(shape, dtype=bool) if known is None else np.isnan(known)
    given = np.zeros(shape) if known is None else np.nan_to_num(known)
    alpha = np.ones(shape) if precision is None else precision
    result = LabelPosterior(given.copy(), np.zeros(shape), alpha.copy())
    if len(Phi) == Phi.shape[1] and np.array_equal(Phi, np.eye(len(Phi))):
        _uncompressed(result, free, mu, v, prior, v_variance)
        return result
    residual = mu - given @ Phi.T
    spread = v if v_variance is None else np.full(len(v), v_variance)
    first = None
    if precision is None and free.all():
        first = _first(Phi, mu, v, spread)

    def infer(i: int) -> None:
        columns = Phi[:, free[i]]

        def gaussian(_: Array, D: Array, last: bool) -> tuple[Array, Array]:
            root = np.sqrt(D[0])
            A = columns * root
            if last and not variances:
                return _mean(A, residual[i], float(v[i]), root)[None], np.full_like(D, np.nan)
            mean, variance = _gaussian(A, residual[i], float(v[i]), root)
            if v_variance is not None:
                variance = _gaussian(A, residual[i], v_variance, root)[1]
            return mean[None], variance[None]

        start = None if first is None else (first[0][i : i + 1], first[1][i : i + 1])
        moments = _alternate(gaussian, result.precision[i, free[i]][None], prior, start)
        result.mean[i, free[i]], result.variance[i, free[i]], result.precision[i, free[i]] = (
            part[0] for part in moments
        )

    # matrices of one point are too small for BLAS threads: use threads for several points
    threads = blas_threads() if Phi.size * len(Phi) * len(mu) > _WORTH_THREADS else 1
    if threads == 1:
        for i in range(len(mu)):
            infer(i)
    else:
        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
            list(pool.map(infer, range(len(mu))))
    return result


def _uncompressed(
    result: LabelPosterior,
    free: Array,
    mu: Array,
    v: Array,
    prior: SparsityPrior,
    v_variance: float | None,
) -> None:
    """Infer with Φ = I: no label depends on another, so all points are computed at once."""
    v = v[:, None]

    def gaussian(rows: Array, D: Array, _: bool) -> tuple[Array, Array]:
        D = np.where(free[rows], D, 0.0)
        spread = v[rows] if v_variance is None else v_variance
        return D * mu[rows] / (v[rows] + D), D * spread / (spread + D)

    mean, variance, precision = _alternate(gaussian, result.precision, prior)
    result.mean = np.where(free, mean, result.mean)
    result.variance = variance
    result.precision = np.where(free, precision, result.precision)


def _alternate(
    gaussian: Callable[[Array, Array, bool], tuple[Array, Array]],
    alpha: Array,
    prior: SparsityPrior,
    first: tuple[Array, Array] | None = None,
) -> tuple[Array, Array, Array]:
    """Update q(y) and q(α) in turn, each row until its means converge.

    `gaussian` returns the means and variances of some rows, given their D and whether this update
    is the last one; `first` has those of all rows for the first update, if they are known.
    Returns means, variances, and the E[α] they belong to.
    """
    alpha = alpha.copy()
    mean, variance, precision = np.zeros_like(alpha), np.zeros_like(alpha), alpha.copy()
    going = np.arange(len(alpha))
    for turn in range(prior.max_iter):
        precision[going] = alpha[going]
        if turn == 0 and first is not None:
            new, variance[going] = first
        else:
            new, variance[going] = gaussian(going, 1.0 / alpha[going], turn == prior.max_iter - 1)
        moved = np.abs(new - mean[going]).max(axis=1, initial=0.0)
        mean[going] = new
        alpha[going] = prior.precision(new, variance[going])
        going = going[moved > prior.tol]
        if not len(going):
            break
    return mean, variance, precision


def _first(Phi: Array, mu: Array, v: Array, spread: Array) -> tuple[Array, Array]:
    """Compute means and variances of all points for D = I; variances have `spread` for v."""
    eigenvalues, U = np.linalg.eigh(Phi @ Phi.T)
    turned = U.T @ Phi
    mean = (mu @ U / (eigenvalues + v[:, None])) @ turned
    explained = (1 / (eigenvalues + spread[:, None])) @ turned**2
    return mean, np.maximum(1.0 - explained, 0.0)


def _gaussian(A: Array, mu: Array, v: float, root: Array) -> tuple[Array, Array]:
    """Compute mean and variance for A = ΦD^½ and root = diag(D)^½."""
    inverse = dtrtri(_factor(A, v))[0]
    V = dtrmm(1.0, inverse, A.T, side=1).T  # an inverse and a product: faster than a solution
    mean = root * (mu @ inverse @ V)
    return mean, root**2 * np.maximum(1.0 - np.einsum("ij,ij->j", V, V), 0.0)


def _mean(A: Array, mu: Array, v: float, root: Array) -> Array:
    """Compute the mean alone."""
    return np.asarray(root * (cho_solve((_factor(A, v), False), mu, check_finite=False) @ A))


def _factor(A: Array, v: float) -> Array:
    """Compute Lᵀ for M = vI + AAᵀ = LLᵀ."""
    M = add_to_diagonal(A @ A.T, v)
    return np.asarray(cholesky(M.T, overwrite_a=True, check_finite=False))
