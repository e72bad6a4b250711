"""SemFS at the size of the paper's CIFAR10: 12,000 x 4,096 with 50 attributes, 20 iterations.

The baseline writes equation (8) out with X and X̄ in every iteration, as the paper's
complexity analysis does; ours adds both up once and iterates without n. Run by
``python benchmarks/bench_semfs.py [n d m]``.
"""

import resource
import sys
from time import perf_counter

import numpy as np
from scipy.linalg import solve

from mlfs.selectors import SemFS


def literal_iteration(X: np.ndarray, X_mean: np.ndarray, Y: np.ndarray, s: np.ndarray) -> None:
    """One update of W (8) and one gradient (10), from the data."""
    XS, MS = X * s, X_mean * s
    A = XS.T @ XS + MS.T @ MS + 0.1 * np.eye(X.shape[1])
    W = solve(A, (XS + MS).T @ Y, assume_a="pos")
    residual = XS @ W - Y, MS @ W - Y
    np.einsum("ij,ij->i", X.T @ residual[0] + X_mean.T @ residual[1], W)


def main(n: int = 12_000, d: int = 4_096, m: int = 50) -> None:
    """Time SemFS beside the loops as printed."""
    rng = np.random.default_rng(0)
    classes = rng.integers(2, size=n)
    attributes = rng.normal(size=(2, m))
    X = rng.normal(size=(n, d)) + rng.normal(size=(2, d))[classes]
    start = perf_counter()
    model = SemFS(max_iter=20).fit(X, attributes[classes], classes=classes)
    ours = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"SemFS, n = {n}, d = {d}, m = {m}, {len(model.objective_) - 1} iterations")
    print(f"{'':24}{'seconds':>10}{'peak GB':>10}{'ratio':>8}")
    print(f"{'ours':24}{ours:10.1f}{peak:10.2f}{1:8.1f}", flush=True)
    X_mean = np.array([X[classes == c].mean(axis=0) for c in range(2)])[classes]
    start = perf_counter()
    literal_iteration(X, X_mean, attributes[classes], model.scores_)
    baseline = 20 * (perf_counter() - start)
    print(f"{'(8) from the data, x 20':24}{baseline:10.1f}{'':10}{baseline / ours:8.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
