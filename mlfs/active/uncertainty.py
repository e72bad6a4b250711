"""Uncertainty sampling on the Bayesian model, the Uncert baseline of the MIML paper (KDD 2014)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..methods.strategy import Pool, QueryStrategy
from ..methods.tags import Tags
from ..types import Array
from .diagnosis import label_covariance
from .greedy import Entropy, full_scan


class Uncertainty(QueryStrategy):
    """Buy one point after another, each with the highest entropy given those bought before.

    The entropy of a point is that of its k compressed labels, ½ k log(2πe var(x|A)), as in MIML's
    criterion (theorem 1). It depends on the variance of the regression, but not on known labels.

    Attributes
    ----------
    gains_ : ndarray
        Entropy of each pick, in nats, over the k compressed labels.

    Notes
    -----
    A query of a pool of n points, a of them labelled, costs O(n² d + n a² + a³) time and
    O(n² + n d) memory.

    References
    ----------
    A baseline of Vasisht, Damianou, Varma and Kapoor, "Active learning for sparse Bayesian
    multilabel classification", KDD 2014, https://doi.org/10.1145/2623330.2623759

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.active import BayesianCompressedSensing, Pool, Uncertainty
    >>> X = np.random.default_rng(0).standard_normal((12, 2))
    >>> Y = (X > 0).astype(float)
    >>> Y[8:] = np.nan  # four points are not labelled yet
    >>> model = BayesianCompressedSensing(random_state=0).fit(X[:8], Y[:8])
    >>> set(Uncertainty().query(Pool(X, Y), model, 2).tolist()) < {8, 9, 10, 11}
    True
    """

    tags = Tags(
        handles_missing=True, supports_sparse=True, paper="baseline of Vasisht et al., KDD 2014"
    )

    chooses_labels = True

    def _choose_labels(
        self, model: Any, mu: Array, v: float, n: int, rng: np.random.Generator, known: Array
    ) -> tuple[Array, Array]:
        covariance = label_covariance(model, mu, v, known)
        labels, log_variances = full_scan(
            Entropy(covariance, len(covariance), n), len(covariance), n
        )
        return labels, 0.5 * (np.log(2 * np.pi * math.e) + log_variances)

    def _query(self, pool: Pool, model: Any, n: int) -> tuple[Array, Array]:
        candidates, order = pool.unlabelled, np.r_[pool.unlabelled, pool.labelled]
        criterion = Entropy(model.covariance(pool.X[order]), len(candidates), n)
        picks, log_variances = full_scan(criterion, len(candidates), n)
        return picks, 0.5 * len(model.Phi_) * (np.log(2 * np.pi * math.e) + log_variances)
