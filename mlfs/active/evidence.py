"""Hyper-parameters of the Gaussian part by evidence maximisation (MIML paper, section 6.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from ..linalg import squared_distances
from ..types import Array, Matrix
from .kernels import kernel_matrix

# Noise relative to the amplitude. The floor keeps the Cholesky factor of a pool with repeated
# rows accurate, the ceiling means that the features say nothing.
RATIO = (1e-4, 1e3)
WIDTHS = np.geomspace(0.01, 100, 17)  # γ times the median squared distance


@dataclass(frozen=True)
class Hyperparameters:
    """The covariance of each compressed label, amplitude · K(γ) + noise · I.

    Parameters
    ----------
    gamma : float
        Width of the rbf kernel; unused by the linear one.
    amplitude : float
        Prior variance of W, 1 in the paper.
    noise : float
        σ² + χ²: the Gaussian part knows only their sum.
    log_evidence : float
    """

    gamma: float
    amplitude: float
    noise: float
    log_evidence: float


def log_evidence(
    eigenvalues: Array, energy: Array, k: int, amplitude: float, noise: float
) -> float:
    """Log density of Z (n x k), whose columns are drawn from N(0, amplitude · K + noise · I).

    Parameters
    ----------
    eigenvalues : ndarray of shape (n,)
        Those of K.
    energy : ndarray of shape (n,)
        Squared row norms of UᵀZ with the eigenvectors U of K, which make each call O(n).
    k : int
    amplitude, noise : float
    """
    variance = amplitude * eigenvalues + noise
    return float(-0.5 * np.sum(k * np.log(2 * np.pi * variance) + energy / variance))


def maximise_evidence(
    X: Matrix, Z: Array, kernel: str, gamma: float | None, noise: float | None
) -> Hyperparameters:
    """Find the hyper-parameters under which the compressed labels Z are most likely.

    The amplitude is found with the noise, in closed form for each ratio of the two: the columns
    of Φ have norm 1, so sparse labels make Z far smaller than the 1 that K expects, and with
    the amplitude held at 1 the kernel would flatten to make up for it.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    Z : ndarray of shape (n, k)
    kernel : {"rbf", "linear"}
    gamma : float or None
        None searches ``WIDTHS``.
    noise : float or None
        When given it is kept and the amplitude is 1, the paper's model.
    """
    n = len(Z)
    if kernel == "linear":
        widths = np.ones(1)
    elif gamma is not None:
        widths = np.array([gamma])
    else:
        squared = squared_distances(X, X)[np.triu_indices(n, 1)]
        middle = float(np.median(squared)) if n > 1 else 0.0
        widths = WIDTHS / middle if middle > 0 else np.ones(1)
    if not Z.any():  # no label present: nothing to learn from, any scale explains it
        return Hyperparameters(float(widths[len(widths) // 2]), 1.0, noise or 1.0, np.nan)
    return max(
        (_at_width(X, Z, kernel, float(width), noise) for width in widths),
        key=lambda found: found.log_evidence,
    )


def _at_width(
    X: Matrix, Z: Array, kernel: str, gamma: float, noise: float | None
) -> Hyperparameters:
    """Best amplitude and noise for one kernel."""
    n, k = Z.shape
    eigenvalues, U = np.linalg.eigh(kernel_matrix(X, X, kernel, gamma))
    eigenvalues = np.maximum(eigenvalues, 0.0)
    energy = np.square(U.T @ Z).sum(axis=1)
    if noise is not None:
        return Hyperparameters(gamma, 1.0, noise, log_evidence(eigenvalues, energy, k, 1.0, noise))

    def amplitude(ratio: float) -> float:
        return float(np.sum(energy / (eigenvalues + ratio)) / (n * k))

    def loss(log_ratio: float) -> float:
        ratio = float(np.exp(log_ratio))
        s = amplitude(ratio)
        return -log_evidence(eigenvalues, energy, k, s, s * ratio)

    best = minimize_scalar(loss, bounds=tuple(np.log(RATIO)), method="bounded")
    ratio = float(np.exp(best.x))
    return Hyperparameters(gamma, amplitude(ratio), ratio * amplitude(ratio), -float(best.fun))
