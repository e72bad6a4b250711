"""The design matrix of a regression, with optional standardisation and intercept."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse
from sklearn.preprocessing import StandardScaler

from ..numerics.linalg import conjugate_gradient, squared_norms
from ..types import Array, Matrix


class Design:
    """Multiply the matrix [(X − 1μᵀ) diag(1/σ), 1] with others, without computing it.

    Centring would make a sparse X dense. For a sparse X it is therefore a correction of rank one:
    the columns of ``X`` are only divided by σ, and 1(μ/σ)ᵀ is subtracted from every product.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The features.
    standardize : bool, default=False
        Scale every feature to mean 0 and variance 1; a constant feature becomes 0.
    fit_intercept : bool, default=False
        Add a last column of ones.

    Attributes
    ----------
    X : array or sparse matrix of shape (n, d)
        The standardised features. A sparse X is not shifted here, but in the products; distances
        between its rows do not depend on the shift.
    squared : ndarray of shape (d,) or (d + 1,)
        Squared norms of the columns.
    """

    def __init__(self, X: Matrix, *, standardize: bool = False, fit_intercept: bool = False):
        self.fit_intercept = fit_intercept
        self._shift: Array | None = None
        if standardize:
            scaler = StandardScaler(with_mean=not issparse(X)).fit(X)
            X = scaler.transform(X)
        self.X = X
        if standardize and issparse(X):
            self._shift = scaler.mean_ / scaler.scale_
            self.squared = X.shape[0] * scaler.var_ / scaler.scale_**2
        else:
            self.squared = squared_norms(X.T)
        if fit_intercept:
            self.squared = np.append(self.squared, X.shape[0])

    def apply(self, W: Array) -> Array:
        """Multiply the matrix with W, whose last row is the intercept if there is one."""
        weights = W[:-1] if self.fit_intercept else W
        product = self.X @ weights
        if self._shift is not None:
            product -= self._shift @ weights
        if self.fit_intercept:
            product += W[-1]
        return np.asarray(product)

    def adjoint(self, V: Array) -> Array:
        """Multiply the transposed matrix with V."""
        product = self.X.T @ V
        total = V.sum(axis=0)
        if self._shift is not None:
            product -= np.outer(self._shift, total)
        return np.vstack([product, total]) if self.fit_intercept else np.asarray(product)


def regress(
    design: Design, V: Array, precision: Array, lam: float, start: Array, steps: int
) -> Array:
    """Solve GMFS's (17) for W by conjugate gradients from the last W, scaled by the diagonal."""
    free = len(design.squared) - len(precision)  # the row of an intercept, which has no prior
    precision = np.pad(precision, ((0, free), (0, 0)))
    diagonal = lam * design.squared[:, None] + precision
    return conjugate_gradient(
        lambda W: lam * design.adjoint(design.apply(W)) + precision * W,
        lam * design.adjoint(V),
        start,
        max_iter=steps,
        precondition=lambda R: R / diagonal,
    )
