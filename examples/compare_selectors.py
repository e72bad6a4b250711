"""Compare feature selectors on csv files of your own."""

from pathlib import Path

import numpy as np

import mlfs

CONFIG = """
name: compared
protocol: selection
datasets: [{path: X.csv, labels: Y.csv, name: flowers}]
split: {kind: kfold, folds: 3}
methods: [all, fsnm, top_mi, random]
sizes: [2, 4, 6]
classifier: {mlknn: {k: 5}}
metrics: [average_precision, hamming_loss]
"""


def make_files() -> None:
    """Write two small files; replace them by your own."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 8))
    names = ",".join(f"feature{i}" for i in range(8))
    np.savetxt("X.csv", X, delimiter=",", header=names, comments="")
    np.savetxt("Y.csv", X[:, :3] > 0, "%d", ",", header="red,blue,green", comments="")


if __name__ == "__main__":
    if not Path("X.csv").exists():
        make_files()
    Path("compared.yaml").write_text(CONFIG)
    found = mlfs.run("compared.yaml")
    print(found.table("average_precision").round(3))
    print(found.entries("average_precision")[["method", "mean", "std", "rank"]])
