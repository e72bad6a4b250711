"""MDDM: multi-label dimensionality reduction via dependence maximization, as a selector.

Zhang and Zhou, ACM Transactions on Knowledge Discovery from Data 4(3), 2010.
"""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.linalg import solve

from ..methods.ranker import Ranker
from ..methods.tags import Tags
from ..numerics.linalg import add_to_diagonal, gram, squared_norms
from ..numerics.sklearn_private import Interval, StrOptions
from ..types import Array, Matrix


class MDDM(Ranker):
    """Score a feature by its weight in the projection that depends most on the labels.

    MDDM maximises the Hilbert-Schmidt dependence tr(PᵀSP), S = XᵀHYYᵀHX, under PᵀBP = I, where H
    centres. Its solutions fulfil Sp = λBp, so a feature's share Σ_m λ_m P_jm² is the j-th
    diagonal entry of B⁻¹SB⁻¹. One linear solve computes it, and arbitrary null vectors have no
    effect.

    Parameters
    ----------
    kind : {"proj", "spc"}, default="proj"
        "proj" is the orthonormal projection, B = I: the score is the feature's own dependence on
        the labels. "spc" makes features uncorrelated, B = μXᵀHX + (1 − μ)I.
    mu : float, default=0.5
        μ of "spc", at least 0 and less than 1; at 1 the problem is singular.
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps: a count, a share of all features (a float), or
        half of them (None). The ranking itself always holds all features.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,)
        Indices of the features, best first.
    scores_ : ndarray of shape (n_features,)
        The diagonal of B⁻¹SB⁻¹.

    Notes
    -----
    A fit costs O(n d l) time and O(n l + d l) memory; with ``kind="spc"``, more by
    O(n d² + d³ + d² l) and O(d² + d l).

    References
    ----------
    Zhang and Zhou, "Multilabel dimensionality reduction via dependence maximization", ACM
    Transactions on Knowledge Discovery from Data 4(3), 2010,
    https://doi.org/10.1145/1839490.1839495

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.selectors import MDDM
    >>> sorted(MDDM(kind="spc", mu=0.5).fit(X, Y).ranking_[:2].tolist())
    [0, 1]
    """

    tags = Tags(
        paper="Zhang and Zhou, TKDD 2010",
        supports_sparse=True,
        note="published as a projection; later papers do not say how they rank features by it, "
        "and we use each feature's share of the projection",
    )

    _parameter_constraints = {
        **Ranker._parameter_constraints,
        "kind": [StrOptions({"proj", "spc"})],
        "mu": [Interval(Real, 0, 1, closed="left")],
    }

    def __init__(
        self,
        kind: str = "proj",
        mu: float = 0.5,
        n_features_to_select: int | float | None = None,
    ):
        self.kind = kind
        self.mu = mu
        self.n_features_to_select = n_features_to_select

    def _rank(self, X: Matrix, Y: Array) -> Array:
        Z = X.T @ (Y - Y.mean(axis=0))  # XᵀHY
        if self.kind == "spc":
            mean = np.asarray(X.mean(axis=0)).ravel()
            B = self.mu * (gram(X) - X.shape[0] * np.outer(mean, mean))
            Z = solve(add_to_diagonal(B, 1 - self.mu), Z, assume_a="pos")
        return squared_norms(np.asarray(Z))
