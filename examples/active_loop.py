"""Buy labels in rounds: learn from known labels, ask which rows are next, annotate them."""

import numpy as np

from mlfs.active import MIML, BayesianCompressedSensing, Pool, Random
from mlfs.datasets import load
from mlfs.metrics import average_precision

START, ROUNDS, STEP = 20, 4, 10


def annotate(truth: np.ndarray, rows: np.ndarray, labels: np.ndarray) -> None:
    """Ask a person for the labels of these rows; in this example they are already known."""
    labels[rows] = truth[rows]


def loop(strategy, X, Y, X_test, Y_test) -> list[float]:
    """Return average precision on the test part after every round."""
    known = np.full(Y.shape, np.nan)
    annotate(Y, np.arange(START), known)
    curve = []
    for _ in range(ROUNDS):
        pool = Pool(X, known)
        model = BayesianCompressedSensing(n_factors=1.0, random_state=0)
        model.fit(X[pool.labelled], known[pool.labelled])
        curve.append(average_precision(Y_test, model.decision_function(X_test)))
        annotate(Y, strategy.query(pool, model, STEP), known)
    return curve


if __name__ == "__main__":
    data = load("planted")
    X, Y = data.X[:200], data.Y[:200].astype(float)
    X_test, Y_test = data.X[200:], data.Y[200:]
    for strategy in (MIML(), Random(random_state=0)):
        curve = loop(strategy, X, Y, X_test, Y_test)
        print(type(strategy).__name__, " ".join(f"{value:.3f}" for value in curve))
