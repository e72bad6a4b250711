"""MIML: choose the points that give most information about the rest of the pool.

Vasisht, Damianou, Varma and Kapoor, "Active learning for sparse Bayesian multilabel
classification", KDD 2014, algorithm 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..methods.strategy import Pool, QueryStrategy
from ..methods.tags import Tags
from ..types import Array
from .diagnosis import label_covariance
from .greedy import MutualInformation, full_scan, lazy_scan


class MIML(QueryStrategy):
    """Buy the points that raise the mutual information of bought and remaining points most.

    The choice is greedy: a pick x adds ½ k log(var(x|A) / var(x|Ā)) nats, where A are the bought
    points and Ā the rest of the pool. The k blocks of the compressed labels share one covariance
    over points, so the number of labels and their values do not matter: all points can be chosen
    before any label is known.

    Parameters
    ----------
    lazy : bool, default=False
        Keep gains in a heap and update only those at its top. The picks are the same. This saves
        time if the pool is much larger than the set of labelled points.

    Attributes
    ----------
    gains_ : ndarray
        Gain in mutual information of each pick, in nats, over the k compressed labels.

    Notes
    -----
    A query of a pool of n points costs O(n³ + n² d) time and O(n² + n d) memory.

    References
    ----------
    Vasisht, Damianou, Varma and Kapoor, "Active learning for sparse Bayesian multilabel
    classification", KDD 2014, algorithm 1, https://doi.org/10.1145/2623330.2623759

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.active import MIML, BayesianCompressedSensing, Pool
    >>> X = np.random.default_rng(0).standard_normal((12, 2))
    >>> Y = (X > 0).astype(float)
    >>> Y[8:] = np.nan  # four points are not labelled yet
    >>> pool = Pool(X, Y)
    >>> model = BayesianCompressedSensing(random_state=0).fit(X[:8], Y[:8])
    >>> set(MIML().query(pool, model, 2).tolist()) < {8, 9, 10, 11}
    True
    """

    tags = Tags(
        handles_missing=True,
        supports_sparse=True,
        paper="Vasisht et al., KDD 2014",
        note="algorithm 1 prints A in the denominator, but means the rest of the pool",
    )

    _parameter_constraints = {
        "lazy": ["boolean"],
    }

    def __init__(self, lazy: bool = False):
        self.lazy = lazy

    chooses_labels = True

    def _choose_labels(
        self, model: Any, mu: Array, v: float, n: int, rng: np.random.Generator, known: Array
    ) -> tuple[Array, Array]:
        covariance = label_covariance(model, mu, v, known)
        criterion = MutualInformation(covariance, len(covariance), n)
        labels, log_ratios = full_scan(criterion, len(covariance), n)
        return labels, 0.5 * log_ratios

    def _query(self, pool: Pool, model: Any, n: int) -> tuple[Array, Array]:
        candidates, order = pool.unlabelled, np.r_[pool.unlabelled, pool.labelled]
        criterion = MutualInformation(model.covariance(pool.X[order]), len(candidates), n)
        scan = lazy_scan if self.lazy else full_scan
        picks, log_ratios = scan(criterion, len(candidates), n)
        return picks, 0.5 * len(model.Phi_) * log_ratios
