"""Write a selector of your own, check its contract, and put it into a table with others."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import mlfs
from mlfs.methods.tags import Tags
from mlfs.selectors import Ranker
from mlfs.testing import check_method

CONFIG = """
name: with_mine
protocol: selection
datasets: [planted]
methods: [fsnm, add_selector:Correlation, random]
sizes: [5, 10]
metrics: [average_precision]
"""


class Correlation(Ranker):
    """Rank features by their largest absolute correlation with a label.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features ``transform`` keeps.
    """

    tags = Tags(paper="none")

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _rank(self, X, Y):
        X, Y = X - X.mean(axis=0), Y - Y.mean(axis=0)
        length = np.outer(np.linalg.norm(X, axis=0), np.linalg.norm(Y, axis=0))
        return np.abs(X.T @ Y / np.where(length > 0, length, 1.0)).max(axis=1)


if __name__ == "__main__":
    check_method(Correlation)  # raises an AssertionError that says what is wrong
    with TemporaryDirectory() as folder:
        shutil.copy(__file__, folder)  # `module:Class` is looked for beside the config
        config = Path(folder, "with_mine.yaml")
        config.write_text(CONFIG)
        found = mlfs.run(config, results=Path(folder, "results"))
        print(found.table("average_precision").round(3))
