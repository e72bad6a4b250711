"""Measure active-learning experiments with pure functions of data, strategy and model."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone

from ..methods.strategy import Pool, QueryStrategy
from ..metrics import micro_f1, precision_at_k
from ..numerics.params import Seed, as_generator
from ..types import Array, Matrix
from .diagnosis import best_thresholds, buying_orders, predicted, revealed
from .model import BayesianCompressedSensing

_THRESHOLDS = 1  # key of the random numbers for thresholds; those for test points have no key


def learning_curve(
    X: Matrix,
    Y: Array,
    start: Array,
    strategy: QueryStrategy,
    model: BayesianCompressedSensing,
    *,
    budget: int,
    step: int,
    test: tuple[Matrix, Array] | None = None,
) -> pd.DataFrame:
    """Buy points of a pool and measure the model after every `step` of them (figures 2 and 3).

    Hyper-parameters and Φ are learnt from the seed set and then kept. A strategy that does not use
    labels is asked only once, for the whole budget; its picks are the same.

    Parameters
    ----------
    X, Y : arrays of shape (n, d) and (n, l)
        The pool and all its labels, which are revealed when they are bought.
    start : ndarray of int
        Rows of the seed set.
    strategy : QueryStrategy
        Chooses the points; its notes are then about these queries.
    model : BayesianCompressedSensing
        An unfitted model; it is not changed.
    budget, step : int
        Number of points to buy, and number of points between two measurements.
    test : (X, Y), optional
        The test part; by default the points of the pool that are not bought yet.

    Returns
    -------
    DataFrame
        One row per measurement: n_bought, precision_at_1.. up to 3, their mean as precision, and
        the seconds spent choosing so far.
    """
    model = clone(model).fit(X[start], Y[start])
    pool = Pool(X, np.full(Y.shape, np.nan))
    pool.Y[start] = Y[start]
    rows = [{"n_bought": 0, **_precisions(model, pool, Y, test), "seconds": 0.0}]
    seconds, bought = 0.0, 0
    waiting: list[int] = []
    while bought < budget:
        for _ in range(min(step, budget - bought)):
            if not waiting:
                began = time.perf_counter()
                asked = 1 if strategy.one_at_a_time else budget - bought
                waiting = strategy.query(pool, model, asked).tolist()
                seconds += time.perf_counter() - began
            row = waiting.pop(0)
            pool.Y[row] = Y[row]
            bought += 1
        model.condition(X[pool.labelled], pool.Y[pool.labelled])
        measured = _precisions(model, pool, Y, test)
        rows.append({"n_bought": bought, **measured, "seconds": seconds})
    return pd.DataFrame(rows)


def full_pool_precision(
    X: Matrix, Y: Array, start: Array, model: BayesianCompressedSensing, test: tuple[Matrix, Array]
) -> float:
    """Compute the mean precision at 1 to 3 when every label of the pool is known.

    Buying labels brings the model closer to this value.
    """
    model = clone(model).fit(X[start], Y[start]).condition(X, Y)
    return _precisions(model, Pool(X, Y), Y, test)["precision"]


def _precisions(
    model: BayesianCompressedSensing, pool: Pool, Y: Array, test: tuple[Matrix, Array] | None
) -> dict[str, float]:
    rest = pool.unlabelled
    X_test, Y_test = (pool.X[rest], Y[rest]) if test is None else test
    scores = model.decision_function(X_test)
    depths = range(1, min(3, Y.shape[1]) + 1)
    precisions = {f"precision_at_{k}": precision_at_k(Y_test, scores, k) for k in depths}
    return {**precisions, "precision": float(np.mean(list(precisions.values())))}


def diagnosis_curve(
    X: Matrix,
    Y: Array,
    test: tuple[Matrix, Array],
    strategy: QueryStrategy,
    model: BayesianCompressedSensing,
    *,
    budget: int,
    random_state: Seed = None,
) -> pd.DataFrame:
    """Buy labels of each test point, one per round, and measure F1 (figure 4c).

    Parameters
    ----------
    X, Y : arrays of shape (n, d) and (n, l)
        Fully labelled training points.
    test : (X, Y)
        The points whose labels are bought.
    strategy : QueryStrategy
        A strategy that chooses labels.
    model : BayesianCompressedSensing
        An unfitted model; it is not changed.
    budget : int
        Labels per point.
    random_state : int, RandomState or None, default=None
        Decides the labels of a strategy that draws at random.

    Returns
    -------
    DataFrame
        One row per round: n_bought (labels per point), f1 (mean over points), micro_f1 and the
        seconds spent choosing so far. A bought label counts as predicted correctly.
    """
    X_test, Y_test = test
    model = clone(model).fit(X, Y)
    thresholds = best_thresholds(
        model, strategy, range(budget + 1), as_generator(random_state, _THRESHOLDS)
    )
    mu, v = model.compressed(X_test)
    began = time.perf_counter()
    orders = buying_orders(model, mu, v, strategy, budget, as_generator(random_state))
    seconds = time.perf_counter() - began
    rows = []
    for bought, threshold in thresholds.items():
        known = revealed(Y_test, orders, bought)
        scores = model.posterior_of(mu, v, known).mean
        measured = _f1(Y_test, predicted(scores, known, threshold))
        rows.append({"n_bought": bought, **measured, "seconds": seconds * bought / budget})
    return pd.DataFrame(rows)


def generalised_curve(
    X: Matrix,
    Y: Array,
    test: tuple[Matrix, Array],
    strategy: QueryStrategy,
    model: BayesianCompressedSensing,
    *,
    labels_per_point: int,
    random_state: Seed = None,
) -> pd.DataFrame:
    """Buy some labels of one test point after another, and measure F1 of all (figure 4d).

    The strategy chooses points (section 5.1) and then their labels (section 5.2). The model learns
    from all known labels, also those of points with unknown labels.

    Parameters
    ----------
    X, Y, test : as in ``diagnosis_curve``
        The training points and the test points.
    strategy : QueryStrategy
        A strategy that chooses labels, and that chooses points without looking at labels.
    model : BayesianCompressedSensing
        An unfitted model; it is not changed.
    labels_per_point : int
        Number of labels to buy of each point.
    random_state : int, RandomState or None, default=None
        Decides the labels of a strategy that draws at random.

    Returns
    -------
    DataFrame
        One row per number of points bought: n_bought, f1, micro_f1, seconds.
    """
    X_test, Y_test = test
    n, m = X.shape[0], X_test.shape[0]
    model = clone(model).fit(X, Y)
    thresholds = best_thresholds(
        model, strategy, (0, labels_per_point), as_generator(random_state, _THRESHOLDS)
    )
    rng = as_generator(random_state)
    everything = sp.vstack([X, X_test], format="csr") if sp.issparse(X) else np.vstack([X, X_test])
    pool = Pool(everything, np.vstack([Y, np.full(Y_test.shape, np.nan)]))
    began = time.perf_counter()
    order = clone(strategy).query(pool, model, m) - n
    seconds = time.perf_counter() - began
    rows = []
    for bought in range(m + 1):
        known, active = pool.Y[n:], order[:bought]
        scores = model.posterior(X_test, known).mean
        # a point the model has learnt from must not be predicted as if it were new
        scores[active] = model.Y_[np.searchsorted(pool.labelled, n + active)]
        at = np.full((m, 1), thresholds[0])
        at[active] = thresholds[labels_per_point]
        measured = _f1(Y_test, predicted(scores, known, at))
        rows.append({"n_bought": bought, **measured, "seconds": seconds})
        if bought < m:
            i = int(order[bought])
            began = time.perf_counter()
            mu, v = model.compressed(X_test[i : i + 1])
            labels, _ = strategy.choose_labels(model, mu[0], float(v[0]), labels_per_point, rng)
            seconds += time.perf_counter() - began
            pool.Y[n + i, labels] = Y_test[i, labels]
            model.condition(pool.X[pool.labelled], pool.Y[pool.labelled])
    return pd.DataFrame(rows)


def _f1(Y: Array, P: Array) -> dict[str, float]:
    """Compute F1 per point (1 if nothing is predicted and nothing is true) and over entries."""
    Y = Y > 0.5
    size = Y.sum(axis=1) + P.sum(axis=1)
    per_point = np.where(size > 0, 2 * (Y & P).sum(axis=1) / np.maximum(size, 1), 1.0)
    return {"f1": float(per_point.mean()), "micro_f1": micro_f1(Y, P)}


def compare_inferences(
    X: Matrix, Y: Array, X_test: Matrix, model: BayesianCompressedSensing
) -> pd.DataFrame:
    """Compute means and variances of all test labels by both inferences (figures 4a, b).

    Parameters
    ----------
    X, Y : arrays of shape (n, d) and (n, l)
        The training points.
    X_test : array or sparse matrix of shape (m, d)
        The test points.
    model : BayesianCompressedSensing
        An unfitted model; it is not changed.

    Returns
    -------
    DataFrame
        Columns point, label, mean_ml_oss, variance_ml_oss, mean_bml_cs, variance_bml_cs.
    """
    columns: dict[str, Any] = {}
    for inference in ("ml_oss", "bml_cs"):
        fitted = clone(model).set_params(inference=inference).fit(X, Y)
        posterior = fitted.posterior(X_test)
        columns[f"mean_{inference}"] = posterior.mean.ravel()
        columns[f"variance_{inference}"] = posterior.variance.ravel()
    points, labels = np.indices((X_test.shape[0], Y.shape[1]))
    return pd.DataFrame({"point": points.ravel(), "label": labels.ravel(), **columns})


def choosing_seconds(
    X: Matrix,
    Y: Array,
    start: Array,
    strategy: QueryStrategy,
    model: BayesianCompressedSensing,
    n: int,
) -> dict[str, float]:
    """Measure the seconds to learn from the seed set and to choose n points (table 2).

    Labels are revealed after each pick to a strategy that needs them.
    """
    model = clone(model)
    began = time.perf_counter()
    model.fit(X[start], Y[start])
    learnt = time.perf_counter()
    pool = Pool(X, np.full(Y.shape, np.nan))
    pool.Y[start] = Y[start]
    at_once = 1 if strategy.one_at_a_time else n
    for _ in range(0, n, at_once):
        picks = strategy.query(pool, model, at_once)
        pool.Y[picks] = Y[picks]
    return {"seconds_learning": learnt - began, "seconds_choosing": time.perf_counter() - learnt}
