"""SemFS: zero-shot feature selection via exploiting semantic knowledge.

Wang, Ye and Wang, 2019. Equations (5), (8), (10) and (11), Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from ..methods.labels import check_labels
from ..methods.ranker import Ranker
from ..methods.tags import Tags, check_features
from ..numerics.linalg import add_to_diagonal, dense, gram
from ..numerics.params import COUNT, NOT_NEGATIVE, POSITIVE, ZERO_OR_COUNT
from ..numerics.sklearn_private import check_params
from ..types import Array, Matrix

_BLOCK_ROWS = 4096  # rows of X at a time, so that a sparse or float32 X is never copied as a whole


class Moments:
    """Add up the sums that SemFS needs, one block of instances at a time.

    Each row of X̄ is the mean of the instance's class, so X̄ᵀX̄ and X̄ᵀY follow from the sums per
    class, and an n x d array of means is never needed.

    Parameters
    ----------
    d, m : int
        Number of features and of attributes.
    """

    def __init__(self, d: int, m: int):
        self.XtX = np.zeros((d, d))
        self.XtY = np.zeros((d, m))
        self.yy = 0.0
        self._sums: dict[Hashable, tuple[float, Array, Array]] = {}

    def add(self, X: Matrix, Y: Array, classes: Sequence[Hashable]) -> None:
        """Add a block: its features, its attributes and the class of every instance."""
        self.XtX += gram(X)
        self.XtY += X.T @ Y
        self.yy += float(np.vdot(Y, Y))
        names = list(dict.fromkeys(classes))
        place = {name: row for row, name in enumerate(names)}
        members = sp.csr_matrix(
            (np.ones(len(classes)), ([place[c] for c in classes], np.arange(len(classes))))
        )
        features, attributes = dense(members @ X), members @ Y
        counts = np.asarray(members.sum(axis=1)).ravel()
        for row, name in enumerate(names):
            count, x, y = self._sums.get(name, (0.0, 0.0, 0.0))
            self._sums[name] = (count + counts[row], x + features[row], y + attributes[row])

    def combine(self, alpha: float) -> tuple[Array, Array]:
        """Compute G = XᵀX + αX̄ᵀX̄ and M = (X + αX̄)ᵀY."""
        if alpha == 0:
            return self.XtX, self.XtY
        counts = np.array([count for count, _, _ in self._sums.values()])
        X = np.array([x for _, x, _ in self._sums.values()])
        Y = np.array([y for _, _, y in self._sums.values()])
        scaled = np.sqrt(alpha / counts)[:, None] * X
        return self.XtX + scaled.T @ scaled, self.XtY + X.T @ (Y * (alpha / counts)[:, None])


class SemFS(Ranker):
    """Rank features by the weights with which they generate the attributes of their class.

    It minimises ‖Y − X diag(s) W‖² + α‖Y − X̄ diag(s) W‖² + γ‖W‖² over W and s ≥ 0, where X̄ has
    the class means; s are the scores. Each iteration solves for W exactly and takes one projected
    gradient step in s. After an exact W the gradient is −2γ‖w_i‖²/s_i, so weights only grow, and
    those of important features grow faster. The objective has no minimum in s (larger s with
    smaller W always costs less), so the number of iterations is part of the method.

    Parameters
    ----------
    alpha : float, default=1.0
        α, the weight of the class means; 0 is the variant called SemFS/c.
    gamma : float, default=0.1
        γ, the weight of ‖W‖². It must be positive: (8) is singular without it.
    n_steps : int, default=1
        Gradient steps in s per iteration, all with the same W. The paper takes one.
    max_iter : int, default=20
        Number of iterations.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        The weights s.
    W_ : ndarray of shape (n_features, n_attributes)
        The solution (8) for these weights.
    objective_ : list of float
        J of (5) after each update of W; it never rises.
    n_iter_ : int
        Number of iterations made.

    Notes
    -----
    A fit costs O(n d² + d³ + n d l + d² l) time and O(d² + n l + d l) memory.

    References
    ----------
    Wang, Ye and Wang, "Zero-shot feature selection via exploiting semantic knowledge", 2019.
    Equations (5), (8), (10) and (11), algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import SemFS
    >>> sorted(SemFS().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Wang, Ye and Wang, Zero-shot feature selection, 2019",
        supports_sparse=True,
        real_targets=True,
        note="the paper fixes alpha = 1 and gamma = 0.1; n_steps = 1 is the paper's",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "alpha": [NOT_NEGATIVE],
        "gamma": [POSITIVE],
        "n_steps": [COUNT],
        "max_iter": [ZERO_OR_COUNT],
    }

    def __init__(
        self,
        alpha: float = 1.0,
        gamma: float = 0.1,
        n_steps: int = 1,
        max_iter: int = 20,
        n_features_to_select: int | float | None = None,
    ):
        self.alpha = alpha
        self.gamma = gamma
        self.n_steps = n_steps
        self.max_iter = max_iter
        self.n_features_to_select = n_features_to_select

    def fit(
        self, X: Matrix, Y: Array | None = None, classes: Sequence[Hashable] | None = None
    ) -> Self:
        """Rank the features of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The features.
        Y : array of shape (n, m)
            Attributes of the class of each instance, or 0/1 labels.
        classes : sequence of length n, optional
            Class of each instance; by default instances with equal rows of Y are one class.

        Returns
        -------
        SemFS
            The fitted selector itself.
        """
        X, targets = self._check_inputs(X, Y)
        n = len(targets)
        if classes is not None and len(classes) != n:
            raise ValueError(f"{len(classes)} classes for {n} instances: pass one for each")
        blocks = (slice(i, i + _BLOCK_ROWS) for i in range(0, n, _BLOCK_ROWS))
        return self._fit(
            (X[rows], targets[rows], None if classes is None else classes[rows]) for rows in blocks
        )

    def fit_batches(
        self, batches: Iterable[tuple[Matrix, Array] | tuple[Matrix, Array, Sequence[Hashable]]]
    ) -> Self:
        """Rank the features of data in blocks (X, Y) or (X, Y, classes).

        Only one block is in memory at a time; a class may be spread over many of them.

        Parameters
        ----------
        batches : iterable of tuple
            The blocks. Either all of them have classes, or none.

        Returns
        -------
        SemFS
            The fitted selector itself.
        """
        check_params(self)
        return self._fit(self._checked(batches))

    def _checked(self, batches: Iterable[tuple[Any, ...]]) -> Iterable[tuple[Any, ...]]:
        for number, (X, Y, *classes) in enumerate(batches):
            X = check_features(self, X, reset=number == 0)
            Y = check_labels(Y, n=X.shape[0], missing=False, real=True)
            yield X, Y, classes[0] if classes else None

    def _fit(self, blocks: Iterable[tuple[Matrix, Array, Sequence[Hashable] | None]]) -> Self:
        moments = None
        for X, Y, classes in blocks:
            moments = moments or Moments(X.shape[1], Y.shape[1])
            moments.add(X, Y, [row.tobytes() for row in Y + 0.0] if classes is None else classes)
        if moments is None:
            raise ValueError("no batch was given: SemFS needs at least one instance")
        self.scores_ = self._weights(moments)
        self.ranking_ = np.argsort(-self.scores_, kind="stable")
        return self

    def _rank(self, X: Matrix, Y: Array) -> Array:
        return self.fit(X, Y).scores_

    def _weights(self, moments: Moments) -> Array:
        G, M = moments.combine(self.alpha)
        s = np.ones(len(G))
        W = self._solve(G, M, s)
        self.objective_ = [self._objective(G, M, moments.yy, s, W)]
        for _ in range(self.max_iter):
            for _ in range(self.n_steps):
                s = _step(G, M, s, W)
            W = self._solve(G, M, s)
            self.objective_.append(self._objective(G, M, moments.yy, s, W))
        self.W_, self.n_iter_ = W, self.max_iter
        return s

    def _solve(self, G: Array, M: Array, s: Array) -> Array:
        A = G * s
        A *= s[:, None]
        add_to_diagonal(A, self.gamma)
        factor = cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
        return cho_solve(factor, s[:, None] * M, overwrite_b=True)  # (8)

    def _objective(self, G: Array, M: Array, yy: float, s: Array, W: Array) -> float:
        SW = s[:, None] * W
        fit = np.vdot(SW, G @ SW) - 2 * np.vdot(SW, M)
        return float((1 + self.alpha) * yy + fit + self.gamma * np.vdot(W, W))  # (5)


def gradient(G: Array, M: Array, s: Array, W: Array) -> Array:
    """Compute the derivative (10) of J with respect to s."""
    return 2 * np.einsum("ij,ij->i", G @ (s[:, None] * W) - M, W)


def _step(G: Array, M: Array, s: Array, W: Array) -> Array:
    """Take one projected gradient step; J is quadratic in s, so its decrease is exact."""
    g = gradient(G, M, s, W)
    curvature = _curvature(G, W, g)
    if curvature == 0:
        return s
    step = np.vdot(g, g) / (2 * curvature)  # the minimum along -g, before the projection
    while True:
        moved = np.maximum(0, s - step * g) - s  # (11)
        slope = np.vdot(g, moved)
        if slope + _curvature(G, W, moved) <= 1e-4 * slope:  # Armijo
            return s + moved
        step /= 2


def _curvature(G: Array, W: Array, v: Array) -> float:
    """Compute vᵀ(G∘WWᵀ)v without forming the d x d matrix."""
    V = v[:, None] * W
    return float(np.vdot(V, G @ V))
