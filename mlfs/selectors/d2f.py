"""D2F: mutual information-based multi-label feature selection using interaction information.

Lee and Kim, Expert Systems with Applications 42(4), 2015.
"""

from __future__ import annotations

from collections.abc import Callable

from ..methods.tags import Tags
from ..numerics.information import (
    Codes,
    binary,
    conditional_information,
    contingency,
    mutual_information,
)
from ..types import Array
from .forward_selection import GreedyRanker


class D2F(GreedyRanker):
    """Pick greedily the feature whose information about the labels is new.

    With S the features already picked, J(f) = Σ_l I(f; l) − Σ_{s∈S} Σ_l I(f; s; l), with the
    co-information I(f; s; l) = I(f; l) − I(f; l | s). It is PMU without its pairs of labels.
    Unknown labels: all terms with a label l use the rows where l is known.

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
    Lee and Kim, "Mutual information-based multi-label feature selection using interaction
    information", Expert Systems with Applications 42(4), 2015,
    https://doi.org/10.1016/j.eswa.2014.09.063

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import D2F
    >>> sorted(D2F().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Lee and Kim, Expert Systems with Applications 2015",
        handles_missing=True,
        by_label=True,
        note="every pick is subtracted once; a public program subtracts early picks again at "
        "every step",
    )

    def _criterion(self, F: Codes, Y: Array) -> tuple[Array, Callable[[int], Array]]:
        L = binary(Y)
        counts = contingency(F, L)
        relevance = mutual_information(F, L).sum(axis=1)
        J = relevance

        def after(s: int) -> Array:
            nonlocal J
            new = conditional_information(F, F.values[:, s], L, counts).sum(axis=1)
            J = J - (relevance - new)
            return J

        return relevance, after
