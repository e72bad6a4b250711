"""Which labels of one point to buy: active diagnosis (MIML paper, KDD 2014, section 5.2)."""

from __future__ import annotations

import numpy as np

from ..metrics import micro_f1
from ..types import Array
from .greedy import Entropy, MutualInformation, full_scan, inverse
from .model import BayesianCompressedSensing

CRITERIA = ("miml", "uncertainty", "random")
THRESHOLDS = np.arange(0.0, 2.0001, 0.05)  # the grid of BML-CS's authors


def choose_labels(
    model: BayesianCompressedSensing,
    mu: Array,
    v: float,
    n: int,
    criterion: str,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Choose n labels of a point to buy, in order.

    Labels inform on each other only through Φ: with k = l it is the identity, every gain of
    "miml" is 0 and its order is that of the columns, so use k < l here.

    Parameters
    ----------
    model : BayesianCompressedSensing
        Fitted.
    mu : ndarray of shape (k,)
        Predicted compressed labels of the point.
    v : float
        Their variance.
    n : int
    criterion : {"miml", "uncertainty", "random"}
    rng : Generator
        For the random one.

    Returns
    -------
    labels, gains : ndarrays of shape (n,)
        Gains in nats: mutual information with the other labels, or entropy; nan at random.
    """
    n_labels = model.Phi_.shape[1]
    if criterion not in CRITERIA:
        raise ValueError(f"criterion = {criterion!r}: choose {', '.join(CRITERIA)}")
    if not 1 <= n <= n_labels:
        raise ValueError(f"{n} labels asked of a point that has {n_labels}")
    if criterion == "random":
        return rng.choice(n_labels, n, replace=False), np.full(n, np.nan)
    covariance = label_covariance(model, mu, v)
    if criterion == "miml":
        labels, log_ratios = full_scan(MutualInformation(covariance, n_labels, n), n_labels, n)
        return labels, 0.5 * log_ratios
    labels, log_variances = full_scan(Entropy(covariance, n_labels, n), n_labels, n)
    return labels, 0.5 * (np.log(2 * np.pi * np.e) + log_variances)


def label_covariance(model: BayesianCompressedSensing, mu: Array, v: float) -> Array:
    """Posterior covariance over the l labels of one point, E[α] being settled."""
    alpha = model.posterior_of(mu[None, :], np.array([v])).precision[0]
    return inverse(np.diag(alpha) + model.Phi_.T @ model.Phi_ / v)


def best_threshold(model: BayesianCompressedSensing) -> float:
    """Score above which a label is predicted: the best F1 on left-out labelled points."""
    scores = model.posterior_of(*model.compressed_left_out()).mean
    quality = [micro_f1(model.Y_ > 0.5, scores >= threshold) for threshold in THRESHOLDS]
    return float(THRESHOLDS[int(np.argmax(quality))])
