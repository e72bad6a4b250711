"""What buying labels of one point needs: their covariance, and when a label is predicted.

Active diagnosis of the MIML paper, KDD 2014, section 5.2; each strategy chooses labels itself.
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
    """Posterior covariance over the unknown labels of one point, E[α] being settled.

    `known` holds the labels that are known, nan elsewhere: to be given them is to leave their
    rows and columns out of the precision.
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
    """The first n labels of each point in the order the strategy buys them, one row a point."""
    orders = [strategy.choose_labels(model, m, float(s), n, rng)[0] for m, s in zip(mu, v)]
    return np.array(orders, dtype=np.intp).reshape(len(mu), n)


def revealed(Y: Array, orders: Array, count: int) -> Array:
    """The labels of which the first `count` of each row's order are known, nan elsewhere."""
    known = np.full(Y.shape, np.nan)
    bought = orders[:, :count]
    np.put_along_axis(known, bought, np.take_along_axis(Y, bought, axis=1), axis=1)
    return known


def predicted(scores: Array, known: Array, threshold: Array | float) -> Array:
    """Labels by their scores, and known ones as they are.

    A known label has score 0 or 1, which a threshold of 0 or above 1 would turn round.
    """
    return np.where(observed(known), known > 0.5, scores >= threshold)


def best_thresholds(
    model: BayesianCompressedSensing,
    strategy: QueryStrategy,
    counts: Iterable[int],
    rng: np.random.Generator,
) -> dict[int, float]:
    """Score above which a label is predicted, by the number of labels known of its point.

    Known labels raise the scores of the others, so that one threshold does not serve all
    numbers. Each is the best F1 on the model's own points: every point is predicted from the
    others, and as many of its labels are revealed as the strategy would have bought.

    Parameters
    ----------
    model : BayesianCompressedSensing
        Fitted to points that are fully labelled.
    strategy : QueryStrategy
        One that chooses labels.
    counts : iterable of int
        Numbers of known labels.
    rng : Generator
        For a strategy that draws.
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
