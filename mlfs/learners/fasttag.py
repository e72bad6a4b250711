"""FastTag: fast image tagging.

Chen, Zheng and Weinberger, ICML 2013. The bootstrapped refits for rare tags are left out, as in
most comparisons; the weights for rare tags are part of the form "release" only.
"""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy.linalg import solve

from ..methods.classifier import MultiLabelClassifier
from ..methods.tags import Tags
from ..methods.thresholds import TUNED
from ..numerics.linalg import add_to_diagonal, ridge_solution, weighted_gram, with_ones
from ..numerics.params import NOT_NEGATIVE, POSITIVE
from ..numerics.sklearn_private import Interval, StrOptions
from ..types import Array, Matrix

_RIDGE = 1e-6  # on B, as a share of gamma, in the release


class FastTag(MultiLabelClassifier):
    """Enrich the tags by a linear map while features learn to predict the enriched tags.

    It minimises (1/n) Σ‖B y_i − Wᵀx_i‖² + λ‖W‖² + γ (1/n) Σ E‖y_i − B ỹ_i‖² over W and B, where ỹ
    is y with every tag dropped with probability p. An unobserved label counts as 0, a tag that was
    not given. The problem is convex and quadratic. For a given B the best W is linear in B, so one
    small linear system yields the B to which the paper's alternation converges.

    ``form="release"`` is the problem that a public release of FastTag solves. It minimises
    Σ w_i ‖B t_i − Wᵀx_i‖² + λ‖W‖² + γ (Σ w_i E‖y_i − B t̃_i‖² + 1e-6 ‖B‖²). The weight w_i of an
    instance is 1 / (number of training instances with its rarest tag), or 0 if it has no tag. t_i
    holds the tags and a constant that is never dropped. The weights of the column of ones and of
    the constant are not part of ‖W‖² and ‖B‖², and λ does not grow with n.

    Parameters
    ----------
    drop : float, default=0.5
        The probability p that a tag is dropped, strictly between 0 and 1; the form "release" allows
        0, too.
    gamma : float, default=1.0
        γ, the weight of the denoising; the form "release" needs a positive one.
    lam : float, default=1e-3
        λ, the weight of the size of W; it must be positive, or W is not determined.
    fit_intercept : bool, default=True
        Append a column of ones to X.
    threshold : {"fixed", "observed_errors", "errors", "accuracy"}, default="fixed"
        Where a label is predicted: "fixed" is .5. The other rules of
        ``mlfs.methods.thresholds`` look for one threshold on the training part: the fewest
        wrong labels among the observed ones, the fewest where an unobserved label counts as 0, or
        the best example-based accuracy. Unobserved labels count as 0 in the fit: if they are many,
        no score reaches .5.
    form : {"core", "release"}, default="core"
        The problem: the core of the paper, or that of the release.

    Attributes
    ----------
    W_ : ndarray of shape (d, l)
        Weights that predict the enriched tags.
    B_ : ndarray of shape (l, l), or (l, l + 1) for the form "release"
        The map; enriched tags are B y, or B t.

    Notes
    -----
    The form "release" was read in a public copy of the release. That copy tunes γ, p and the number
    of layers by the F1 of the top k tags; where k is the number of labels, this F1 is always the
    same, and the first values stay: ``gamma=1, drop=0, lam=1e-2`` and one layer, as here.
    The printed values of RMFL's paper have chosen what the copy leaves open: rows of X of unit
    length, which the caller scales, and ``threshold="accuracy"``. They also tell that a tag's
    frequency is a number of instances and not a share of them, which would make the weights, but
    not λ, n times as large.

    A fit costs O(n d² + d³ + n d l + d² l + n l² + l³) time and
    O(n d + d² + n l + d l + l²) memory.

    References
    ----------
    Chen, Zheng and Weinberger, "Fast image tagging", ICML 2013.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> from mlfs.learners import FastTag
    >>> Y[:20, 0] = np.nan  # unobserved labels
    >>> FastTag(drop=0.1, lam=1e-3).fit(X, Y).predict([[2, -2, 0, 0, 0]])
    array([[1, 0]])
    """

    tags = Tags(
        paper="Chen, Zheng and Weinberger, ICML 2013",
        provenance="reconstructed",
        handles_missing=True,
        supports_sparse=True,
        search_space={
            "drop": [0.1, 0.3, 0.5, 0.7, 0.9],
            "gamma": [10.0**e for e in range(-3, 4)],
            "lam": [10.0**e for e in range(-7, 1)],
        },
        note=(
            "no bootstrapped refits; the original tunes its parameters but prints no grid: this "
            "grid is ours"
        ),
    )

    _parameter_constraints = {
        "drop": [Interval(Real, 0, 1, closed="left")],
        "gamma": [NOT_NEGATIVE],
        "lam": [POSITIVE],
        "fit_intercept": ["boolean"],
        "threshold": [StrOptions({"fixed", *TUNED})],
        "form": [StrOptions({"core", "release"})],
    }

    def __init__(
        self,
        drop: float = 0.5,
        gamma: float = 1.0,
        lam: float = 1e-3,
        fit_intercept: bool = True,
        threshold: str = "fixed",
        form: str = "core",
    ):
        self.drop = drop
        self.gamma = gamma
        self.lam = lam
        self.fit_intercept = fit_intercept
        self.threshold = threshold
        self.form = form

    def _fit(self, X: Matrix, Y: Array) -> None:
        if self.form == "core" and self.drop == 0:
            raise ValueError(
                "drop = 0 with form = 'core': choose drop above 0, or form = 'release'"
            )
        if self.form == "release" and self.gamma == 0:
            raise ValueError("gamma = 0 with form = 'release': choose gamma above 0")
        fit = self._fit_core if self.form == "core" else self._fit_release
        fit(with_ones(X, self.fit_intercept), np.nan_to_num(Y))

    def _fit_core(self, X: Matrix, Y: Array) -> None:
        C, keep = Y.T @ Y, 1.0 - self.drop
        P = keep * C  # Σ y E[ỹ]ᵀ
        Q = keep**2 * C + self.drop * keep * np.diag(np.diag(C))  # Σ E[ỹỹᵀ]
        M = ridge_solution(X, Y, len(Y) * self.lam)  # W = M Bᵀ minimises over W
        system = self.gamma * Q + C - (Y.T @ X) @ M
        # a tag that never occurs has a row of zeros on both sides: its B is 0
        add_to_diagonal(system, np.diag(C) == 0)
        self.B_ = solve(system, self.gamma * P, assume_a="sym").T
        self.W_ = M @ self.B_.T

    def _fit_release(self, X: Matrix, Y: Array) -> None:
        tags = Y.shape[1]
        weight, T = rare_tag_weights(Y), with_ones(Y)
        C = weighted_gram(T, weight)
        XT = np.asarray(X.T @ (weight[:, None] * T))
        ridge = np.full(X.shape[1], self.lam)
        if self.fit_intercept:  # not penalised; without any tag, all is 0 and any number will do
            ridge[-1] = 0.0 if weight.any() else 1.0
        G = add_to_diagonal(weighted_gram(X, weight), ridge)
        M = solve(G, XT, assume_a="pos")  # W = M Bᵀ minimises over W
        keep = np.append(np.full(tags, 1.0 - self.drop), 1.0)
        Q = C * np.outer(keep, keep)  # Σ w E[t̃t̃ᵀ]
        np.fill_diagonal(Q, keep * np.diag(C))
        system = self.gamma * Q + C - XT.T @ M
        small = np.append(np.full(tags, _RIDGE * self.gamma), 0.0 if weight.any() else 1.0)
        add_to_diagonal(system, small)
        self.B_ = solve(system, self.gamma * keep[:, None] * C[:, :tags], assume_a="sym").T
        self.W_ = M @ self.B_.T

    def _scores(self, X: Matrix) -> Array:
        return np.asarray(with_ones(X, self.fit_intercept) @ self.W_)


def rare_tag_weights(Y: Array) -> Array:
    """Compute 1 / (number of instances with its rarest tag) for every row, 0 without a tag."""
    return np.max(Y / np.maximum(Y.sum(axis=0), 1.0), axis=1, initial=0.0)
