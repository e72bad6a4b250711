"""ML2's regression with a factor that is kept, against a new one and a bordered system a turn.

Times are processor seconds, so run it on one thread (OMP_NUM_THREADS=1) from the checkout,
with the data at hand (MLFS_DATA or MLFS_MIRROR):
python benchmarks/bench_learners.py [DATASET ...] [--literal]
"""

from __future__ import annotations

import sys
from typing import Any
from unittest.mock import patch

import numpy as np
from common import print_header, print_row, timed

from mlfs.datasets import load
from mlfs.graphs import lle_weights
from mlfs.labels import signed
from mlfs.learners import ML2, ml2
from mlfs.learners.reweighting import Systems
from mlfs.linalg import dense, mean_distance, rbf_kernel
from mlfs.types import Array

_QUICK = 500  # iterations of stage 1, whose end is not measured here


class Anew(Systems):
    """A factor of its own for every system."""

    def _serves(self, weights: Array) -> bool:
        return False


class Bordered(Systems):
    """β and the multiplier for 1 from the systems as they are printed, by LU."""

    def solve(self, weights: Array, mu: Array, P: Array, tol: float) -> Any:
        """Solve the bordered system as written, without a factor that is kept."""
        one = np.ones((len(mu), 1))
        system = np.eye(len(mu)) + weights[:, None] * self.K
        rhs = weights[:, None] * np.hstack([mu, one])
        rhs[:, :-1] += P
        beta = np.linalg.solve(system, rhs)
        Kbeta = self.K @ beta
        return beta[:, :-1], Kbeta[:, :-1], beta[:, -1], Kbeta[:, -1]


def regression(name: str, baselines: dict[str, type[Systems]]) -> None:
    """Time ML2's regression beside the baselines."""
    data = load(name)
    rows = np.random.default_rng(0).permutation(len(data.Y))[: round(0.8 * len(data.Y))]
    X, (Y, _) = dense(data.X[rows]), signed(data.Y[rows].astype(float))
    model = ML2()
    S = lle_weights(X, model.n_neighbors)
    model.mu_, *_ = ml2.numerical_labels(S, Y, model.lam, max_iter=_QUICK, tol=model.tol)
    K = rbf_kernel(X, X, 0.5 / mean_distance(X) ** 2)
    took, _ = timed(lambda: model._regress(K, Y))
    ours = model.objective_[-1]
    for what, systems in baselines.items():
        with patch.object(ml2, "Systems", systems):
            baseline, _ = timed(lambda: model._regress(K, Y))
        gap = ours / model.objective_[-1] - 1
        where = f"{name}, n = {len(Y)}, {Y.shape[1]} labels: {what}"
        print_row(where, took, baseline, f"objectives differ by {gap:.0e}, relatively")


def main() -> None:
    """Run on the sets that are named, or on two."""
    literal = "--literal" in sys.argv[1:]
    names = [name for name in sys.argv[1:] if name != "--literal"] or ["yeast", "education"]
    baselines: dict[str, type[Systems]] = {"a Cholesky factor a turn": Anew}
    if literal:
        baselines["LU a turn"] = Bordered
    print_header()
    for name in names:
        regression(name, baselines)


if __name__ == "__main__":
    main()
