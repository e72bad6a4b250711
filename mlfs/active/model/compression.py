"""The projection that compresses labels, and the means of labels that are not observed."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve

from ...methods.labels import observed
from ...numerics.linalg import conjugate_gradient
from ...types import Array
from .posterior import SparsityPrior, infer_labels


def random_projection(k: int, n_labels: int, rng: np.random.Generator) -> Array:
    """Draw Φ of shape (k, n_labels) with entries N(0, 1/k); the identity if k = n_labels."""
    if k == n_labels:
        return np.eye(k)
    return rng.standard_normal((k, n_labels)) / np.sqrt(k)


def complete(
    Y: Array, Phi: Array, factor: tuple[Array, bool], v: Array, prior: SparsityPrior
) -> Array:
    """Fill the unobserved labels of labelled points with their posterior means.

    q(Y) factorises over points, so variances come from l-dimensional posteriors. The means of all
    points solve one system together, [diag(E[α]) + C⁻¹ ⊗ ΦᵀΦ] on the unobserved entries, by
    conjugate gradients.

    Parameters
    ----------
    Y : ndarray of shape (n, l)
        Labels, nan where unobserved.
    Phi : ndarray of shape (k, l)
        The random projection Φ.
    factor : tuple
        Cholesky factor of the covariance C of the points, from ``scipy.linalg.cho_factor``.
    v : ndarray of shape (n,)
        1 / (C⁻¹)ᵢᵢ, the variance of each point given the others.
    prior : SparsityPrior
        The prior of the precisions α.

    Returns
    -------
    ndarray of shape (n, l)
        Y without nan.
    """
    unknown = ~observed(Y)
    given, gram = np.nan_to_num(Y), Phi.T @ Phi

    def coupling(V: Array) -> Array:
        return unknown * (cho_solve(factor, V) @ gram)

    rhs = -coupling(given)
    alpha, mean = np.ones_like(given), np.zeros_like(given)
    once = SparsityPrior(prior.a0, prior.b0, prior.moment, max_iter=1)
    for _ in range(prior.max_iter):
        previous = mean
        scale = alpha + np.outer(1.0 / v, np.diag(gram))
        mean = conjugate_gradient(
            lambda V, alpha=alpha: alpha * V + coupling(V),  # type: ignore[misc]
            rhs,
            mean,
            max_iter=1000,
            precondition=lambda R, scale=scale: R / scale,  # type: ignore[misc]
        )
        spread = infer_labels(Phi, np.zeros((len(Y), len(Phi))), v, once, known=Y, precision=alpha)
        alpha = prior.precision(mean, spread.variance)
        if np.abs(mean - previous).max() <= prior.tol:
            break
    return given + mean
