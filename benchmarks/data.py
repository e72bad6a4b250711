"""Data of comparisons: made ones, always the same, and real ones where they can be had."""

from __future__ import annotations

import numpy as np

from mlfs.datasets import load
from mlfs.numerics.linalg import dense
from mlfs.types import Array


def made(n: int, d: int, l: int, seed: int = 0) -> tuple[Array, Array]:  # noqa: E741
    """Features, and labels in {0, 1} that depend on them, none of them constant."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, l)) / np.sqrt(d) + 0.5 * rng.standard_normal((n, l))
    return X, (scores > np.quantile(scores, 0.7, axis=0)).astype(float)


def real(name: str, share: float = 0.8) -> tuple[Array, Array]:
    """Some rows of a real set, dense."""
    data = load(name)
    rows = np.random.default_rng(0).permutation(len(data.Y))[: round(share * len(data.Y))]
    return dense(data.X[rows]), data.Y[rows].astype(float)
