"""Random sampling, the Rand baseline of the MIML paper (KDD 2014)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..methods.labels import observed
from ..methods.strategy import Pool, QueryStrategy
from ..methods.tags import Tags
from ..numerics.params import Seed, as_generator
from ..types import Array


class Random(QueryStrategy):
    """Buy points at random.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None
        Decides the points; the same int gives the same points for the same pool.

    Attributes
    ----------
    gains_ : ndarray
        Always nan: a random choice has no gain.

    Notes
    -----
    A query of a pool of n points costs O(n l) time and O(n l) memory.

    References
    ----------
    A baseline of Vasisht, Damianou, Varma and Kapoor, "Active learning for sparse Bayesian
    multilabel classification", KDD 2014, https://doi.org/10.1145/2623330.2623759

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.active import Pool, Random
    >>> pool = Pool(np.zeros((3, 2)), np.array([[1.0], [np.nan], [np.nan]]))
    >>> sorted(Random(random_state=0).query(pool, None, 2).tolist())
    [1, 2]
    """

    tags = Tags(
        handles_missing=True, supports_sparse=True, paper="baseline of Vasisht et al., KDD 2014"
    )

    _parameter_constraints = {
        "random_state": ["random_state"],
    }

    def __init__(self, random_state: Seed = None):
        self.random_state = random_state

    chooses_labels = True

    def _choose_labels(
        self, model: Any, mu: Array, v: float, n: int, rng: np.random.Generator, known: Array
    ) -> tuple[Array, Array]:
        return rng.choice(np.count_nonzero(~observed(known)), n, replace=False), np.full(n, np.nan)

    def _query(self, pool: Pool, model: Any, n: int) -> tuple[Array, Array]:
        rng = as_generator(self.random_state, len(pool.labelled))
        return rng.choice(len(pool.unlabelled), n, replace=False), np.full(n, np.nan)
