"""Top mutual information: score each feature alone, a baseline for information methods."""

from __future__ import annotations

from ..methods.ranker import DISCRETISATION, Ranker
from ..methods.tags import Tags
from ..numerics.information import binary, discretise, mutual_information, rounded
from ..types import Array


class TopMutualInformation(Ranker):
    """Rank each feature by its own information about the labels, Σ_j I(f; l_j).

    Features are cut into bins, and each one is scored without regard to the others. This is the
    first step of MFSLS and MFSEF. Unknown labels: I(f; l_j) is that of the rows where l_j is known.

    Parameters
    ----------
    discretise : {"frequency", "width", "mean"}, default="frequency"
        How features are cut into bins; see :func:`mlfs.numerics.information.discretise`.
    bins : int, default=2
        Number of bins of each feature.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        Σ_j I(f; l_j) in nats.

    Notes
    -----
    A fit costs O(n d l) time and O(n d + n l + d l) memory.

    References
    ----------
    Cheng, Song, Wang and Qian, "Multi-label feature selection algorithm based on conditional
    mutual information of expert feature", Journal of Computer Applications 40(2), 2020,
    equation (11), https://doi.org/10.11772/j.issn.1001-9081.2019091626

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import TopMutualInformation
    >>> sorted(TopMutualInformation().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    name = "top_mi"
    tags = Tags(
        paper="Cheng, Song, Wang and Qian, Journal of Computer Applications 2020, (11)",
        handles_missing=True,
        by_label=True,
        note="not a column of the paper; it is only the first step of MFSLS",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        **DISCRETISATION,
    }

    def __init__(
        self,
        discretise: str = "frequency",
        bins: int = 2,
        n_features_to_select: int | float | None = None,
    ):
        self.discretise = discretise
        self.bins = bins
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Array, Y: Array) -> Array:
        F = discretise(X, self.discretise, self.bins)
        return rounded(mutual_information(F, binary(Y)).sum(axis=1))  # (11)
