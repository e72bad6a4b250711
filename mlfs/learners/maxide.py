"""MAXIDE: matrix completion with side information.

Xu, Jin and Zhou, NIPS 2013, with the features as side information of the instances.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import svd

from ..methods.classifier import MultiLabelClassifier
from ..methods.labels import signed
from ..methods.tags import Tags
from ..numerics.linalg import with_ones
from ..numerics.params import COUNT, NOT_NEGATIVE
from ..types import Array
from .proximal import accelerated_proximal, soft_threshold


class MAXIDE(MultiLabelClassifier):
    """Complete the label matrix by one of low rank in the column space of the features.

    It minimises ½‖R_Ω(AZ − Y)‖² + λ‖Z‖_* over the observed entries Ω, with labels coded ±1. The
    columns of A are the left singular vectors of X, and ‖·‖_* is the sum of singular values. It
    is solved by accelerated proximal gradient. As X = AΣVᵀ, a new instance x has the scores
    xᵀVΣ⁻¹Z, so the method is not restricted to the instances that it was fitted to.

    Parameters
    ----------
    lam : float, default=1.0
        λ, the weight of the sum of singular values of Z.
    max_iter : int, default=500
        Largest number of iterations.
    tol : float, default=1e-7
        Stop when the objective changes by less than this share of itself.
    fit_intercept : bool, default=True
        Append a column of ones to X.

    Attributes
    ----------
    W_ : ndarray of shape (d, l)
        The weights VΣ⁻¹Z.
    Z_ : ndarray of shape (r, l)
        The coefficients of the r singular vectors.
    objective_ : list of float
        The value at the start and after every iteration; it never rises.
    n_iter_ : int
        Number of iterations made.
    stopped_ : str
        Why the iteration ended: "tolerance" or "max_iter".

    Notes
    -----
    A fit costs O(n d² + n² d + n d l + d l²) time and O(n d + d² + n l + d l) memory.

    References
    ----------
    Xu, Jin and Zhou, "Speedup matrix completion with side information: application to multi-label
    learning", NIPS 2013.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import MAXIDE
    >>> Y[:20, 0] = np.nan  # unobserved labels
    >>> MAXIDE().fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Xu, Jin and Zhou, NIPS 2013",
        provenance="paper",
        handles_missing=True,
        search_space={"lam": [10.0**e for e in range(-3, 4)]},
        note="labels have no side information; intercept, scores of new rows and grid are ours",
    )
    usual_threshold = np.finfo(float).tiny  # labels are ±1, and a zero is not positive

    _parameter_constraints = {
        "lam": [NOT_NEGATIVE],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
        "fit_intercept": ["boolean"],
    }

    def __init__(
        self,
        lam: float = 1.0,
        max_iter: int = 500,
        tol: float = 1e-7,
        fit_intercept: bool = True,
    ):
        self.lam = lam
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept

    def _fit(self, X: Array, Y: Array) -> None:
        X = with_ones(X, self.fit_intercept)
        A, sizes, Vt = svd(X, full_matrices=False)
        # smaller singular values are rounding errors, and their vectors are noise
        rank = int(np.sum(sizes > max(X.shape) * np.finfo(float).eps * sizes[0]))
        A, back = A[:, :rank], Vt[:rank].T / sizes[:rank]
        Y, R = signed(Y)

        def smooth(Z: Array) -> tuple[float, Array]:
            error = R * (A @ Z) - Y
            return 0.5 * float(np.sum(error**2)), A.T @ error

        def proximal(Z: Array, step: Array | float) -> Array:
            if rank == 0:
                return Z
            left, values, right = np.linalg.svd(Z, full_matrices=False)
            return np.asarray((left * soft_threshold(values, self.lam * step)) @ right)

        def penalty(Z: Array) -> float:
            return self.lam * float(np.linalg.svd(Z, compute_uv=False).sum()) if rank else 0.0

        # A has orthonormal columns and R only leaves entries out: the curvature is at most 1
        self.Z_, self.objective_, self.stopped_ = accelerated_proximal(
            smooth,
            proximal,
            penalty,
            np.zeros((rank, Y.shape[1])),
            1.0,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.n_iter_ = len(self.objective_) - 1
        self.W_ = back @ self.Z_

    def _scores(self, X: Array) -> Array:
        return np.asarray(with_ones(X, self.fit_intercept) @ self.W_)
