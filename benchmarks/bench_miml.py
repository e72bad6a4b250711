"""Choosing by mutual information: seconds and memory beside table 2, a ratio to algorithm 1.

Run ``python benchmarks/bench_miml.py [set ...]``; sets that cannot be had are named and skipped.
``python benchmarks/bench_miml.py inference 2000`` infers the labels of 2,000 points of delicious.
``python benchmarks/bench_miml.py nominees`` times Li-Adaptive with ten and with all its nominees.
"""

from __future__ import annotations

import sys
import time
import tracemalloc

import numpy as np
from sklearn.preprocessing import normalize

from mlfs.active import MIML, BayesianCompressedSensing, LiAdaptive, Pool
from mlfs.active.curve import choosing_seconds
from mlfs.datasets import load
from mlfs.errors import UserError
from mlfs.types import Array

PRINTED = {"yeast": 205, "mediamill": 2489, "rcv1subset1": 1845, "delicious": 4260}  # seconds


def sample(name: str, n: int) -> tuple[Array, Array]:
    """Load some rows of a set, of length one each."""
    data = load(name)
    rows = np.random.default_rng(0).permutation(len(data.Y))[:n]
    return normalize(data.X[rows]), np.asarray(data.Y[rows], dtype=float)


def table_2(names: list[str]) -> None:
    """Time learning and choosing as in the paper's table 2."""
    print("set          labels  pool  learning s  choosing s  printed s  peak MB")
    for name in names:
        try:
            X, Y = sample(name, 2000 if name == "yeast" else 4000)
        except UserError as error:
            print(f"{name}: skipped: {error}")
            continue
        start = np.arange(200 if name == "yeast" else 500)
        tracemalloc.start()
        found = choosing_seconds(
            X, Y, start, MIML(), BayesianCompressedSensing(random_state=0), 250
        )
        peak = tracemalloc.get_traced_memory()[1] / 2**20  # of arrays made while choosing
        tracemalloc.stop()
        print(
            f"{name:12s} {Y.shape[1]:6d} {len(Y):5d} {found['seconds_learning']:11.1f} "
            f"{found['seconds_choosing']:11.1f} {PRINTED.get(name, float('nan')):10.0f} {peak:9.0f}"
        )


def algorithm_1(C: Array, chosen: list[int], left: list[int], n: int) -> list[int]:
    """Run the paper's loops as printed: solve for every candidate, at every pick."""
    picks = []
    for _ in range(n):
        best, best_ratio = -1, -np.inf
        for x in left:
            rest = [y for y in left if y != x]
            variances = [
                C[x, x] - C[x, given] @ np.linalg.solve(C[np.ix_(given, given)], C[given, x])
                for given in (chosen, rest)
            ]
            if variances[0] / variances[1] > best_ratio:
                best, best_ratio = x, variances[0] / variances[1]
        chosen, left = [*chosen, best], [y for y in left if y != best]
        picks.append(best)
    return picks


def ratio(n_picks: int = 5) -> None:
    """Both choose the same points of a pool of 400; few picks, since algorithm 1 is slow."""
    X, Y = sample("yeast", 400)
    pool = Pool(X, np.where(np.arange(400)[:, None] < 20, Y, np.nan))
    model = BayesianCompressedSensing(random_state=0).fit(X[:20], Y[:20])
    began = time.perf_counter()
    slow = algorithm_1(model.covariance(X), list(range(20)), list(range(20, 400)), n_picks)
    middle = time.perf_counter()
    for _ in range(20):
        fast = MIML().query(pool, model, n_picks)
    ours = (time.perf_counter() - middle) / 20
    assert fast.tolist() == slow
    print(f"{n_picks} of 400: algorithm 1 {middle - began:.2f} s, ours {ours:.4f} s, ", end="")
    print(f"ratio {(middle - began) / ours:.0f}")


def inference(n_points: int = 20, n_plain: int = 5) -> None:
    """Labels of new points of delicious, 4,000 labelled, beside inverting the l x l precision."""
    try:
        X, Y = sample("delicious", 4000 + n_points)
    except UserError as error:
        print(f"inference skipped: {error}")
        return
    began = time.perf_counter()
    model = BayesianCompressedSensing(random_state=0).fit(X[:4000], Y[:4000])
    learnt = time.perf_counter()
    found = model.posterior(X[4000:])
    ours = time.perf_counter() - learnt
    mu, v = model.compressed(X[4000 : 4000 + n_plain])
    gram, middle = model.Phi_.T @ model.Phi_, time.perf_counter()
    for i in range(n_plain):
        alpha, mean = np.ones(len(gram)), np.zeros(len(gram))
        for _ in range(model.max_iter):
            covariance = np.linalg.inv(np.diag(alpha) + gram / v[i])
            previous, mean = mean, covariance @ (model.Phi_.T @ mu[i]) / v[i]
            alpha = model._prior().precision(mean, np.diag(covariance))
            if np.abs(mean - previous).max() <= model.tol:
                break
        np.testing.assert_allclose(found.mean[i], mean, atol=1e-6)
    plain = (time.perf_counter() - middle) / n_plain
    print(
        f"delicious: learning from 4000 points {learnt - began:.1f} s, labels of {n_points} ",
        end="",
    )
    print(f"points {ours:.1f} s; inverting l x l is {plain * n_points / ours:.1f} times slower")


def nominees(n_queries: int = 5) -> None:
    """Seconds that Li-Adaptive takes a query, 200 points labelled: what a limit saves."""
    print("set          limit  nominees at most  seconds a query")
    for name in ("yeast", "medical", "enron"):
        X, Y = sample(name, 4000)
        for limit in (10, None):
            pool = Pool(X, np.where(np.arange(len(Y))[:, None] < 200, Y, np.nan))
            strategy = LiAdaptive(max_nominees=limit, random_state=0)
            began = time.perf_counter()
            for _ in range(n_queries):
                picks = strategy.query(pool, None, 1)
                pool.Y[picks] = Y[picks]
            seconds = (time.perf_counter() - began) / n_queries
            print(f"{name:12s} {limit!s:5s} {strategy.most_nominees_:17d} {seconds:16.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["inference"]:
        inference(*map(int, sys.argv[2:]))
    elif sys.argv[1:2] == ["nominees"]:
        nominees(*map(int, sys.argv[2:]))
    else:
        ratio()
        inference()
        table_2(sys.argv[1:] or list(PRINTED))
