"""LRFS: distinguishing two types of labels for multi-label feature selection.

Zhang, Liu and Gao, Pattern Recognition 95, 2019.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..methods.tags import Tags
from ..numerics.information import (
    Codes,
    binary,
    conditional_information,
    mutual_information,
    where_known,
)
from ..types import Array
from .forward_selection import GreedyRanker, redundancy


class LRFS(GreedyRanker):
    """Pick greedily the feature that says most about each label, given each other label.

    With S the features already picked,
    J(f) = Σ_i Σ_{j≠i} I(f; l_j | l_i) − (1/|S|) Σ_{s∈S} I(f; s). With a single label there are no
    pairs, and I(f; l) replaces their sum. Unknown labels: the term of a pair of labels uses the
    rows where both are known.

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
    relevance_ : ndarray of shape (n_features,)
        The sum over pairs of labels.

    Notes
    -----
    A fit costs O(n d² + n d l²) time and O(n d + n l + d l) memory.

    References
    ----------
    Zhang, Liu and Gao, "Distinguishing two types of labels for multi-label feature selection",
    Pattern Recognition 95, 2019, https://doi.org/10.1016/j.patcog.2019.06.004

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import LRFS
    >>> sorted(LRFS().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Zhang, Liu and Gao, Pattern Recognition 2019",
        handles_missing=True,
        by_label=True,
        note="the relevance is a sum over pairs of labels and the redundancy a mean over picks, so "
        "with many labels the relevance decides nearly alone",
    )

    def _criterion(self, F: Codes, Y: Array) -> tuple[Array, Callable[[int], Array]]:
        self.relevance_ = _relevance(F, binary(Y))
        with_all = redundancy(F)
        picked, total = 0, np.zeros(len(self.relevance_))

        def after(s: int) -> Array:
            nonlocal picked
            picked += 1
            total[:] += with_all(s)
            return self.relevance_ - total / picked

        return self.relevance_, after


def _relevance(F: Codes, L: Codes) -> Array:
    """Compute Σ_i Σ_{j≠i} I(f; l_j | l_i) for every feature."""
    n_labels = L.values.shape[1]
    if n_labels == 1:
        return mutual_information(F, L)[:, 0]
    total = np.zeros(F.values.shape[1])
    for i in range(n_labels):
        features, labels = where_known(F, L, i)
        others = labels.columns(np.arange(n_labels) != i)
        total += conditional_information(features, labels.values[:, i], others).sum(axis=1)
    return total
