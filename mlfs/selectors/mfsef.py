"""MFSEF: multi-label feature selection by conditional mutual information of expert features.

Cheng, Song, Wang and Qian, Journal of Computer Applications 40(2), 2020.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..methods.ranker import DISCRETISATION, Ranker
from ..methods.tags import Tags
from ..numerics.information import (
    Codes,
    binary,
    discretise,
    joint_code,
    joint_information,
    mutual_information,
    rounded,
)
from ..numerics.params import COUNT, ZERO_OR_COUNT, features_within
from ..numerics.sklearn_private import StrOptions
from ..types import Array
from .mfsls import REDUNDANCIES, kept_per_subspace, subspace_order


class MFSEF(Ranker):
    """Rank features by their information about the labels, together with a few expert features.

    With the expert features E, the relevance of feature f is Σ_j I((f, E); l_j). The features
    are sorted by relevance and the sequence is cut into subspaces. The experts come first, then
    the least redundant features of each subspace, as in MFSLS.

    Parameters
    ----------
    n_experts : int, default=4
        How many experts to choose; not used if `experts` is a list.
    experts : {"mi", "waterfall"} or sequence of int, default="mi"
        "mi" takes the features with the largest Σ_j I(f; l_j). "waterfall" does the same among the
        features that are high (mean, scaled to [0, 1], in the top quarter) and steady (spread at
        most the median); if these are too few, it takes others, too. A sequence names the features
        by their indices.
    n_subspaces : int, default=3
        Number of parts into which the sequence is cut.
    ratios : sequence of float, default=(0.6, 0.3, 0.1)
        Share of each subspace that is kept, one value for each subspace.
    redundancy : {"information", "joint_entropy"}, default="information"
        What is added up over the other features g of a part: I(f; g) (12) or H(f, g) (3).
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
        First the published output: the experts, then the kept features of each subspace in turn,
        least redundant first. Then all other features, most relevant first.
    n_selected_ : int
        How many features the published procedure outputs.
    experts_ : ndarray of int
        Indices of the expert features.
    relevance_ : ndarray of shape (n_features,)
        Σ_j I((f, E); l_j) in nats.

    Notes
    -----
    A fit costs O(n d² + n d l) time and O(n d + d² + n l + d l) memory.

    References
    ----------
    Cheng, Song, Wang and Qian, "Multi-label feature selection algorithm based on conditional
    mutual information of expert feature", Journal of Computer Applications 40(2), 2020,
    https://doi.org/10.11772/j.issn.1001-9081.2019091626

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import MFSEF
    >>> selector = MFSEF(n_experts=2).fit(X, Y)
    >>> sorted(selector.experts_.tolist()), selector.n_selected_
    ([0, 1], 5)
    """

    tags = Tags(
        paper="Cheng et al., Journal of Computer Applications 2020",
        note="the paper picks its experts by eye from waterfall plots and mutual information; "
        "here a rule chooses them",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "n_experts": [ZERO_OR_COUNT],
        "experts": [StrOptions({"mi", "waterfall"}), "array-like"],
        "n_subspaces": [COUNT],
        "ratios": ["array-like"],
        "redundancy": [StrOptions(set(REDUNDANCIES))],
        **DISCRETISATION,
    }

    def __init__(
        self,
        n_experts: int = 4,
        experts: str | Sequence[int] = "mi",
        n_subspaces: int = 3,
        ratios: Sequence[float] = (0.6, 0.3, 0.1),
        redundancy: str = "information",
        discretise: str = "frequency",
        bins: int = 2,
        n_features_to_select: int | float | None = None,
    ):
        self.n_experts = n_experts
        self.experts = experts
        self.n_subspaces = n_subspaces
        self.ratios = ratios
        self.redundancy = redundancy
        self.discretise = discretise
        self.bins = bins
        self.n_features_to_select = n_features_to_select

    @classmethod
    def n_output(cls, d: int) -> int:
        """Return how many of d features are selected: the experts and those kept of each subspace.

        Parameters
        ----------
        d : int
            Number of features in the data.

        Returns
        -------
        int
            The number of features, at the default parameters.
        """
        method = cls()
        return method._n_selected(method.n_experts, d)

    def _n_selected(self, n_experts: int, d: int) -> int:
        return min(d, n_experts + sum(kept_per_subspace(d, self.n_subspaces, self.ratios)))

    def _rank(self, X: Array, Y: Array) -> Array:
        d = X.shape[1]
        counts = kept_per_subspace(d, self.n_subspaces, self.ratios)
        F, L = discretise(X, self.discretise, self.bins), binary(Y)
        E = self.experts_ = self._choose_experts(X, F, L)
        c = joint_code(F.columns(E))
        self.relevance_ = rounded(joint_information(F, c, L).sum(axis=1))
        self.n_selected_ = self._n_selected(len(E), d)
        return subspace_order(F, self.relevance_, counts, self.redundancy, first=E.tolist())

    def _choose_experts(self, X: Array, F: Codes, L: Codes) -> Array:
        d = X.shape[1]
        if not isinstance(self.experts, str):
            E = np.asarray(self.experts, dtype=np.intp).reshape(-1)
            if len(set(E.tolist())) < len(E) or not np.isin(E, np.arange(d)).all():
                raise ValueError(f"experts {E.tolist()} must be distinct indices in 0..{d - 1}")
            return E
        count = features_within(self.n_experts, d, "n_experts")
        relevance = rounded(mutual_information(F, L).sum(axis=1))  # (11)
        if self.experts == "mi":
            return np.argsort(-relevance, kind="stable")[:count]
        return np.lexsort((-relevance, ~_high_and_steady(X)))[:count]


def _high_and_steady(X: Array) -> Array:
    """Mark the features that have high values in a waterfall plot and vary little."""
    extent = np.ptp(X, axis=0)
    scaled = (X - X.min(axis=0)) / np.where(extent > 0, extent, 1.0)
    mean, spread = rounded(scaled.mean(axis=0)), rounded(scaled.std(axis=0))
    return (mean >= np.quantile(mean, 0.75)) & (spread <= np.median(spread))
