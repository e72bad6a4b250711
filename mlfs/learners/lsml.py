"""LSML: learning label-specific features for multi-label classification with missing labels.

Huang, Qin, Zheng, Cheng, Yuan, Zhang and Huang, Information Sciences 2019.
"""

from __future__ import annotations

import numpy as np

from ..methods.classifier import MultiLabelClassifier
from ..methods.tags import Tags
from ..methods.thresholds import TUNED
from ..numerics.linalg import gram, ridge_solution, unit_rows, with_ones
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE
from ..numerics.sklearn_private import StrOptions
from ..types import Array
from .proximal import accelerated_proximal, soft_threshold

_GRID = [10.0**e for e in range(-5, 4)]


class LSML(MultiLabelClassifier):
    """Learn sparse weights for labels that label correlations have completed.

    It minimises ½‖XW − YC‖² + (λ1/2)‖YC − Y‖² + λ2‖W‖₁ + λ3‖C‖₁ + λ4 tr(W L Wᵀ) over the weights W
    and the correlations C ≥ 0, with L = diag(C1) − C, for rows of X of unit length; an unobserved
    label is 0 in Y. W and C are updated together by accelerated proximal gradient.

    Parameters
    ----------
    lam1 : float, default=100.0
        λ1, the weight of the distance between YC and Y.
    lam2, lam3 : float, default=1e-5, 1e-3
        λ2 and λ3, the weights of the sparsity of W and of C.
    lam4 : float, default=1e-5
        λ4: with a larger value, correlated labels get more similar weights. With 0 the problem is
        convex. With a large value it may have no minimum: then ``stopped_`` is "unbounded".
    rho : float, default=1.0
        Ridge of the regression that the iteration starts from.
    max_iter : int, default=30
        Largest number of iterations.
    tol : float, default=1e-2
        Stop when the objective changes by less than this share of itself. This and `max_iter` are
        the authors' values: with them the iteration stops far from the minimum, and the minimum
        overfits. To reach it, use ``max_iter=10000, tol=1e-8``.
    fit_intercept : bool, default=True
        Append a column of ones to X.
    threshold : {"fixed", "observed_errors", "errors", "accuracy"}, default="fixed"
        Where a label is predicted: "fixed" is .5. The other rules of
        ``mlfs.methods.thresholds`` look for one threshold on the training part: the fewest
        wrong labels among the observed ones, the fewest where an unobserved label counts as 0, or
        the best example-based accuracy. Unobserved labels count as 0 in the fit: if they are many,
        no score reaches .5.

    Attributes
    ----------
    W_, C_ : ndarrays of shape (d, l), (l, l)
        The weights and the label correlations.
    objective_ : list of float
        The value at the start and after every iteration; it never rises.
    n_iter_ : int
        Number of iterations made.
    stopped_ : str
        Why the iteration ended: "tolerance", "max_iter" or "unbounded".

    Notes
    -----
    The release looks for its threshold on the training part, with 51 points from 0 to the largest
    score. The printed Hamming losses of RMFL's paper, with and without missing labels, are those of
    ``threshold="errors"``.

    A fit costs O(n d² + d³ + n d l + d² l + n l² + d l² + l³) time and
    O(n d + d² + n l + d l + l²) memory.

    References
    ----------
    Huang, Qin, Zheng, Cheng, Yuan, Zhang and Huang, "Improving multi-label classification with
    missing labels by learning label-specific features", Information Sciences 492, 2019,
    https://doi.org/10.1016/j.ins.2019.04.021

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import LSML
    >>> Y[:20, 0] = np.nan  # unobserved labels
    >>> LSML(threshold="observed_errors").fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Huang et al., Information Sciences 492, 2019",
        provenance="author code",
        handles_missing=True,
        search_space={"lam1": _GRID, "lam2": _GRID, "lam3": _GRID, "lam4": _GRID},
        note="the gradient for C includes the term from L, which the authors' code leaves out",
    )

    _parameter_constraints = {
        "lam1": [NOT_NEGATIVE],
        "lam2": [NOT_NEGATIVE],
        "lam3": [NOT_NEGATIVE],
        "lam4": [NOT_NEGATIVE],
        "rho": [POSITIVE],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
        "fit_intercept": ["boolean"],
        "threshold": [StrOptions({"fixed", *TUNED})],
    }
    version = 2  # stops as the authors do

    def __init__(
        self,
        lam1: float = 100.0,
        lam2: float = 1e-5,
        lam3: float = 1e-3,
        lam4: float = 1e-5,
        rho: float = 1.0,
        max_iter: int = 30,
        tol: float = 1e-2,
        fit_intercept: bool = True,
        threshold: str = "fixed",
    ):
        self.lam1 = lam1
        self.lam2 = lam2
        self.lam3 = lam3
        self.lam4 = lam4
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.threshold = threshold

    def _fit(self, X: Array, Y: Array) -> None:
        X, Y = self._prepare(X), np.nan_to_num(Y)
        smooth = LSMLSmooth(X, Y, self.lam1, self.lam4)
        d, labels = X.shape[1], Y.shape[1]
        sparsity = np.repeat([self.lam2, self.lam3], [d, labels])[:, None]

        def proximal(stacked: Array, step: Array | float) -> Array:
            shrunk = soft_threshold(stacked, sparsity * step)
            np.maximum(shrunk[d:], 0.0, out=shrunk[d:])
            return shrunk

        stacked, self.objective_, self.stopped_ = accelerated_proximal(
            smooth,
            proximal,
            lambda stacked: float(np.sum(sparsity * np.abs(stacked))),
            np.vstack([ridge_solution(X, Y, self.rho), np.zeros((labels, labels))]),
            smooth.curvature,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.n_iter_ = len(self.objective_) - 1
        self.W_, self.C_ = stacked[:d], stacked[d:]

    def _scores(self, X: Array) -> Array:
        return self._prepare(X) @ self.W_

    def _prepare(self, X: Array) -> Array:
        return with_ones(unit_rows(X), self.fit_intercept)


class LSMLSmooth:
    """Compute value and gradient of the smooth terms, for W stacked on C."""

    def __init__(self, X: Array, Y: Array, lam1: float, lam4: float):
        self.lam1, self.lam4 = lam1, lam4
        self.XX, self.XY, self.YY = gram(X), X.T @ Y, gram(Y)
        self.constant = 0.5 * lam1 * float(np.sum(Y**2))
        # a positive semidefinite Hessian is at most twice its diagonal blocks, so W and C may have
        # steps of different lengths
        blocks = [np.linalg.norm(self.XX, 2), (1.0 + lam1) * np.linalg.norm(self.YY, 2)]
        floor = np.finfo(float).tiny ** 0.5
        self.curvature = np.repeat(2.0 * np.maximum(blocks, floor), self.XY.shape)[:, None]

    def __call__(self, stacked: Array) -> tuple[float, Array]:
        """Return the value and the gradient at W stacked on C."""
        d = len(self.XX)
        W, C = stacked[:d], stacked[d:]
        L = np.diag(C.sum(axis=1)) - C
        WW, YYC, XYC = W.T @ W, self.YY @ C, self.XY @ C
        value = (
            0.5 * float(np.vdot(W, self.XX @ W))
            - float(np.vdot(W, XYC))
            + 0.5 * (1.0 + self.lam1) * float(np.vdot(C, YYC))
            - self.lam1 * float(np.vdot(C, self.YY))
            + self.constant
            + self.lam4 * float(np.vdot(WW, L))
        )
        by_W = self.XX @ W - XYC + self.lam4 * W @ (L + L.T)
        by_C = (1.0 + self.lam1) * YYC - self.XY.T @ W - self.lam1 * self.YY
        by_C += self.lam4 * (np.diag(WW)[:, None] - WW)  # tr(WLWᵀ) = Σ_ij C_ij (WW_ii − WW_ij)
        return value, np.vstack([by_W, by_C])
