"""PMU: time and memory, and the ratio to the literal transcription its test compares it with.

Run from the checkout, with the data at hand (MLFS_DATA or MLFS_MIRROR):
python benchmarks/bench_pmu.py
"""

from __future__ import annotations

import resource
import runpy
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mlfs.datasets import load
from mlfs.information import discretise
from mlfs.selectors import PMU

TEST = Path(__file__).resolve().parents[1] / "tests" / "selectors" / "test_pmu.py"


def seconds(work: Callable[[], Any], repeats: int = 1) -> tuple[float, Any]:
    """Return the least of several times, and the result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def peak_megabytes() -> float:
    """Return the most memory that this process has had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def main() -> None:
    """Time PMU beside the formula as written."""
    literal = runpy.run_path(str(TEST))["literal_pmu"]

    emotions = load("emotions")
    X, Y = np.asarray(emotions.X, dtype=float), emotions.Y.astype(int)
    d = X.shape[1]
    fast, model = seconds(lambda: PMU().fit(X, Y), repeats=5)
    slow, picks = seconds(lambda: literal(discretise(X).values, Y, d))
    same = "the same ranking" if picks == model.ranking_.tolist() else "NOT THE SAME RANKING"
    print(f"emotions, all {d} features: {fast:.3f} s, literally {slow:.2f} s")
    print(f"  {slow / fast:.0f} times faster, {same}")

    reference = load("reference")
    X, Y = reference.X[reference.train], reference.Y[reference.train]
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    third = -(-X.shape[1] // 3)
    fast, _ = seconds(lambda: PMU(n_ranked=third).fit(X, Y))
    print(f"reference, {X.shape[0]} x {X.shape[1]}, {Y.shape[1]} labels, {third} picks:")
    print(f"  {fast:.1f} s, peak memory of the process {peak_megabytes():.0f} MB")

    # the literal form at this size, on a few features: one pick costs d x l triples
    few = 20
    part, codes = X[:, :few], discretise(X[:, :few]).values
    fast, model = seconds(lambda: PMU(n_ranked=3).fit(part, Y), repeats=3)
    slow, picks = seconds(lambda: literal(codes, Y.astype(int), 3))
    same = "the same picks" if picks == model.ranking_[:3].tolist() else "NOT THE SAME PICKS"
    print(f"reference, {few} features, 3 picks: {fast:.3f} s, literally {slow:.1f} s")
    print(f"  {slow / fast:.0f} times faster, {same}")


if __name__ == "__main__":
    main()
