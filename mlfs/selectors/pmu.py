"""PMU: feature selection for multi-label classification using multivariate mutual information.

Lee and Kim, Pattern Recognition Letters 34(3), 2013.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..methods.tags import Tags
from ..numerics.information import (
    Codes,
    binary,
    contingency,
    joint_information,
    mutual_information,
)
from ..types import Array
from .forward_selection import GreedyRanker


class PMU(GreedyRanker):
    """Pick greedily the feature with the largest multivariate mutual information.

    With S the features already picked, J(f) = Σ_l I(f; l) − Σ_{s∈S} Σ_l I(f; s; l)
    − Σ_{l<l'} I(f; l; l'), with the co-information I(a; b; c) = I(a; c) + I(b; c) − I((a, b); c).
    With this form, a pick costs only one product of the features with the labels.

    Parameters
    ----------
    bins : int, default=2
        Number of bins of each feature.
    discretise : {"frequency", "width", "mean"}, default="frequency"
        How features are cut into bins; see :func:`mlfs.numerics.information.discretise`.
    n_ranked : int or None, default=None
        How many features to pick greedily (None: all); the others follow, sorted by their last J.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        The picks in their order, then the others.
    gains_ : ndarray of shape (n_features,)
        J(f) in nats when f was picked, or after the last pick for the others.

    Notes
    -----
    A fit costs O(n d² l + n d l²) time and O(n d + n l + d l + l²) memory.

    References
    ----------
    Lee and Kim, "Feature selection for multi-label classification using multivariate mutual
    information", Pattern Recognition Letters 34(3), 2013,
    https://doi.org/10.1016/j.patrec.2012.10.005

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import PMU
    >>> sorted(PMU(bins=2).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Lee and Kim, Pattern Recognition Letters 2013",
        note="every unordered pair of labels counts once",
    )

    def _criterion(self, F: Codes, Y: Array) -> tuple[Array, Callable[[int], Array]]:
        L = binary(Y)
        counts = contingency(F, L)
        information = mutual_information(F, L)
        relevance = information.sum(axis=1)
        J = relevance - _label_pairs(F, L, information, counts)

        def after(s: int) -> Array:
            nonlocal J  # less Σ_l I(f; s; l) for every f
            together = joint_information(F, F.values[:, s], L, counts).sum(axis=1)
            J = J - (relevance + relevance[s] - together)
            return J

        return J, after


def _label_pairs(F: Codes, L: Codes, information: Array, counts: Array) -> Array:
    """Compute Σ_{l<l'} I(f; l; l') for every feature."""
    total = np.zeros(F.values.shape[1])
    between = mutual_information(L, L)
    for first in range(L.values.shape[1] - 1):
        others = slice(first + 1, None)
        c, rest = L.values[:, first], L.columns(others)
        together = joint_information(F, c, rest, counts[..., others])
        total += (information[:, others] + between[first, others] - together).sum(axis=1)
    return total
