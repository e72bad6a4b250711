"""How fast the GMFS selectors are: against a per-instance loop, and on the large sets.

Processor seconds on one thread.

python benchmarks/bench_gmfs.py              # one EM iteration on yeast against plain loops
python benchmarks/bench_gmfs.py bibtex 40    # 20 iterations, c = 40: seconds and peak memory
python benchmarks/bench_gmfs.py science      # FSNM, SFUS, MIFS, CMFS, MLMLFS and GMFS
"""

from __future__ import annotations

import resource
import sys
from typing import Any

import numpy as np
from common import print_header, print_row, timed
from threadpoolctl import threadpool_limits

from mlfs.datasets import load
from mlfs.linalg import weighted_ridge
from mlfs.selectors import CMFS, FSNM, GMFS, MIFS, MLMLFS, SFUS
from mlfs.selectors.gmfs import expectations, neighbor_graph, observability

LAM, S = 1e-3, 5.0


def fast(X: Any, Y: Any, V: Any, B: Any, W: Any, theta: Any, neighbors: Any) -> tuple:
    """Make one EM iteration as GMFS does."""
    gamma, zeta = expectations(V @ B.T, Y, theta)
    weight, pull = gamma * zeta, gamma * (Y - 0.5)
    V = weighted_ridge(weight, B, pull @ B + LAM * (X @ W), LAM, V)
    B = weighted_ridge(weight.T, V, pull.T @ V, LAM, B)
    return V, B, observability(gamma, np.full(Y.shape[1], len(Y)), neighbors, S, 0.5, 0.5)


def loops(X: Any, Y: Any, V: Any, B: Any, W: Any, theta: Any, neighbors: Any) -> tuple:
    """(12), (13), (15), (16), (18) as printed: one instance and one label at a time."""
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
        A, r = LAM * np.eye(c), LAM * (W.T @ X[i])
        for j in range(l):
            A += gamma[i, j] * zeta[i, j] * np.outer(B[j], B[j])
            r += gamma[i, j] * (Y[i, j] - 0.5) * B[j]
        newV[i] = np.linalg.solve(A, r)
    for j in range(l):
        A, r = LAM * np.eye(c), np.zeros(c)
        for i in range(n):
            A += gamma[i, j] * zeta[i, j] * np.outer(newV[i], newV[i])
            r += gamma[i, j] * (Y[i, j] - 0.5) * newV[i]
        newB[j] = np.linalg.solve(A, r)
        total = gamma[:, j].sum()
        for i in range(n):
            near = (S - 1) * sum(gamma[e, j] for e in neighbors[i].indices)
            newtheta[i, j] = (total + near - 0.5) / (n + near - 1)
    return newV, newB, np.clip(newtheta, 1e-6, 1 - 1e-6)


def against_loops() -> None:
    """Time an iteration beside the formulas as written, entry by entry."""
    data = load("yeast")
    X, Y = np.asarray(data.X), data.Y.astype(float)
    rng = np.random.default_rng(0)
    V, B, W = (rng.standard_normal((m, 7)) for m in (len(X), Y.shape[1], X.shape[1]))
    state = (X, Y, V, B, W, np.full(Y.shape, 0.5), neighbor_graph(X, 20))
    ours, results = timed(lambda: [fast(*state) for _ in range(20)])
    baseline, expected = timed(lambda: loops(*state))
    gap = max(np.abs(a - b).max() for a, b in zip(results[0], expected))
    print_header()
    print_row(
        "GMFS, one EM iteration / plain loops, yeast, c = 7",
        ours / 20,
        baseline,
        f"largest gap {gap:.0e}",
    )


def on_set(name: str, n_factors: int | None = None) -> None:
    """Time all selectors of the paper on one set."""
    data = load(name)
    X, Y = data.X, data.Y.astype(float)
    print(f"{name}: {X.shape[0]} x {X.shape[1]} x {Y.shape[1]}")
    models = [FSNM(), SFUS(), MIFS(), CMFS(random_state=0), MLMLFS(), GMFS(random_state=0)]
    if n_factors is not None:
        models = [GMFS(n_factors=n_factors, max_iter=20, tol=0, random_state=0)]
    for model in models:
        seconds, _ = timed(lambda model=model: model.fit(X, Y))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # Linux counts in kB
        what = f"{type(model).__name__}, {len(model.objective_)} iterations"
        print(f"{what:<58}{seconds:>8.1f} s   peak so far {peak:.2f} GB", flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        if len(sys.argv) == 1:
            against_loops()
        else:
            on_set(sys.argv[1], *map(int, sys.argv[2:]))
