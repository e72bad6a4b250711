"""Top mutual information: each feature by itself, the baseline of every method of this family."""

from __future__ import annotations

from ..information import binary, discretise, mutual_information, rounded
from ..tags import Tags
from ..types import Array
from .base import DISCRETISATION, Ranker


class TopMutualInformation(Ranker):
    """Rank features by Σ_j I(f; l_j), without regard to one another.

    Parameters
    ----------
    discretise : {"frequency", "width", "mean"}, default="frequency"
        How features are cut into bins (:func:`mlfs.information.discretise`).
    bins : int, default=2
    n_features_to_select : int, float or None, default=None

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
    scores_ : ndarray of shape (n_features,)
        Σ_j I(f; l_j) in nats.

    Notes
    -----
    A fit costs O(n d l) time and O(n d + n l + d l) memory.
    """

    name = "top_mi"
    tags = Tags(
        paper="Cheng, Song, Wang and Qian, Journal of Computer Applications 2020, (11)",
        note="not a column of the paper; it is the first step of MFSLS by itself",
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
