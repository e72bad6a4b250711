"""RMFL: one outer iteration against the literal inverse of (16), and seconds of whole fits.

Times are processor seconds, so run it on one thread (OMP_NUM_THREADS=1) from the checkout,
with the data at hand (MLFS_DATA or MLFS_MIRROR): python benchmarks/bench_rmfl.py [--large]
"""

from __future__ import annotations

import resource
import sys

import numpy as np
import scipy.sparse as sp
from common import print_header, print_row, timed

from mlfs import registry
from mlfs.datasets import Dataset, load
from mlfs.graphs import lle_weights
from mlfs.labels import signed
from mlfs.learners import RMFL
from mlfs.learners.correlations import descend_unit_rows, unit_factor
from mlfs.learners.rmfl import KernelModel
from mlfs.linalg import dense, rbf_kernel
from mlfs.types import Array, Matrix

LEARNERS = registry.methods(["learner"])


def training_part(name: str, share: float = 0.8) -> tuple[Matrix, Array]:
    """Load a random share of the rows of a set."""
    data: Dataset = load(name)
    rows = np.random.default_rng(0).permutation(len(data.Y))[: round(share * len(data.Y))]
    return data.X[rows], data.Y[rows].astype(float)


def literal_16(K: Array, U: Array, ridge: float) -> Array:
    """T = KA + 1bᵀ with A as (16) is printed, with the m x m inverse."""
    m = len(K)
    sums = K.sum(axis=0)
    inverse = np.linalg.inv(K.T @ K + ridge * K - np.outer(sums, sums) / m)
    KA = K @ (inverse @ (K.T @ U - np.outer(sums, U.sum(axis=0)) / m))
    return KA + (U - KA).mean(axis=0)


def iteration(name: str) -> None:
    """Time one iteration beside the closed form as printed."""
    X, Y = training_part(name)
    # equal rows make K singular, where the literal form breaks down and ours does not
    X = dense(X)
    distinct = np.sort(np.unique(X, axis=0, return_index=True)[1])
    X, (Y, R) = X[distinct], signed(Y[distinct])
    rng = np.random.default_rng(0)
    solver = RMFL(random_state=0)
    U = rng.standard_normal((len(Y), solver.n_factors))
    Z = unit_factor(rng, (Y.shape[1], solver.n_factors))
    B = (sp.eye_array(len(Y)) - lle_weights(X, solver.n_neighbors)).tocsr()
    model = KernelModel(X, ridge=1.0)
    K = rbf_kernel(X, X, 0.5 / model.width**2)

    def others(T: Array) -> None:
        V = solver._solve_V(Y, R, U, np.zeros_like(Z), Z)
        solver._solve_U(Y, R, U, V, T, B)
        descend_unit_rows(V @ V.T, Z)

    step, T = timed(lambda: model.fit(U))
    literal, T_literal = timed(lambda: literal_16(K, U, 1.0))
    rest, _ = timed(lambda: others(T))
    gap = np.abs(T - T_literal).max() / np.abs(T).max()
    print_header()
    print_row(f"{name}: (16) alone, m = {len(U)}", step, literal, f"values differ by {gap:.0e}")
    print_row(f"{name}: one outer iteration", step + rest, literal + rest)


def fits(name: str, ratio: float) -> None:
    """Time a fit of every learner."""
    X, Y = training_part(name)
    hidden = np.random.default_rng(1).random(Y.shape) < ratio
    for method, learner in LEARNERS.items():
        labels = np.where(hidden & learner.tags.handles_missing, np.nan, Y)
        took, _ = timed(lambda: learner().fit(X, labels))  # noqa: B023
        print(f"{name:<12}{method:<10}{took:>8.2f} s", flush=True)


def large(name: str) -> None:
    """Time a fit on a large set, with its memory."""
    X, Y = training_part(name)
    hidden = np.random.default_rng(1).random(Y.shape) < 0.4
    took, _ = timed(lambda: RMFL(random_state=0).fit(X, np.where(hidden, np.nan, Y)))
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9
    print(f"{name}: one fit on {X.shape[0]} rows {took:.0f} s, peak memory {peak:.1f} GB")


def main() -> None:
    """Run on small sets, or with --large on a large one."""
    if "--large" in sys.argv[1:]:
        large("corel16k001")
        return
    iteration("science")
    for name in ("yeast", "emotions", "scene", "image", "science"):
        fits(name, 0.4)


if __name__ == "__main__":
    main()
