"""The two kernels of the Bayesian model, over dense or sparse rows."""

from __future__ import annotations

import numpy as np

from ..linalg import products, rbf_kernel, squared_norms
from ..types import Array, Matrix

KERNELS = ("rbf", "linear")


def kernel_matrix(A: Matrix, B: Matrix, kernel: str, gamma: float) -> Array:
    """K between the rows of A and of B: exp(-γ‖a - b‖²), or aᵀb when `kernel` is "linear"."""
    if kernel == "rbf":
        return rbf_kernel(A, B, gamma)
    return products(A, B)


def kernel_diagonal(A: Matrix, kernel: str) -> Array:
    """The diagonal of ``kernel_matrix(A, A, ...)``."""
    return np.ones(A.shape[0]) if kernel == "rbf" else squared_norms(A)
