"""Pieces of the methods, transcribed literally, that more than one test file compares with."""

import math

import numpy as np
import pytest


@pytest.fixture(scope="session")
def nearest_rows():
    """``nearest_rows(X, k)``: the k nearest other rows of every row, by sorting all distances."""

    def find(X, k):
        n = len(X)
        return [
            sorted(
                (j for j in range(n) if j != i),
                key=lambda j: (round(sum((X[i] - X[j]) ** 2), 9), j),
            )[:k]
            for i in range(n)
        ]

    return find


@pytest.fixture(scope="session")
def heat_weights(nearest_rows):
    """``heat_weights(X, k)``: the symmetric heat graph, dense, pair by pair (METHODS, H1)."""

    def build(X, k):
        n = len(X)
        t = sum(math.dist(a, b) for a in X for b in X) / n**2
        S = np.zeros((n, n))
        for i, near in enumerate(nearest_rows(X, k)):
            for j in near:
                S[i, j] = S[j, i] = math.exp(-(math.dist(X[i], X[j]) ** 2) / (2 * t**2))
        return S

    return build


@pytest.fixture(scope="session")
def gmfs_step(nearest_rows):
    """``gmfs_step(...)``: E and M step of GMFS, (12), (13), (15)-(18), entry by entry.

    W is solved for exactly from `a`, the diagonal A of (17): one value a feature, or one an
    entry of W. A nan label has gamma 0 and is not counted in (18).
    """

    def expectations(Y, V, B, theta):
        zeta, gamma = np.empty(Y.shape), np.ones(Y.shape)
        for i, j in np.ndindex(Y.shape):
            psi = V[i] @ B[j]
            zeta[i, j] = np.tanh(psi / 2) / (2 * psi)  # (12)
            if Y[i, j] == 0:
                silent = theta[i, j] / (1 + np.exp(psi))
                gamma[i, j] = silent / (silent + 1 - theta[i, j])  # (13)
            elif np.isnan(Y[i, j]):
                gamma[i, j] = 0.0
        return zeta, gamma

    def step(X, Y, V, B, W, theta, a, *, k, lam=1e-3, s=5.0, alpha=0.5, beta=0.5):
        (n, l), c = Y.shape, V.shape[1]  # noqa: E741
        zeta, gamma = expectations(Y, V, B, theta)
        kappa = np.nan_to_num(Y) - 0.5
        newV, newB = np.empty((n, c)), np.empty((l, c))
        for i in range(n):
            A, r = lam * np.eye(c), lam * W.T @ X[i]
            for j in range(l):
                A += gamma[i, j] * zeta[i, j] * np.outer(B[j], B[j])
                r += gamma[i, j] * kappa[i, j] * B[j]
            newV[i] = np.linalg.solve(A, r)  # (15)
        for j in range(l):
            A, r = lam * np.eye(c), np.zeros(c)
            for i in range(n):
                A += gamma[i, j] * zeta[i, j] * np.outer(newV[i], newV[i])
                r += gamma[i, j] * kappa[i, j] * newV[i]
            newB[j] = np.linalg.solve(A, r)  # (16)
        a = np.asarray(a, dtype=float)
        columns = a.T if a.ndim == 2 else [a] * c
        newW = np.column_stack(
            [
                np.linalg.solve(lam * X.T @ X + np.diag(diagonal), lam * X.T @ v)
                for diagonal, v in zip(columns, newV.T)
            ]
        )  # (17)
        newtheta = np.empty((n, l))
        near = nearest_rows(X, k)
        for i, j in np.ndindex(n, l):
            known = np.count_nonzero(~np.isnan(Y[:, j]))
            pull = (s - 1) * sum(gamma[e, j] for e in near[i])
            top = alpha + gamma[:, j].sum() + pull - 1
            newtheta[i, j] = top / (alpha + beta + known + pull - 2)  # (18)
        names = ("zeta", "gamma", "V", "B", "W", "theta")
        return dict(zip(names, (zeta, gamma, newV, newB, newW, newtheta)))

    step.expectations = expectations
    return step
