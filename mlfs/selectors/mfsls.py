"""MFSLS: multi-label feature selection based on local subspaces.

Liu, Lin, Wang et al., Pattern Recognition and Artificial Intelligence 29(3), 2016, as Cheng,
Song, Wang and Qian (Journal of Computer Applications 2020) describe it; equation numbers are
those of the latter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..information import Codes, binary, discretise, mutual_information, rounded
from ..params import COUNT
from ..tags import Tags
from ..types import Array
from .base import DISCRETISATION, Ranker


class MFSLS(Ranker):
    """Sort features by relevance, cut the sequence, keep the least redundant of each part.

    Relevance is Σ_j I(f; l_j). The first part gives most features, but weak ones get a place
    too, since one of them may decide a rare label.

    Parameters
    ----------
    n_subspaces : int, default=3
    ratios : sequence of float, default=(0.6, 0.3, 0.1)
        Share of each subspace that is kept, one value a subspace.
    discretise : {"frequency", "width", "mean"}, default="frequency"
        How features are cut into bins (:func:`mlfs.information.discretise`).
    bins : int, default=2
    n_features_to_select : int, float or None, default=None

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        The published output first, subspace by subspace and least redundant first; then the
        features it leaves out, most relevant first.
    n_selected_ : int
        How many features the published procedure outputs.
    relevance_ : ndarray of shape (n_features,)
        Σ_j I(f; l_j) in nats.

    Notes
    -----
    A fit costs O(n d² + n d l) time and O(n d + d² + n l + d l) memory.
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
        **DISCRETISATION,
    }

    def __init__(
        self,
        n_subspaces: int = 3,
        ratios: Sequence[float] = (0.6, 0.3, 0.1),
        discretise: str = "frequency",
        bins: int = 2,
        n_features_to_select: int | float | None = None,
    ):
        self.n_subspaces = n_subspaces
        self.ratios = ratios
        self.discretise = discretise
        self.bins = bins
        self.n_features_to_select = n_features_to_select

    @classmethod
    def n_output(cls, d: int) -> int:
        """Number of features that come out of d: the kept of each subspace."""
        method = cls()
        return min(d, sum(kept_per_subspace(d, method.n_subspaces, method.ratios)))

    def _rank(self, X: Array, Y: Array) -> Array:
        counts = kept_per_subspace(X.shape[1], self.n_subspaces, self.ratios)
        F = discretise(X, self.discretise, self.bins)
        self.relevance_ = rounded(mutual_information(F, binary(Y)).sum(axis=1))  # (11)
        self.n_selected_ = min(sum(counts), X.shape[1])
        return subspace_order(F, self.relevance_, counts)


def kept_per_subspace(d: int, n_subspaces: int, ratios: Sequence[float]) -> list[int]:
    """Give N_i = ⌈ratio_i ⌈d / n_subspaces⌉⌉ for every subspace of d features."""
    if len(ratios) != n_subspaces:
        raise ValueError(
            f"{len(ratios)} ratios for {n_subspaces} subspaces: give one ratio for each"
        )
    if not all(0 <= ratio <= 1 for ratio in ratios):
        raise ValueError(f"ratios {tuple(ratios)} must lie between 0 and 1")
    size = math.ceil(d / n_subspaces)
    return [math.ceil(ratio * size - 1e-9) for ratio in ratios]  # .28 · 25 comes out above 7


def subspace_order(
    F: Codes, relevance: Array, counts: Sequence[int], first: Sequence[int] = ()
) -> Array:
    """Order all features: `first`, then the least redundant of each subspace, then the others.

    Parameters
    ----------
    F : Codes
    relevance : ndarray of shape (d,)
        Sorts the features before the cut into len(counts) parts of ⌈d / len(counts)⌉.
    counts : sequence of int
        How many to keep of each part.
    first : sequence of int, optional
        Features already chosen: they stay in the sequence and in the sums of redundancy, but
        are not chosen twice.
    """
    sequence = np.argsort(-relevance, kind="stable")
    size = math.ceil(len(sequence) / len(counts))
    order = list(first)
    for i, count in enumerate(counts):
        part = np.sort(sequence[i * size : (i + 1) * size])  # so that ties go to the lowest index
        S = F.columns(part)
        information = mutual_information(S, S)
        redundancy = information.sum(axis=1) - information.diagonal()  # (12)
        ascending = part[np.argsort(rounded(redundancy), kind="stable")]
        order.extend(ascending[~np.isin(ascending, first)][:count])
    rest = sequence[~np.isin(sequence, order)]
    return np.concatenate([order, rest]).astype(np.intp)
