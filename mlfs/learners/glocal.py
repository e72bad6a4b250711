"""GLOCAL: multi-label learning with global and local label correlation.

Zhu, Kwok and Zhou, IEEE TKDE 2018.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.cluster import KMeans

from ..classifiers.base import MultiLabelClassifier
from ..labels import signed
from ..linalg import (
    add_to_diagonal,
    apply_rows,
    conjugate_gradient,
    gram,
    row_grams,
    solve_rows,
    with_ones,
)
from ..params import COUNT, NOT_NEGATIVE, POSITIVE, Seed, as_generator, at_most
from ..tags import Tags
from ..types import Array
from .correlations import descend_unit_rows, unit_factor

_N_CG = 60  # limit on inner steps in the authors' code


class GLOCAL(MultiLabelClassifier):
    """Predict low-rank labels that are smooth over label correlations learnt for each group.

    It minimises ½‖J∘(Y − VUᵀ)‖² + (λ/2)‖V − XW‖² + (λ2/2)(‖V‖² + ‖U‖² + ‖W‖²)
    + ½ Σ_m [λ3 (n_m/n) ‖XWUᵀZ_m‖² + λ4 ‖X_m W Uᵀ Z_m‖²] over groups m of instances. k-means finds
    the groups, J marks the observed labels, rows of Z_m have length one, and Z_m Z_mᵀ is the
    Laplacian of the labels in group m. V, U and W are solved exactly, and Z_m by a projected
    gradient step.

    Parameters
    ----------
    lam : float, default=1.0
        λ, the weight of the link between latent labels and features.
    lam2 : float, default=0.125
        λ2, the weight of the size of V, U and W.
    lam3, lam4 : float, default=1e-3, 1e-5
        λ3 and λ4, the weights of the global and of the local correlations. As in the authors' code,
        each weight is divided by the size of its term and multiplied by the number of observed
        labels.
    n_factors : int, default=20
        Number k of latent labels.
    n_groups : int, default=4
        Number of groups for k-means.
    max_iter : int, default=15
        Number of iterations of the warm start without correlations, and also of the main loop.
    fit_intercept : bool, default=True
        Append a column of ones to X.
    random_state : int, RandomState or None, default=None
        Decides the groups and the start.

    Attributes
    ----------
    U_, W_ : ndarrays of shape (l, k), (d, k)
        Factors of the labels, and weights of the features.
    Z_ : list of ndarrays of shape (l, k)
        Factors of the label correlations, one for each group.
    objective_ : list of float
        One value per iteration of the main loop; it never rises.
    n_iter_ : int
        Number of iterations of the main loop.

    Notes
    -----
    A fit costs O(n d² + d³ + n l + l³) time and O(n d + d² + n l + l²) memory.

    References
    ----------
    Zhu, Kwok and Zhou, "Multi-label learning with global and local label correlation", IEEE
    Transactions on Knowledge and Data Engineering 30(6), 2018,
    https://doi.org/10.1109/TKDE.2017.2785795

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import GLOCAL
    >>> Y[:20, 0] = np.nan  # unobserved labels
    >>> model = GLOCAL(n_factors=2, n_groups=2, random_state=0).fit(X, Y)
    >>> model.predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Zhu, Kwok and Zhou, IEEE TKDE 30(6), 2018",
        provenance="author code",
        handles_missing=True,
        search_space={
            "lam3": [10.0**e for e in range(-6, 1)],
            "lam4": [10.0**e for e in range(-6, 1)],
            "n_groups": [4, 8, 16, 32],
        },
        note=(
            "labels with scores above 0 are predicted; the authors' code uses half of the scores' "
            "range as threshold, and has no intercept"
        ),
    )
    threshold = np.finfo(float).tiny  # labels are ±1, and a zero is not positive

    _parameter_constraints = {
        "lam": [POSITIVE],
        "lam2": [POSITIVE],
        "lam3": [NOT_NEGATIVE],
        "lam4": [NOT_NEGATIVE],
        "n_factors": [COUNT],
        "n_groups": [COUNT],
        "max_iter": [COUNT],
        "fit_intercept": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        lam: float = 1.0,
        lam2: float = 0.125,
        lam3: float = 1e-3,
        lam4: float = 1e-5,
        n_factors: int = 20,
        n_groups: int = 4,
        max_iter: int = 15,
        fit_intercept: bool = True,
        random_state: Seed = None,
    ):
        self.lam = lam
        self.lam2 = lam2
        self.lam3 = lam3
        self.lam4 = lam4
        self.n_factors = n_factors
        self.n_groups = n_groups
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _fit(self, X: Array, Y: Array) -> None:
        rng = as_generator(self.random_state)
        groups = _group(X, self.n_groups, self.random_state)
        problem = _Problem.of(self, with_ones(X, self.fit_intercept), Y, groups)
        n_labels, k = Y.shape[1], self.n_factors
        U, W = rng.random((n_labels, k)), np.zeros((problem.X.shape[1], k))
        Z = [unit_factor(rng, (n_labels, k)) for _ in groups]
        for _ in range(self.max_iter):  # warm start, without correlations
            V = problem.solve_V(U, W)
            U = problem.solve_U(V, U, W, [])
            W = problem.solve_W(V, U, W, [])
        self.objective_: list[float] = []
        for _ in range(self.max_iter):
            Z = [descend_unit_rows(U @ C @ U.T, old) for C, old in zip(problem.energies(W), Z)]
            V = problem.solve_V(U, W)
            U = problem.solve_U(V, U, W, Z)
            W = problem.solve_W(V, U, W, Z)
            self.objective_.append(problem.value(V, U, W, Z))
        self.U_, self.W_, self.Z_, self.n_iter_ = U, W, Z, len(self.objective_)

    def _scores(self, X: Array) -> Array:
        return with_ones(X, self.fit_intercept) @ self.W_ @ self.U_.T


@dataclass
class _Problem:
    """Hold the data and weights of the objective, its value, and the exact solve of each block."""

    X: Array
    Y: Array
    J: Array
    groups: list[Array]  # X_m
    shares: list[float]  # n_m / n
    link: float
    sizes: Array  # weights of ‖V‖², ‖U‖², ‖W‖²
    overall: float  # weight of the global correlations
    local: float

    @classmethod
    def of(cls, model: GLOCAL, X: Array, Y: Array, groups: list[Array]) -> _Problem:
        """Scale the model's weights by the number of observed labels and the sizes of terms."""
        Y, J = signed(Y)
        (n, d), k, seen = X.shape, model.n_factors, max(J.sum(), 1.0)
        return cls(
            X,
            Y,
            J,
            groups=[X[rows] for rows in groups],
            shares=[len(rows) / n for rows in groups],
            link=model.lam * seen / (k * n),
            sizes=model.lam2 * seen / (k * np.array([n, Y.shape[1], d])),
            overall=model.lam3 * seen / n**2,
            local=model.lam4 * seen / (n / len(groups)) ** 2,
        )

    def __post_init__(self) -> None:
        self.G = gram(self.X)
        self.factor = cho_factor(add_to_diagonal(self.link * self.G, self.sizes[2]))

    def value(self, V: Array, U: Array, W: Array, Z: list[Array]) -> float:
        """Compute the objective."""
        total = np.sum((self.J * (self.Y - V @ U.T)) ** 2)
        total += self.link * np.sum((V - self.X @ W) ** 2)
        total += self.sizes @ [np.sum(factor**2) for factor in (V, U, W)]
        total += sum(np.vdot(Z_m.T @ U @ C, Z_m.T @ U) for C, Z_m in zip(self.energies(W), Z))
        return 0.5 * float(total)

    def energies(self, W: Array) -> list[Array]:
        """Compute C_m, k x k, with ½ tr(Z_mᵀ U C_m Uᵀ Z_m) = the correlation terms of group m."""
        everywhere = self.overall * (W.T @ self.G @ W)
        return [
            share * everywhere + self.local * gram(X_m @ W)
            for share, X_m in zip(self.shares, self.groups)
        ]

    def solve_V(self, U: Array, W: Array) -> Array:
        """Solve for k unknowns of each instance."""
        systems = add_to_diagonal(row_grams(self.J, U), self.link + self.sizes[0])
        return solve_rows(systems, self.Y @ U + self.link * (self.X @ W))

    def solve_U(self, V: Array, U: Array, W: Array, Z: list[Array]) -> Array:
        """Solve for k unknowns of each label, coupled through the Laplacians of diagonal 1."""
        energies = self.energies(W)[: len(Z)]
        own = add_to_diagonal(row_grams(self.J.T, V), self.sizes[1])
        blocks = np.linalg.inv(own + sum(energies, np.zeros_like(own[0])))

        def apply(P: Array) -> Array:
            curved = apply_rows(own, P)
            for Z_m, C in zip(Z, energies):
                curved += Z_m @ (Z_m.T @ P @ C)
            return curved

        return conjugate_gradient(
            apply,
            self.Y.T @ V,
            U,
            max_iter=_N_CG,
            precondition=lambda P: apply_rows(blocks, P),
        )

    def solve_W(self, V: Array, U: Array, W: Array, Z: list[Array]) -> Array:
        """Solve for d x k unknowns; without correlations the preconditioner is the solution."""
        energies = [gram(Z_m.T @ U) for Z_m in Z]
        everywhere = np.zeros((U.shape[1], U.shape[1]))
        for share, E in zip(self.shares, energies):
            everywhere += share * self.overall * E

        def apply(P: Array) -> Array:
            GP = self.G @ P
            curved = self.link * GP + self.sizes[2] * P + GP @ everywhere
            for X_m, E in zip(self.groups, energies):
                curved += self.local * (X_m.T @ (X_m @ (P @ E)))
            return curved

        return conjugate_gradient(
            apply,
            self.link * (self.X.T @ V),
            W,
            max_iter=_N_CG,
            precondition=lambda P: cho_solve(self.factor, P),
        )


def _group(X: Array, count: int, random_state: Seed) -> list[Array]:
    """List the rows of the k-means clusters that are not empty."""
    distinct = len(np.unique(X, axis=0))
    count = at_most(count, distinct, "n_groups", f"{distinct} different instances")
    labels = KMeans(count, n_init=1, random_state=random_state).fit_predict(X)
    return [rows for m in range(count) if len(rows := np.flatnonzero(labels == m))]
