"""Tools to buy labels of one point: their covariance, and the thresholds of predictions.

This is the active diagnosis of the MIML paper, KDD 2014, section 5.2. The strategies themselves
choose the labels.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..methods.labels import observed
from ..methods.strategy import QueryStrategy
from ..metrics import micro_f1
from ..types import Array
from .greedy import inverse
from .model import BayesianCompressedSensing

THRESHOLDS = np.arange(0.0, 2.0001, 0.05)  # the grid of BML-CS's authors


def label_covariance(model: BayesianCompressedSensing, mu: Array, v: float, known: Array) -> Array:
    """Compute the posterior covariance of the unknown labels of one point, after E[α] converged.

    `known` holds the labels that are known, nan elsewhere. To condition on them, their rows and
    columns are left out of the precision.
    """
    alpha = model.posterior_of(mu[None, :], np.array([v]), known[None, :]).precision[0]
    unknown = ~observed(known)
    precision = np.diag(alpha) + model.Phi_.T @ model.Phi_ / v
    return inverse(precision[np.ix_(unknown, unknown)])


def buying_orders(
    model: BayesianCompressedSensing,
    mu: Array,
    v: Array,
    strategy: QueryStrategy,
    n: int,
    rng: np.random.Generator,
) -> Array:
    """List the first n labels of each point in the order in which the strategy buys them."""
    orders = [strategy.choose_labels(model, m, float(s), n, rng)[0] for m, s in zip(mu, v)]
    return np.array(orders, dtype=np.intp).reshape(len(mu), n)


def revealed(Y: Array, orders: Array, count: int) -> Array:
    """Return the first `count` labels of each row's order, and nan elsewhere."""
    known = np.full(Y.shape, np.nan)
    bought = orders[:, :count]
    np.put_along_axis(known, bought, np.take_along_axis(Y, bought, axis=1), axis=1)
    return known


def predicted(scores: Array, known: Array, threshold: Array | float) -> Array:
    """Predict unknown labels by their scores, and known labels by their values.

    A known label has score 0 or 1; a threshold of 0, or above 1, would predict it wrongly.
    """
    return np.where(observed(known), known > 0.5, scores >= threshold)


def best_thresholds(
    model: BayesianCompressedSensing,
    strategy: QueryStrategy,
    counts: Iterable[int],
    rng: np.random.Generator,
) -> dict[int, float]:
    """Find the threshold of the scores for each number of known labels of a point.

    Known labels raise the scores of the others, so each number needs its own threshold. It is the
    one with the best F1 on the model's own points: every point is predicted from the others, and
    the labels that the strategy would have bought are revealed.

    Parameters
    ----------
    model : BayesianCompressedSensing
        Fitted to points that are fully labelled.
    strategy : QueryStrategy
        A strategy that chooses labels.
    counts : iterable of int
        Numbers of known labels.
    rng : Generator
        For a strategy that draws at random.

    Returns
    -------
    dict of int to float
        The threshold for each number of known labels.
    """
    counts, Y = list(counts), model.Y_
    mu, v = model.compressed_left_out()
    orders = buying_orders(model, mu, v, strategy, max(counts), rng)
    thresholds = {}
    for count in counts:
        known = revealed(Y, orders, count)
        scores = model.posterior_of(mu, v, known).mean
        quality = [micro_f1(Y > 0.5, predicted(scores, known, at)) for at in THRESHOLDS]
        thresholds[count] = float(THRESHOLDS[int(np.argmax(quality))])
    return thresholds
