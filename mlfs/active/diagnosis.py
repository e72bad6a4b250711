"""What buying labels of one point needs: their covariance, and when a label is predicted.

This is active diagnosis of the MIML paper, KDD 2014, section 5.2; each strategy chooses labels
itself.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..labels import observed
from ..metrics import micro_f1
from ..types import Array
from .base import QueryStrategy
from .greedy import inverse
from .model import BayesianCompressedSensing

THRESHOLDS = np.arange(0.0, 2.0001, 0.05)  # the grid of BML-CS's authors


def label_covariance(model: BayesianCompressedSensing, mu: Array, v: float, known: Array) -> Array:
    """Compute the posterior covariance over the unknown labels of one point, with E[α] settled.

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
    """Return labels of which the first `count` of each row's order are known, nan elsewhere."""
    known = np.full(Y.shape, np.nan)
    bought = orders[:, :count]
    np.put_along_axis(known, bought, np.take_along_axis(Y, bought, axis=1), axis=1)
    return known


def predicted(scores: Array, known: Array, threshold: Array | float) -> Array:
    """Predict labels by their scores, and known ones as they are.

    A known label has score 0 or 1, which a threshold of 0 or above 1 would reverse.
    """
    return np.where(observed(known), known > 0.5, scores >= threshold)


def best_thresholds(
    model: BayesianCompressedSensing,
    strategy: QueryStrategy,
    counts: Iterable[int],
    rng: np.random.Generator,
) -> dict[int, float]:
    """Find the score above which a label is predicted, by the number of known labels of its point.

    Known labels raise the scores of the others, so one threshold does not serve all numbers. Each
    threshold is the one with the best F1 on the model's own points: every point is predicted from
    the others, and as many of its labels are revealed as the strategy would have bought.

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
    found = {}
    for count in counts:
        known = revealed(Y, orders, count)
        scores = model.posterior_of(mu, v, known).mean
        quality = [micro_f1(Y > 0.5, predicted(scores, known, at)) for at in THRESHOLDS]
        found[count] = float(THRESHOLDS[int(np.argmax(quality))])
    return found
