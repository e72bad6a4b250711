"""The checks of query strategies, which choose points of a pool to label."""

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
    """Check that query picks as many different points as asked, and does not change the pool."""
    pool, model = _pool()
    before = pool.X.copy(), pool.Y.copy()
    strategy = make(cls)
    picks = np.asarray(strategy.query(pool, model, 4))
    four = picks.shape == (4,) and len(set(picks.tolist())) == 4
    must(four, "it did not pick 4 different points, as asked")
    must(np.isin(picks, pool.unlabelled).all(), "it picked points that have labels")
    must(np.shape(strategy.gains_) == (4,), "gains_ must have one number for each pick")
    again = make(cls).query(pool, model, 4)
    must(np.array_equal(again, picks), "two queries with the same seed differ")
    same = np.array_equal(pool.X, before[0]) and np.array_equal(pool.Y, before[1], equal_nan=True)
    must(same, "it changed the pool")


def refuses_too_large_a_budget(cls: Any) -> None:
    """Check that query refuses to pick 0 points, or more points than there are unlabelled ones."""
    pool, model = _pool()
    for n in (0, len(pool.unlabelled) + 1):
        try:
            make(cls).query(pool, model, n)
        except ValueError:
            continue
        there = len(pool.unlabelled)
        raise AssertionError(f"picking {n} of {there} points must be refused with a ValueError")


def chooses_labels_as_it_says(cls: Any) -> None:
    """Check that choose_labels works if ``chooses_labels`` is true, and is refused otherwise."""
    _, model = _pool()
    mu, v = model.compressed(np.ones((1, 3)))
    try:
        labels, gains = make(cls).choose_labels(
            model, mu[0], float(v[0]), 2, np.random.default_rng(0)
        )
    except ValueError:
        must(not cls.chooses_labels, "chooses_labels is true, but it refuses to choose labels")
        return
    must(cls.chooses_labels, "it chooses labels, but chooses_labels is false")
    two = len(set(np.asarray(labels).tolist())) == 2 == len(gains)
    must(two, "it did not choose 2 different labels, as asked")


STRATEGY: list[Callable[[Any], None]] = [
    picks_unlabelled_points_in_order,
    refuses_too_large_a_budget,
    chooses_labels_as_it_says,
]
