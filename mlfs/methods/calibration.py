"""Probabilities of labels from scores, calibrated on known labels that the model did not see.

Known labels are divided into folds. For each fold, the model is fitted without the labels of that
fold, and scores them. A logistic curve for each label (Platt's) turns these scores into
probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import expit, logit

from ..types import Array, Matrix
from .labels import observed

N_FOLDS = 10
FEWEST = 10  # known labels of each value that a label needs for a slope of its own
_EDGE = 1e-6  # a probability of a model is read as at least this, and at most 1 minus this
_STEPS = 100  # Newton's method needs about eight
_SMALL = 1e-10  # of a step, in units of the spread of the scores


@dataclass(frozen=True)
class HeldOut:
    """Hold the scores of labels by models that did not see them.

    Parameters
    ----------
    scores : ndarray of shape (n, l)
        For a known label, the score by the model that was fitted without the label's fold. For an
        unknown label, the mean score by the models of all folds: these saw as many labels as the
        others, so the scores have the same scale.
    folds : ndarray of int of shape (n, l)
        The fold of each known label, from 0; -1 where a label is unknown.
    """

    scores: Array
    folds: Array

    def probabilities(self, Y: Array) -> Array:
        """Compute a calibrated probability of every label.

        The curve for a known label is fitted without the labels of its fold, so these probabilities
        measure the quality of the others: neither the model nor the curve saw the label.

        Parameters
        ----------
        Y : ndarray of shape (n, l)
            The labels that gave the scores: 1, 0, or nan where unknown.

        Returns
        -------
        ndarray of shape (n, l)
            The probabilities that labels are 1.
        """
        P = Platt().fit(self.scores, Y).predict(self.scores)
        for fold in range(int(self.folds.max()) + 1):
            hidden = self.folds == fold
            curves = Platt().fit(self.scores, np.where(hidden, np.nan, Y))
            P[hidden] = curves.predict(self.scores)[hidden]
        return P


def entry_folds(Y: Array, folds: int, random_state: int) -> Array:
    """Divide the known labels into folds at random.

    The known values 1 of each label are divided as evenly as possible, and so are its values 0.

    Parameters
    ----------
    Y : ndarray of shape (n, l)
        Labels: 1, 0, or nan where unknown.
    folds : int
        Number of folds.
    random_state : int
        Decides the folds.

    Returns
    -------
    ndarray of int of shape (n, l)
        The fold of each known label, from 0; -1 where a label is unknown.
    """
    rng = np.random.default_rng(random_state)
    fold_of = np.full(Y.shape, -1)
    first = 0  # the next group starts where the last one ended, so that all folds are equally large
    for j in range(Y.shape[1]):
        for value in (0.0, 1.0):
            rows = rng.permutation(np.flatnonzero(Y[:, j] == value))
            fold_of[rows, j] = (first + np.arange(len(rows))) % folds
            first = (first + len(rows)) % folds
    return fold_of


def held_out_scores(
    model: Any,
    X: Matrix,
    Y: Array,
    *,
    folds: int = N_FOLDS,
    random_state: int = 0,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> HeldOut:
    """Score every label by models that did not see it.

    Parameters
    ----------
    model : estimator
        A multi-label classifier that accepts nan labels. It is copied, not changed.
    X : array or sparse matrix of shape (n, d)
        The features.
    Y : ndarray of shape (n, l)
        Labels: 1, 0, or nan where unknown.
    folds : int, default=10
        Number of folds of the known labels, and of fits.
    random_state : int, default=0
        Decides the folds.
    progress : callable
        Wraps the folds to show the progress, such as ``tqdm``.

    Returns
    -------
    HeldOut
        Scores and folds.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.learners import BRLogistic
    >>> from mlfs.methods.calibration import held_out_scores
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> Y = (X[:, :2] > 0).astype(float)  # the first two features decide the two labels
    >>> X[0, 0], Y[0, 0] = 2.0, np.nan
    >>> P = held_out_scores(BRLogistic(), X, Y, folds=5).probabilities(Y)
    >>> bool(P[0, 0] > 0.95)
    True
    """
    from sklearn.base import clone  # late: tables of the completion protocol need no models

    known = int(observed(Y).sum())
    if not 2 <= folds <= known:
        raise ValueError(f"{folds} folds of {known} known labels: use from 2 to that many folds")
    place = entry_folds(Y, folds, random_state)
    scores, total = np.empty(Y.shape), np.zeros(Y.shape)
    for fold in progress(range(folds)):
        hidden = place == fold
        fitted = clone(model).fit(X, np.where(hidden, np.nan, Y))
        given = np.reshape(fitted.decision_function(X), Y.shape)
        scores[hidden] = given[hidden]
        total += given
    unknown = place < 0
    scores[unknown] = total[unknown] / folds
    return HeldOut(scores, place)


class Platt:
    """Turn scores into probabilities by a logistic curve σ(a s + b) for each label.

    Scores that are all between 0 and 1 are read as probabilities, and s is then their log-odds, so
    that a model whose probabilities are right keeps them.

    As Platt proposed, the curve is fitted to the targets (n₁ + 1)/(n₁ + 2) for labels that are 1
    and 1/(n₀ + 2) for labels that are 0, with n₁ and n₀ the numbers of these labels; so no
    probability is 0 or 1. A slope is never negative: a larger score never gives a smaller
    probability. A label of which fewer than ten values 1, or ten values 0, are known has only an
    intercept of its own; its slope is that of one curve for all labels. A label without a known
    value has that curve.

    Attributes
    ----------
    slope_, intercept_ : ndarrays of shape (l,)
        a and b of each label.
    log_odds_ : bool
        Whether s is the log-odds of a score.

    References
    ----------
    Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", Advances in Large Margin Classifiers, 1999.

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs.methods.calibration import Platt
    >>> S, Y = np.repeat([[0.0], [1.0]], 99, axis=0), np.repeat([[0.0], [1.0]], 99, axis=0)
    >>> Platt().fit(S, Y).predict(np.array([[0.0], [1.0]])).ravel().round(4).tolist()
    [0.0099, 0.9901]
    """

    slope_: Array
    intercept_: Array
    log_odds_: bool

    def fit(self, S: Array, Y: Array) -> Self:
        """Fit the curves.

        Parameters
        ----------
        S : ndarray of shape (n, l)
            Scores.
        Y : ndarray of shape (n, l)
            Labels: 1, 0, or nan where unknown; those are not used.

        Returns
        -------
        Platt
            The fitted curves.
        """
        known = observed(Y)
        self.log_odds_ = bool(((S[known] >= 0) & (S[known] <= 1)).all())
        S = self._read(S)
        common, height = _curve(S[known], Y[known])
        self.slope_ = np.full(Y.shape[1], common)
        self.intercept_ = np.full(Y.shape[1], height)
        for j in range(Y.shape[1]):
            s, y = S[known[:, j], j], Y[known[:, j], j]
            positive = int(y.sum())
            if min(positive, len(y) - positive) >= FEWEST:
                self.slope_[j], self.intercept_[j] = _curve(s, y)
            elif len(y):
                self.intercept_[j] = _curve(s, y, slope=common)[1]
        return self

    def predict(self, S: Array) -> Array:
        """Return the probabilities that belong to scores of shape (n, l)."""
        return np.asarray(expit(self._read(S) * self.slope_ + self.intercept_))

    def _read(self, S: Array) -> Array:
        return np.asarray(logit(np.clip(S, _EDGE, 1 - _EDGE))) if self.log_odds_ else S


def _curve(s: Array, y: Array, slope: float | None = None) -> tuple[float, float]:
    """Fit the slope and the intercept of Platt's curve, or for a given slope the intercept."""
    positive = y.sum()
    target = np.where(y == 1, (positive + 1) / (positive + 2), 1 / (len(y) - positive + 2))
    middle, spread = float(s.mean()), float(s.std())
    if slope is None and not spread > 0:
        slope = 0.0
    scale = spread or 1.0
    z = (s - middle) / scale
    if slope is not None:
        a, b = slope * scale, _newton(np.ones((len(z), 1)), target, slope * scale * z)[0]
    else:
        a, b = _newton(np.column_stack([z, np.ones_like(z)]), target, np.zeros_like(z))
        if a < 0:
            return _curve(s, y, slope=0.0)
    return a / scale, b - a * middle / scale


def _newton(Z: Array, target: Array, offset: Array) -> Array:
    """Minimise the logistic loss of offset + Z w for targets between 0 and 1."""
    w = np.zeros(Z.shape[1])

    def loss(w: Array) -> float:
        f = offset + Z @ w
        return float(np.sum(np.logaddexp(0, f) - target * f))

    value = loss(w)
    for _ in range(_STEPS):
        p = expit(offset + Z @ w)
        curvature = (Z * (p * (1 - p))[:, None]).T @ Z
        curvature += 1e-12 * len(Z) * np.eye(len(w))  # all p may be near 0 or 1
        step = np.linalg.solve(curvature, Z.T @ (target - p))
        share = 1.0
        while (new := loss(w + share * step)) > value and share > _SMALL:
            share /= 2
        if share <= _SMALL:
            return w
        w, value = w + share * step, new
        if np.abs(share * step).max() < _SMALL:
            return w
    return w
