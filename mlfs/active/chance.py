"""Random sampling, the Rand baseline of the MIML paper (KDD 2014)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tags import Tags
from ..types import Array
from .base import Pool, QueryStrategy


class Random(QueryStrategy):
    """Buy points at random.

    Parameters
    ----------
    random_state : int, default=0
        The same state gives the same points for the same pool.
    """

    tags = Tags(
        handles_missing=True, supports_sparse=True, paper="baseline of Vasisht et al., KDD 2014"
    )

    def __init__(self, random_state: int = 0):
        self.random_state = random_state

    def _query(self, pool: Pool, model: Any, n: int) -> tuple[Array, Array]:
        rng = np.random.default_rng([self.random_state, len(pool.labelled)])
        return rng.choice(len(pool.unlabelled), n, replace=False), np.full(n, np.nan)
