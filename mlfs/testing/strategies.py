"""What is checked of query strategies: they buy from a pool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..active import BayesianCompressedSensing, Pool
from .common import data, make, must


def _pool() -> tuple[Pool, Any]:
    X, Y = data(n=30, d=3, n_labels=3)
    hidden = Y.copy()
    hidden[np.random.default_rng(1).permutation(30)[10:]] = np.nan
    pool = Pool(X, hidden)
    model = BayesianCompressedSensing(gamma=0.5, sigma2=0.05, chi2=0.05, random_state=0)
    return pool, model.fit(X[pool.labelled], hidden[pool.labelled])


def picks_unlabelled_points_in_order(cls: Any) -> None:
    """Check that as many points as asked are picked, none twice, and that the pool is unchanged."""
    pool, model = _pool()
    before = pool.X.copy(), pool.Y.copy()
    strategy = make(cls)
    picks = np.asarray(strategy.query(pool, model, 4))
    must(picks.shape == (4,) and len(set(picks.tolist())) == 4, "4 points asked, others given")
    must(np.isin(picks, pool.unlabelled).all(), "it picked points that have labels")
    must(np.shape(strategy.gains_) == (4,), "gains_ has not one number for each pick")
    again = make(cls).query(pool, model, 4)
    must(np.array_equal(again, picks), "two queries with the same seed differ")
    same = np.array_equal(pool.X, before[0]) and np.array_equal(pool.Y, before[1], equal_nan=True)
    must(same, "it wrote to the pool")


def refuses_too_large_a_budget(cls: Any) -> None:
    """Check that more points than there are unlabelled ones, or none, are refused."""
    pool, model = _pool()
    for n in (0, len(pool.unlabelled) + 1):
        try:
            make(cls).query(pool, model, n)
        except ValueError:
            continue
        raise AssertionError(f"{n} of {len(pool.unlabelled)} points must be refused (ValueError)")


def chooses_labels_as_it_says(cls: Any) -> None:
    """Check that one with ``chooses_labels`` chooses labels of a point, and another refuses."""
    _, model = _pool()
    mu, v = model.compressed(np.ones((1, 3)))
    try:
        labels, gains = make(cls).choose_labels(
            model, mu[0], float(v[0]), 2, np.random.default_rng(0)
        )
    except ValueError:
        must(not cls.chooses_labels, "chooses_labels is true, and it chooses none")
        return
    must(cls.chooses_labels, "it chooses labels, and chooses_labels is false")
    must(len(set(np.asarray(labels).tolist())) == 2 == len(gains), "2 labels asked, others given")


STRATEGY: list[Callable[[Any], None]] = [
    picks_unlabelled_points_in_order,
    refuses_too_large_a_budget,
    chooses_labels_as_it_says,
]
