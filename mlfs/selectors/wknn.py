"""WkNN: weighted nearest neighbours feature selection.

Bugata and Drotár, Knowledge-Based Systems 2019.
"""

from __future__ import annotations

from numbers import Integral

import numpy as np
from scipy.special import expit

from ..methods.ranker import Ranker, draw_rows
from ..methods.tags import Tags
from ..numerics.linalg import dense, squared_distances
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE, Seed
from ..numerics.sklearn_private import Interval
from ..types import Array, Matrix

_CLIP = 0.01  # smallest divisor of the normalised gradient


class WkNN(Ranker):
    """Rank features by the weights of a distance that predicts each instance from the others.

    With d_ij = Σ_m w_m (x_im − x_jm)² and leave-one-out predictions ŷ_i, the means of all other
    y_j weighted by exp(−d_ij), it minimises over w ≥ 0

        Σ_i ‖ŷ_i − y_i‖² / n + 2 λ₀ Σ_m (σ(a w_m) − ½) + λ₁ Σ_m w_m + λ₂ Σ_m w_m²

    by projected steps along the normalised gradient; the λ₀ term counts features smoothly, with
    a = 100. Features are standardised first. Time and memory are quadratic in the number of
    instances, so at most `max_samples` of them are used.

    Parameters
    ----------
    lam0, lam1, lam2 : float, default=1e-3
        λ₀, λ₁ and λ₂: penalties on the number, the sum and the sum of squares of the weights.
    learning_rate : float, default=0.1
        Length of a step along the normalised gradient.
    max_iter : int, default=1000
        Largest number of steps.
    tol : float, default=1e-9
        Stop when the objective changes by less than this share of itself.
    max_samples : int, default=1000
        Largest number of instances; if there are more, so many are drawn without replacement.
    random_state : int, RandomState or None, default=None
        Decides which instances are drawn.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        The weights w; a feature with weight 0 is not selected by the method.
    objective_ : list of float
        One value per step.
    n_iter_ : int
        Number of steps made.
    n_samples_ : int
        Number of instances that were used.

    Notes
    -----
    A fit to n ≤ `max_samples` instances costs O(n² d + n² l) time and O(n² + n d + n l) memory.

    References
    ----------
    Bugata and Drotár, "Weighted nearest neighbors feature selection", Knowledge-Based Systems
    163, 2019, https://doi.org/10.1016/j.knosys.2018.10.004

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import WkNN
    >>> sorted(WkNN(max_iter=50).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Bugata and Drotár, Knowledge-Based Systems 2019",
        provenance="author code",
        real_targets=True,
        supports_sparse=True,
        search_space={"lam1": [1e-2, 1e-1, 1.0, 1e1, 1e2]},
        note="squared loss and Gaussian kernel; quadratic in n: fitted on at most max_samples",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "lam0": [NOT_NEGATIVE],
        "lam1": [NOT_NEGATIVE],
        "lam2": [NOT_NEGATIVE],
        "learning_rate": [POSITIVE],
        "max_iter": [COUNT],
        "tol": [NOT_NEGATIVE],
        "max_samples": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        lam0: float = 1e-3,
        lam1: float = 1e-3,
        lam2: float = 1e-3,
        learning_rate: float = 0.1,
        max_iter: int = 1000,
        tol: float = 1e-9,
        max_samples: int = 1000,
        random_state: Seed = None,
        n_features_to_select: int | float | None = None,
    ):
        self.lam0 = lam0
        self.lam1 = lam1
        self.lam2 = lam2
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        rows = draw_rows(len(Y), self.max_samples, self.random_state)
        X, Y = dense(X[rows]), Y[rows]
        self.n_samples_ = len(rows)
        if len(rows) < 2:
            raise ValueError("n_samples = 1: a single instance has no neighbours")
        deviation = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
        w = np.full(X.shape[1], 1 / X.shape[1])
        self.objective_ = []
        for _ in range(self.max_iter):
            value, g = objective(w, X, Y, self.lam0, self.lam1, self.lam2)
            self.objective_.append(value)
            if self._converged(self.tol):
                break
            # the norm of the part of the step that remains after the projection
            overshoot = np.minimum(w - self.learning_rate * g, 0).sum() / self.learning_rate
            g = g / max(_CLIP, np.abs(g).sum() + overshoot)
            w = np.maximum(w - self.learning_rate * g, 0)
        self.n_iter_ = len(self.objective_)
        return w


def objective(
    w: Array, X: Array, Y: Array, lam0: float, lam1: float, lam2: float, a: float = 100.0
) -> tuple[float, Array]:
    """Compute value and gradient of the penalised leave-one-out error, by matrix products."""
    n = len(X)
    alive = w > 0
    Z = X[:, alive] * np.sqrt(w[alive])
    P = squared_distances(Z, Z)
    np.fill_diagonal(P, np.inf)
    P -= P.min(axis=1, keepdims=True)  # otherwise a far outlier would have no neighbour
    np.exp(np.negative(P, out=P), out=P)
    P /= P.sum(axis=1, keepdims=True)
    predicted = P @ Y
    E = predicted - Y
    # dŷ_i / dw_m = -Σ_j p_ij (x_im - x_jm)² (y_j - ŷ_i), contracted with the error of i
    P *= E @ Y.T - np.einsum("ik,ik->i", E, predicted)[:, None]  # its rows now add up to 0
    spread = P.sum(axis=0) @ (X * X) - 2 * np.einsum("im,im->m", X, P @ X)
    soft = expit(a * w)
    value = np.vdot(E, E) / n + 2 * lam0 * (soft - 0.5).sum() + lam1 * w.sum() + lam2 * w @ w
    penalty = 2 * lam0 * a * soft * (1 - soft) + lam1 + 2 * lam2 * w
    return float(value), -2 / n * spread + penalty
