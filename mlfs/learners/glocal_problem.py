"""The objective of GLOCAL: its value, and what it is along each of its blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..methods.labels import signed
from ..numerics.linalg import (
    add_to_diagonal,
    apply_rows,
    conjugate_gradient,
    gram,
    row_grams,
    solve_rows,
)
from ..types import Array
from .descent import steepest_descent

if TYPE_CHECKING:
    from .glocal import GLOCAL

_N_CG = 60  # limit on inner steps in the authors' code

Operator = Callable[[Array], Array]


@dataclass
class Problem:
    """Hold the data and weights of the objective, its value, and the solve of each block."""

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
    def of(cls, model: GLOCAL, X: Array, Y: Array, groups: list[Array]) -> Problem:
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
            local=model.lam4 * seen / (n / max(len(groups), 1)) ** 2,
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

    def solve_all(self, V: Array, U: Array, W: Array, Z: list[Array]) -> tuple[Array, Array, Array]:
        """Solve for V, U and W in turn."""
        V = self.solve_V(U, W)
        U = self.solve_U(V, U, W, Z)
        W = self.solve_W(V, U, W, Z)
        return V, U, W

    def descend_all(
        self, V: Array, U: Array, W: Array, Z: list[Array]
    ) -> tuple[Array, Array, Array]:
        """Take steps of steepest descent for U, V and W in turn, as the release does."""
        apply, rhs, _ = self.system_U(V, W, Z)
        U = steepest_descent(apply, rhs, U)
        own, rhs = self.system_V(U, W)
        V = steepest_descent(lambda P: apply_rows(own, P), rhs, V)
        apply, rhs = self.system_W(V, U, Z)
        W = steepest_descent(apply, rhs, W)
        return V, U, W

    def system_V(self, U: Array, W: Array) -> tuple[Array, Array]:
        """Build k x k systems and right-hand sides, one for each instance."""
        systems = add_to_diagonal(row_grams(self.J, U), self.link + self.sizes[0])
        return systems, self.Y @ U + self.link * (self.X @ W)

    def solve_V(self, U: Array, W: Array) -> Array:
        """Solve for k unknowns of each instance."""
        return solve_rows(*self.system_V(U, W))

    def system_U(self, V: Array, W: Array, Z: list[Array]) -> tuple[Operator, Array, Array]:
        """Build the operator on U, its right-hand side, and the k x k blocks of its diagonal.

        The labels are coupled through Laplacians, and these have diagonal 1.
        """
        energies = self.energies(W)[: len(Z)]
        own = add_to_diagonal(row_grams(self.J.T, V), self.sizes[1])

        def apply(P: Array) -> Array:
            curved = apply_rows(own, P)
            for Z_m, C in zip(Z, energies):
                curved += Z_m @ (Z_m.T @ P @ C)
            return curved

        return apply, self.Y.T @ V, own + sum(energies, np.zeros_like(own[0]))

    def solve_U(self, V: Array, U: Array, W: Array, Z: list[Array]) -> Array:
        """Solve for k unknowns of each label."""
        apply, rhs, blocks = self.system_U(V, W, Z)
        inverse = np.linalg.inv(blocks)
        return conjugate_gradient(
            apply, rhs, U, max_iter=_N_CG, precondition=lambda P: apply_rows(inverse, P)
        )

    def system_W(self, V: Array, U: Array, Z: list[Array]) -> tuple[Operator, Array]:
        """Build the operator on W and its right-hand side."""
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

        return apply, self.link * (self.X.T @ V)

    def solve_W(self, V: Array, U: Array, W: Array, Z: list[Array]) -> Array:
        """Solve for d x k unknowns; without correlations the preconditioner is the solution."""
        apply, rhs = self.system_W(V, U, Z)
        return conjugate_gradient(
            apply, rhs, W, max_iter=_N_CG, precondition=lambda P: cho_solve(self.factor, P)
        )
