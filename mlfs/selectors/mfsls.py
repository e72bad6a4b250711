"""MFSLS: multi-label feature selection based on local subspaces.

Liu, Lin, Wang et al., Pattern Recognition and Artificial Intelligence 29(3), 2016, as Cheng,
Song, Wang and Qian (Journal of Computer Applications 2020) describe it; equation numbers are
those of the latter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..methods.ranker import DISCRETISATION, Ranker
from ..methods.tags import Tags
from ..numerics.information import (
    Codes,
    binary,
    discretise,
    joint_entropy,
    mutual_information,
    rounded,
)
from ..numerics.params import COUNT
from ..numerics.sklearn_private import StrOptions
from ..types import Array

REDUNDANCIES = {"information": mutual_information, "joint_entropy": joint_entropy}


class MFSLS(Ranker):
    """Sort features by relevance, cut the sequence, and keep the least redundant of each part.

    The relevance of feature f is Σ_j I(f; l_j), and its redundancy is Σ_g I(f; g) over its part,
    or Σ_g H(f, g), which prefers features of low entropy.
    The first part contributes most features. Some weaker features are kept, too, since one of them
    may decide a rare label.

    Parameters
    ----------
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
        First the published output: the kept features of each subspace in turn, least redundant
        first. Then all other features, most relevant first.
    n_selected_ : int
        How many features the published procedure outputs.
    relevance_ : ndarray of shape (n_features,)
        Σ_j I(f; l_j) in nats.

    Notes
    -----
    A fit costs O(n d² + n d l) time and O(n d + d² + n l + d l) memory.

    References
    ----------
    Liu, Lin, Wang et al., "Multi-label feature selection based on local subspaces", Pattern
    Recognition and Artificial Intelligence 29(3), 2016, as described by Cheng, Song, Wang and
    Qian, Journal of Computer Applications 40(2), 2020,
    https://doi.org/10.11772/j.issn.1001-9081.2019091626. Numbers in brackets are equations of the
    latter.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import MFSLS
    >>> selector = MFSLS(n_subspaces=1, ratios=[0.4]).fit(X, Y)
    >>> selector.n_selected_
    2
    """

    tags = Tags(
        paper="Liu et al., Pattern Recognition and Artificial Intelligence 2016",
        provenance="reconstructed",
        note="from its description in the MFSEF paper, Cheng et al. 2020",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "n_subspaces": [COUNT],
        "ratios": ["array-like"],
        "redundancy": [StrOptions(set(REDUNDANCIES))],
        **DISCRETISATION,
    }

    def __init__(
        self,
        n_subspaces: int = 3,
        ratios: Sequence[float] = (0.6, 0.3, 0.1),
        redundancy: str = "information",
        discretise: str = "frequency",
        bins: int = 2,
        n_features_to_select: int | float | None = None,
    ):
        self.n_subspaces = n_subspaces
        self.ratios = ratios
        self.redundancy = redundancy
        self.discretise = discretise
        self.bins = bins
        self.n_features_to_select = n_features_to_select

    @classmethod
    def n_output(cls, d: int) -> int:
        """Return how many of d features are selected: those kept of each subspace.

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
        return min(d, sum(kept_per_subspace(d, method.n_subspaces, method.ratios)))

    def _rank(self, X: Array, Y: Array) -> Array:
        counts = kept_per_subspace(X.shape[1], self.n_subspaces, self.ratios)
        F = discretise(X, self.discretise, self.bins)
        self.relevance_ = rounded(mutual_information(F, binary(Y)).sum(axis=1))  # (11)
        self.n_selected_ = min(sum(counts), X.shape[1])
        return subspace_order(F, self.relevance_, counts, self.redundancy)


def kept_per_subspace(d: int, n_subspaces: int, ratios: Sequence[float]) -> list[int]:
    """Compute N_i = ⌈ratio_i ⌈d / n_subspaces⌉⌉ for every subspace of d features."""
    if len(ratios) != n_subspaces:
        raise ValueError(
            f"{len(ratios)} ratios for {n_subspaces} subspaces: set one ratio for each"
        )
    if not all(0 <= ratio <= 1 for ratio in ratios):
        raise ValueError(f"ratios {tuple(ratios)} must lie between 0 and 1")
    size = math.ceil(d / n_subspaces)
    return [math.ceil(ratio * size - 1e-9) for ratio in ratios]  # .28 · 25 > 7


def subspace_order(
    F: Codes,
    relevance: Array,
    counts: Sequence[int],
    redundancy: str = "information",
    first: Sequence[int] = (),
) -> Array:
    """Order all features: `first`, then the least redundant of each subspace, then the others.

    Parameters
    ----------
    F : Codes
        The discretised features.
    relevance : ndarray of shape (d,)
        Features are sorted by it and then cut into len(counts) parts of ⌈d / len(counts)⌉.
    counts : sequence of int
        How many features of each part to keep.
    redundancy : {"information", "joint_entropy"}, default="information"
        What is added up over the other features of a part.
    first : sequence of int, optional
        Features that are already chosen. They stay in the sequence and in the sums of redundancy,
        but are not chosen again.

    Returns
    -------
    ndarray of int
        Indices of all features.
    """
    sequence = np.argsort(-relevance, kind="stable")
    size = math.ceil(len(sequence) / len(counts))
    order = list(first)
    for i, count in enumerate(counts):
        part = np.sort(sequence[i * size : (i + 1) * size])  # so that ties go to the lowest index
        S = F.columns(part)
        shared = REDUNDANCIES[redundancy](S, S)
        total = shared.sum(axis=1) - shared.diagonal()  # (12)
        ascending = part[np.argsort(rounded(total), kind="stable")]
        order.extend(ascending[~np.isin(ascending, first)][:count])
    rest = sequence[~np.isin(sequence, order)]
    return np.concatenate([order, rest]).astype(np.intp)
