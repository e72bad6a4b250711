"""The Bayesian signed-rank test: how probable it is that one method is better in practice.

Benavoli, Corani, Demšar and Zaffalon, Time for a change, JMLR 2017.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ..types import Array


@dataclass(frozen=True)
class BayesianResult:
    """Hold the probabilities that a is better than b, practically equal, or worse.

    Parameters
    ----------
    better, equal, worse : float
        The probabilities; they add up to 1.
    n : int
        Number of pairs used.

    Examples
    --------
    >>> from mlfs.stats import bayesian_signed_rank
    >>> bayesian_signed_rank([0.5, 0.6], [0.5, 0.6]).equal
    1.0
    """

    better: float
    equal: float
    worse: float
    n: int

    @property
    def likeliest(self) -> str:
        """The name of the largest probability."""
        return max(("equal", "better", "worse"), key=lambda name: getattr(self, name))


def bayesian_signed_rank(
    a: ArrayLike,
    b: ArrayLike,
    rope: float = 0.01,
    prior: float = 0.5,
    draws: int = 50_000,
    random_state: int = 0,
) -> BayesianResult:
    """Compute how probable it is that a is better than b, equal, or worse, over datasets.

    Two methods are practically equal where they differ by at most `rope`, the region of practical
    equivalence. The differences z of n datasets, and one more that is 0, get weights w from the
    Dirichlet distribution with the parameters 1, ..., 1 and `prior`. Then the mass of "better" is
    the sum of w_i w_j over all pairs with (z_i + z_j) / 2 > rope, and likewise for the others. Each
    probability is the share of the draws of w in which its mass is the largest.

    Parameters
    ----------
    a, b : arrays of shape (n,)
        Scores of two methods on the same datasets, larger is better; pairs with a missing value are
        left out.
    rope : float, default=0.01
        Largest difference that does not matter.
    prior : float, default=0.5
        The weight of the difference 0 that is added, in datasets.
    draws : int, default=50000
        Number of draws; the standard error of a probability is at most 0.5 / √draws.
    random_state : int, default=0
        Seed of the draws.

    Returns
    -------
    BayesianResult
        The three probabilities.

    References
    ----------
    Benavoli, Corani, Demšar and Zaffalon, "Time for a change: a tutorial for comparing multiple
    classifiers through Bayesian analysis", JMLR 18, 2017.

    Examples
    --------
    >>> from mlfs.stats import bayesian_signed_rank
    >>> result = bayesian_signed_rank([0.8, 0.7, 0.9, 0.6], [0.5, 0.4, 0.5, 0.5])
    >>> result.better > 0.95, result.worse
    (True, 0.0)
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(
            f"values of shapes {a.shape} and {b.shape}: pass two lists of equal length"
        )
    if rope < 0 or prior <= 0:
        raise ValueError(f"rope = {rope} and prior = {prior}: use rope >= 0 and prior > 0")
    z = (a - b)[~np.isnan(a - b)]
    if len(z) == 0:
        raise ValueError("no pair of values is complete: pass scores of both methods")
    z = np.append(z, 0.0)
    order = np.argsort(z, kind="stable")
    weights = _weights(len(z), prior, draws, random_state)[:, order]
    mass = _masses(weights, z[order], rope + 1e-12)  # exactly the rope is within, if rounded
    first = mass >= mass.max(axis=0) - 1e-12
    wins = (first / first.sum(axis=0)).sum(axis=1)  # ties are divided
    better, equal, worse = (float(share) for share in wins / draws)
    return BayesianResult(better, equal, worse, len(z) - 1)


@lru_cache(maxsize=8)
def _weights(n: int, prior: float, draws: int, random_state: int) -> Array:
    """Draw the weights of n differences, the last of which is the added one."""
    rng = np.random.default_rng(random_state)
    return rng.dirichlet(np.append(np.ones(n - 1), prior), draws)


def _masses(weights: Array, z: Array, edge: float) -> Array:
    """Return the masses of better, equal and worse for each draw; z is ascending.

    The partners j of i with (z_i + z_j) / 2 > edge are the last ones of the order, so their weights
    are a difference of cumulative sums, and likewise those below -edge are the first ones.
    """
    total = np.cumsum(np.column_stack([np.zeros(len(weights)), weights]), axis=1)
    above = np.searchsorted(z, 2 * edge - z, side="right")
    below = np.searchsorted(z, -2 * edge - z, side="left")
    better = np.einsum("si,si->s", weights, 1 - total[:, above])
    worse = np.einsum("si,si->s", weights, total[:, below])
    return np.stack([better, 1 - better - worse, worse])
