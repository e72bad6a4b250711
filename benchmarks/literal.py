"""Formulas as they are printed, one entry at a time: what the fast forms must agree with."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
from scipy.linalg import eigh, solve

from mlfs.types import Array


def em_iteration(
    X: Array,
    Y: Array,
    V: Array,
    B: Array,
    W: Array,
    theta: Array,
    near: list[Array],
    lam: float,
    s: float,
) -> tuple[Array, Array, Array]:
    """(12), (13), (15), (16), (18) of GMFS, one instance and one label at a time."""
    (n, l), c = Y.shape, V.shape[1]  # noqa: E741
    gamma, zeta = np.ones((n, l)), np.empty((n, l))
    for i in range(n):
        for j in range(l):
            psi = V[i] @ B[j]
            zeta[i, j] = np.tanh(psi / 2) / (2 * psi)
            if Y[i, j] == 0:
                silent = theta[i, j] / (1 + np.exp(psi))
                gamma[i, j] = silent / (silent + 1 - theta[i, j])
    newV, newB, newtheta = np.empty_like(V), np.empty_like(B), np.empty_like(theta)
    for i in range(n):
        A, r = lam * np.eye(c), lam * (W.T @ X[i])
        for j in range(l):
            A += gamma[i, j] * zeta[i, j] * np.outer(B[j], B[j])
            r += gamma[i, j] * (Y[i, j] - 0.5) * B[j]
        newV[i] = np.linalg.solve(A, r)
    for j in range(l):
        A, r = lam * np.eye(c), np.zeros(c)
        for i in range(n):
            A += gamma[i, j] * zeta[i, j] * np.outer(newV[i], newV[i])
            r += gamma[i, j] * (Y[i, j] - 0.5) * newV[i]
        newB[j] = np.linalg.solve(A, r)
        total = gamma[:, j].sum()
        for i in range(n):
            around = (s - 1) * sum(gamma[e, j] for e in near[i])
            newtheta[i, j] = (total + around - 0.5) / (n + around - 1)
    return newV, newB, np.clip(newtheta, 1e-6, 1 - 1e-6)


def picks_by_entropies(columns: Array, labels: Array, count: int) -> list[int]:
    """PMU's picks: every entropy of its criterion counted from the rows, and none twice."""
    known: dict[tuple[str, ...], float] = {}
    variables = {f"f{i:04}": column.tolist() for i, column in enumerate(columns.T)}
    features = list(variables)
    variables |= {f"l{j:04}": label.tolist() for j, label in enumerate(labels.T)}
    names = [name for name in variables if name not in features]

    def entropy(*of: str) -> float:
        key = tuple(sorted(of))
        if key not in known:
            counts = Counter(zip(*(variables[name] for name in key)))
            n = len(labels)
            known[key] = -sum(c / n * log(c / n) for c in counts.values())
        return known[key]

    def shared(a: str, b: str, c: str) -> float:
        singles = entropy(a) + entropy(b) + entropy(c)
        return singles - entropy(a, b) - entropy(a, c) - entropy(b, c) + entropy(a, b, c)

    chosen: list[str] = []
    while len(chosen) < count:
        gains = {}
        for f in features:
            if f not in chosen:
                own = sum(entropy(f) + entropy(l) - entropy(f, l) for l in names)  # noqa: E741
                own -= sum(shared(f, s, l) for s in chosen for l in names)  # noqa: E741
                pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
                gains[f] = round(own - sum(shared(f, a, b) for a, b in pairs), 10)
        chosen.append(max(gains, key=lambda f: gains[f]))
    return [int(name[1:]) for name in chosen]


def kernel_values(K: Array, U: Array, ridge: float) -> Array:
    """T = KA + 1bᵀ with A as (16) of RMFL is printed, with the m x m inverse."""
    m = len(K)
    sums = K.sum(axis=0)
    inverse = np.linalg.inv(K.T @ K + ridge * K - np.outer(sums, sums) / m)
    KA = K @ (inverse @ (K.T @ U - np.outer(sums, U.sum(axis=0)) / m))
    return np.asarray(KA + (U - KA).mean(axis=0))


def semantic_weights(X: Array, means: Array, Y: Array, turns: int) -> Array:
    """SemFS: (8) and a step along (10), with X and X̄ in every one of them."""
    s = np.ones(X.shape[1])
    for turn in range(turns + 1):
        XS, MS = X * s, means * s
        A = XS.T @ XS + MS.T @ MS + 0.1 * np.eye(X.shape[1])
        W = solve(A, (XS + MS).T @ Y, assume_a="pos")
        if turn == turns:
            break
        rest, mean_rest = XS @ W - Y, MS @ W - Y
        g = 2 * np.einsum("ij,ij->i", X.T @ rest + means.T @ mean_rest, W)
        along = X @ (g[:, None] * W), means @ (g[:, None] * W)
        step = np.vdot(g, g) / (2 * sum(np.vdot(part, part) for part in along))
        while True:
            moved = np.maximum(0, s - step * g) - s
            V = moved[:, None] * W
            curved = np.sum((X @ V) ** 2) + np.sum((means @ V) ** 2)
            if g @ moved + curved <= 1e-4 * (g @ moved):
                break
            step /= 2
        s = s + moved
    return s


def algorithm_1(C: Array, chosen: list[int], left: list[int], n: int) -> list[int]:
    """MIML's loops as printed: two solves for every candidate, at every pick."""
    picks = []
    for _ in range(n):
        best, best_ratio = -1, -np.inf
        for x in left:
            rest = [y for y in left if y != x]
            variances = [
                C[x, x] - C[x, given] @ np.linalg.solve(C[np.ix_(given, given)], C[given, x])
                for given in (chosen, rest)
            ]
            if variances[0] / variances[1] > best_ratio:
                best, best_ratio = x, variances[0] / variances[1]
        chosen, left = [*chosen, best], [y for y in left if y != best]
        picks.append(best)
    return picks


def lle_rows(X: Array, neighbors: Array) -> Array:
    """Weights that rebuild each row from its neighbours, a row at a time."""
    rows = []
    for i, near in enumerate(neighbors):
        gap = X[i] - X[near]
        w = np.linalg.solve(gap @ gap.T, np.ones(len(near)))
        rows.append(w / w.sum())
    return np.array(rows)


def leave_one_out(w: Array, X: Array, Y: Array) -> float:
    """WkNN's error with all differences written out."""
    distances = np.einsum("ijm,m->ij", (X[:, None] - X[None]) ** 2, w)
    P = np.exp(-distances)
    np.fill_diagonal(P, 0.0)
    P /= P.sum(axis=1, keepdims=True)
    return float(np.sum((P @ Y - Y) ** 2) / len(X))


def projection_shares(X: Array, Y: Array, mu: float) -> Array:
    """MDDM's shares Σ λ P² from all solutions of Sp = λBp."""
    H = X - X.mean(axis=0)
    S = (H.T @ Y) @ (H.T @ Y).T
    values, P = eigh(S, mu * (H.T @ H) + (1 - mu) * np.eye(X.shape[1]))
    return np.asarray((values * P**2).sum(axis=1))
