"""FIMF: fast multi-label feature selection based on information-theoretic feature ranking.

Lee and Kim, Pattern Recognition 48(9), 2015.
"""

from __future__ import annotations

import numpy as np

from ..methods.ranker import DISCRETISATION, Ranker
from ..methods.tags import Tags
from ..numerics.information import (
    Codes,
    binary,
    conditional_information,
    discretise,
    entropy,
    mutual_information,
    rounded,
    where_known,
)
from ..numerics.params import COUNT, SHARE, ZERO_OR_COUNT, as_count, features_within
from ..types import Array


class FIMF(Ranker):
    """Score each feature alone by its labels and the pairs of the least predictable labels.

    J(f) = Σ_l I(f; l) − Σ_{a<b∈Q} I(f; l_a; l_b), with Q the labels of largest entropy and the
    co-information I(f; a; b) = I(f; b) − I(f; b | a). Only the features of largest entropy are
    scored, the candidates; the others follow by decreasing entropy. Unknown labels: a term uses
    the rows where its labels are known, and an entropy those where its label is.

    Parameters
    ----------
    n_labels : int, default=10
        Number of labels in Q, or all if there are fewer; with 0 or 1, no pairs are subtracted.
    n_candidates : int, float or None, default=None
        How many features are scored: a count, a share of all features (a float), or all (None).
    bins : int, default=2
        Number of bins of each feature.
    discretise : {"frequency", "width", "mean"}, default="frequency"
        How features are cut into bins; see :func:`mlfs.numerics.information.discretise`.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        The candidates by decreasing J, then the others.
    gains_ : ndarray of shape (n_features,)
        J(f) in nats; nan for features that are no candidates.
    labels_ : ndarray of shape (q,)
        Indices of the q labels in Q, ascending.

    Notes
    -----
    A fit costs O(n d l) time and O(n d + n l + d l) memory; the pairs of Q add O(n d q²) time.

    References
    ----------
    Lee and Kim, "Fast multi-label feature selection based on information-theoretic feature
    ranking", Pattern Recognition 48(9), 2015, https://doi.org/10.1016/j.patcog.2015.04.009

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import FIMF
    >>> sorted(FIMF().fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Lee and Kim, Pattern Recognition 2015",
        handles_missing=True,
        by_label=True,
        note="with bins of equal frequency nearly all entropies are equal, so that candidates are "
        "those of lowest index; n_labels = 10 is our choice",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        **DISCRETISATION,
        "n_labels": [ZERO_OR_COUNT],
        "n_candidates": [COUNT, SHARE, None],
    }

    def __init__(
        self,
        n_labels: int = 10,
        n_candidates: int | float | None = None,
        bins: int = 2,
        discretise: str = "frequency",
        n_features_to_select: int | float | None = None,
    ):
        self.n_labels = n_labels
        self.n_candidates = n_candidates
        self.bins = bins
        self.discretise = discretise
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Array, Y: Array) -> Array:
        d = X.shape[1]
        asked = d if self.n_candidates is None else as_count(self.n_candidates, d)
        F, L = discretise(X, self.discretise, self.bins), binary(Y)
        by_entropy = _largest(entropy(F))
        count = features_within(asked, d, "n_candidates")
        candidates, rest = np.sort(by_entropy[:count]), by_entropy[count:]
        F = F.columns(candidates)
        self.labels_ = np.sort(_largest(entropy(L))[: self.n_labels])
        J = mutual_information(F, L).sum(axis=1) - _label_pairs(F, L.columns(self.labels_))
        self.gains_ = np.full(d, np.nan)
        self.gains_[candidates] = J
        return np.concatenate([candidates[_largest(J)], rest])


def _largest(values: Array) -> Array:
    """Return the order of decreasing values; ties go to the lowest index."""
    return np.argsort(-rounded(values), kind="stable")


def _label_pairs(F: Codes, Q: Codes) -> Array:
    """Compute Σ_{a<b} I(f; l_a; l_b) for every feature."""
    total = np.zeros(F.values.shape[1])
    for a in range(Q.values.shape[1] - 1):
        features, labels = where_known(F, Q, a)
        others = labels.columns(slice(a + 1, None))
        given = conditional_information(features, labels.values[:, a], others)
        total += (mutual_information(features, others) - given).sum(axis=1)
    return total
