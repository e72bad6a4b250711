"""PPT-MI: mutual information-based feature selection for multilabel classification.

Doquire and Verleysen, Neurocomputing 122, 2013.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from ..methods.tags import Tags
from ..numerics.information import Codes, binary, joint_code, mutual_information
from ..numerics.params import COUNT
from ..types import Array
from .forward_selection import GreedyRanker, redundancy


class PPTMI(GreedyRanker):
    """Turn frequent label sets into classes, and pick features that tell them apart.

    The pruned problem transformation drops the instances whose label set is rare; the label set of
    the others is one variable c. With S the features already picked,
    J(f) = I(f; c) − (1/|S|) Σ_{s∈S} I(f; s), all over the instances that are left. If fewer than
    two label sets are frequent, all instances stay and a warning says so. Label sets exist only
    where all labels are known, so nan labels are refused.

    Parameters
    ----------
    min_count : int, default=6
        How often a label set must occur to be kept.
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
    n_samples_ : int
        Number of instances that were used.

    Notes
    -----
    A fit costs O(n d² + n d c) time and O(n d + n c + d c) memory, with c label sets.

    References
    ----------
    Doquire and Verleysen, "Mutual information-based feature selection for multilabel
    classification", Neurocomputing 122, 2013, https://doi.org/10.1016/j.neucom.2013.06.035

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import PPTMI
    >>> sorted(PPTMI().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    name = "ppt_mi"
    tags = Tags(
        paper="Doquire and Verleysen, Neurocomputing 2013",
        provenance="reconstructed",
        note="informations are counted in bins; the paper estimates them from nearest neighbours",
    )

    _parameter_constraints = {**GreedyRanker._parameter_constraints, "min_count": [COUNT]}

    def __init__(
        self,
        min_count: int = 6,
        bins: int = 2,
        discretise: str = "frequency",
        n_ranked: int | None = None,
        n_features_to_select: int | float | None = None,
    ):
        super().__init__(bins, discretise, n_ranked, n_features_to_select)
        self.min_count = min_count

    def _rank(self, X: Array, Y: Array) -> Array:
        kept = _frequent(joint_code(binary(Y)), self.min_count)
        self.n_samples_ = int(kept.sum())
        return super()._rank(X[kept], Y[kept])

    def _criterion(self, F: Codes, Y: Array) -> tuple[Array, Callable[[int], Array]]:
        c = joint_code(binary(Y))
        classes = Codes(c[:, None], max(2, int(c.max()) + 1))
        relevance = mutual_information(F, classes)[:, 0]
        with_all = redundancy(F)
        picked, total = 0, np.zeros(len(relevance))

        def after(s: int) -> Array:
            nonlocal picked
            picked += 1
            total[:] += with_all(s)
            return relevance - total / picked

        return relevance, after


def _frequent(c: Array, min_count: int) -> Array:
    """Mark the instances whose class occurs often enough; all if less than two classes do."""
    counts = np.bincount(c)
    if (counts >= min_count).sum() >= min(2, len(counts)):
        return counts[c] >= min_count
    text = f"fewer than two label sets occur min_count = {min_count} times: no instance is dropped"
    warnings.warn(text, UserWarning, stacklevel=2)
    return np.ones(len(c), dtype=bool)
