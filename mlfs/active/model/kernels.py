"""The kernels of the Bayesian model, over dense or sparse rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...numerics.linalg import products, rbf_kernel, squared_norms
from ...types import Array, Matrix

KERNELS = ("rbf", "linear", "affine")


@dataclass(frozen=True)
class Kernel:
    """Compute exp(-γ‖a - b‖²) for "rbf", aᵀb for "linear", aᵀb + c for "affine".

    The affine kernel is linear regression with an intercept, whose prior variance is c times that
    of a weight.

    Parameters
    ----------
    name : {"rbf", "linear", "affine"}
        Name of the kernel.
    gamma : float
        γ; the other kernels do not use it.
    offset : float
        c; 0 for the linear kernel.
    """

    name: str
    gamma: float = 1.0
    offset: float = 0.0

    def matrix(self, A: Matrix, B: Matrix) -> Array:
        """Compute K between the rows of A and of B."""
        if self.name == "rbf":
            return rbf_kernel(A, B, self.gamma)
        return products(A, B) + self.offset

    def diagonal(self, A: Matrix) -> Array:
        """Compute the diagonal of ``matrix(A, A)``."""
        return np.ones(A.shape[0]) if self.name == "rbf" else squared_norms(A) + self.offset

    def size(self, A: Matrix) -> float:
        """Compute the mean of the diagonal without the offset, or 1 if it is 0."""
        return float(np.mean(self.diagonal(A) - self.offset)) or 1.0
