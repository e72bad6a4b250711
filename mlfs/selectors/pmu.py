"""PMU: feature selection for multi-label classification using multivariate mutual information.

Lee and Kim, Pattern Recognition Letters 34(3), 2013.
"""

from __future__ import annotations

import numpy as np

from ..information import (
    Codes,
    binary,
    discretise,
    joint_information,
    mutual_information,
    rounded,
)
from ..params import ZERO_OR_COUNT, features_within
from ..tags import Tags
from ..types import Array
from .base import DISCRETISATION, Ranker


class PMU(Ranker):
    """Pick greedily the feature with the largest multivariate mutual information.

    With S the features already picked, J(f) = Σ_l I(f; l) − Σ_{s∈S} Σ_l I(f; s; l)
    − Σ_{l<l'} I(f; l; l'), with the co-information I(a; b; c) = I(a; c) + I(b; c) − I((a, b); c).
    With this form, a pick costs only one product of the features with the labels.

    Parameters
    ----------
    bins : int, default=2
        Number of bins of each feature.
    discretise : {"frequency", "width", "mean"}, default="frequency"
        How features are cut into bins; see :func:`mlfs.information.discretise`.
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

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        **DISCRETISATION,
        "n_ranked": [ZERO_OR_COUNT, None],
    }

    def __init__(
        self,
        bins: int = 2,
        discretise: str = "frequency",
        n_ranked: int | None = None,
        n_features_to_select: int | float | None = None,
    ):
        self.bins = bins
        self.discretise = discretise
        self.n_ranked = n_ranked
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Array, Y: Array) -> Array:
        d = X.shape[1]
        picks = d if self.n_ranked is None else features_within(self.n_ranked, d, "n_ranked")
        F, L = discretise(X, self.discretise, self.bins), binary(Y)
        information = mutual_information(F, L)
        relevance = information.sum(axis=1)
        J = relevance - _label_pairs(F, L, information)
        self.gains_ = np.empty(d)
        free = np.ones(d, dtype=bool)
        order: list[int] = []
        while len(order) < picks:
            s = int(np.argmax(np.where(free, rounded(J), -np.inf)))
            free[s], self.gains_[s] = False, J[s]
            order.append(s)
            if len(order) < d:  # Σ_l I(f; s; l) for every f
                together = joint_information(F, F.values[:, s], L).sum(axis=1)
                J -= relevance + relevance[s] - together
        self.gains_[free] = J[free]
        rest = np.flatnonzero(free)
        rest = rest[np.argsort(-rounded(J[rest]), kind="stable")]
        return np.concatenate([order, rest]).astype(np.intp)


def _label_pairs(F: Codes, L: Codes, information: Array) -> Array:
    """Compute Σ_{l<l'} I(f; l; l') for every feature."""
    total = np.zeros(F.values.shape[1])
    between = mutual_information(L, L)
    for first in range(L.values.shape[1] - 1):
        others = slice(first + 1, None)
        together = joint_information(F, L.values[:, first], L.columns(others))
        total += (information[:, others] + between[first, others] - together).sum(axis=1)
    return total
