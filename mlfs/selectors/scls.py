"""SCLS: multi-label feature selection based on a scalable criterion for large label sets.

Lee and Kim, Pattern Recognition 66, 2017.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..methods.tags import Tags
from ..numerics.information import Codes, binary, entropy, mutual_information
from ..types import Array
from .forward_selection import GreedyRanker, redundancy


class SCLS(GreedyRanker):
    """Pick greedily the most relevant feature, less its share that is already known.

    With S the features already picked, J(f) = Σ_l I(f; l) · (1 − Σ_{s∈S} I(f; s) / H(f)). A pick
    costs one product with a single column, whatever the number of labels. For a constant feature
    J = 0, since it is not relevant. Unknown labels: I(f; l) uses the rows where l is known.

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
    A fit costs O(n d² + n d l) time and O(n d + n l + d l) memory.

    References
    ----------
    Lee and Kim, "SCLS: Multi-label feature selection based on scalable criterion for large label
    set", Pattern Recognition 66, 2017, https://doi.org/10.1016/j.patcog.2017.01.014

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import SCLS
    >>> sorted(SCLS().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Lee and Kim, Pattern Recognition 2017",
        handles_missing=True,
        by_label=True,
        note="J is negative once the shares of the picks add up to more than 1, so that an "
        "irrelevant feature may then come before a relevant one",
    )

    def _criterion(self, F: Codes, Y: Array) -> tuple[Array, Callable[[int], Array]]:
        relevance = mutual_information(F, binary(Y)).sum(axis=1)
        H, with_all = entropy(F), redundancy(F)
        shared = np.zeros(len(H))  # Σ_s I(f; s) / H(f)

        def after(s: int) -> Array:
            shared[:] += np.divide(with_all(s), H, out=np.zeros(len(H)), where=H > 0)
            return relevance * (1 - shared)

        return relevance, after
