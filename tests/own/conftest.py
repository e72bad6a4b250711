"""Small tables of a person's own."""

import numpy as np
import pytest

from mlfs.datasets import UserData
from mlfs.datasets.user.own_table import OwnTable


@pytest.fixture
def drawn():
    """``drawn(n=200, unknown=0.3)``: a table whose labels depend on its first features."""

    def draw(n=120, d=8, labels=3, unknown=0.0, ids=False, seed=0):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((n, d))
        noise = 0.7 * rng.standard_normal((n, labels))
        Y = (X[:, :labels] + noise > 0.3).astype(float)
        Y[rng.random(Y.shape) < unknown] = np.nan
        return OwnTable(
            own=UserData(path="X.csv", labels="Y.csv", id="name" if ids else None),
            X=X,
            given=X,
            Y=Y,
            feature_names=[f"f{j}" for j in range(d)],
            label_names=[f"y{j}" for j in range(labels)],
            ids=[f"row{i}" for i in range(n)] if ids else None,
            notes=[],
        )

    return draw
