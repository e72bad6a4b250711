"""Choose parameters inside the training part: by a config, and by scikit-learn's own tools."""

from pathlib import Path

from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mlfs
from mlfs.classifiers import MLkNN
from mlfs.datasets import load
from mlfs.selectors import FSNM

CONFIG = """
name: tuned
protocol: selection
datasets: [planted]
split: {kind: holdout, train: 0.8, repeats: 2}
scale: standard
methods:
  - {fsnm: {}, search: {gamma: [0.1, 10.0]}}
  - {fsnm: {gamma: 1.0}, label: untuned}
sizes: [10]
tune: {strategy: grid, folds: 2, metric: average_precision}
metrics: [average_precision]
"""


def nested() -> float:
    """Tune in an inner loop and score in an outer loop: test rows never decide a parameter."""
    data = load("planted")
    pipeline = make_pipeline(StandardScaler(), FSNM(n_features_to_select=10), MLkNN())
    grid = {"fsnm__gamma": [0.1, 10.0], "mlknn__k": [5, 20]}
    inner = GridSearchCV(pipeline, grid, scoring="roc_auc", cv=3)
    return float(cross_val_score(inner, data.X, data.Y, scoring="roc_auc", cv=3).mean())


if __name__ == "__main__":
    Path("tuned.yaml").write_text(CONFIG)
    found = mlfs.run("tuned.yaml")
    print(found.table("average_precision").round(3))
    print(f"scikit-learn, nested: {nested():.3f}")
