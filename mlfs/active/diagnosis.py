"""What buying labels of one point needs: their covariance, and when a label is predicted.

Active diagnosis of the MIML paper, KDD 2014, section 5.2; each strategy chooses labels itself.
"""

from __future__ import annotations

import numpy as np

from ..metrics import micro_f1
from ..types import Array
from .greedy import inverse
from .model import BayesianCompressedSensing

THRESHOLDS = np.arange(0.0, 2.0001, 0.05)  # the grid of BML-CS's authors


def label_covariance(model: BayesianCompressedSensing, mu: Array, v: float) -> Array:
    """Posterior covariance over the l labels of one point, E[α] being settled."""
    alpha = model.posterior_of(mu[None, :], np.array([v])).precision[0]
    return inverse(np.diag(alpha) + model.Phi_.T @ model.Phi_ / v)


def best_threshold(model: BayesianCompressedSensing) -> float:
    """Score above which a label is predicted: the best F1 on left-out labelled points."""
    scores = model.posterior_of(*model.compressed_left_out()).mean
    quality = [micro_f1(model.Y_ > 0.5, scores >= threshold) for threshold in THRESHOLDS]
    return float(THRESHOLDS[int(np.argmax(quality))])
