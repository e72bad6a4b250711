"""Planted features: how many of the known relevant ones a selector finds, and hidden labels too."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field
from sklearn.metrics import roc_auc_score

from ..datasets import planted
from ..labels import make_mask
from ..selectors import SELECTORS
from ..types import Array
from .common import Experiment, Record, Spec, Stopwatch, build, fill_missing, generator


class Config(Experiment):
    """An experiment on made data whose relevant features and hidden labels are known.

    Of `split`, only the repeats matter: every repeat draws data of its own.
    """

    registry = SELECTORS
    cell_keys = ("relevant", "redundant", "noise")
    scores = {"relevant_found": True, "informative_found": True, "hidden_auc": True}

    protocol: Literal["planted"]
    relevant: int = Field(10, ge=1, description="features that the labels depend on")
    redundant: int = Field(0, ge=0, description="noisy copies of relevant features")
    noise: int = Field(50, ge=0, description="features that know nothing")


def run(spec: Spec) -> Record:
    """Run one cell: the share of relevant features at the top, and the AUC for hidden labels.

    ``relevant_found`` counts relevant features among as many top ones; ``informative_found``
    counts relevant and redundant ones among as many as there are relevant. ``hidden_auc`` is for
    methods that give each label a probability of being observed.
    """
    made = planted(
        d_relevant=spec["relevant"],
        d_redundant=spec["redundant"],
        d_noise=spec["noise"],
        seed=int(generator(spec, "toy").integers(2**31)),
    )
    truth = made.data.Y.astype(float)
    mask = make_mask(spec["mask"]["kind"], spec["mask"]["ratio"])
    Y = mask(truth, generator(spec, "mask"))
    seed = int(generator(spec, "method").integers(2**31))
    selector = build(SELECTORS, spec["method"], spec["params"], seed)
    watch, notes = Stopwatch(), list[str]()
    with watch("fit"):
        labels = fill_missing(selector, Y, notes)
        (top,) = selector.subsets(made.data.X, labels, [len(made.relevant)])
    informative = np.union1d(made.relevant, made.redundant)
    row = {
        "relevant_found": float(np.isin(top, made.relevant).mean()),
        "informative_found": float(np.isin(top, informative).mean()),
    }
    if hasattr(selector, "gamma_"):
        row["hidden_auc"] = _hidden_auc(truth, Y, selector.gamma_)
    return {"rows": [row], "notes": notes, "seconds": watch.seconds}


def _hidden_auc(truth: Array, Y: Array, gamma: Array) -> float:
    """AUC of 1 - gamma for telling hidden positives from true zeros, among all zeros."""
    zero = Y == 0
    hidden = truth[zero] == 1
    if hidden.all() or not hidden.any():
        return float("nan")
    return float(roc_auc_score(hidden, 1 - gamma[zero]))
