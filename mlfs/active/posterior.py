"""Posterior of the labels of a point given its compressed labels (MIML paper, section 4.1).

The posterior over y has precision diag(E[α]) + ΦᵀΦ/v. With D = diag(E[α])⁻¹ the matrix inversion
lemma needs a k x k matrix only: M = v I + ΦDΦᵀ = LLᵀ and V = L⁻¹ΦD^½ give the mean D^½VᵀL⁻¹μ and
the covariance D^½(I - VᵀV)D^½.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsyrk, dtrsm, dtrsv
from scipy.linalg.lapack import dpotrf

from ..linalg import Array

PRECISION = (1e-10, 1e10)  # E[α] is kept inside


@dataclass(frozen=True)
class SparsityPrior:
    """The Gamma prior of the precisions α and how they are iterated.

    Parameters
    ----------
    a0, b0 : float
        Shape and rate.
    moment : {"second", "variance"}
        What stands for E[y²] in the update of α: variance plus squared mean, or the variance
        alone as the paper prints it.
    max_iter : int
    tol : float
        Stop when no mean moves by more than this.
    """

    a0: float = 1e-6
    b0: float = 1e-6
    moment: str = "second"
    max_iter: int = 5
    tol: float = 1e-3

    def precision(self, mean: Array, variance: Array) -> Array:
        """E[α] = a / b with a = a₀ + ½ and b = b₀ + ½E[y²]."""
        second = variance + mean**2 if self.moment == "second" else variance
        return np.clip((self.a0 + 0.5) / (self.b0 + 0.5 * second), *PRECISION)


@dataclass
class LabelPosterior:
    """Mean and variance of every label of every point, and the E[α] they belong to."""

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
) -> LabelPosterior:
    """Infer the labels of m points, each on its own, alternating q(y) and q(α).

    Parameters
    ----------
    Phi : ndarray of shape (k, l)
    mu : ndarray of shape (m, k)
        Predicted compressed labels.
    v : ndarray of shape (m,)
        Their variances.
    prior : SparsityPrior
    known : ndarray of shape (m, l), optional
        Labels already observed, nan elsewhere.
    precision : ndarray of shape (m, l), optional
        E[α] to start from, 1 by default.
    v_variance : float, optional
        What the variances use in place of v. BML-CS factorises q(y)q(z): its mean settles where
        the joint one does, v = σ² + χ², while its variance sees v = χ² alone.

    Returns
    -------
    LabelPosterior
        Arrays of shape (m, l).
    """
    Phi = np.asfortranarray(Phi)
    shape = (len(mu), Phi.shape[1])
    alpha = np.ones(shape) if precision is None else precision
    result = LabelPosterior(np.zeros(shape), np.zeros(shape), alpha.copy())
    for i in range(len(mu)):
        free: Array | slice = slice(None)
        residual = mu[i]
        if known is not None:
            free = np.isnan(known[i])
            given = np.nan_to_num(known[i])
            residual = residual - Phi @ given
            result.mean[i] = given
        found = _infer_point(Phi[:, free], residual, float(v[i]), prior, alpha[i, free], v_variance)
        result.mean[i, free], result.variance[i, free], result.precision[i, free] = found
    return result


def _infer_point(
    Phi: Array,
    mu: Array,
    v: float,
    prior: SparsityPrior,
    alpha: Array,
    v_variance: float | None,
) -> tuple[Array, Array, Array]:
    """Mean, variance and E[α] of the labels of one point."""
    mean = variance = np.zeros(Phi.shape[1])
    precision = alpha
    for _ in range(prior.max_iter):
        previous, precision = mean, alpha
        root = np.sqrt(1.0 / precision)
        mean, variance = _gaussian(Phi * root, mu, v, root)
        if v_variance is not None:
            _, variance = _gaussian(Phi * root, mu, v_variance, root)
        alpha = prior.precision(mean, variance)
        if np.abs(mean - previous).max(initial=0.0) <= prior.tol:
            break
    return mean, variance, precision


def _gaussian(A: Array, mu: Array, v: float, root: Array) -> tuple[Array, Array]:
    """Mean and variance for A = ΦD^½ and root = diag(D)^½."""
    M = dsyrk(1.0, A, lower=1)
    M.ravel(order="K")[:: len(M) + 1] += v
    L, _ = dpotrf(M, lower=1, overwrite_a=1)
    V = dtrsm(1.0, L, A, lower=1)
    mean = root * (dtrsv(L, mu, lower=1) @ V)
    return mean, root**2 * np.maximum(1.0 - np.einsum("ij,ij->j", V, V), 0.0)
