"""MDMR: multi-label feature selection based on max-dependency and min-redundancy.

Lin, Hu, Liu and Duan, Neurocomputing 168, 2015.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..methods.tags import Tags
from ..numerics.information import (
    Codes,
    binary,
    conditional_information,
    contingency,
    mutual_information,
)
from ..types import Array
from .forward_selection import GreedyRanker, redundancy


class MDMR(GreedyRanker):
    """Pick greedily the feature with the largest dependency and the smallest redundancy.

    With S the features already picked,
    J(f) = Σ_l I(f; l) − (1/|S|) Σ_{s∈S} [I(f; s) − Σ_l I(f; l | s)]. So a feature that repeats s
    loses, unless it says more about the labels once s is known. Unknown labels: all terms with a
    label l use the rows where l is known.

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
    A fit costs O(n d² l) time and O(n d + n l + d l) memory.

    References
    ----------
    Lin, Hu, Liu and Duan, "Multi-label feature selection based on max-dependency and
    min-redundancy", Neurocomputing 168, 2015, https://doi.org/10.1016/j.neucom.2015.06.010

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import MDMR
    >>> sorted(MDMR().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Lin et al., Neurocomputing 2015",
        handles_missing=True,
        by_label=True,
        note="the penalty is a mean over the picks; a public program computes D2F under this name",
    )

    def _criterion(self, F: Codes, Y: Array) -> tuple[Array, Callable[[int], Array]]:
        L, with_all = binary(Y), redundancy(F)
        counts = contingency(F, L)
        relevance = mutual_information(F, L).sum(axis=1)
        picked, total = 0, np.zeros(len(relevance))

        def after(s: int) -> Array:
            nonlocal picked
            picked += 1
            new = conditional_information(F, F.values[:, s], L, counts).sum(axis=1)
            total[:] += with_all(s) - new
            return relevance - total / picked

        return relevance, after
