"""ML2: multi-label manifold learning.

Hou, Geng and Zhang, AAAI 2016; its regression follows Sánchez-Fernández et al., IEEE TSP 2004.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..methods.classifier import MultiLabelClassifier
from ..methods.labels import signed
from ..methods.tags import Tags
from ..numerics.graphs import lle_weights
from ..numerics.linalg import mean_distance, rbf_kernel, squared_norms
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE
from ..types import Array, Matrix
from .proximal import accelerated_proximal
from .reweighting import Systems

_EXACT = 1e-11  # of a system: signs turn at f = 0, so small errors lead to other iterates


class Fit(NamedTuple):
    """Hold the functions f = Kβ + b on the training part."""

    beta: Array
    Kbeta: Array
    b: Array

    @property
    def f(self) -> Array:
        """The values Kβ + b."""
        return self.Kbeta + self.b


class ML2(MultiLabelClassifier):
    """Turn labels into real numbers that vary smoothly with the features, then regress on them.

    Stage 1 finds for each label min ‖μ − Sμ‖² subject to y_i μ_i ≥ λ, where S rebuilds each
    instance from its neighbours. Stage 2 fits kernel functions f by iterated reweighted least
    squares: ½ Σ_k ‖θ_k‖² + C1 Σ_i max(0, ‖μ_i − f(x_i)‖ − ε)² + C2 Σ_ik max(0, −y_ik f_k(x_i)).

    Parameters
    ----------
    C1, C2 : float, default=1.0, 10.0
        Weights of the regression and of the agreement in sign; C1 must be positive, or nothing is
        regressed.
    lam : float, default=1.0
        λ, the least size of a numerical label.
    eps : float, default=0.1
        ε; errors of an instance up to this length cost nothing.
    n_neighbors : int, default=10
        Neighbours from which an instance is rebuilt.
    max_iter : int, default=2000
        Largest number of iterations of stage 1; stage 2 takes at most 50.
    tol : float, default=1e-8
        Stop either stage when its objective changes by less than this share of itself.

    Attributes
    ----------
    mu_ : ndarray of shape (n, l)
        Numerical labels of the training set.
    manifold_objective_, objective_ : lists of float
        Objectives of stage 1 and of stage 2; neither ever rises.
    n_iter_ : int
        Number of iterations of stage 1.

    Notes
    -----
    A fit costs O(n³ + n² d + n² l) time and O(n² + n l) memory.

    References
    ----------
    Hou, Geng and Zhang, "Multi-label manifold learning", AAAI 2016. The regression follows
    Sánchez-Fernández et al., IEEE Transactions on Signal Processing, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import ML2
    >>> ML2().fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Hou, Geng and Zhang, AAAI 2016",
        provenance="reconstructed",
        search_space={
            "C1": [float(c) for c in range(1, 11)],
            "C2": [float(c) for c in range(1, 11)],
        },
        note="lam, eps and the kernel width are not checked against its paper; K is RMFL's 10",
    )
    usual_threshold = np.finfo(float).tiny  # labels are ±1, and a zero is not positive

    _parameter_constraints = {
        "C1": [POSITIVE],
        "C2": [NOT_NEGATIVE],
        "lam": [NOT_NEGATIVE],
        "eps": [NOT_NEGATIVE],
        "n_neighbors": [COUNT],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
    }
    version = 3  # systems were less exact, on yeast with another path of signs; tol was 1e-6

    def __init__(
        self,
        C1: float = 1.0,
        C2: float = 10.0,
        lam: float = 1.0,
        eps: float = 0.1,
        n_neighbors: int = 10,
        max_iter: int = 2000,
        tol: float = 1e-8,
    ):
        self.C1 = C1
        self.C2 = C2
        self.lam = lam
        self.eps = eps
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, X: Array, Y: Array) -> None:
        Y, _ = signed(Y)
        self.mu_, self.manifold_objective_, _ = numerical_labels(
            lle_weights(X, self.n_neighbors), Y, self.lam, max_iter=self.max_iter, tol=self.tol
        )
        self.n_iter_ = len(self.manifold_objective_) - 1
        self.X_fit_ = X
        self.width_ = mean_distance(X) or 1.0
        self._regress(rbf_kernel(X, X, 0.5 / self.width_**2), Y)

    def _scores(self, X: Array) -> Array:
        K = rbf_kernel(X, self.X_fit_, 0.5 / self.width_**2)
        return K @ self.dual_ + self.intercept_

    def _regress(self, K: Array, Y: Array) -> None:
        """Run stage 2: move towards the reweighted solution, by as much as lowers the objective."""
        now = Fit(np.zeros_like(Y), np.zeros_like(Y), np.zeros(Y.shape[1]))
        self.objective_ = [self._loss(Y, now.f)]
        systems, longest = Systems(K, Y.shape[1]), 1.0
        for _ in range(50):
            while True:
                # an error of the target counts no more than the step towards it is long
                target = self._reweighted(systems, Y, now.f, _EXACT / longest)
                step, moved, value = self._search(Y, now, target)
                if step <= longest:
                    break
                longest = step
            if step == 0.0:
                break
            now, longest = moved, step
            self.objective_.append(value)
            if self.objective_[-2] - value <= self.tol * self.objective_[-2]:
                break
        self.dual_, self.intercept_ = now.beta, now.b

    def _search(self, Y: Array, now: Fit, target: Fit) -> tuple[float, Fit, float]:
        """Halve the step until the objective does not rise; return step, fit and value."""
        way = Fit(*(new - old for old, new in zip(now, target)))
        f, way_f = now.f, way.f
        size = [0.5 * float(np.vdot(now.beta, now.Kbeta)), float(np.vdot(way.beta, now.Kbeta))]
        size.append(0.5 * float(np.vdot(way.beta, way.Kbeta)))
        step = 1.0
        while step > 1e-10:
            value = size[0] + step * (size[1] + step * size[2]) + self._loss(Y, f + step * way_f)
            if value <= self.objective_[-1]:
                return step, Fit(*(old + step * part for old, part in zip(now, way))), value
            step /= 2
        return 0.0, now, self.objective_[-1]

    def _loss(self, Y: Array, f: Array) -> float:
        """Compute the objective without the size of the functions."""
        beyond = np.maximum(np.sqrt(squared_norms(self.mu_ - f)) - self.eps, 0.0)
        wrong = np.minimum(Y * f, 0.0)
        return self.C1 * float(np.sum(beyond**2)) - self.C2 * float(wrong.sum())

    def _reweighted(self, systems: Systems, Y: Array, f: Array, tol: float) -> Fit:
        """Minimise with the weights a_i, and the slopes P of the sign term, taken as at f.

        The conditions are β = D(μ − Kβ − 1b) + P and 1ᵀβ = 0 with D = diag(a).
        """
        error = np.sqrt(squared_norms(self.mu_ - f))
        safe = np.maximum(error, np.finfo(float).tiny)
        weights = 2.0 * self.C1 * np.maximum(error - self.eps, 0.0) / safe
        P = self.C2 * Y * (Y * f < 0)
        beta, Kbeta, one, Kone = systems.solve(weights, self.mu_, P, tol)
        total = float(one.sum())
        b = beta.sum(axis=0) / total if total > 0 else np.zeros(Y.shape[1])
        return Fit(beta - np.outer(one, b), Kbeta - np.outer(Kone, b), b)


def numerical_labels(
    S: Matrix, Y: Array, lam: float, *, max_iter: int, tol: float
) -> tuple[Array, list[float], str]:
    """Run stage 1 for all labels at once: min ‖μ − Sμ‖² subject to Yμ ≥ λ, Y in {−1, 1}.

    The values of the objective and the reason for stopping are returned, too.
    """
    B = (sp.eye_array(len(Y)) - S).tocsr()
    Bt = B.T.tocsr()

    def smooth(mu: Array) -> tuple[float, Array]:
        rest = B @ mu
        return float(np.sum(rest**2)), 2.0 * (Bt @ rest)

    return accelerated_proximal(
        smooth,
        lambda mu, step: Y * np.maximum(Y * mu, lam),
        lambda mu: 0.0,
        lam * Y,
        2.0 * float(squared_norms(Bt).max()),
        max_iter=max_iter,
        tol=tol,
    )
