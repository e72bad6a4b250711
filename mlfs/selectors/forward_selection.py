"""The base class of methods that pick features greedily by a criterion of informations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from ..methods.ranker import DISCRETISATION, Ranker
from ..numerics.information import Codes, discretise, entropy, joint_entropy, rounded
from ..numerics.params import ZERO_OR_COUNT, features_within
from ..types import Array


class GreedyRanker(Ranker):
    """Pick the feature with the largest J(f) again and again; a subclass says what J is.

    Parameters
    ----------
    bins, discretise, n_ranked, n_features_to_select : int, str, int, int or float
        As the subclasses describe them.
    """

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        **DISCRETISATION,
        "n_ranked": [ZERO_OR_COUNT, None],
    }

    def __init__(
        self,
        bins: int = 2,
        discretise: str = "frequency",
        n_ranked: int | None = None,
        n_features_to_select: int | float | None = None,
    ):
        self.bins = bins
        self.discretise = discretise
        self.n_ranked = n_ranked
        self.n_features_to_select = n_features_to_select

    @abstractmethod
    def _criterion(self, F: Codes, Y: Array) -> tuple[Array, Callable[[int], Array]]:
        """Return J with nothing picked, and a function that returns J after the next pick."""

    def _rank(self, X: Array, Y: Array) -> Array:
        d = X.shape[1]
        picks = d if self.n_ranked is None else features_within(self.n_ranked, d, "n_ranked")
        J, after = self._criterion(discretise(X, self.discretise, self.bins), Y)
        self.gains_ = np.empty(d)
        free = np.ones(d, dtype=bool)
        order: list[int] = []
        while len(order) < picks:
            s = int(np.argmax(np.where(free, rounded(J), -np.inf)))
            free[s], self.gains_[s] = False, J[s]
            order.append(s)
            if len(order) < d:
                J = after(s)
        self.gains_[free] = J[free]
        rest = np.flatnonzero(free)
        rest = rest[np.argsort(-rounded(J[rest]), kind="stable")]
        return np.concatenate([order, rest]).astype(np.intp)


def redundancy(F: Codes) -> Callable[[int], Array]:
    """Return a function that computes I(f; s) of a feature s with every feature f."""
    H = entropy(F)
    return lambda s: H + H[s] - joint_entropy(F, F.columns(slice(s, s + 1)))[:, 0]
