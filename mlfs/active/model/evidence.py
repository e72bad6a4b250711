"""Learn the hyper-parameters of the Gaussian part from the evidence (MIML paper, section 6.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from ...numerics.linalg import squared_distances
from ...types import Array, Matrix
from .kernels import Kernel

# Noise relative to the amplitude times the size of the kernel. The lower limit keeps the Cholesky
# factor of a pool with repeated rows accurate. At the upper limit the features have no effect.
RATIO = (1e-4, 1e3)
WIDTHS = np.geomspace(0.01, 100, 17)  # γ times the median squared distance
OFFSETS = np.geomspace(0.01, 100, 9)  # c over the mean squared norm of a row


@dataclass(frozen=True)
class Hyperparameters:
    """Hold the covariance of each compressed label, amplitude · K + noise · I.

    Parameters
    ----------
    kernel : Kernel
        K, with its width or offset found.
    amplitude : float
        Prior variance of W, 1 in the paper.
    noise : float
        σ² + χ²: the Gaussian part knows only their sum.
    log_evidence : float
        Log density of the compressed labels under these values.
    """

    kernel: Kernel
    amplitude: float
    noise: float
    log_evidence: float


def log_evidence(
    eigenvalues: Array, energy: Array, k: int, amplitude: float, noise: float
) -> float:
    """Compute the log density of Z, whose columns are drawn from N(0, amplitude · K + noise · I).

    Parameters
    ----------
    eigenvalues : ndarray of shape (n,)
        Eigenvalues of K.
    energy : ndarray of shape (n,)
        Squared row norms of UᵀZ with the eigenvectors U of K, which make each call O(n).
    k : int
        Number of columns of Z.
    amplitude, noise : float
        The hyper-parameters.

    Returns
    -------
    float
        The log density.
    """
    variance = amplitude * eigenvalues + noise
    return float(-0.5 * np.sum(k * np.log(2 * np.pi * variance) + energy / variance))


def maximise_evidence(
    X: Matrix, Z: Array, kernel: str, gamma: float | None, noise: float | None
) -> Hyperparameters:
    """Find the hyper-parameters under which the compressed labels Z are most likely.

    The amplitude is found together with the noise, in closed form for each ratio of the two. The
    columns of Φ have norm 1, so sparse labels make Z much smaller than the 1 that K expects. With
    an amplitude of 1, the kernel would become flat to compensate.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The features.
    Z : ndarray of shape (n, k)
        The compressed labels.
    kernel : {"rbf", "linear", "affine"}
        Name of the kernel.
    gamma : float or None
        Width of the rbf kernel; None searches ``WIDTHS``.
    noise : float or None
        If given, it is fixed and the amplitude is 1, as in the paper.

    Returns
    -------
    Hyperparameters
        The most likely ones.
    """
    kernels = _candidates(X, kernel, gamma)
    if not Z.any():  # no label is present: any scale explains this equally well
        return Hyperparameters(kernels[len(kernels) // 2], 1.0, noise or 1.0, np.nan)
    return max(
        (_with_kernel(X, Z, one, noise) for one in kernels), key=lambda fitted: fitted.log_evidence
    )


def _candidates(X: Matrix, name: str, gamma: float | None) -> list[Kernel]:
    """List the kernels of one name to choose from, in steps that depend on the scale of X."""
    if name == "linear":
        return [Kernel(name)]
    if name == "affine":
        return [Kernel(name, offset=float(c)) for c in OFFSETS * Kernel("linear").size(X)]
    if gamma is not None:
        return [Kernel(name, gamma)]
    n = X.shape[0]
    middle = float(np.median(squared_distances(X, X)[np.triu_indices(n, 1)])) if n > 1 else 0.0
    widths = WIDTHS / middle if middle > 0 else np.ones(1)
    return [Kernel(name, float(width)) for width in widths]


def _with_kernel(X: Matrix, Z: Array, kernel: Kernel, noise: float | None) -> Hyperparameters:
    """Find the best amplitude and noise for one kernel."""
    n, k = Z.shape
    eigenvalues, U = np.linalg.eigh(kernel.matrix(X, X))
    eigenvalues = np.maximum(eigenvalues, 0.0)
    energy = np.square(U.T @ Z).sum(axis=1)
    if noise is not None:
        evidence = log_evidence(eigenvalues, energy, k, 1.0, noise)
        return Hyperparameters(kernel, 1.0, noise, evidence)

    def amplitude(ratio: float) -> float:
        return float(np.sum(energy / (eigenvalues + ratio)) / (n * k))

    def loss(log_ratio: float) -> float:
        ratio = float(np.exp(log_ratio))
        s = amplitude(ratio)
        return -log_evidence(eigenvalues, energy, k, s, s * ratio)

    bounds = np.log(np.array(RATIO) * kernel.size(X))
    best = minimize_scalar(loss, bounds=tuple(bounds), method="bounded")
    ratio = float(np.exp(best.x))
    return Hyperparameters(kernel, amplitude(ratio), ratio * amplitude(ratio), -float(best.fun))
