"""Univariate scores of each feature with each label, joined over the labels.

Spolaôr and Tsoumakas, BioASQ workshop 2013, compare such scores on text.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..methods.labels import observed
from ..methods.ranker import DISCRETISATION, Ranker
from ..methods.tags import Tags
from ..numerics.information import (
    Codes,
    binary,
    contingency,
    discretise,
    mutual_information,
    rounded,
)
from ..numerics.sklearn_private import StrOptions
from ..types import Array

_JOINS: dict[str, Callable[..., Array]] = {"max": np.max, "mean": np.mean, "sum": np.sum}


class Univariate(Ranker):
    """Score each feature with each label alone, and join the scores of a feature over labels.

    The scores are those of binary relevance: Pearson's χ² of the table of a feature's bins and a
    label, the F value of an analysis of variance of the feature in the two classes of a label, or
    their mutual information. A constant feature or label scores 0. The sum of mutual information
    is that of TopMutualInformation. Unknown labels: a score uses the rows where its label is known.

    Parameters
    ----------
    kind : {"chi2", "anova", "mi"}, default="chi2"
        The score of a feature with a label. "anova" uses the features as they are, the others
        their bins.
    join : {"max", "mean", "sum"}, default="max"
        How the scores of a feature become one; "mean" and "sum" give the same order.
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
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        The joined scores.

    Notes
    -----
    A fit costs O(n d l) time and O(n d + n l + d l) memory.

    References
    ----------
    Spolaôr and Tsoumakas, "Evaluating feature selection methods for multi-label text
    classification", BioASQ workshop, CEUR Workshop Proceedings 1094, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import Univariate
    >>> sorted(Univariate(kind="anova").fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Spolaôr and Tsoumakas, BioASQ 2013",
        handles_missing=True,
        by_label=True,
        search_space={"kind": ["chi2", "anova", "mi"], "join": ["max", "mean"]},
        note="χ² is that of bins, not of sums of values, so features may be negative",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        **DISCRETISATION,
        "kind": [StrOptions({"chi2", "anova", "mi"})],
        "join": [StrOptions(set(_JOINS))],
    }

    def __init__(
        self,
        kind: str = "chi2",
        join: str = "max",
        bins: int = 2,
        discretise: str = "frequency",
        n_features_to_select: int | float | None = None,
    ):
        self.kind = kind
        self.join = join
        self.bins = bins
        self.discretise = discretise
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Array, Y: Array) -> Array:
        if self.kind == "anova":
            values = f_values(X, Y)
        else:
            F, L = discretise(X, self.discretise, self.bins), binary(Y)
            values = chi_squared(F, L) if self.kind == "chi2" else mutual_information(F, L)
        return rounded(_JOINS[self.join](values, axis=1))


def chi_squared(F: Codes, L: Codes) -> Array:
    """Compute Σ (O - E)² / E of the table of every feature and label: shape (d, l)."""
    observed_counts = contingency(F, L).astype(float)
    n = np.maximum(observed_counts.sum(axis=(0, 1)), 1)
    of_feature = observed_counts.sum(axis=1, keepdims=True)
    expected = of_feature * observed_counts.sum(axis=0, keepdims=True) / n
    gap = observed_counts - expected
    return np.divide(gap**2, expected, out=gap, where=expected > 0).sum(axis=(0, 1))


def f_values(X: Array, Y: Array) -> Array:
    """Compute the F value of every feature between the two classes of every label: (d, l).

    All sums are products with the labels. A feature that separates the classes exactly has no
    spread within them: rounding errors are taken for its spread, so that F is large but finite.
    """
    known, positive = observed(Y).astype(float), np.nan_to_num(Y)
    X = np.where(X.max(axis=0) > X.min(axis=0), X - X.mean(axis=0), 0.0)
    n, n1 = known.sum(axis=0), positive.sum(axis=0)
    n0 = n - n1
    sums, sums1 = X.T @ known, X.T @ positive
    squares = (X * X).T @ known
    total = squares - sums**2 / np.maximum(n, 1)
    between = sums1**2 / np.maximum(n1, 1) + (sums - sums1) ** 2 / np.maximum(n0, 1)
    between -= sums**2 / np.maximum(n, 1)
    eps = np.finfo(float).eps
    varies = (total > 1e4 * eps * squares) & (n1 > 0) & (n0 > 0) & (n > 2)
    within = np.maximum(total - between, eps * total)
    between = np.maximum(between, 0.0)
    return np.divide((n - 2) * between, within, out=np.zeros_like(total), where=varies)
